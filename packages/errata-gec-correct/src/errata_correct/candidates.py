"""What a written word may stand for: words of the lexicon near it, words it is confused with, commas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.engine import spread
from errata.models.ngram_model import BITS, STEP, UNIT, UNKNOWN, Grams
from errata_correct.error_model import ErrorModel, cost
from errata_correct.native import lexicon
from errata_correct.trie import Trie
from errata_correct.weights import Weights

_LONGEST = 28  # letters of a word that is looked up
_CANDIDATES = 12
_WITH_COMMA = 3  # candidates that are also tried behind a comma
_NEVER = 1 << 30
_STACK = 4096  # states of the search in the trie; what does not fit is left out

Rows = npt.NDArray[np.int32]
"""Choices: a word, a second one (-1: none), and the cost. No word at all is -1, too."""


@dataclass(frozen=True)
class Candidates:
    """Finds the choices of written words in lower case. The first choice of a word is to keep it."""

    words: Sequence[str]
    ids: Mapping[str, int]
    forms: Grams
    errors: ErrorModel
    weights: Weights
    mode: str

    @cached_property
    def _trie(self) -> Trie:
        return Trie.build(self.words)

    @cached_property
    def _letters(self) -> tuple[Any, ...]:
        """Letters as sets, costs of replace, delete and insert, what is no edit, the sets letters accept."""
        replace, delete, insert, same = self.errors.tables(self._trie.alphabet, self.mode)
        own = same.astype(bool) | np.eye(len(same), dtype=bool)
        sets = self._trie.sets
        accepts = np.bitwise_or.reduce(np.where(own, sets[:, None], 0), axis=0)
        by_written = np.ascontiguousarray(replace.T), np.ascontiguousarray(same.T, dtype=np.uint8)
        return sets, by_written[0], delete, insert, cost(self.errors.swap), by_written[1], accepts

    @cached_property
    def _unigrams(self) -> Rows:
        return self.forms.costs[0].astype(np.int32)[:, None] * STEP

    @cached_property
    def _confusions(self) -> dict[str, list[tuple[int, int]]]:
        found: dict[str, list[tuple[int, int]]] = {}
        for (clean, written), p in self.errors.words.items():
            if clean in self.ids:
                found.setdefault(written, []).append((self.ids[clean], cost(p)))
        return found

    @cached_property
    def _behind_comma(self) -> npt.NDArray[np.bool_]:
        """The words that have been seen behind a comma."""
        pairs = self.forms.keys[0]
        found = np.zeros(len(self.words), dtype=bool)
        found[pairs[pairs >> BITS == self.ids.get(",", -1)] & ((1 << BITS) - 1)] = True
        return found

    def prepare(self) -> None:
        """Build what is needed in any case, before threads ask for it."""
        self._letters  # noqa: B018
        self._unigrams  # noqa: B018

    def find(self, words: Sequence[str], jobs: int | None = None) -> tuple[npt.NDArray[np.int64], Rows]:
        """How many choices each word has, and the choices."""
        own = np.fromiter((self.ids.get(word, UNKNOWN) for word in words), np.int32, len(words))
        searched = np.array([_looked_up(word) for word in words], dtype=bool)
        confused = self._confused(words, searched)
        table = _Table(len(words), 1 + _CANDIDATES + max(map(len, confused.values()), default=0))
        unknown = np.where(searched & (own == UNKNOWN), round(self.weights.unknown * UNIT), 0)
        table.put(0, own[:, None], unknown[:, None], np.ones((len(words), 1), dtype=bool))
        change = round(self.weights.change * UNIT) if self.mode == "spelling" else 0
        near, costs, counts = self._near(words, own, searched, jobs)
        there = (np.arange(_CANDIDATES) < counts[:, None]) & (near != own[:, None])
        table.put(1, near, costs + change, there)
        for row, pairs in confused.items():
            for word, price in pairs:
                table.put_word(row, word, price + change // 2)
        if self.mode == "spelling":
            self._put_commas(words, searched, table)
        return table.rows()

    def _near(
        self, words: Sequence[str], own: Rows, searched: npt.NDArray[np.bool_], jobs: int | None
    ) -> tuple[Rows, Rows, Rows]:
        """The words of the lexicon within the edits that are allowed, their costs, and how many there are."""
        flat, offsets = self._trie.classes(words)
        limits = np.empty((len(words), 2), dtype=np.int32)
        if self.mode == "diacritics":
            limits[:] = (0, 1 << 19)
        else:
            edits = np.where(own != UNKNOWN, self.weights.edits_known, self.weights.edits_unknown)
            limits[:, 0] = np.minimum(edits, (np.diff(offsets) + 1) // 3)
            limits[:, 1] = np.where(own != UNKNOWN, 11, 16) * UNIT
        limits[~searched, 1] = -1  # nothing costs so little
        found = np.zeros((len(words), _CANDIDATES), dtype=np.int32)
        costs, counts = np.zeros_like(found), np.zeros(len(words), dtype=np.int32)
        letters, unigrams = self._letters, self._unigrams

        def work(start: int, stop: int) -> None:
            stack = np.empty((_STACK, 4), dtype=np.int64)
            search: Any = lexicon.candidates
            search(
                flat, offsets, limits, self._trie.letters, self._trie.nodes, *letters, unigrams, start, stop,
                stack, found, costs, counts,
            )  # fmt: skip

        spread(work, len(words), jobs, chunk=256)
        counts[~searched] = 0
        return found, costs, counts

    def _confused(
        self, words: Sequence[str], searched: npt.NDArray[np.bool_]
    ) -> dict[int, list[tuple[int, int]]]:
        """The words of the error model with which each of these (by its place) is confused, and the costs."""
        if self.mode != "spelling":
            return {}
        return {
            row: self._confusions[word]
            for row, word in enumerate(words)
            if word in self._confusions and searched[row]
        }

    def _put_commas(self, words: Sequence[str], searched: npt.NDArray[np.bool_], table: _Table) -> None:
        """Further choices: the cheapest ones behind a comma, and of a comma none at all."""
        comma = self.ids.get(",", -1)
        weight = round(self.weights.comma * UNIT)
        if comma >= 0:
            costs = np.where(self._behind_comma[table.words], table.costs, _NEVER)
            likely = np.argsort(costs, axis=1, kind="stable")[:, :_WITH_COMMA]
            chosen, costs, there = (
                np.take_along_axis(array, likely, 1) for array in (table.words, table.costs, table.there)
            )
            there &= self._behind_comma[chosen] & searched[:, None]
            set_comma = cost(self.errors.drop.get(",", 0.0)) + weight
            table.put(-_WITH_COMMA, np.full_like(chosen, comma), costs + set_comma, there, chosen)
        if "," in words and self.errors.add.get(",", 0.0) > 0:
            table.put_word(words.index(","), -1, cost(self.errors.add[","]) + weight)


class _Table:
    """Choices of several words, one row for each; what is there of a row counts in the order of columns."""

    def __init__(self, words: int, columns: int) -> None:
        shape = words, columns + _WITH_COMMA
        self.words, self._second = np.zeros(shape, np.int32), np.full(shape, -1, np.int32)
        self.costs, self.there = np.full(shape, _NEVER, np.int64), np.zeros(shape, bool)

    def put(self, first: int, words: Rows, costs: Any, there: Any, second: Rows | None = None) -> None:
        """Fill columns from `first` on."""
        columns = slice(first, first + words.shape[1] or None)
        self.words[:, columns], self.there[:, columns] = words, there
        self.costs[:, columns] = np.where(there, costs, _NEVER)
        if second is not None:
            self._second[:, columns] = second

    def put_word(self, row: int, word: int, price: int) -> None:
        """Add a choice, or lower its cost if it is there."""
        there = self.there[row]
        same = np.flatnonzero(there & (self.words[row] == word))
        place = int(same[0]) if len(same) else max(1 + _CANDIDATES, int(np.flatnonzero(there)[-1]) + 1)
        self.words[row, place], self._second[row, place], self.there[row, place] = word, -1, True
        self.costs[row, place] = min(price, self.costs[row, place])

    def rows(self) -> tuple[npt.NDArray[np.int64], Rows]:
        """The number of choices of each word, and the choices."""
        there = self.there
        columns = [self.words[there], self._second[there], self.costs[there].astype(np.int32)]
        return there.sum(1), np.stack(columns, 1)


def _looked_up(word: str) -> bool:
    """Whether other words are searched for."""
    return len(word) <= _LONGEST and any(map(str.isalpha, word)) and not word.isdigit()
