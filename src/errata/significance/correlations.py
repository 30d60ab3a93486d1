"""Correlations of metrics with people: coefficients, intervals, tests, and the regression line.

Functions of arrays work over the last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats
from errata.errors import DataError
from errata.significance.kendall import count_pairs

_MAX_CELLS = 1 << 22  # numbers in memory at a time in the bootstrap and the permutation test
OUTLIER = 2.0  # studentised residuals beyond which a system counts as an outlier


def pearson(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Pearson's r; NaN if one side is constant."""
    x, y = _centred(x), _centred(y)
    norm = np.sqrt((x * x).sum(axis=-1) * (y * y).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        r: Floats = np.where(norm > 0, np.clip((x * y).sum(axis=-1) / norm, -1, 1), np.nan)
    return r


def spearman(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Spearman's ρ: Pearson's r of the ranks, where equal values share their mean rank."""
    return pearson(_ranks(x), _ranks(y))


def kendall(x: npt.ArrayLike, y: npt.ArrayLike) -> Floats:
    """Kendall's τ-b; NaN if a value is NaN. `kendall.count_pairs` has the other variants."""
    x, y = np.broadcast_arrays(np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64))
    if x.ndim == 1:
        missing = np.isnan(x).any() or np.isnan(y).any()
        return np.asarray(np.nan if missing else count_pairs(x, y).tau_b)
    first, second = np.triu_indices(x.shape[-1], 1)
    signs_x = np.sign(x[..., first] - x[..., second])
    signs_y = np.sign(y[..., first] - y[..., second])
    norm = np.sqrt((signs_x != 0).sum(axis=-1) * (signs_y != 0).sum(axis=-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        tau: Floats = np.where(norm > 0, (signs_x * signs_y).sum(axis=-1) / norm, np.nan)
    return tau


CORRELATIONS: dict[str, Callable[[npt.ArrayLike, npt.ArrayLike], Floats]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall": kendall,
}


def correlation(x: npt.ArrayLike, y: npt.ArrayLike, kind: str = "pearson") -> float:
    """One coefficient, by name: `pearson`, `spearman` or `kendall` (τ-b)."""
    x, y = _aligned(x, y)
    return float(_by_name(kind)(x, y))


# -- intervals --------------------------------------------------------------------------------------


def fisher_interval(
    r: float, items: int, *, level: float = 0.95, kind: str = "pearson"
) -> tuple[float, float]:
    """Fisher's z interval for a correlation, which is [−1, 1] for too few items.

    The standard error of z is 1/√(n−3) for r (Fisher 1921), √((1+ρ²/2)/(n−3)) for ρ (Bonett & Wright
    2000) and √(0.437/(n−4)) for τ (Fieller et al. 1957).
    """
    from scipy.special import ndtri

    _by_name(kind)
    degrees = items - (4 if kind == "kendall" else 3)
    if degrees <= 0:
        return -1.0, 1.0
    if np.isnan(r) or abs(r) >= 1:
        return r, r
    variance = {"pearson": 1.0, "spearman": 1 + r * r / 2, "kendall": 0.437}[kind] / degrees
    reach = ndtri((1 + level) / 2) * np.sqrt(variance)
    return float(np.tanh(np.arctanh(r) - reach)), float(np.tanh(np.arctanh(r) + reach))


def bootstrap_correlations(
    x: npt.ArrayLike, y: npt.ArrayLike, *, kind: str = "pearson", samples: int = 1000, seed: int = 1
) -> Floats:
    """Correlations of items drawn with replacement; NaN for samples in which one side is constant."""
    x, y = _aligned(x, y)
    function = _by_name(kind)
    generator = np.random.default_rng(seed)
    size = len(x) ** 2 if kind == "kendall" else len(x)
    block = max(1, _MAX_CELLS // size)
    correlations = []
    for start in range(0, samples, block):
        drawn = generator.integers(0, len(x), size=(min(block, samples - start), len(x)))
        correlations.append(function(x[drawn], y[drawn]))
    return np.concatenate(correlations)


def bootstrap_interval(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    kind: str = "pearson",
    level: float = 0.95,
    samples: int = 1000,
    seed: int = 1,
) -> tuple[float, float]:
    """A percentile bootstrap interval over items, without the samples that have no correlation."""
    scores = bootstrap_correlations(x, y, kind=kind, samples=samples, seed=seed)
    scores = scores[~np.isnan(scores)]
    if not len(scores):
        return float("nan"), float("nan")
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


# -- tests of two metrics ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Williams:
    """Williams' test of whether the first metric correlates better with people: t and one-tailed p."""

    t: float
    p: float
    items: int
    first: float  # correlation of the first metric with people
    second: float
    between: float  # correlation of the metrics with each other


def williams(first: float, second: float, between: float, items: int) -> tuple[float, float]:
    """Williams' t and one-tailed p for two correlations that share a variable, with `items` − 3 degrees of
    freedom (Williams 1959; the equation is in Graham & Baldwin 2014). Signs are kept.
    """
    from scipy.special import stdtr

    if items <= 3:
        raise DataError(f"Williams' test needs at least 4 systems, not {items}")
    if first == second:
        return 0.0, 0.5
    determinant = 1 - first**2 - second**2 - between**2 + 2 * first * second * between
    spread = 2 * max(determinant, 0.0) * (items - 1) / (items - 3)
    spread += (first + second) ** 2 / 4 * (1 - between) ** 3
    scale = (items - 1) * (1 + between)
    t = float((first - second) * (np.sqrt(scale / spread) if spread > 0 else np.inf))
    return t, float(stdtr(items - 3, -t))


def williams_test(
    human: npt.ArrayLike, first: npt.ArrayLike, second: npt.ArrayLike, *, kind: str = "pearson"
) -> Williams:
    """Williams' test from scores: does `first` correlate better with `human` than `second` does?"""
    human, first = _aligned(human, first)
    _, second = _aligned(human, second)
    r_first, r_second = correlation(human, first, kind), correlation(human, second, kind)
    between = correlation(first, second, kind)
    t, p = williams(r_first, r_second, between, len(human))
    return Williams(t, p, len(human), r_first, r_second, between)


class PermutedDifference(NamedTuple):
    """The difference of two correlations, and its p-value by permutation."""

    difference: float
    p: float
    permutations: int


def metric_permutation_test(
    human: npt.ArrayLike,
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    *,
    swap: str = "both",
    average: str = "segments",
    kind: str = "pearson",
    permutations: int = 10_000,
    seed: int = 1,
) -> PermutedDifference:
    """PERM-BOTH and its relatives (Deutsch et al. 2021): does `first` correlate better than `second`?

    The scores are systems × segments. Both metrics are standardised, then their scores are exchanged at
    random: single ones with `swap="both"`, whole rows or columns with `"systems"` or `"segments"`. With
    `average="segments"` the correlation is that of the systems' means over segments (system level); with
    `"correlations"` it is the mean over segments of the correlation between systems. The p-value is
    one-tailed, (1 + hits) / (1 + permutations), and NaN if a metric has no correlation.
    """
    function = _by_name(kind)
    if swap not in ("both", "systems", "segments") or average not in ("segments", "correlations"):
        raise ValueError(f"no permutation test swaps {swap!r} and averages {average!r}")
    z, x, y = (_matrix(scores) for scores in (human, first, second))
    if not z.shape == x.shape == y.shape:
        raise DataError(f"scores of different shapes: {z.shape}, {x.shape} and {y.shape}")
    x, y = ((scores - scores.mean()) / (scores.std() or 1.0) for scores in (x, y))

    def agreement(scores: Floats) -> Floats:
        if average == "segments":
            return function(scores.mean(axis=-1), z.mean(axis=-1))
        by_segment = function(np.swapaxes(scores, -1, -2), np.swapaxes(z, -1, -2))
        defined = ~np.isnan(by_segment)
        with np.errstate(invalid="ignore"):  # NaN if no segment has a correlation
            mean: Floats = np.where(defined, by_segment, 0).sum(axis=-1) / defined.sum(axis=-1)
        return mean

    observed = float(agreement(x) - agreement(y))
    generator = np.random.default_rng(seed)
    shape = {"both": z.shape, "systems": (z.shape[0], 1), "segments": (1, z.shape[1])}[swap]
    block = max(1, _MAX_CELLS // (z.size * (z.shape[0] if kind == "kendall" else 1)))
    hits = 0
    for start in range(0, permutations, block):
        exchanged = generator.random((min(block, permutations - start), *shape)) < 0.5
        differences = agreement(np.where(exchanged, y, x)) - agreement(np.where(exchanged, x, y))
        hits += int(np.count_nonzero(~(differences < observed - 1e-12)))  # NaN counts as a hit
    if np.isnan(observed):
        return PermutedDifference(observed, float("nan"), permutations)
    return PermutedDifference(observed, (1 + hits) / (1 + permutations), permutations)


# -- regression -------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Regression:
    """Least squares: y = intercept + slope · x, with each point's studentised residual."""

    slope: float
    intercept: float
    residuals: Floats  # externally studentised: each against the line through the others

    @property
    def outliers(self) -> list[int]:
        """Numbers of the points that are far from the line."""
        return [int(i) for i in np.flatnonzero(np.abs(self.residuals) > OUTLIER)]


def regression(x: npt.ArrayLike, y: npt.ArrayLike) -> Regression | None:
    """The line of y on x; None if x does not vary or there are fewer than four points."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n = len(x)
    centred = x - x.mean() if n else x
    spread = float(centred @ centred)
    if n < 4 or not spread > 1e-18 or not np.isfinite(y).all():
        return None
    slope = float(centred @ (y - y.mean())) / spread
    intercept = float(y.mean() - slope * x.mean())
    errors = y - intercept - slope * x
    leverage = 1 / n + centred**2 / spread
    total = float(errors @ errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = np.maximum(total - errors**2 / (1 - leverage), 0) / (n - 3)  # variance without the point
        residuals = errors / np.sqrt(others * (1 - leverage))
    tiny = np.abs(errors) <= 1e-9 * max(float(np.abs(y).max()), 1e-300)
    return Regression(slope, intercept, np.where(tiny | ~np.isfinite(residuals), 0.0, residuals))


# -- helpers ----------------------------------------------------------------------------------------


def _by_name(kind: str) -> Callable[[npt.ArrayLike, npt.ArrayLike], Floats]:
    if kind not in CORRELATIONS:
        raise DataError(f"there is no correlation {kind!r}", hint=f"one of {', '.join(CORRELATIONS)}")
    return CORRELATIONS[kind]


def _ranks(values: npt.ArrayLike) -> Floats:
    """Ranks over the last axis, equal values sharing their mean rank; NaN beside a NaN.

    The same as `scipy.stats.rankdata`, whose module takes a second to load.
    """
    array = np.asarray(values, dtype=np.float64)
    rows = array.reshape(int(np.prod(array.shape[:-1])), array.shape[-1])
    ranks = np.full(rows.shape, np.nan)
    for i in np.flatnonzero(~np.isnan(rows).any(axis=1)):
        _, position, counts = np.unique(rows[i], return_inverse=True, return_counts=True)
        ranks[i] = (np.cumsum(counts) - (counts - 1) / 2)[position]
    return ranks.reshape(array.shape)


def _centred(values: npt.ArrayLike) -> Floats:
    """Values minus their mean; exactly 0 if all are the same, however the mean is rounded."""
    array = np.asarray(values, dtype=np.float64)
    constant = (array == array[..., :1]).all(axis=-1, keepdims=True)
    centred: Floats = np.where(constant, 0.0, array - array.mean(axis=-1, keepdims=True))
    return centred


def _aligned(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Floats, Floats]:
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise DataError(f"a correlation needs equally many scores on both sides, not {x.shape} and {y.shape}")
    return x, y


def _matrix(scores: npt.ArrayLike) -> Floats:
    scores = np.asarray(scores, dtype=np.float64)
    return scores[:, None] if scores.ndim == 1 else scores
