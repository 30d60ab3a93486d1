"""Where the rules of a table match, for many sentences at once.

The conditions of all elements are numbered. Tokens for which the same conditions hold are of one class, which
is found once for every distinct token; native code compares rules with classes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.native.ragged import Ragged
from errata_correct.native import patterns as native

if TYPE_CHECKING:
    from errata_correct.grammar.patterns import Element, Rule, Term, Token

_MOST = 500_000  # tokens whose classes are kept
Hit = tuple[int, int]  # the place of a rule's anchor, and the rule's number


class _Class(NamedTuple):
    """The conditions that hold for tokens of a class, and the rules whose anchor they may be."""

    number: int
    held: npt.NDArray[np.uint8]  # a bit for every condition
    anchored: npt.NDArray[np.int32]


class RuleSearch:
    """Finds exactly the places at which `Rule.matches` gives something."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self._rules = rules
        self._conditions = _Conditions()
        elements = [[self._conditions.number(element) for element in rule.elements] for rule in rules]
        self._anchors = np.array(
            [numbers[rule.anchor] for rule, numbers in zip(rules, elements, strict=True)], dtype=np.intp
        )
        self._native = _native_rules(rules, elements)
        self._classes: dict[Token, _Class] = {}
        self._by_look: dict[tuple[object, ...], _Class] = {}
        self._by_bits: dict[bytes, _Class] = {}
        self._between = self._class_of(np.zeros(len(self._conditions), dtype=bool))

    def hits(self, sentences: Sequence[Sequence[Token]]) -> list[list[Hit]]:
        """The places of each sentence where rules match, in order.

        At one place, rules that are found by a word come before rules that are found by a tag.
        """
        if len(self._classes) > _MOST:
            self._classes, self._by_look = {}, {}
        classes = self._classes  # other threads may add to it, and replace it
        flat: list[_Class] = [self._between]
        for token in chain.from_iterable(chain(sentence, [None]) for sentence in sentences):
            known = self._between if token is None else classes.get(token)
            if known is None:
                assert token is not None
                known = classes[token] = self._class_of_token(token)
            flat.append(known)
        starts = np.cumsum([1, *(len(sentence) + 1 for sentence in sentences)])
        matches = self._match(flat)
        owners = np.searchsorted(starts, matches[:, 0], side="right") - 1
        places = matches[:, 0] - starts[owners]
        hits: list[list[tuple[int, bool, int]]] = [[] for _ in sentences]
        columns = (column.tolist() for column in (owners, places, matches[:, 1]))
        for owner, place, rule in zip(*columns, strict=True):
            by_tag = sentences[owner][place].word not in self._rules[rule].found_by.words
            hits[owner].append((place, by_tag, rule))
        return [[(place, rule) for place, _, rule in sorted(found)] for found in hits]

    def _match(self, flat: Sequence[_Class]) -> npt.NDArray[np.int32]:
        """The places and numbers of the rules that match."""
        used = {known.number: known for known in flat}
        local = {number: place for place, number in enumerate(used)}
        rows = [known.anchored for known in used.values()]
        anchored = Ragged(np.concatenate(rows), np.cumsum([0, *map(len, rows)], dtype=np.int64))
        classes = np.array([local[known.number] for known in flat], dtype=np.int32)
        held = np.stack([known.held for known in used.values()])
        matches: npt.NDArray[np.int32] = native.match(self._native, classes, held, anchored)
        return matches

    def _class_of_token(self, token: Token) -> _Class:
        look = self._conditions.look(token)
        known = self._by_look.get(look)
        if known is None:
            known = self._by_look[look] = self._class_of(self._conditions.held(token))
        return known

    def _class_of(self, held: npt.NDArray[np.bool_]) -> _Class:
        """The class of tokens for which these conditions hold."""
        bits = np.packbits(held, bitorder="little")
        key = bits.tobytes()
        if key not in self._by_bits:
            anchored = np.flatnonzero(held[self._anchors]).astype(np.int32)
            self._by_bits.setdefault(key, _Class(len(self._by_bits), bits, anchored))
        return self._by_bits[key]


class _Conditions:
    """Numbers the conditions of elements, and decides which of them hold for a token."""

    def __init__(self) -> None:
        self._terms: dict[object, int] = {}
        self._conditions: dict[tuple[int, ...], int] = {}
        self._negated: list[bool] = []
        # The terms that a word, a tag, a possible tag or a test meets, unless they are negated
        self._met_by: dict[object, list[int]] = {}
        self._tests: dict[Callable[[Token], bool], None] = {}

    def __len__(self) -> int:
        return len(self._conditions)

    def number(self, element: Element) -> int:
        """The number of an element's condition."""
        terms = tuple(sorted({self._term(term) for term in element.terms}))
        return self._conditions.setdefault(terms, len(self._conditions))

    def _term(self, term: Term) -> int:
        key = frozenset(term.words), term.tags, term.may, term.tests, term.negated
        number = self._terms.setdefault(key, len(self._terms))
        if number == len(self._negated):
            self._negated.append(term.negated)
            self._tests.update(dict.fromkeys(term.tests))
            named = (("word", term.words), ("tag", term.tags), ("may", term.may), ("test", term.tests))
            for name, values in named:
                for value in values:
                    self._met_by.setdefault((name, value), []).append(number)
        return number

    def look(self, token: Token) -> tuple[object, ...]:
        """All properties of a token that conditions depend on; most words differ in nothing else."""
        word = token.word if ("word", token.word) in self._met_by else ""
        return token.tag, token.may, word, *(test(token) for test in self._tests)

    @cached_property
    def _flat(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The terms of all conditions, and the first term of each."""
        lengths = np.array([*map(len, self._conditions)], dtype=np.int64)
        return np.array([*chain.from_iterable(self._conditions)], dtype=np.int64), np.cumsum(
            lengths
        ) - lengths

    def held(self, token: Token) -> npt.NDArray[np.bool_]:
        """Whether each condition holds for a token, once all conditions are numbered."""
        met = np.zeros(len(self._terms), dtype=bool)
        keys: list[object] = [("word", token.word), ("tag", token.tag), *(("may", tag) for tag in token.may)]
        keys += [("test", test) for test in self._tests if test(token)]
        for key in keys:
            met[self._met_by.get(key, [])] = True
        met ^= np.array(self._negated, dtype=bool)
        terms, first = self._flat
        return np.logical_and.reduceat(met[terms], first) if len(self) else met


def _native_rules(rules: Sequence[Rule], conditions: Sequence[Sequence[int]]) -> native.Rules:
    """The rules for native code, given the conditions of their elements; see `native.Rules`."""
    fixed, sides, ends = [], [], []
    for rule, numbers in zip(rules, conditions, strict=True):
        first, stop = rule.fixed
        around = [(numbers[k], k - rule.anchor) for k in range(first, stop) if k != rule.anchor]
        fixed.append(sorted(around, key=lambda row: abs(row[1])))
        parts = [
            (number, element.least, element.most)
            for number, element in zip(numbers, rule.elements, strict=True)
        ]
        sides += [parts[:first][::-1], parts[stop:]]
        ends.append((first - 1 - rule.anchor, stop - rule.anchor))
    return native.Rules(
        np.cumsum([0, *map(len, fixed)], dtype=np.int64),
        np.array([*chain.from_iterable(fixed)], dtype=np.int32).reshape(-1, 2),
        np.cumsum([0, *map(len, sides)], dtype=np.int64),
        np.array([*chain.from_iterable(sides)], dtype=np.int32).reshape(-1, 3),
        np.array(ends, dtype=np.int32).reshape(-1, 2),
    )
