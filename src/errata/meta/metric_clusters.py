"""Clusters of metrics: a new one begins where a metric is significantly worse than the best of the last."""

from __future__ import annotations

import numpy as np

from errata.metrics.statistics import Floats
from errata.significance.multiple import holm

_ALPHA = 0.05


def clusters(agreement: Floats, p: Floats) -> list[int]:
    """The number of every metric's cluster, 1 for the best.

    `agreement` is how well each metric agrees with people, and `p` (metrics × metrics) has one-tailed
    p-values where the row agrees better than the column. All p-values are corrected together by Holm's
    method. A metric without any agreement (NaN) comes last.
    """
    known = np.argwhere(~np.isnan(p))
    adjusted = np.full(p.shape, np.nan)
    if len(known):
        adjusted[tuple(known.T)] = holm(p[tuple(known.T)])
    found = [0] * len(agreement)
    order = np.argsort(-np.where(np.isnan(agreement), -np.inf, agreement), kind="stable").tolist()
    leader, number = order[0] if order else 0, 1
    for place in order:
        if adjusted[leader, place] <= _ALPHA:
            leader, number = place, number + 1
        found[place] = number
    return found
