"""Corpus scores from consecutive chunks of statistics: what is kept of a chunk after it was added.

Chunks come in the order of the corpus. However it was divided, the score is the same to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from errata.kernels import rows as kernel
from errata.metrics.statistics import Floats, Numbers, Statistics

if TYPE_CHECKING:
    from errata.metrics.base import Metric, ScanMetric

_ONE = 1126  # sums are counted in units of 2^-1126, of which every floating-point number is a multiple
_BITS = 40  # of a fraction that the kernel adds up in one number
_ROWS = 1 << 12  # of numbers that are added one by one


class Accumulator(Protocol):
    """Takes in chunks of statistics and gives the corpus score of all of them."""

    def add(self, statistics: Statistics) -> None:
        """Add the statistics of the next segments."""

    def parts(self) -> Floats:
        """The parts of the score of all segments so far, as `aggregate` gives them for one sample."""


class ExactSums:
    """Sums of columns that are rounded only once, at the end: the same in any order and for any chunks."""

    def __init__(self) -> None:
        self._totals: list[int] = []
        self._unbounded: Floats | float = 0.0  # the sum of infinities and NaN

    def add(self, rows: Numbers) -> None:
        if not self._totals:
            self._totals = [0] * rows.shape[1]
        sums = np.empty((4, rows.shape[1]), dtype=np.int64)
        kind = np.int64 if rows.dtype.kind == "i" else np.float64
        used = kernel.exact_sums(np.ascontiguousarray(rows, dtype=kind), sums)
        for place, line in enumerate(sums[:used].tolist()):
            unit = _ONE - _BITS * place
            self._totals = [known + (total << unit) for known, total in zip(self._totals, line, strict=True)]
        if not used and not np.isfinite(rows).all():
            self._unbounded = self._unbounded + np.where(np.isfinite(rows), 0.0, rows).sum(axis=0)
            self.add(np.where(np.isfinite(rows), rows, 0.0))
        elif not used and len(rows) > _ROWS:  # too many, or some are very large or very small
            for start in range(0, len(rows), _ROWS):
                self.add(rows[start : start + _ROWS])
        elif not used:
            for column, numbers in enumerate(rows.T.tolist()):
                ratios = [number.as_integer_ratio() for number in numbers]
                self._totals[column] += sum((above << _ONE) // below for above, below in ratios)

    def value(self) -> Floats:
        """The sums, rounded once."""
        return np.array([total / (1 << _ONE) for total in self._totals]) + self._unbounded


class Sums:
    """The score of a metric with summands: their exact sums are all that is kept."""

    def __init__(self, metric: Metric) -> None:
        self._metric = metric
        self._sums = ExactSums()

    def add(self, statistics: Statistics) -> None:
        rows = self._metric.summands(statistics)
        if rows is None:
            raise NotImplementedError(f"{self._metric.name} has no summands: it needs another accumulator")
        self._sums.add(rows)

    def parts(self) -> Floats:
        parts: Floats = self._metric.from_sums(self._sums.value()[None])[0]
        return parts


class RunningTotals:
    """The score of a metric that chooses references by running totals: the totals are all that is kept."""

    def __init__(self, metric: ScanMetric) -> None:
        self._metric = metric
        self._totals: Numbers = np.zeros((1, len(metric.columns)), dtype=np.int64)

    def add(self, statistics: Statistics) -> None:
        if statistics.values.dtype == np.float64:
            self._totals = self._totals.astype(np.float64)
        ones = np.ones((1, len(statistics)), dtype=np.int64)
        self._metric.scan(statistics, ones, self._totals)

    def parts(self) -> Floats:
        parts: Floats = self._metric.from_totals(self._totals)[0]
        return parts
