"""The search for the best choice of every token, by the n-gram models of forms, lemmas and tags."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.engine import in_order
from errata.models.ngram_model import BEGIN, END, STEP, UNIT, Grams
from errata.native import trigrams
from errata_correct.candidate_cache import Lattice
from errata_correct.language_model import least_costs, tables
from errata_correct.morphology import Morphology
from errata_correct.native import channel
from errata_correct.weights import Weights

_WIDTH = 12
_CHUNK = 256  # sentences at a time
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
        """The weights of the three models for costs in steps, so that 256 of them are a unit."""
        given = np.array([self.weights.language, self.weights.lemma, self.weights.tag])
        weights: _Ints = np.rint(given * 256).astype(np.int32) * STEP
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
    def _words(self) -> _Ints:
        """What the kernel needs to know of every word.

        These are a bound below the weighted costs of lemma and tag; form, lemma and tag; what each costs
        without a context; and a bound below the cost of all three.
        """
        weights, (classes, bounds, unigrams) = self._scale, self._tables[:3]
        models = self.forms, self._morphology.lemmas, self._morphology.tags
        least = [weights[m] * least_costs(model)[classes[:, m]] for m, model in enumerate(models)]
        alone = unigrams[classes + bounds, 2] * weights
        rest = least[1] + least[2]
        return np.column_stack([rest, classes, alone, (least[0] + rest) >> 8]).astype(np.int32)

    def prepare(self) -> None:
        """Build what is needed in any case, before threads ask for it."""
        self._words  # noqa: B018

    def search(self, offsets: npt.NDArray[np.int64], lattice: Lattice, jobs: int | None = None) -> Found:
        """The best choices for the tokens of sentences, all of them in one lattice, and their margins.

        A margin is by how much a sentence would cost more with this token as it was written.
        """
        choices = self._described(lattice.choices)
        arrays = offsets, lattice.kinds, lattice.offsets, choices, self._scale
        longest = int(np.diff(offsets).max(initial=0))
        best = np.zeros(len(lattice.kinds), dtype=np.int32)

        def work(start: int) -> None:
            stop = min(start + _CHUNK, len(offsets) - 1)
            scratch = np.empty(24 * (4 * _WIDTH + 2), dtype=np.int64)
            trail = np.empty(((longest + 1) * _WIDTH, 2), dtype=np.int32)
            find: Any = channel.viterbi
            find(*arrays, *self._tables[1:], start, stop, _WIDTH, scratch, trail, best)

        for _ in in_order(work, range(0, len(offsets) - 1, _CHUNK), jobs):
            pass
        margins = trigrams.margins(self._tables, *arrays, best)
        return Found(lattice, offsets, best, margins / UNIT)

    def costs(self, rows: Sequence[Sequence[int]], known: Sequence[int]) -> list[list[float]]:
        """The costs of rows of words by form, lemma and tag, without those of the first `known` of a row."""
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        words = np.fromiter(chain.from_iterable(rows), np.int32, int(offsets[-1]))
        steps = trigrams.costs(self._tables, offsets, words, np.array(known, dtype=np.int64))
        costs: list[list[float]] = (steps * STEP / UNIT).tolist()
        return costs

    def _described(self, rows: _Ints) -> _Ints:
        """Choices with all that the kernel needs to know of each.

        Behind them are the first words of those of two, and the beginning and the end of a sentence.
        """
        two = rows[:, 1] >= 0
        firsts, numbers = np.unique(rows[two, 0], return_inverse=True)
        found = np.full((len(rows) + len(firsts) + 2, 12), -1, dtype=np.int32)
        found[: len(rows), :3] = rows
        found[: len(rows)][two, 11] = len(rows) + numbers
        found[len(rows) :, 0], found[len(rows) :, 2] = [*firsts, BEGIN, END], 0
        found[:, 3:11] = self._words[np.where(found[:, 1] >= 0, found[:, 1], found[:, 0])]
        return found
