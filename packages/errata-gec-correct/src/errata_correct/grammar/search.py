"""Where the rules of a table match, for many sentences at once.

The conditions of all elements are numbered. Tokens for which the same conditions hold are of one class, which
is found once for every distinct token; a kernel compares rules with classes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.text.growable_array import GrowableArray
from errata_correct.native import patterns as kernel

if TYPE_CHECKING:
    from errata_correct.grammar.patterns import Element, Rule, Term, Token

_KEPT = 4096  # sets of possible tags whose terms are kept
_MOST = 500_000  # tokens whose classes are kept
_Bools = npt.NDArray[np.bool_]
_Ints = npt.NDArray[np.int32]
Hit = tuple[int, int]  # the place of a rule's anchor, and the rule's number


class _Part(NamedTuple):
    """An element by the number of its condition, and how often it may stand there."""

    condition: int
    least: int
    most: int


class _Program(NamedTuple):
    """A rule by the numbers of its conditions; distances are counted from its anchor."""

    anchor: int
    fixed: tuple[tuple[int, int], ...]  # conditions of the other elements around it, and their distances
    before: tuple[_Part, ...]  # elements to the left of these, from the left end of the rule on
    after: tuple[_Part, ...]  # elements to the right of these, from the right end of the rule on
    first: int  # distance of the first token before them
    last: int  # distance of the first token behind them
    words: frozenset[str]  # by which the rule is found


class Search:
    """Finds exactly the places at which `Rule.matches` gives something."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        terms: dict[object, Term] = {}
        conditions: dict[tuple[int, ...], int] = {}
        numbers: dict[object, int] = {}

        def term_number(term: Term) -> int:
            key = (frozenset(term.words), term.tags, term.may, term.tests, term.negated)
            terms.setdefault(key, term)
            return numbers.setdefault(key, len(numbers))

        def part(element: Element) -> _Part:
            found = tuple(sorted({term_number(term) for term in element.terms}))
            return _Part(conditions.setdefault(found, len(conditions)), element.least, element.most)

        self._programs = [_program(rule, [part(element) for element in rule.elements]) for rule in rules]
        self._conditions = _Conditions(list(terms.values()), list(conditions))
        self.look = self._conditions.look
        self.reach = np.array([p.last + sum(part.most for part in p.after) for p in self._programs])
        self._anchors = np.array([program.anchor for program in self._programs], dtype=np.intp)
        self._rules = _arrays(self._programs)
        self._lock = threading.Lock()
        self._classes: dict[Token, int] = {}
        self._looks: dict[tuple[Any, ...], int] = {}
        self._by_bits: dict[bytes, int] = {}
        self._held = GrowableArray(np.uint8, (len(conditions) + 7) // 8)
        self._ends, self._anchored = GrowableArray(np.int64), GrowableArray(np.int32)
        self._ends.extend([0])
        next(self._new(np.zeros((1, len(conditions)), dtype=bool)))  # class 0, for which nothing holds

    def classes(self, tokens: Sequence[Token]) -> list[int]:
        """The class of every token."""
        if len(self._classes) > _MOST:
            self._classes = {}
        known = self._classes
        fresh = list(dict.fromkeys(token for token in tokens if token not in known))
        if fresh:
            known.update(zip(fresh, self._add(fresh), strict=True))
        return [known[token] for token in tokens]

    def open_class(self, token: Token) -> int:
        """The class of a word whose tag is not known: what holds for it with some tag holds for the class."""
        with self._lock:
            return next(self._new(self._conditions.possible(token)[None]))

    def _add(self, tokens: Sequence[Token]) -> list[int]:
        """Find the classes of further tokens."""
        with self._lock:
            if len(self._looks) > _MOST:
                self._looks.clear()
            looks = [*map(self._conditions.look, tokens)]
            both = zip(looks, tokens, strict=True)
            fresh = {look: token for look, token in both if look not in self._looks}
            self._looks.update(zip(fresh, self._new(self._conditions.held([*fresh.values()])), strict=True))
            return [self._looks[look] for look in looks]

    def _new(self, held: _Bools) -> Iterator[int]:
        """The classes of tokens of which the conditions are known."""
        for row, content in zip(np.packbits(held, axis=1, bitorder="little"), held, strict=True):
            key = row.tobytes()
            if key not in self._by_bits:
                self._held.extend(row[None])
                self._anchored.extend(np.flatnonzero(content[self._anchors]))
                self._ends.extend([len(self._anchored.array)])
                self._by_bits[key] = len(self._by_bits)
            yield self._by_bits[key]

    def find(self, classes: _Ints) -> _Ints:
        """(place, rule) of all matches; tokens are given by their classes, with 0 between sentences."""
        with self._lock:
            ends, anchored, held = self._ends.array, self._anchored.array, self._held.array
        room = 64 + len(classes) // 8
        while True:
            found = np.empty((room, 2), dtype=np.int32)
            find: Any = kernel.match
            count = find(classes, held, ends, anchored, *self._rules, 0, len(classes), found)
            if count <= room:
                return found[:count]
            room = count

    def hits(self, sentences: Sequence[Sequence[Token]]) -> Iterator[list[Hit]]:
        """The places of each sentence where rules match, in the order of `ordered`."""
        numbers = self.classes(list(chain.from_iterable(sentences)))
        lengths = np.array([len(sentence) + 1 for sentence in sentences], dtype=np.int64)
        starts = np.cumsum(lengths) - lengths
        flat = np.zeros(int(lengths.sum()), dtype=np.int32)
        flat[np.arange(len(numbers)) + np.repeat(np.arange(len(lengths)), lengths - 1)] = numbers
        found = self.find(flat)
        owners = np.searchsorted(starts, found[:, 0], side="right") - 1
        bounds = np.searchsorted(owners, np.arange(len(sentences) + 1)).tolist()
        for number, tokens in enumerate(sentences):
            rows = found[bounds[number] : bounds[number + 1]] - np.array([starts[number], 0])
            yield self.ordered(tokens, rows.tolist())

    def ordered(self, tokens: Sequence[Token], hits: Sequence[Sequence[int]]) -> list[Hit]:
        """Hits by place; of one place, rules found by a word come before rules found by a tag."""
        found = [(place, tokens[place].word not in self._programs[rule].words, rule) for place, rule in hits]
        return [(place, rule) for place, _, rule in sorted(found)]


class _Conditions:
    """Decides which conditions hold for tokens."""

    def __init__(self, terms: Sequence[Term], conditions: Sequence[tuple[int, ...]]) -> None:
        self._terms = terms
        self.count = len(conditions)
        most = max(map(len, conditions), default=1)
        self._numbers = np.array([[*row, *[-1] * (most - len(row))] for row in conditions], dtype=np.intp)
        self._negated = np.array([term.negated for term in terms], dtype=bool)
        self._tests = [
            (test, np.array([test in term.tests for term in terms], dtype=bool))
            for test in {test: None for term in terms for test in term.tests}
        ]
        self._by_word: dict[str, list[int]] = {}
        for number, term in enumerate(terms):
            for word in term.words:
                self._by_word.setdefault(word, []).append(number)
        self._by_tag: dict[str, _Bools] = {}
        self._by_may: dict[frozenset[str], _Bools] = {}

    def look(self, token: Token) -> tuple[Any, ...]:
        """All that conditions can tell of a token: most words differ in nothing else."""
        word = token.word if token.word in self._by_word else ""
        return token.tag, token.may, word, *[test(token) for test, _ in self._tests]

    def held(self, tokens: Sequence[Token]) -> _Bools:
        """Whether each condition (column) holds for each token (row)."""
        found: _Bools = self._all_terms((self._meets(tokens) ^ self._negated).T).T
        return found

    def possible(self, token: Token) -> _Bools:
        """Whether each condition holds for a token with some tag; its own is none."""
        terms = np.where(self._meets([token])[0, :, None], 255, self._by_tags)
        terms[self._negated] ^= 255
        return np.asarray(self._all_terms(terms).any(axis=1))

    @cached_property
    def _by_tags(self) -> npt.NDArray[np.uint8]:
        """The tags by which each term is met, a bit for each; one stands for all tags that no term names."""
        from errata_correct.grammar.patterns import Token

        tags = sorted({"", "CD"}.union(*(term.tags for term in self._terms)))
        met = self._meets([Token("", "", tag, frozenset()) for tag in tags])
        return np.packbits(met.T, axis=1)

    def _all_terms(self, terms: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What all terms (rows) of each condition have in common."""
        if not self.count:
            return terms[:0]
        found = terms[self._numbers[:, 0]]
        for column in self._numbers.T[1:]:
            some = np.flatnonzero(column >= 0)
            found[some] &= terms[column[some]]
        return found

    def _meets(self, tokens: Sequence[Token]) -> _Bools:
        """Whether each token (row) meets each term (column), if that is not negated."""
        if len(self._by_may) > _KEPT:
            self._by_may.clear()
        held = np.zeros((len(tokens), len(self._terms)), dtype=bool)
        for row, token in enumerate(tokens):
            held[row] = self._of_tag(token.tag)
            held[row] |= self._of_may(token.may)
            numbers = self._by_word.get(token.word)
            if numbers:
                held[row, numbers] = True
        for test, asking in self._tests:
            passed = np.array([test(token) for token in tokens], dtype=bool)
            held |= passed[:, None] & asking
        return held

    def _of_tag(self, tag: str) -> _Bools:
        found = self._by_tag.get(tag)
        if found is None:
            found = self._by_tag[tag] = np.array([tag in term.tags for term in self._terms], dtype=bool)
        return found

    def _of_may(self, may: frozenset[str]) -> _Bools:
        found = self._by_may.get(may)
        if found is None:
            found = np.array([not term.may.isdisjoint(may) for term in self._terms], dtype=bool)
            self._by_may[may] = found
        return found


def _arrays(programs: Sequence[_Program]) -> tuple[npt.NDArray[Any], ...]:
    """The rules as the kernel reads them."""
    fixed = [row for program in programs for row in sorted(program.fixed, key=lambda row: abs(row[1]))]
    sides = [side[::-1] for program in programs for side in (program.before, program.after)]
    return (
        np.cumsum([0, *(len(program.fixed) for program in programs)], dtype=np.int64),
        np.array(fixed, dtype=np.int32).reshape(-1, 2),
        np.cumsum([0, *map(len, sides)], dtype=np.int64),
        np.array(list(chain.from_iterable(sides)), dtype=np.int32).reshape(-1, 3),
        np.array([(program.first, program.last) for program in programs], dtype=np.int32).reshape(-1, 2),
    )


def _program(rule: Rule, parts: Sequence[_Part]) -> _Program:
    first, stop = rule.fixed
    around = [number for number in range(first, stop) if number != rule.anchor]
    return _Program(
        parts[rule.anchor].condition,
        tuple((parts[number].condition, number - rule.anchor) for number in around),
        tuple(parts[:first]),
        tuple(reversed(parts[stop:])),
        first - 1 - rule.anchor,
        stop - rule.anchor,
        frozenset(rule.found_by.words),
    )
