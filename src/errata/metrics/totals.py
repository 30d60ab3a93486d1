"""From rows of statistics to corpus scores: exact sums, running totals, the choice of references, and F.

Chunks come in the order of the corpus. The division into chunks does not change a bit of the score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats, Integers, Numbers, Statistics

if TYPE_CHECKING:
    from errata.metrics.base import Metric, ScanMetric

_ONE = 1126  # sums are counted in units of 2^-1126; every floating-point number is a multiple of it
_BITS = 40  # bits of the fractions that are added at a time
_MOST_BITS = 160  # numbers with more bits are added one by one
_LARGE = 1 << 42  # as many numbers as _ROWS below this have a sum below 2^63
_ROWS = 1 << 20  # rows that are added at a time
Better = Callable[[Numbers, Numbers], Iterable[Floats]]  # keys of totals and rows, most important first


# -- fractions -----------------------------------------------------------------------------------------------


def share(part: Floats, whole: Floats, of_nothing: float | Floats = 1.0) -> Floats:
    """part / whole, and `of_nothing` where the whole is 0."""
    positive = whole > 0
    return np.where(positive, part / np.where(positive, whole, 1.0), of_nothing)


def prf(tp: Floats, fp: Floats, fn: Floats, beta: float) -> tuple[Floats, Floats, Floats]:
    """F, precision and recall of counts; precision and recall of nothing are 1."""
    precision, recall = share(tp, tp + fp), share(tp, tp + fn)
    return f_beta(precision, recall, beta), precision, recall


def f_beta(precision: Floats, recall: Floats, beta: float) -> Floats:
    """(1 + β²)·P·R / (β²·P + R), and 0 if both are 0."""
    mass = beta**2 * precision + recall
    return share((1 + beta**2) * precision * recall, mass, 0.0)


# -- sums ----------------------------------------------------------------------------------------------------


class Accumulator(Protocol):
    """Computes a corpus score from consecutive chunks of statistics."""

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

    def _add_singly(self, rows: Numbers, marked: npt.NDArray[np.bool_], unit: int) -> None:
        """Add the marked numbers one by one: they are so large or small that their sum might be rounded."""
        for row, column in np.argwhere(marked).tolist():
            above, below = rows[row, column].item().as_integer_ratio()
            self._totals[column] += (above << unit) // below

    def value(self) -> Floats:
        """The sums, rounded once."""
        return np.array([total / (1 << _ONE) for total in self._totals]) + self._unbounded


class Sums:
    """The score of a metric with summands. Only their exact sums are kept."""

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
    """The score of a metric that chooses references by running totals. Only the totals are kept."""

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


# -- one reference per segment -------------------------------------------------------------------------------


def scan_totals(statistics: Statistics, weights: Integers, totals: Numbers, better: Better) -> None:
    """Add to every sample's totals, in place, the rows that are best together with the totals before them.

    A segment of weight w is visited w times in a row. Of equally good references the first is chosen.
    """
    for segment in range(len(statistics)):
        rows = _rows(statistics, segment)
        weight = weights[:, segment]
        if len(rows) <= 1:
            totals += weight[:, None] * rows.sum(axis=0)
            continue
        for times in range(int(weight.max(initial=0))):
            samples = np.flatnonzero(weight > times)
            options = totals[samples, None] + rows
            best = _best(better(options, np.broadcast_to(rows, options.shape)))
            totals[samples] = options[np.arange(len(samples)), best]


def choose_running(statistics: Statistics, better: Better) -> Integers:
    """The row chosen for every segment in one run over the corpus; −1 if a segment has no row."""
    chosen = np.full(len(statistics), -1, dtype=np.int64)
    totals = np.zeros(statistics.values.shape[1], dtype=statistics.values.dtype)
    for segment in range(len(statistics)):
        rows = _rows(statistics, segment)
        if len(rows):
            options = totals + rows
            best = int(_best([key[None] for key in better(options, rows)])[0]) if len(rows) > 1 else 0
            chosen[segment] = statistics.offsets[segment] + best
            totals = options[best]
    return chosen


def choose_alone(statistics: Statistics, better: Better) -> Integers:
    """The best row of every segment by itself, of equally good rows the first; −1 for a segment without rows.

    Further keys are only computed as long as different rows of a segment tie.
    """
    chosen = np.full(len(statistics), -1, dtype=np.int64)
    filled = np.flatnonzero(statistics.counts)
    if not len(filled):
        return chosen
    starts, counts = statistics.offsets[:-1][filled], statistics.counts[filled]
    best = np.ones(len(statistics.values), dtype=np.bool_)
    for key in better(statistics.values, statistics.values):
        values = np.where(best & ~np.isnan(key), key, -np.inf)
        best &= values == np.repeat(np.maximum.reduceat(values, starts), counts)
        if not _tied(statistics.values, best, starts, counts):
            break
    rows = np.flatnonzero(best)
    chosen[filled] = rows[np.searchsorted(rows, starts)]
    return chosen


def _tied(values: Numbers, best: npt.NDArray[np.bool_], starts: Integers, counts: Integers) -> bool:
    """Whether a segment has two best rows with different values."""
    rows = np.flatnonzero(best)
    first = rows[np.searchsorted(rows, np.repeat(starts, counts)[rows])]
    return not np.array_equal(values[rows], values[first], equal_nan=True)


def _best(keys: Iterable[Floats]) -> Integers:
    """The index of the best along the last axis; the first of equals."""
    # NaN counts as the worst; sorting would put it last, as the best
    first, *rest = (np.where(np.isnan(key), -np.inf, key) for key in keys)
    place = np.broadcast_to(-np.arange(first.shape[-1]), first.shape)
    best: Integers = np.lexsort((place, *reversed(rest), first), axis=-1)[..., -1]
    return best


def _rows(statistics: Statistics, segment: int) -> Numbers:
    return statistics.values[statistics.offsets[segment] : statistics.offsets[segment + 1]]
