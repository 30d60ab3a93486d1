"""Intervals that stay valid however often one looks: asymptotic confidence sequences."""

from __future__ import annotations

import math


def multiplier(count: int, level: float = 0.95, *, planned: int | None = None) -> float:
    """How many standard errors an interval extends to either side of a mean of `count` independent values.

    Without `planned`, the interval is Student's, for one look at a size fixed beforehand. With it, it is
    valid at all sizes together (Waudby-Smith et al. 2024, Annals of Statistics 52), and narrowest near the
    size `planned`.
    """
    if count < 2:
        return math.inf
    if planned is None:
        from scipy.stats import t

        return float(t.ppf((1 + level) / 2, count - 1))
    # Two-sided boundary of the normal mixture; ρ² is its variance, best for `planned` values.
    alpha = 1 - level
    rho = (-2 * math.log(alpha) + math.log(-2 * math.log(alpha) + 1)) / max(planned, 1)
    grown = count * rho
    return math.sqrt(2 * (grown + 1) / grown * math.log(math.sqrt(grown + 1) / alpha))
