"""Intervals that stay valid however often one looks: asymptotic confidence sequences."""

from __future__ import annotations

import math


def multiplier(count: int, level: float = 0.95, *, planned: int | None = None) -> float:
    """How many standard errors an interval extends to either side of a mean of `count` independent values.

    Without `planned`, the interval is Student's, for one look at a size fixed beforehand. With it, it is
    valid at all sizes together (Waudby-Smith et al. 2024, Annals of Statistics 52), and narrowest near the
    size `planned`, which must be chosen before the first look.
    """
    if count < 2:
        return math.inf
    from scipy.special import ndtri, stdtrit

    student = float(stdtrit(count - 1, (1 + level) / 2))
    if planned is None:
        return student
    # Two-sided boundary of the normal mixture; ρ² is its variance, best for `planned` values.
    alpha = 1 - level
    rho = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / max(planned, 1)
    grown = count * rho
    boundary = math.sqrt(2 * (grown + 1) / grown * math.log(math.sqrt(grown + 1) / alpha))
    return boundary * student / float(ndtri((1 + level) / 2))  # the variance is estimated


def growth(count: int, distance: float, level: float = 0.95, *, planned: int) -> float:
    """How many times as many values the interval needs to exclude a point; 1 if it does so already.

    The point is `distance` standard errors away from the mean of `count` values.
    """

    def excludes(ratio: float) -> bool:
        return abs(distance) * math.sqrt(ratio) > multiplier(math.ceil(count * ratio), level, planned=planned)

    if excludes(1):
        return 1.0
    low, high = 1.0, 2.0
    while not excludes(high):
        low, high = high, 2 * high
        if high > 1e9:
            return math.inf
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if excludes(middle) else (middle, high)
    return high
