"""What the kernels that correct texts ask of their arguments: near words, models, rules and noise."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from errata.kernels._checks import all_offsets, differences, ids, largest, offsets, once, part, room, shape

_POINTS = 65536  # code points that tables of letters cover
_UNICODE = 0x110000
_LONGEST = 40  # code points of a replacement, for which the kernel leaves room
_TAKEN = 60  # tokens on one side of a rule's anchor: bits of a number
_WORDS = (1 << 22) - 1  # of a lexicon, whose ids have 22 bits
_NODES = (1 << 25) - 1  # of a trie, of which a child's number has 25 bits
_ANY, _RARE = 1 << 61, 1 << 62  # bits of sets of letters


def build(a: Any) -> None:
    lengths = all_offsets(a.offsets, len(a.letters))
    if len(lengths) != len(a.words) or (a.letters.size and a.letters.min() < 0):
        raise ValueError("words that lack their letters")
    room(int(lengths.max(initial=0)) + 2, a.levels, a.path)
    if a.levels.any():
        raise ValueError("levels that are not 0")
    once(ids, a.letters, len(a.sets))
    ids(a.words, _WORDS)
    room(len(a.letters) + 1, a.node_letters)
    shape(a.nodes, len(a.letters) + 2, 2)
    part(0, a.most, _NODES)


def candidates(a: Any) -> None:
    part(a.start, a.stop, len(a.limits))
    part(a.start, a.stop, len(a.offsets) - 1)
    shape(a.limits, 0, 2)
    if a.limits[a.start : a.stop, 0].min(initial=0) < 0:
        raise ValueError("fewer than 0 edits")
    once(all_offsets, a.offsets, len(a.letters))
    written, known = a.replace.shape
    shape(a.same, written, known)
    room(known, a.delete)
    room(written, a.insert, a.accepts)
    once(ids, a.letters, written)
    room(max(written, known), a.sets)
    if (a.accepts & (_ANY | (-1 << 63))).any():
        raise ValueError("a letter that accepts what is none")
    shape(a.nodes, len(a.node_letters) + 1, 2)
    once(_trie, a.node_letters, a.nodes, a.sets, known, len(a.word_cost))
    shape(a.word_cost, 0, 1)
    shape(a.stack, 5, 4)
    shape(a.out_words, a.stop, 1)
    shape(a.out_costs, a.stop, a.out_words.shape[1])
    room(a.stop, a.out_counts)


def _trie(letters: Any, rows: Any, sets: Any, known: int, lexicon: int) -> None:
    """Nodes level by level, the children of each side by side, with different letters."""
    nodes = len(letters)
    if nodes + 1 != len(rows) or nodes < 1:
        raise ValueError("a trie whose columns differ in length")
    ids(letters, known)
    ids(rows[:, 1] & _WORDS, lexicon + 1)
    if rows[0, 1] >> 38 != 1 or rows[-1, 1] >> 38 != nodes or (np.diff(rows[:, 1] >> 38) < 0).any():
        raise ValueError("a trie whose nodes are not side by side")
    parents = np.flatnonzero(np.diff(rows[:, 1] >> 38))
    first = rows[parents, 1] >> 38
    eldest = np.zeros(nodes, dtype=bool)
    eldest[first] = True
    if (first <= parents).any() or not (eldest[1:] | (letters[1:] > letters[:-1])).all():
        raise ValueError("a trie with a circle, or with two children of one letter")
    bits = sets[sets != _RARE]
    if (bits < 1).any() or (bits & (bits - 1)).any() or (bits >= _ANY).any() or (np.diff(bits) <= 0).any():
        raise ValueError("letters that are no sets of one, or in another order")
    has = np.bitwise_or.reduceat(sets[letters[1:]], first - 1) | _ANY if nodes > 1 else _ANY
    if (rows[parents, 0] != has).any() or (rows[:, 0] == _ANY).sum() != len(rows) - len(parents):
        raise ValueError("a trie whose nodes have other letters than their children")


def _searched(a: Any) -> Any:
    """Sentences with the choices of their tokens, and the models; gives the sentences' lengths."""
    part(a.start, a.stop, len(a.offsets) - 1)
    lengths = once(all_offsets, a.offsets, len(a.kinds))
    once(ids, a.kinds, len(a.choice_offsets) - 1)
    once(_choices, a.choice_offsets, a.choices, _sizes(a))
    room(3, a.weights)
    room(len(a.kinds), a.best)
    return lengths


def viterbi(a: Any) -> None:
    lengths = _searched(a)
    if a.width < 1:
        raise ValueError(f"a beam of {a.width}")
    room(24 * (4 * a.width + 2), a.work)
    shape(a.trail, (largest(lengths, a.start, a.stop) + 1) * a.width, 2)


def _choices(choice_offsets: Any, choices: Any, sizes: tuple[int, ...]) -> None:
    """Choices of words, described as the kernel says; the last two rows describe no choice."""
    all_offsets(choice_offsets, len(choices) - 2)
    shape(choices, 2, 12)
    ids(choices[:, :2], sizes[0], least=-1)
    for m, size in enumerate(sizes):
        ids(choices[:, 4 + m], size)
    ids(choices[choices[:, 1] >= 0, 11], len(choices))
    if (choice_offsets[1:] == choice_offsets[:-1]).any():
        raise ValueError("a word without a choice")


def _sizes(a: Any) -> Any:
    """How many words each model has."""
    return once(_models, a.bounds, a.unigrams, a.followers, a.pairs, a.triples)


