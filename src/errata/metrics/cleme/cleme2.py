"""CLEME2.0 (Ye et al. 2025): how much was hit, corrected wrongly, left uncorrected and over-corrected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.cleme.counting import COLUMNS
from errata.metrics.cleme.metric import ChunkMetric, RunningChunks
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Numbers
from errata.metrics.totals import choose_alone, share

_PARTS = ("com", "hit", "err", "und", "ove")


@dataclass(frozen=True)
class CLEME2(RunningChunks):
    """The weighted sum of hit, 1 − error, 1 − under-correction and 1 − over-correction rates of the corpus.

    Of the chunks that need a change, `hit` is the share that got the right one, `err` a wrong one and `und`
    none; `ove` is the share of all changes made where none was needed. The weights are `a`, `b`, `c` and `d`.
    """

    a: float = parameter(0.45, at_least=0)
    b: float = parameter(0.35, at_least=0)
    c: float = parameter(0.15, at_least=0)
    d: float = parameter(0.05, at_least=0)

    name: ClassVar[str] = "cleme2"
    title: ClassVar[str] = "CLEME2"
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    parts: ClassVar[tuple[str, ...]] = (*_PARTS, *COLUMNS)

    @property
    def shown(self) -> tuple[str, ...]:
        """The four rates."""
        return _PARTS[1:]

    @property
    def factors(self) -> tuple[float, ...]:
        """The four weights."""
        return self.a, self.b, self.c, self.d

    def from_totals(self, totals: Numbers) -> Floats:
        """The sum and the four rates of total counts, and the counts."""
        return np.column_stack([*_rates(totals, self.factors), totals])


@dataclass(frozen=True)
class SentCLEME2(ChunkMetric, SumMetric):
    """The mean over sentences of CLEME2's weighted sum, each against its best reference."""

    a: float = parameter(0.35, at_least=0)
    b: float = parameter(0.25, at_least=0)
    c: float = parameter(0.20, at_least=0)
    d: float = parameter(0.20, at_least=0)

    name: ClassVar[str] = "sentcleme2"
    title: ClassVar[str] = "SentCLEME2"
    columns: ClassVar[tuple[str, ...]] = (*_PARTS, "segments", *COLUMNS)
    parts: ClassVar[tuple[str, ...]] = (*_PARTS, *COLUMNS)

    @property
    def shown(self) -> tuple[str, ...]:
        """The four rates."""
        return _PARTS[1:]

    def features(self, batch: Batch) -> Floats:
        """The rates of the best reference, and its counts."""
        statistics = self.rows(batch)
        rates = np.stack(_rates(statistics.values, (self.a, self.b, self.c, self.d)), axis=-1)
        best = choose_alone(statistics, lambda *_: [*(rates * [1, 1, -1, -1, -1]).T])
        return np.column_stack([rates[best], np.ones(len(best)), statistics.values[best]])

    def from_sums(self, sums: Floats) -> Floats:
        """Means of the rates, and total counts."""
        return np.column_stack([sums[:, :5] / np.maximum(sums[:, 5:6], 1), sums[:, 6:]])


def _rates(counts: Numbers, weights: tuple[float, ...]) -> tuple[Floats, ...]:
    """The weighted sum, and the rates of hits, errors, under-correction and over-correction."""
    tp, fp_ne, fp_un, fn, _ = np.moveaxis(counts, -1, 0).astype(np.float64)
    needed, made = tp + fp_ne + fn, tp + fp_ne + fp_un
    hit, err, und = (share(part, needed, 0.0) for part in (tp, fp_ne, fn))
    ove = share(fp_un, made, 0.0)
    a, b, c, d = weights
    return a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove), hit, err, und, ove
