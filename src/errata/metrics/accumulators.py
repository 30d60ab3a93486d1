"""Corpus scores from consecutive chunks of statistics: what is kept of a chunk after it was added.

Chunks come in the order of the corpus. However it was divided, the score is the same to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats, Numbers, Statistics

if TYPE_CHECKING:
    from errata.metrics.base import Metric, ScanMetric

_ONE = 1126  # sums are counted in units of 2^-1126; every floating-point number is a multiple of it
_BITS = 40  # bits of the fractions that are added at a time
_MOST_BITS = 160  # numbers with more bits are added one by one
_LARGE = 1 << 42  # as many numbers as _ROWS below this have a sum below 2^63
_ROWS = 1 << 20  # rows that are added at a time


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
        if rows.dtype.kind != "f":
            rows = rows.astype(np.int64)
        finite = np.isfinite(rows)
        if not finite.all():
            self._unbounded = self._unbounded + np.where(finite, 0.0, rows).sum(axis=0)
            rows = np.where(finite, rows, 0.0)
        for start in range(0, len(rows), _ROWS):
            self._add_finite(rows[start : start + _ROWS])

    def _add_finite(self, rows: Numbers) -> None:
        """Add the whole numbers, then 40 more bits of the fractions at a time: such sums are exact."""
        large = (rows <= -_LARGE) | (rows >= _LARGE)
        self._add_singly(rows, large, _ONE)
        rest = np.where(large, 0, rows)
        unit = _ONE
        while rest.any() and unit > _ONE - _MOST_BITS:
            whole = np.trunc(rest)
            sums = whole.astype(np.int64).sum(axis=0).tolist()
            self._totals = [total + (more << unit) for total, more in zip(self._totals, sums, strict=True)]
            rest = (rest - whole) * 2.0**_BITS
            unit -= _BITS
        self._add_singly(rest, rest != 0, unit)

    def _add_singly(self, rows: Numbers, which: npt.NDArray[np.bool_], unit: int) -> None:
        """Add these numbers, which are so large or so small that their sum might be rounded."""
        for row, column in np.argwhere(which).tolist():
            above, below = rows[row, column].item().as_integer_ratio()
            self._totals[column] += (above << unit) // below

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
