"""Corpus scores from chunks of statistics: what has to be kept of a chunk once it was seen.

Chunks come in the order of the corpus; how it was cut never shows in the score, not in the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from errata.metrics.base import Floats, Integers, Metric, Statistics

_ONE = 1126  # sums are counted in units of 2^-1126, of which every floating-point number is a multiple
_HALF = 26  # bits: so that the two halves of many mantissas add up without rounding


class Running(Protocol):
    """A corpus score in the making."""

    def add(self, statistics: Statistics) -> None:
        """Take in the statistics of the next segments."""

    def parts(self) -> Floats:
        """The parts of the score of all segments so far, as `aggregate` gives them for one sample."""


class ExactSums:
    """Sums of columns without rounding before the end: the same in any order and for any chunks."""

    def __init__(self) -> None:
        self._totals: list[int] = []
        self._unbounded: Floats | float = 0.0  # infinities and what is not a number, which stay what they are

    def add(self, rows: Floats) -> None:
        if not self._totals:
            self._totals = [0] * rows.shape[1]
        if not np.isfinite(rows).all():
            self._unbounded = self._unbounded + np.where(np.isfinite(rows), 0.0, rows).sum(axis=0)
            rows = np.where(np.isfinite(rows), rows, 0.0)
        if (np.rint(rows) == rows).all() and np.abs(rows).sum() < 1 << 53:  # counts
            for column, total in enumerate(rows.sum(axis=0).tolist()):
                self._totals[column] += int(total) << _ONE
            return
        fractions, exponents = np.frexp(rows)
        mantissas = np.ldexp(fractions, 53).astype(np.int64)
        lowest = int(exponents.min())
        for column, (whole, power) in enumerate(zip(mantissas.T, exponents.T - lowest, strict=True)):
            high = np.bincount(power, whole >> _HALF)
            low = np.bincount(power, whole & ((1 << _HALF) - 1))
            for place, (upper, lower) in enumerate(zip(high.tolist(), low.tolist(), strict=True)):
                total = (int(upper) << _HALF) + int(lower)
                self._totals[column] += total << (_ONE + lowest + place - 53)

    def value(self) -> Floats:
        """The sums, rounded once."""
        return np.array([total / (1 << _ONE) for total in self._totals]) + self._unbounded


class KeptStatistics:
    """Statistics in pieces, held in the smallest integers that fit, and put together when asked for."""

    def __init__(self) -> None:
        self.pieces: list[Statistics] = []

    def add(self, statistics: Statistics) -> None:
        self.pieces.append(statistics.packed())

    def joined(self) -> Statistics:
        """All of them as one."""
        first, *_ = self.pieces
        return type(first).joined(self.pieces)


class Kept:
    """The score of a metric that says nothing about chunks: keeps the statistics (never the texts)."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._kept = KeptStatistics()

    def add(self, statistics: Statistics) -> None:
        self._kept.add(statistics)

    def parts(self) -> Floats:
        statistics = self._kept.joined()
        ones = np.ones((1, len(statistics)), dtype=np.int64)
        found: Floats = self._metric.aggregate(statistics, ones)[0]
        return found


class Summed:
    """The score of a metric with features: their sums are all it keeps."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._sums = ExactSums()

    def add(self, statistics: Statistics) -> None:
        features = self._metric.features(statistics)
        if features is None:
            raise TypeError(f"{self._metric.name} has features of some segments only: it needs a `running`")
        self._sums.add(features)

    def parts(self) -> Floats:
        found: Floats = self._metric.from_sums(self._sums.value()[None])[0]
        return found


class Undecided:
    """Sums features where the metric has them, and keeps statistics where it has not."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._chosen: Running | None = None

    def add(self, statistics: Statistics) -> None:
        if self._chosen is None:
            features = self._metric.features(statistics)
            self._chosen = Kept(self._metric) if features is None else Summed(self._metric)
        self._chosen.add(statistics)

    def parts(self) -> Floats:
        if self._chosen is None:
            raise ValueError("no statistics were added")
        return self._chosen.parts()


class Scanned:
    """The score of a metric that chooses references by running totals: the totals are all it keeps."""

    def __init__(
        self,
        columns: int,
        scan: Callable[[Statistics, Integers, Integers], object],
        parts: Callable[[Integers], Floats],
    ) -> None:
        self._totals = np.zeros((1, columns), dtype=np.int64)
        self._scan = scan  # of statistics, with weights, on from these totals, in place
        self._parts = parts

    def add(self, statistics: Statistics) -> None:
        self._scan(statistics, np.ones((1, len(statistics)), dtype=np.int64), self._totals)

    def parts(self) -> Floats:
        found: Floats = self._parts(self._totals)[0]
        return found
