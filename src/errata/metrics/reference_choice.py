"""Choosing one reference per segment: by running totals, for many samples at once, or per segment alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats, Integers, Numbers, Statistics

Better = Callable[[Numbers, Numbers], Iterable[Floats]]  # keys of totals and rows, most important first


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
    """The row chosen for every segment in one run over the corpus; −1 where a segment has no row."""
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
    """The place of the best in the last axis; of equals the first."""
    # what is not a number is the worst: sorting would take it for the best
    first, *rest = (np.where(np.isnan(key), -np.inf, key) for key in keys)
    place = np.broadcast_to(-np.arange(first.shape[-1]), first.shape)
    best: Integers = np.lexsort((place, *reversed(rest), first), axis=-1)[..., -1]
    return best


def _rows(statistics: Statistics, segment: int) -> Numbers:
    return statistics.values[statistics.offsets[segment] : statistics.offsets[segment + 1]]
