"""Preparing many scans of the same statistics: rows that can be left out without changing any choice."""

from __future__ import annotations

import numpy as np

from errata.metrics.statistics import Integers, Statistics

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


def without_equal(both: Statistics) -> tuple[Statistics, Integers]:
    """Two systems' segments in turns, each with a row, without those equal in both; and which are left.

    Swapping them changes nothing, and without a choice they only add to the totals: so they are added
    to all the rows of the next segment instead, and what is chosen there stays the same.
    """
    ours, theirs = both.values[both.offsets[:-1:2]], both.values[both.offsets[1:-1:2]]
    equal = (both.counts == 1).reshape(-1, 2).all(axis=1) & (ours == theirs).all(axis=1)
    equal[-1:] = False  # nothing comes after it
    left = np.flatnonzero(~equal)
    sums = np.cumsum(np.where(equal[:, None], ours, 0), axis=0)[left]
    added = np.diff(sums, axis=0, prepend=np.zeros((1, sums.shape[1]), dtype=np.int64))
    kept = both.select(np.stack([2 * left, 2 * left + 1], axis=1).ravel())
    values = kept.values + np.repeat(np.repeat(added, 2, axis=0), kept.counts, axis=0)
    return Statistics(both.columns, values, kept.offsets, kept.references), left
