"""What every kernel asks of its arguments, checked at the one door from Python.

A kernel is compiled without checks of its indices. `checked` puts a function of this module in front of it:
shapes, offsets, ids and scratch arrays have to fit each other, or there is a ValueError. Only the part of an
array that a call reads is looked at. Arrays that stay the same from call to call (tables of a model, texts of
a batch) are looked at `once`: whoever changes one afterwards has to call with a new array.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import wraps
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, TypeVar

import numpy as np

from errata.kernels import bounds

Function = TypeVar("Function", bound=Callable[..., Any])
Check = Callable[[Any], None]
_POINTS = 65536  # code points that tables of letters cover
_UNICODE = 0x110000
_LONGEST = 40  # code points of a replacement, for which the kernel leaves room
_FEATURES = 29  # of a token, besides its spellings
_SHIFTS = 1000
_TAKEN = 60  # tokens on one side of a rule's anchor: bits of a number
_WORDS = (1 << 22) - 1  # of a lexicon, whose ids have 22 bits
_ANY, _RARE = 1 << 61, 1 << 62  # bits of sets of letters
_PLAIN = (np.dtype(np.int32), np.dtype(np.int64))
_seen: dict[tuple[Any, ...], tuple[Any, tuple[weakref.ref[Any], ...]]] = {}


def checked(check: Check) -> Callable[[Function], Function]:
    """Put a check in front of a kernel's function; it sees the arguments by their names."""

    def door(function: Function) -> Function:
        names = function.__code__.co_varnames[: function.__code__.co_argcount]
        dimensions = {
            name: str(kind).count(",") + 1
            for name, kind in function.__annotations__.items()
            if str(kind).endswith("::1]")
        }

        @wraps(function)
        def call(*arguments: Any, **named: Any) -> Any:
            given = dict(zip(names, arguments, strict=False), **named)
            try:
                for name, count in dimensions.items():
                    if given[name].ndim != count:
                        raise ValueError(f"{name} has {given[name].ndim} dimensions in place of {count}")
                check(SimpleNamespace(**given))
            except (ValueError, TypeError, AttributeError, LookupError) as error:
                raise ValueError(f"{function.__name__}: {error}") from None
            return function(*arguments, **named)

        return call  # type: ignore[return-value]

    return door


# -- what can be asked -------------------------------------------------------------------------------------


def part(start: int, stop: int, count: int) -> None:
    """A range of `count` things."""
    if not 0 <= start <= stop <= count:
        raise ValueError(f"the range {start}:{stop} of {count}")


def room(needed: int, *arrays: Any) -> None:
    """Arrays that are at least so long."""
    for array in arrays:
        if len(array) < needed:
            raise ValueError(f"an array of length {len(array)}, where {needed} are needed")


def shape(array: Any, *sizes: int) -> None:
    """An array of two or three dimensions, each at least so large."""
    have = array.shape
    fits = len(have) == len(sizes)
    for size, needed in zip(have, sizes, strict=False):
        fits = fits and size >= needed
    if not fits:
        raise ValueError(f"an array of shape {have}, where {sizes} is needed")


def ids(array: Any, limit: int, least: int = 0) -> None:
    """Numbers from `least` to below `limit`."""
    if not array.size:
        return
    plain = array.ndim == 1 and array.dtype in _PLAIN and array.flags.c_contiguous
    if plain and array.itemsize == 4 and bounds.within(array, least, limit):
        return
    low, high = bounds.extremes(array) if plain else (array.min(), array.max())
    if low < least or high >= limit:
        raise ValueError(f"numbers from {low} to {high}, where {least}:{limit} are allowed")


def offsets(array: Any, start: int, stop: int, length: int) -> tuple[int, int]:
    """Offsets of the things start:stop in an array of this length; gives where they begin and end."""
    room(stop + 1, array)
    begin, end = int(array[start]), int(array[stop])
    if begin < 0 or end > length or bounds.falls(array, start, stop):
        raise ValueError(f"offsets that fall, or leave an array of length {length}")
    return begin, end


