"""Decide tests: corrections for many tests, early stopping with a bounded risk, and power."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers

CORRECTIONS = ("none", "holm", "bh")


def holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's (1979) adjusted p-values: below α with a risk of α of any false alarm among all tests."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _restored(np.minimum(stepped, 1), order)


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg's (1995) adjusted p-values: below α with α of the findings false, on average."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    stepped = np.minimum.accumulate(stepped[::-1])[::-1]
    return _restored(np.minimum(stepped, 1), order)


def adjust(p_values: npt.ArrayLike, correction: str) -> Floats:
    """Adjusted p-values by the name of the correction: `none`, `holm` or `bh`."""
    if correction not in CORRECTIONS:
        raise ValueError(f"the correction is one of {', '.join(CORRECTIONS)}, not {correction!r}")
    if correction == "none":
        return np.array(p_values, dtype=np.float64)
    return holm(p_values) if correction == "holm" else benjamini_hochberg(p_values)


def _restored(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    found = np.empty_like(values)
    found[order] = values
    return found


# -- Monte-Carlo tests that stop early with a bounded risk of deciding wrongly (Gandy 2009)

_LOOK = 1000  # samples between the first looks; later looks are a tenth further on
_HALF = 1000  # samples after which half of the risk may have been spent, Gandy's choice


class Look(NamedTuple):
    """When to look, and what to conclude: p ≤ α at `lower` hits or fewer, p > α at `upper` or more."""

    samples: int
    lower: int
    upper: int


def looks(most: int) -> Iterator[int]:
    """Numbers of samples after which to look: every 1,000, then each a tenth more, and `most` at last."""
    samples = 0
    while samples < most:
        samples = min(most, samples + max(_LOOK, samples // 10 // _LOOK * _LOOK))
        yield samples


def boundaries(alpha: float, risk: float, most: int) -> Iterator[Look]:
    """Gandy's stopping boundaries at the looks, for any p-value at a risk of at most `risk`.

    At level α the hits S are a random walk with steps of probability α. The boundaries are as narrow as
    they can be while the probability of ever having crossed the upper one, and that of the lower one,
    stays below the spending sequence ε·n/(1000 + n) (Gandy 2009, Eq. 3 and Section 4). As the walk only
    becomes rarer above for p < α and below for p > α, this bounds the risk for every p. Looking only
    now and then, instead of after every sample, keeps the bound.
    """
    inside = np.ones(1)  # P(S = first + i and not stopped yet), at p = α
    first = 0
    spent_above = spent_below = 0.0
    before = 0
    for samples in looks(most):
        step = samples - before
        mean, spread = step * alpha, 10 * (step * alpha * (1 - alpha)) ** 0.5
        # beyond these ends lies less than 1e-20
        reach = np.arange(max(0, int(mean - spread)), min(step, int(mean + spread) + 40) + 1)
        # not by Fourier transform, whose rounding is as large as what late looks may spend
        inside = np.convolve(inside, _binomial_pmf(reach, step, alpha))
        first += int(reach[0])
        allowed = risk * samples / (_HALF + samples)
        # numbers of cells that may be cut off at either end
        cut_above = int(np.searchsorted(np.cumsum(inside[::-1]), allowed - spent_above, side="right"))
        cut_below = int(np.searchsorted(np.cumsum(inside), allowed - spent_below, side="right"))
        cut_above, cut_below = min(cut_above, len(inside)), min(cut_below, len(inside))
        lower, upper = first + cut_below - 1, first + len(inside) - cut_above
        spent_above += float(inside[len(inside) - cut_above :].sum())
        spent_below += float(inside[:cut_below].sum())
        inside = inside[cut_below : len(inside) - cut_above]
        first += cut_below
        before = samples
        yield Look(samples, lower, upper)


def _binomial_pmf(hits: Integers, samples: int, p: float) -> Floats:
    """Binomial probabilities, without `scipy.stats`, which takes a second to load."""
    from scipy.special import gammaln, xlog1py, xlogy

    ways = gammaln(samples + 1) - gammaln(hits + 1) - gammaln(samples - hits + 1)
    probabilities: Floats = np.exp(ways + xlogy(hits, p) + xlog1py(samples - hits, -p))
    return probabilities


def hit_interval(hits: int, samples: int, level: float = 0.99) -> tuple[float, float]:
    """An interval for the probability of a hit that holds whenever one stops (Robbins 1970, Lai 1976).

    All p with (n + 1)·P(S = hits | n, p) > 1 − level: with probability `level` the true one is inside
    after every number of samples at once, so early stopping does not spoil it.
    """
    from scipy import special
    from scipy.optimize import brentq

    floor = np.log1p(-level) - np.log1p(samples)
    ways = special.gammaln(samples + 1) - special.gammaln(hits + 1) - special.gammaln(samples - hits + 1)

    def above(p: float) -> float:
        inside = special.xlogy(hits, p) + special.xlog1py(samples - hits, -p)
        return float(ways + inside - floor)

    share = hits / samples
    low = 0.0 if hits == 0 else brentq(above, 1e-300, share, xtol=1e-15)
    high = 1.0 if hits == samples else brentq(above, share, 1 - 1e-16, xtol=1e-15)
    return float(low), float(high)


# -- How large a test set a difference needs

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
