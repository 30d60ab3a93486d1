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
    correct, proposed, gold = statistics.values.T
    mass = beta**2 * gold + proposed
    row, other = statistics.rivals()
    as_good = (
        (correct[other] >= correct[row]) & (proposed[other] <= proposed[row]) & (gold[other] <= gold[row])
    )
    # where nothing tells them apart the first is chosen
    wins = (correct[other] > correct[row]) | (mass[row] - mass[other] > _APART) | (other < row)
    return statistics.without(np.bincount(row[as_good & wins], minlength=len(mass)) > 0)