def once(check: Callable[..., Any], *arguments: Any) -> Any:
    """What a check gives for these arguments; the same arrays are not looked at twice."""
    key = (check, *(id(argument) if isinstance(argument, np.ndarray) else argument for argument in arguments))
    found = _seen.get(key)
    if found is None:
        arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
        kept = tuple(weakref.ref(array, lambda _: _seen.pop(key, None)) for array in arrays)
        found = _seen[key] = (check(*arguments), kept)
    return found[0]


def all_offsets(array: Any, length: int) -> Any:
    """Offsets from the first to the last; gives the lengths between them."""
    offsets(array, 0, len(array) - 1, length)
    return differences(array)


def differences(array: Any) -> Any:
    """Each number less the one before it; numpy's own function takes longer than a short array does."""
    return array[1:] - array[:-1]


def tokens(ids: Any, array: Any) -> Any:
    """Texts as ids, none below 0, with their offsets; gives their lengths."""
    if len(ids) and ids.min() < 0:
        raise ValueError("ids below 0")
    return all_offsets(array, len(ids))


def largest(array: Any, start: int, stop: int) -> Any:
    """The largest number of a part, or of a part of every row; 0 for an empty part."""
    return array[..., start:stop].max(axis=-1, initial=0).tolist()


def hashed(keys: Any, *columns: Any) -> None:
    """A table of open addressing: its size a power of two, with room left, and columns of this size."""
    if len(keys) < 1 or len(keys) & (len(keys) - 1) or not (keys == 0).any():
        raise ValueError(f"a table of {len(keys)} places, which is no power of two or is full")
    room(len(keys), *columns)


def fillable(found: Any, keys: Any) -> None:
    """A table that has room for further keys, and for an empty place behind them."""
    if len(keys) < 1 or len(keys) & (len(keys) - 1) or len(found) + np.count_nonzero(keys) >= len(keys):
        raise ValueError(f"a table of {len(keys)} places for {len(found)} keys")


# -- what the kernels ask ----------------------------------------------------------------------------------


def align(a: Any) -> None:
    part(a.start, a.stop, len(a.pairs))
    shape(a.seen, 2, len(a.balance))
    room(a.stop, a.step_offsets, a.counts)
    if a.comparison not in (0, 1, 2):
        raise ValueError(f"the comparison {a.comparison}")
    room(len(a.form), a.lower, a.lemma, a.pos)
    once(all_offsets, a.offsets, len(a.form))
    once(all_offsets, a.char_offsets, len(a.chars))
    once(ids, a.form, len(a.char_offsets) - 1)
    once(ids, a.lower, len(a.balance))
    once(_words_fit, a.char_offsets, len(a.row))
    room(1024, a.places)
    if a.comparison == 2:
        once(_weighed, a.codes, a.weights)
        room(len(a.chars), a.codes)
    cells = largest(once(_aligned, a.pairs, a.offsets, a.step_offsets, len(a.steps)), a.start, a.stop)
    room(cells, a.cost, a.operation, *([a.near] if a.comparison == 2 else []))


def _aligned(pairs: Any, sentences: Any, step_offsets: Any, steps: int) -> Any:
    """Pairs of sentences with room for their steps; gives the cells of each."""
    shape(pairs, 0, 2)
    ids(pairs, len(sentences) - 1)
    lengths = differences(sentences)[pairs[:, :2]]
    begin = step_offsets[: len(pairs)]
    ids(begin, steps + 1)
    ids(begin + lengths.sum(axis=1), steps + 1)
    return (lengths + 1).prod(axis=1)


def longest_runs(a: Any) -> None:
    part(a.start, a.stop, len(a.counts))
    room(a.stop, a.runs)
    once(_steps, a.step_offsets, a.steps, a.counts)


def _steps(step_offsets: Any, steps: Any, counts: Any) -> None:
    """Steps of alignments that lie in their array; they are numbers from 0 on."""
    room(len(counts), step_offsets)
    begin = step_offsets[: len(counts)]
    ids(begin, len(steps) + 1)
    ids(counts, len(steps) + 1)
    ids(begin + counts, len(steps) + 1)
    if (begin[1:] < (begin + counts)[:-1]).any():
        raise ValueError("steps of two pairs at one place")


