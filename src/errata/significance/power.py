"""How large a test set a difference needs."""

from __future__ import annotations

import math
from typing import NamedTuple

from errata.metrics.statistics import Floats


class Power(NamedTuple):
    """The chance to find a true difference of the observed size, and how many segments would find it."""

    power: float  # on a test set like this one, of this size
    needed: int | None  # segments for the power asked for; None where the systems do not differ at all


def power_of_difference(
    difference: float, sampled: Floats, segments: int, *, alpha: float = 0.05, power: float = 0.8
) -> Power:
    """The power of a paired two-sided test at α, from bootstrap samples of the difference.

    The standard error of a difference falls with the root of the number of segments. Its size here, s,
    is the standard deviation of the bootstrap differences, so that a true difference Δ is found with
    probability Φ(|Δ|/s − z) and n·((z + z_power)·s/Δ)² segments are needed, z being the 1 − α/2
    quantile of the normal distribution. The true difference is taken to be the observed one: a guide
    for planning the next test set, no second opinion on this one (Hoenig & Heisey 2001).
    """
    from scipy.special import ndtr, ndtri

    spread = float(sampled.std(ddof=1))
    z = float(ndtri(1 - alpha / 2))
    if math.isnan(difference) or math.isnan(spread):
        return Power(float("nan"), None)
    if difference == 0:
        return Power(alpha, None)
    if spread == 0:
        return Power(1.0, 1)
    size = abs(difference) / spread
    found = float(ndtr(size - z) + ndtr(-size - z))
    needed = segments * ((z + float(ndtri(power))) / size) ** 2
    return Power(found, max(1, math.ceil(needed)))
