"""Where the rules of a table match, for many sentences at once.

The conditions of all elements are numbered. Each is decided once for every distinct token of the sentences;
after that, a rule takes a few operations on arrays over all tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from errata.correct.grammar.patterns import Element, Rule, Term, Token

_TOGETHER = 16_384  # tokens whose arrays are held at a time
_KEPT = 4096  # sets of possible tags whose terms are kept
_Bools = npt.NDArray[np.bool_]
_Places = npt.NDArray[np.intp]
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
    tags: frozenset[str]  # by which it is found, too


class Search:
    """Finds exactly the places at which `Rule.matches` gives something."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._terms: list[Term] = []
        self._conditions: list[tuple[int, ...]] = []
        terms: dict[object, int] = {}
        conditions: dict[tuple[int, ...], int] = {}

        def term_number(term: Term) -> int:
            key = (frozenset(term.words), term.tags, term.may, term.tests, term.negated)
            if key not in terms:
                self._terms.append(term)
            return terms.setdefault(key, len(terms))

        def part(element: Element) -> _Part:
            numbers = tuple(sorted({term_number(term) for term in element.terms}))
            return _Part(conditions.setdefault(numbers, len(conditions)), element.least, element.most)

        self._programs = [_program(rule, [part(element) for element in rule.elements]) for rule in rules]
        self._conditions = list(conditions)
        self._negated = np.array([term.negated for term in self._terms], dtype=bool)
        self._tests = [
            (test, np.array([test in term.tests for term in self._terms], dtype=bool))
            for test in {test: None for term in self._terms for test in term.tests}
        ]
        self._by_word: dict[str, list[int]] = {}
        for number, term in enumerate(self._terms):
            for word in term.words:
                self._by_word.setdefault(word, []).append(number)
        self._found_by: dict[str, list[int]] = {}  # rules by their words, and by their tags behind @
        for number, program in enumerate(self._programs):
            for key in (*program.words, *(f"@{tag}" for tag in program.tags)):
                self._found_by.setdefault(key, []).append(number)
        self._by_tag: dict[str, _Bools] = {}
        self._by_may: dict[frozenset[str], _Bools] = {}

    def hits(self, sentences: Sequence[Sequence[Token]]) -> Iterator[list[Hit]]:
        """The places of each sentence where rules match.

        They are ordered by place; of one place, rules found by a word come before rules found by a tag.
        """
        start = tokens = 0
        for stop, sentence in enumerate(sentences, 1):
            tokens += len(sentence)
            if tokens >= _TOGETHER or stop == len(sentences):
                yield from self._together(sentences[start:stop])
                start, tokens = stop, 0

    def _together(self, sentences: Sequence[Sequence[Token]]) -> list[list[Hit]]:
        kinds: dict[Token, int] = {}
        rows = [[kinds.setdefault(token, len(kinds)) for token in tokens] for tokens in sentences]
        none = len(kinds)  # stands before, between and behind the sentences; no condition holds for it
        flat = np.array([none, *chain.from_iterable([*row, none] for row in rows)], dtype=np.intp)
        starts = np.cumsum([1, *(len(row) + 1 for row in rows)])
        arrays = _Arrays(self._decided(list(kinds)), self._conditions, flat)
        found: list[list[Hit]] = [[] for _ in sentences]
        for number in self._possible(list(kinds)):
            places = arrays.places(self._programs[number])
            if len(places):
                owners = np.searchsorted(starts, places, side="right") - 1
                for owner, place in zip(owners.tolist(), (places - starts[owners]).tolist(), strict=True):
                    found[owner].append((place, number))

        def order(tokens: Sequence[Token]) -> Callable[[Hit], tuple[int, bool, int]]:
            return lambda hit: (hit[0], tokens[hit[0]].word not in self._programs[hit[1]].words, hit[1])

        return [sorted(hits, key=order(tokens)) for tokens, hits in zip(sentences, found, strict=True)]

    def _possible(self, kinds: Sequence[Token]) -> list[int]:
        """The rules that may be found by these tokens."""
        keys = {token.word for token in kinds} | {f"@{token.tag}" for token in kinds}
        return sorted(set[int]().union(*(self._found_by.get(key, ()) for key in keys)))

    def _decided(self, kinds: Sequence[Token]) -> _Bools:
        """Whether each term (row) holds for each distinct token (column); the last column is for none."""
        if len(self._by_may) > _KEPT:
            self._by_may.clear()
        held = np.zeros((len(kinds) + 1, len(self._terms)), dtype=bool)
        for row, token in enumerate(kinds):
            held[row] = self._of_tag(token.tag)
            held[row] |= self._of_may(token.may)
            numbers = self._by_word.get(token.word)
            if numbers:
                held[row, numbers] = True
        for test, asking in self._tests:
            passed = np.array([test(token) for token in kinds], dtype=bool)
            held[:-1] |= passed[:, None] & asking
        held ^= self._negated
        held[-1] = False
        return np.ascontiguousarray(held.T)

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


class _Arrays:
    """The conditions over all tokens of some sentences, each computed when a rule first asks for it."""

    def __init__(self, held: _Bools, conditions: Sequence[tuple[int, ...]], flat: _Places) -> None:
        self._held, self._conditions, self._flat = held, conditions, flat
        self._kinds: dict[int, _Bools] = {}
        self._columns: dict[int, _Bools] = {}
        self._anchored: dict[int, _Places] = {}
        self._runs: dict[tuple[tuple[_Part, ...], int], _Bools] = {}

    def places(self, program: _Program) -> _Places:
        """Where the anchor of a rule stands whose other elements are there, too."""
        places = self._anchors(program.anchor)
        for condition, distance in program.fixed:
            if not len(places):
                return places
            places = places[self._of_kind(condition)[self._flat[places + distance]]]
        if len(places) and program.before:
            places = places[self._run(program.before, -1)[places + program.first]]
        if len(places) and program.after:
            places = places[self._run(program.after, 1)[places + program.last]]
        return places

    def _of_kind(self, condition: int) -> _Bools:
        """Whether a condition holds for each distinct token."""
        found = self._kinds.get(condition)
        if found is None:
            found = reduce(np.logical_and, (self._held[term] for term in self._conditions[condition]))
            self._kinds[condition] = found
        return found

    def _column(self, condition: int) -> _Bools:
        """Whether a condition holds for each token."""
        found = self._columns.get(condition)
        if found is None:
            found = self._columns[condition] = self._of_kind(condition)[self._flat]
        return found

    def _anchors(self, condition: int) -> _Places:
        found = self._anchored.get(condition)
        if found is None:
            found = self._anchored[condition] = np.flatnonzero(self._of_kind(condition)[self._flat])
        return found

    def _run(self, parts: tuple[_Part, ...], step: int) -> _Bools:
        """Whether elements, of which the last is the nearest, stand at each place and on from it."""
        if not parts:
            return np.ones(len(self._flat), dtype=bool)
        found = self._runs.get((parts, step))
        if found is None:
            part, column = parts[-1], self._column(parts[-1].condition)
            rest = self._run(parts[:-1], step)
            found = rest
            for _ in range(part.most):
                longer = column & _beside(found, step)
                found = longer if part.least else rest | longer
            self._runs[parts, step] = found
        return found


def _beside(found: _Bools, step: int) -> _Bools:
    """The array of what stands one place further on; nothing stands beyond the ends."""
    moved = np.zeros_like(found)
    if step > 0:
        moved[:-1] = found[1:]
    else:
        moved[1:] = found[:-1]
    return moved


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
        rule.found_by.tags,
    )
