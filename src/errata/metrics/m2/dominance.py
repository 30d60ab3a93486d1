"""Preparing many scans of the same statistics: rows that can be left out without changing any choice."""

from __future__ import annotations

import numpy as np

from errata.metrics.statistics import Statistics

_APART = 1e-6  # masses closer than this may be rounded to the same when added to large totals


def without_dominated(statistics: Statistics, beta: float) -> Statistics:
    """The same statistics (correct, proposed, gold) without the rows that another always beats.

    F_β = (1 + β²)·correct / (β²·gold + proposed) of totals grows with correct and falls with the
    others. So a row that has no more correct and no less proposed and gold than another of its segment
    is never chosen, and most segments are left without a choice: many scans get faster, none changes.
    """
    counts, (correct, proposed, gold) = statistics.counts, statistics.values.T
    mass = beta**2 * gold + proposed
    # every row with every row of its segment
    size = np.repeat(counts, counts)
    row = np.repeat(np.arange(len(size)), size)
    begin = np.cumsum(size) - size
    other = np.repeat(np.repeat(statistics.offsets[:-1], counts) - begin, size) + np.arange(len(row))
    as_good = (
        (correct[other] >= correct[row]) & (proposed[other] <= proposed[row]) & (gold[other] <= gold[row])
    )
    # where nothing tells them apart the first is chosen
    wins = (correct[other] > correct[row]) | (mass[row] - mass[other] > _APART) | (other < row)
    kept = np.bincount(row[as_good & wins], minlength=len(size)) == 0
    left = np.add.reduceat(np.append(kept, False), statistics.offsets[:-1], dtype=np.int64)
    left[counts == 0] = 0
    return Statistics(
        statistics.columns,
        np.ascontiguousarray(statistics.values[kept]),
        np.concatenate([[0], np.cumsum(left)]),
        statistics.references[kept],
    )
