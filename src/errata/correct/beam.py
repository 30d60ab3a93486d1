"""The search for the best choice of every token, by the n-gram models of forms, lemmas and tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.correct.choices import Lattice
from errata.correct.morphology import Morphology
from errata.correct.weights import Weights
from errata.engine import spread
from errata.kernels import channel
from errata.models.grams import UNIT, Grams, tables

_WIDTH = 12
_CHUNK = 64  # sentences at a time
_Ints = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Found:
    """The best choice of every token, by its row in the lattice; the first choice is to keep the token."""

    lattice: Lattice
    offsets: npt.NDArray[np.int64]  # of sentences
    best: _Ints
    margins: npt.NDArray[np.float64]  # 0 where the token is kept


@dataclass(frozen=True)
class Beam:
    """Viterbi's algorithm with a beam of histories."""

    forms: Grams
    morphology: Morphology | None
    weights: Weights

    @cached_property
    def _morphology(self) -> Morphology:
        return self.morphology or Morphology.none(len(self.forms.costs[0]))

    @cached_property
    def _scale(self) -> _Ints:
        """The weights of the three models, of 256."""
        given = np.array([self.weights.language, self.weights.lemma, self.weights.tag])
        weights: _Ints = np.rint(given * 256).astype(np.int32)
        if not self.morphology:
            weights[1:] = 0
        return weights

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        """Every word's form, lemma and tag, and the three models, as the kernel reads them."""
        forms = np.arange(len(self.forms.costs[0]), dtype=np.int32)
        classes = np.column_stack([forms, self._morphology.classes])
        return classes, *tables([self.forms, self._morphology.lemmas, self._morphology.tags])

    @cached_property
    def _least(self) -> tuple[_Ints, _Ints]:
        """Bounds below the weighted cost of every word: of all three models, and of lemma and tag."""
        weights, classes = self._scale, self._tables[0]
        costs = [weights[1] * self._morphology.lemmas.least(), weights[2] * self._morphology.tags.least()]
        rest = costs[0][classes[:, 1]] + costs[1][classes[:, 2]]
        return weights[0] * self.forms.least() + rest, rest

    def prepare(self) -> None:
        """Build what is needed in any case, before threads ask for it."""
        self._least  # noqa: B018

    def search(self, sentences: Sequence[Sequence[str]], lattice: Lattice, jobs: int | None = None) -> Found:
        """The best choices for the tokens of sentences, all of them in one lattice, and their margins.

        A margin is by how much a sentence would cost more with this token as it was written.
        """
        lengths = [len(tokens) for tokens in sentences]
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        choices = self._described(lattice.choices)
        arrays = (offsets, lattice.kinds, lattice.offsets, choices, self._scale, *self._tables)
        longest, most = max(lengths, default=0), int(np.diff(lattice.offsets).max(initial=0))
        best, margins = np.zeros((2, len(lattice.kinds)), dtype=np.int32)

        def work(start: int, stop: int) -> None:
            states = np.empty(((longest + 2) * _WIDTH, 21), dtype=np.int64)
            memo = np.empty(((_WIDTH + 1) * most, 7), dtype=np.int64)
            find: Any = channel.viterbi
            find(*arrays, start, stop, _WIDTH, states, memo, best)
            compare: Any = channel.margins
            compare(*arrays, start, stop, best, margins)

        spread(work, len(sentences), jobs, chunk=_CHUNK)
        return Found(lattice, offsets, best, margins / UNIT)

    def costs(self, rows: Sequence[Sequence[int]], known: Sequence[int]) -> list[list[float]]:
        """The costs of rows of words by form, lemma and tag, without those of the first `known` of a row."""
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        words = np.fromiter(chain.from_iterable(rows), np.int32, int(offsets[-1]))
        found = np.zeros((len(rows), 3), dtype=np.int64)
        count: Any = channel.costs
        count(offsets, words, np.array(known, dtype=np.int64), *self._tables, found)
        costs: list[list[float]] = (found / UNIT).tolist()
        return costs

    def _described(self, rows: _Ints) -> _Ints:
        """Choices with all that the kernel needs to know of each."""
        classes, first, unigrams = self._tables[:3]
        every, rest = self._least
        one, two = rows[:, 0], rows[:, 1]
        last = np.where(two >= 0, two, one)
        found = np.empty((len(rows), 15), dtype=np.int32)
        found[:, :3] = rows
        found[:, 3] = (
            rows[:, 2] + np.where(one >= 0, every[one] >> 8, 0) + np.where(two >= 0, every[two] >> 8, 0)
        )
        found[:, 4] = rest[last]
        found[:, 5:8] = classes[last]
        found[:, 8:11] = unigrams[found[:, 5:8] + first, 0]
        found[:, 14] = every[last] >> 8
        found[:, 11:14] = 1 << (found[:, 5:8] % 31)
        return found