def merge(a: Any) -> None:
    part(a.start, a.stop, len(a.pairs))
    room(a.stop, a.step_offsets, a.counts, a.found)
    once(_steps, a.step_offsets, a.steps, a.counts)
    once(_steps_fit, a.pairs, a.offsets, a.step_offsets, a.steps, a.counts)
    shape(a.spans, len(a.steps), 4)
    _columns(a)
    room(len(a.form), a.tag)
    room(4, a.settings)
    longest = _run_length(a.step_offsets, a.steps, a.counts, a.start, a.stop) if a.strategy == 0 else 0
    shape(a.run, longest + 1, 8)
    room(longest * longest, a.table)
    shape(a.todo, 2 * longest + 3, 3)
    if a.settings[3]:
        once(_weighed, a.codes, a.weights)
    once(_words_fit, a.char_offsets, len(a.row))


def _steps_fit(pairs: Any, sentences: Any, step_offsets: Any, steps: Any, counts: Any) -> None:
    """Steps that stand for the tokens of their pairs and no others."""
    shape(pairs, 0, 2)
    ids(pairs, len(sentences) - 1)
    ids(steps, 1 << 31)
    lengths = differences(sentences)[pairs]
    for left_out, side in ((2, 0), (3, 1)):  # an insertion has no source token, a deletion no corrected one
        width = np.where(steps == left_out, 0, np.where(steps < 4, 1, steps - 2))
        before = np.concatenate([[0], np.cumsum(width)])
        begin = step_offsets[: len(counts)]
        if (before[begin + counts] - before[begin] > lengths[: len(counts), side]).any():
            raise ValueError("steps of more tokens than a pair has")