def _models(bounds: Any, unigrams: Any, followers: Any, pairs: Any, triples: Any) -> tuple[int, ...]:
    """Three models one behind the other, as their module says; gives how many words each has."""
    shape(unigrams, 0, 3)
    shape(pairs, len(followers), 2)
    room(3, bounds)
    _hash_rows(unigrams, followers)
    _hash_rows(pairs, triples)
    starts = [*bounds[:3].tolist(), len(unigrams)]
    for first, end in pairwise(starts):
        part(first, end, len(unigrams))
    return tuple(end - first for first, end in pairwise(starts))


def _hash_rows(contexts: Any, table: Any) -> None:
    """Contexts whose n-grams lie in rows of a table, of which one at least is empty; -1 is an empty row."""
    begin, context = contexts[:, 0].astype(np.int64), contexts[:, 1]
    ids(context, 1 << 29)
    end = begin + np.where(context & 0xFFFF, 1 << ((context >> 16) & 31).astype(np.int64), 0)
    if len(begin) and (begin.min() < 0 or end.max() > len(table)):
        raise ValueError("n-grams that lie elsewhere")
    empty = np.concatenate([[0], np.cumsum(table < 0)])
    if ((end > begin) & (empty[end] == empty[begin])).any():
        raise ValueError("n-grams without an empty row beside them")


def matched_rules(a: Any) -> None:
    part(a.start, a.stop, len(a.classes))
    ids(a.classes, len(a.anchored) - 1)
    rules = len(a.fixed) - 1
    room(len(a.anchored) - 1, a.held)
    once(all_offsets, a.anchored, len(a.anchored_rules))
    once(ids, a.anchored_rules, rules)
    once(all_offsets, a.fixed, len(a.conditions))
    if len(a.flexible) != 2 * rules + 1:
        raise ValueError(f"the parts of {len(a.flexible) // 2} rules in place of {rules}")
    once(all_offsets, a.flexible, len(a.parts))
    shape(a.ends, rules, 2)
    shape(a.conditions, 0, 2)
    shape(a.parts, 0, 3)
    once(_rules, a.conditions, a.parts, a.flexible, 8 * a.held.shape[1])
    shape(a.found, 0, 2)


def _rules(conditions: Any, parts: Any, flexible: Any, known: int) -> None:
    """Conditions that are known, and parts that together take no more tokens than a number has bits."""
    ids(conditions[:, 0], known)
    ids(parts[:, 0], known)
    ids(parts[:, 1:], _TAKEN)
    taken = np.concatenate([[0], np.cumsum(parts[:, 2], dtype=np.int64)])[flexible]
    if differences(taken).max(initial=0) > _TAKEN:
        raise ValueError(f"a rule that takes more than {_TAKEN} tokens")


def hash_words(a: Any) -> None:
    offsets(a.offsets, 0, len(a.out), len(a.text))


def hashed(keys: Any, *columns: Any) -> None:
    """A table of open addressing: its size a power of two, with room left, and columns of this size."""
    if len(keys) < 1 or len(keys) & (len(keys) - 1) or not (keys == 0).any():
        raise ValueError(f"a table of {len(keys)} places, which is no power of two or is full")
    room(len(keys), *columns)


def fillable(found: Any, keys: Any) -> None:
    """A table that has room for further keys, and for an empty place behind them."""
    if len(keys) < 1 or len(keys) & (len(keys) - 1) or len(found) + np.count_nonzero(keys) >= len(keys):
        raise ValueError(f"a table of {len(keys)} places for {len(found)} keys")


def fill_table(a: Any) -> None:
    fillable(a.hashes, a.keys)
    room(len(a.keys), a.rows)


def noising(a: Any) -> None:
    ends = np.flatnonzero(a.text == 10)
    ids(a.text, _UNICODE)
    if len(a.text) and a.text[-1] != 10:
        raise ValueError("a text whose last line has no end")
    lines = np.diff(ends, prepend=-1)
    room(len(ends), a.states)
    shape(a.tokens, int(lines.max(initial=0)), 4)
    room(2 * len(a.text) + 256 * len(ends), a.out)
    room(4, a.factors)
    room(10, a.chances)
    room(_POINTS, a.flags, a.lower, a.upper, a.plain, a.char_class)
    for table in (a.lower, a.upper, a.plain):
        once(ids, table, _POINTS)
    once(_ranges, a.inserts, len(a.pool), 1)
    once(_ranges, a.choices, len(a.pool), 0)
    room(len(a.insert_cumulative), a.inserts)
    room(len(a.choices), a.choice_cumulative)
    once(ids, a.pool, _UNICODE)
    for kind in ("word", "suffix"):
        keys, rows, chances, starts = (
            getattr(a, f"{kind}_{name}") for name in ("keys", "rows", "chances", "offsets")
        )
        once(hashed, keys, rows)
        once(_alternatives, rows, starts, len(chances), len(a.choices))
    once(_alternatives, a.char_class, a.char_offsets, len(a.char_chances), len(a.char_choices))
    shape(a.char_choices, 0, 2)
    once(ids, a.char_choices, _UNICODE)
    room(len(a.char_choices), a.char_cumulative)


def _ranges(ranges: Any, length: int, least: int) -> None:
    """Ranges of an array of this length, none longer than a replacement may be."""
    shape(ranges, 0, 2)
    ids(ranges, length + 1)
    ids(ranges[:, 1] - ranges[:, 0], _LONGEST + 1, least)


def _alternatives(rows: Any, starts: Any, count: int, choices: int) -> None:
    """Rows of a table, each with at least one of the choices."""
    ids(rows, max(count, 1), least=-1)
    offsets(starts, 0, count, choices)
    if (starts[1 : count + 1] == starts[:count]).any():
        raise ValueError("a row without a choice")