def _run_length(step_offsets: Any, steps: Any, counts: Any, start: int, stop: int) -> int:
    """How many steps follow each other without a match, at most, in one of these pairs."""
    if start == stop:
        return 0
    begin, end = int(step_offsets[start]), int(step_offsets[stop - 1] + counts[stop - 1])
    here = steps[begin:end]
    # a step is an odd number, a place between two steps an even one; runs are between what separates them
    breaks = 2 * np.flatnonzero((here < 1) | (here > 3)) + 1
    ends = np.sort(np.concatenate([breaks, 2 * (step_offsets[start:stop] - begin), [2 * (end - begin)]]))
    return int((ends[1:] // 2 - (ends[:-1] + 1) // 2).max(initial=0))


def _columns(a: Any) -> None:
    """Columns of tokens that fit the tables of what they number."""
    once(all_offsets, a.offsets, len(a.form))
    room(len(a.form), a.lower, a.upos)
    once(ids, a.form, min(len(a.char_offsets) - 1, len(a.flags)))
    once(all_offsets, a.lower_offsets, len(a.lower_chars))
    once(ids, a.lower, len(a.lower_offsets) - 1)
    once(
        all_offsets,
        a.char_offsets,
        len(next(getattr(a, name) for name in ("codes", "letters", "chars") if hasattr(a, name))),
    )
    once(ids, a.upos, len(a.kinds if hasattr(a, "kinds") else a.class_of_upos))


def english_types(a: Any) -> None:
    part(a.start, a.stop, len(a.out))
    once(_placed, a.sentences, a.spans, a.offsets)
    room(a.stop, a.sentences, a.spans)
    _columns(a)
    room(len(a.form), a.lemma, a.tag, a.dep, a.head)
    once(ids, a.tag, len(a.class_of_tag))
    once(ids, a.dep, min(len(a.labels), len(a.class_of_label)))
    room(len(a.flags), a.words, a.stems)
    room(len(a.lower_offsets) - 1, a.balance)
    once(_words_fit, a.lower_offsets, len(a.row))
    shape(a.pairs, 0, 5)
    shape(a.alike, 0, 6)


def universal_types(a: Any) -> None:
    part(a.start, a.stop, min(len(a.out), len(a.alike)))
    once(_placed, a.sentences, a.spans, a.offsets)
    room(a.stop, a.sentences, a.spans)
    _columns(a)
    room(len(a.form), a.lemma, a.dep)
    once(ids, a.dep, min(len(a.class_of_label), len(a.arguments)))
    room(len(a.flags), a.words, a.stems)
    room(len(a.lower_offsets) - 1, a.balance)
    once(ids, a.class_of_label, len(a.kinds), -1)
    once(_looks, a.letters, a.look_offsets, len(a.look_chars))


def _looks(letters: Any, look_offsets: Any, count: int) -> None:
    """Letters that have all four looks."""
    shape(look_offsets, 4, 1)
    ids(letters, look_offsets.shape[1] - 1)
    for row in look_offsets:
        all_offsets(row, count)


def alike(a: Any) -> None:
    part(a.start, a.stop, len(a.edits))
    once(_placed, a.sentences, a.spans, a.offsets)
    once(all_offsets, a.offsets, len(a.word))
    once(ids, a.edits, min(len(a.sentences), len(a.spans), len(a.out)))
    widths = differences(a.spans[a.edits].T)
    if (widths[0] != widths[2]).any() or (len(a.edits) and widths[0].max() > (5 if a.comparison == 2 else 1)):
        raise ValueError("edits of other lengths than can be compared")
    once(ids, a.word, len(a.char_offsets) - 1)
    once(all_offsets, a.char_offsets, len(a.chars))
    once(_words_fit, a.char_offsets, len(a.row))
    room(25, a.near)
    if a.comparison == 2:
        room(len(a.chars), a.codes)
        once(_weighed, a.codes, a.weights)


def _placed(sentences: Any, spans: Any, starts: Any) -> None:
    """Edits between two places of their sentences."""
    shape(sentences, 0, 2)
    shape(spans, len(sentences), 4)
    ids(sentences, len(starts) - 1)
    lengths = differences(starts)[sentences]
    for side, (start, end) in enumerate(((0, 1), (2, 3))):
        one, other = spans[: len(sentences), start], spans[: len(sentences), end]
        if len(one) and (one.min() < 0 or (one > other).any() or (other > lengths[:, side]).any()):
            raise ValueError("an edit outside its sentence")


def _words_fit(char_offsets: Any, row: int) -> None:
    if differences(char_offsets).max(initial=0) >= row:
        raise ValueError("a word that is longer than the row")


def _weighed(codes: Any, weights: Any) -> None:
    shape(weights, 0, weights.shape[0])
    ids(codes, weights.shape[0])


def fill(a: Any) -> None:
    counts = all_offsets(a.begun, len(a.words))
    sizes = all_offsets(a.rows, len(a.table))
    room(len(a.begun), a.rows)
    room(len(a.words), a.places, a.costs)
    room(len(counts), a.sets)
    ids(a.words, 1 << 21)
    ids(a.costs, 1 << 8)
    sizes = sizes[: len(counts)]
    if (sizes & (sizes - 1)).any() or ((counts > 0) & (counts >= sizes)).any() or (a.table != -1).any():
        raise ValueError("a table without enough empty rows")


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


def margins(a: Any) -> None:
    _searched(a)
    once(_classes, a.classes, _sizes(a))
    room(len(a.kinds), a.found)
    begin, end = offsets(a.offsets, a.start, a.stop, len(a.kinds))
    chosen, kinds = a.best[begin:end], a.kinds[begin:end]
    if (chosen < a.choice_offsets[kinds]).any() or (chosen >= a.choice_offsets[kinds + 1]).any():
        raise ValueError("a choice of another token")


def costs(a: Any) -> None:
    lengths = all_offsets(a.offsets, len(a.words))
    room(len(lengths), a.known)
    shape(a.found, len(lengths), 3)
    ids(a.words, len(a.classes))
    once(_classes, a.classes, _sizes(a))
    known = a.known[: len(lengths)]
    if (known < 1).any() or (known > lengths).any():
        raise ValueError("a row without a word before the first that is asked for")


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


def _classes(classes: Any, sizes: tuple[int, ...]) -> None:
    """The form, lemma and tag of every word."""
    shape(classes, max(3, sizes[0]), 3)
    for m, size in enumerate(sizes):
        ids(classes[:, m], size)


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


def scan(a: Any) -> None:
    part(a.start, a.stop, len(a.weights))
    shape(a.totals, a.stop, 3)
    once(_rows, a.values, a.offsets, a.weights.shape[1])
    _errant(a)


def choose(a: Any) -> None:
    once(_rows, a.values, a.offsets, len(a.chosen))
    _errant(a)


def scan_swaps(a: Any) -> None:
    part(a.start, a.stop, len(a.swaps))
    shape(a.totals, a.stop, 6)
    ids(a.swaps[a.start : a.stop], 2)
    shape(a.moved, a.swaps.shape[1] + 1, a.stop)
    shape(a.fixed, a.swaps.shape[1] + 1, 6)
    once(_rows, a.values, a.offsets, 2 * a.swaps.shape[1])
    _errant(a)


def moved_sums(a: Any) -> None:
    if len(a.octets) != (len(a.moved) + 7) // 8:
        raise ValueError(f"{len(a.octets)} octets for {len(a.moved)} segments")
    ids(a.left_out, len(a.moved))
    if np.count_nonzero(differences(a.left_out) <= 0):
        raise ValueError("segments that do not ascend")
    room(256, a.table)
    shape(a.sums, len(a.left_out) + 1, a.octets.shape[1])


def _rows(values: Any, row_offsets: Any, segments: int) -> None:
    shape(values, 0, 3)
    offsets(row_offsets, 0, segments, len(values))
    if values.size and values.min() < 0:
        raise ValueError("counts below 0")


def _errant(a: Any) -> None:
    if hasattr(a, "upwards"):
        room(10_000, a.upwards)
        if not 0 < a.beta2 < 1e300:
            raise ValueError(f"a squared beta of {a.beta2}")
        if hasattr(a, "totals") and a.totals[a.start : a.stop].min(initial=0) < 0:
            raise ValueError("totals below 0")


def count_rows(a: Any) -> None:
    part(a.start, a.stop, len(a.owner))
    texts = (a.a, a.a_offsets, a.b, a.b_offsets, a.c, a.c_offsets)
    needed = once(_three_texts, *texts, a.owner)
    tables, row, spans, planes, path = largest(needed, a.start, a.stop)
    room(tables, a.tables)
    room(row, a.row)
    shape(a.spans, spans, 5)
    room(planes, a.planes)
    room(path, a.path)
    shape(a.values, a.stop, 5)
    room(3, a.report)


def _three_texts(a: Any, a_at: Any, b: Any, b_at: Any, c: Any, c_at: Any, owner: Any) -> Any:
    """Source, hypothesis and reference of every row; gives the room that each needs."""
    n, m = all_offsets(a_at, len(a)), all_offsets(b_at, len(b))
    ids(owner, min(len(n), len(m)))
    n, m, k = n[owner], m[owner], all_offsets(c_at, len(c))[: len(owner)]
    room(len(owner), k)
    return np.stack([n * m + n * k + m * k, np.maximum(m, k), n, 2 * (m + 1) * (k + 1), n + m + k])


def _texts(a: Any) -> tuple[int, int, int]:
    """Hypotheses and references of a part; gives the rows of the references, and the longest text."""
    part(a.start, a.stop, len(a.rows) - 1)
    ours = once(tokens, a.hypothesis_ids, a.hypothesis_offsets)
    theirs = once(tokens, a.reference_ids, a.reference_offsets)
    once(all_offsets, a.rows, len(theirs))
    room(a.stop, ours)
    first, last = int(a.rows[a.start]), int(a.rows[a.stop])
    return first, last, max(largest(ours, a.start, a.stop), largest(theirs, first, last))


def _sources(a: Any) -> None:
    room(a.stop, once(tokens, a.source_ids, a.source_offsets))
    if not 1 <= a.order <= 100:
        raise ValueError(f"n-grams of order {a.order}")


def each_reference(a: Any) -> None:
    _, last, _ = _texts(a)
    _sources(a)
    shape(a.out, last, 2 * a.order + 2)


def edited(a: Any) -> None:
    _, last, _ = _texts(a)
    _sources(a)
    shape(a.out, *((a.stop, 9 * a.order) if a.together else (last, 3 * a.order)))


def pooled(a: Any) -> None:
    _texts(a)
    _sources(a)
    shape(a.out, a.stop, (6 if a.with_source else 2) * a.order + 2)


def edits(a: Any) -> None:
    _, last, most = _texts(a)
    room(most, a.words)
    room(2 * most, a.path)
    shape(a.shifts, _SHIFTS, 3)
    shape(a.out, last, 5)
    room(last, a.cut)


def hash_words(a: Any) -> None:
    offsets(a.offsets, 0, len(a.out), len(a.text))


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


def _tagged(a: Any, width: int) -> None:
    columns = a.spellings.shape[1]
    if not 14 <= columns <= 64 - _FEATURES:
        raise ValueError(f"{columns} spellings")
    room(columns + _FEATURES, a.found)
    room(width, a.sums)
    room(len(a.types), a.given, a.labels)


def predict(a: Any) -> None:
    part(a.start, a.stop, len(a.offsets) - 1)
    once(all_offsets, a.offsets, len(a.types))
    once(ids, a.types, len(a.spellings))
    _tagged(a, a.weights.shape[1])
    shape(a.own, len(a.spellings), a.weights.shape[1])
    part(1, a.size, a.weights.shape[1])
    once(_buckets, a.index, len(a.weights))
    shape(a.memo, 4, 6)
    room(1, a.filled)
    if len(a.memo) & (len(a.memo) - 1) or not 0 <= a.filled[0] <= len(a.memo) - len(a.memo) // 4:
        raise ValueError(f"a memo of {len(a.memo)} places with {a.filled[0]} contexts")


def own_sums(a: Any) -> None:
    part(a.start, a.stop, len(a.spellings))
    once(_buckets, a.index, len(a.weights))
    shape(a.out, a.stop, a.weights.shape[1])
    if a.spellings.shape[1] > 32:
        raise ValueError(f"{a.spellings.shape[1]} spellings of a word")


def _buckets(index: Any, rows: int) -> None:
    if len(index) < 1 or len(index) & (len(index) - 1):
        raise ValueError(f"{len(index)} buckets, which is no power of two")
    ids(index, rows)


def learn(a: Any) -> None:
    ids(a.order, len(a.offsets) - 1)
    all_offsets(a.offsets, len(a.types))
    ids(a.types, len(a.spellings))
    buckets, labels = a.weights.shape
    _tagged(a, labels)
    room(len(a.types), a.gold)
    if a.gold.max(initial=-1) >= labels:
        raise ValueError("a gold label that has no weights")
    shape(a.history, buckets, labels)
    if buckets < 1 or buckets & (buckets - 1):
        raise ValueError(f"{buckets} buckets, which is no power of two")


def match(a: Any) -> None:
    room(len(a.mu), a.variance)
    for player in (a.better, a.worse):
        part(0, player + 1, len(a.mu))
        part(player, player + 1, len(a.mu))


def play(a: Any) -> None:
    runs, n = a.mu.shape
    if runs > 4:
        raise ValueError(f"{runs} runs, where 4 are the most")
    shape(a.variance, n, runs)
    tables = 1 if len(a.wins) == 1 else runs
    for table in (a.wins, a.held, a.totals, a.met):
        shape(table, tables, n, n)
    shape(a.last, tables, n)
    ids(a.last.ravel(), n)
    room(runs, a.states)
    shape(a.scratch, 3, runs, n)


def replay(a: Any) -> None:
    room(len(a.mu), a.variance)
    room(len(a.left), a.right, a.outcome)
    ids(a.order, len(a.left))
    ids(a.left, len(a.mu))
    ids(a.right, len(a.mu))


def counts(a: Any) -> None:
    part(a.start, a.stop, len(a.rows) - 1)
    texts = (a.source, a.source_offsets, a.hypothesis, a.hypothesis_offsets)
    gold = (a.rows, a.edit_offsets, a.spans, a.correction_offsets, a.token_offsets, len(a.tokens))
    sizes = once(_lattices, *texts, *gold)
    length, cells, words, annotators, matches = largest(sizes, a.start, a.stop)
    shape(a.out, int(a.rows[a.stop]), 3)
    room(a.stop - a.start, a.grown)
    room(5, a.work)
    if len(a.letters):
        once(all_offsets, a.letter_offsets, len(a.letters))
        for array in (a.source, a.hypothesis, a.tokens):
            once(ids, array, len(a.letter_offsets) - 1)
    room(cells, a.marks, a.number)
    room(words + 3, a.row_starts)
    if a.max_unchanged < 0 or a.most_arcs < -1:
        raise ValueError(f"at most {a.max_unchanged} unchanged words, {a.most_arcs} arcs")
    states = 2 * min(a.max_unchanged, length) + 1
    for array, columns in (
        (a.cost, 2),
        (a.vertices, 10),
        (a.labels, 4),
        (a.open_cost, states),
        (a.open_from, states),
    ):
        shape(array, cells, columns)
    shape(a.distance, annotators, cells, 2)
    shape(a.best, annotators, cells, 3)
    shape(a.found, matches + 1, 5)
    shape(a.path, words, 4)


def _lattices(
    source: Any, source_at: Any, hypothesis: Any, hypothesis_at: Any,
    rows: Any, edit_at: Any, spans: Any, correction_at: Any, token_at: Any, count: int,
) -> Any:  # fmt: skip
    """Texts, and gold edits inside them; gives what every sentence needs."""
    n, m = all_offsets(source_at, len(source)), all_offsets(hypothesis_at, len(hypothesis))
    segments = len(rows) - 1
    room(segments, n, m)
    n, m = n[:segments], m[:segments]
    annotators = all_offsets(rows, len(edit_at) - 1)
    all_offsets(edit_at, len(spans))
    all_offsets(token_at, count)
    all_offsets(correction_at, len(token_at) - 1)
    shape(spans, 0, 2)
    room(len(spans) + 1, correction_at)
    at = edit_at[rows]
    inside = spans[at[0] : at[-1]]
    ends = np.maximum(inside[:, 0], inside[:, 1])
    if len(inside) and (inside.min() < 0 or np.count_nonzero(ends > np.repeat(n, differences(at)))):
        raise ValueError("an edit outside its sentence")
    matches = differences(correction_at[at]) * (m + 1)
    return np.array([n, (n + 1) * (m + 1), n + m, annotators, matches])


def _spans(a: Any, count: int) -> None:
    """Where lines or tokens lie in the data."""
    if len(a.starts) != len(a.ends):
        raise ValueError(f"{len(a.starts)} starts but {len(a.ends)} ends")
    part(count, len(a.starts), len(a.starts))
    if not bounds.apart(a.starts, a.ends, len(a.data)):
        ids(a.starts, len(a.data) + 1)
        ids(a.ends, len(a.data) + 1)
        raise ValueError("a line that ends before it begins")


def _vocabulary(a: Any) -> None:
    room(2, a.state)
    size = int(a.state[0])
    places = len(a.table)
    taken, largest = bounds.entries(a.table)
    if places < 2 or places & (places - 1) or 2 * max(size, taken) > places or not 0 <= largest <= size:
        raise ValueError(f"a table of {places} places for {size} tokens")
    offsets(a.places, 0, size, len(a.letters))


def _known(size: int, table: Any, places: Any, letters: Any) -> None:
    """A vocabulary of which the first tokens are looked up; others may be added to it meanwhile."""
    if len(table) & (len(table) - 1) or 2 * size > len(table) or size < 0:
        raise ValueError(f"a table of {len(table)} places for {size} tokens")
    offsets(places, 0, size, len(letters))


def number_lines(a: Any) -> None:
    _spans(a, a.line)
    _vocabulary(a)
    _known(a.known, a.known_table, a.known_places, a.known_letters)
    room(256, a.classes)
    room(len(a.starts) + 1, a.offsets)
    room(len(a.starts), a.irregular)
    left = a.ends[a.line :] - a.starts[a.line :] + 1
    ids(a.offsets[a.line : a.line + 1], len(a.ids) + 1)
    room(int(a.offsets[a.line]) + int((left // 2).sum()), a.ids)


def number_tokens(a: Any) -> None:
    _spans(a, a.token)
    _vocabulary(a)
    room(len(a.starts), a.ids)


def apply_edits(a: Any) -> None:
    lengths = all_offsets(a.offsets, len(a.ids))
    rows = len(a.sentences)
    ids(a.sentences, len(lengths))
    room(rows + 1, a.out_offsets, a.edits)
    begin, end = offsets(a.edits, 0, rows, len(a.spans))
    shape(a.spans, end, 2)
    added = all_offsets(a.correction_offsets, len(a.corrections))
    room(end, added)
    room(int(lengths[a.sentences].sum()) + int(added[begin:end].sum()), a.out)


def joined(a: Any) -> None:
    lengths = all_offsets(a.part_offsets, len(a.parts))
    all_offsets(a.offsets, len(a.ids))
    ids(a.ids, len(lengths))
    room(int(lengths[a.ids].sum()) + (len(a.ids) if a.between >= 0 else 0), a.out)
    room(len(a.offsets), a.out_offsets)


def fold(a: Any) -> None:
    rows = all_offsets(a.offsets, len(a.ids))
    ids(a.ids, len(a.codes), least=-(1 << 31))
    room(len(rows), a.out)


def digests(a: Any) -> None:
    part(a.first, a.last, len(a.out))
    offsets(a.places, a.first, a.last, len(a.data))


def space_13a(a: Any) -> None:
    _spans(a, 0)
    lengths = a.ends - a.starts
    longest = int(lengths.max(initial=0))
    room(256, a.kinds)
    room(2 * longest + 3, a.one, a.other)
    room(int(lengths.sum()) * 2 + 3 * len(lengths), a.out)
    room(len(lengths) + 1, a.offsets)


def places(a: Any) -> None:
    if len(a.words) != len(a.data) // 8:
        raise ValueError(f"{len(a.words)} words of {len(a.data)} bytes")


def rehash(a: Any) -> None:
    if len(a.table) & (len(a.table) - 1) or len(a.table) < 2 * len(a.old) or a.table.any():
        raise ValueError(f"a table of {len(a.table)} places in place of one of {len(a.old)}")


def parse_m2(a: Any) -> None:
    _spans(a, 0)
    shape(a.sentences, len(a.starts), 2)
    shape(a.found, len(a.starts), 6)
    shape(a.parts, 0, 2)
    room(1, a.number)
    room(3, a.counts)


def distances(a: Any) -> None:
    part(a.start, a.stop, len(a.rows) - 1)
    texts = once(all_offsets, a.hypothesis_offsets, len(a.hypothesis))
    room(a.stop, texts)
    references = once(all_offsets, a.reference_offsets, len(a.reference))
    _, end = offsets(a.rows, a.start, a.stop, len(references))
    once(ids, a.hypothesis, len(a.known))
    once(ids, a.reference, len(a.known))
    if a.known.any():
        raise ValueError("scratch that is not empty")
    shape(a.out, end, 1)


def equal_texts(a: Any) -> None:
    room(len(a.rows) - 1, all_offsets(a.hypothesis_offsets, len(a.hypothesis)))
    once(all_offsets, a.rows, len(once(all_offsets, a.reference_offsets, len(a.reference))))
    room(len(a.rows) - 1, a.out)


def whole_sums(a: Any) -> None:
    room(a.rows.shape[1], a.out)


def inversions(a: Any) -> None:
    ids(a.values, len(a.tree) - 1)
    if a.tree.any():
        raise ValueError("scratch that is not empty")


def best_rows(a: Any) -> None:
    rows = all_offsets(a.offsets, a.keys.shape[1])
    room(len(rows), a.out)


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
