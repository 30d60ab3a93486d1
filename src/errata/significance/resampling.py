"""Bootstrap and jackknife over segments.

A sample is a row of weights (how often each segment was drawn), and many samples are one call of the metric.
Systems share their samples, so that differences between them are paired.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from errata.array_types import Floats, Integers
from errata.errors import DataError

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.statistics import Statistics

_MAX_GROUPS = 2000  # groups of segments that the jackknife leaves out in turn


def block_size(segments: int) -> int:
    """The number of samples drawn at a time, each block by its own generator: at most 32 MB of weights.

    It is a divisor of 1,000.
    """
    return next(size for size in (250, 125, 50, 25, 10, 5, 2, 1) if size * segments <= 1 << 22 or size == 1)


def bootstrap_weights(
    segments: int, samples: int, seed: int, clusters: Integers | None = None
) -> Iterator[Integers]:
    """Blocks of weights (samples × segments): how often each segment was drawn with replacement.

    With `clusters` (a number per segment) whole clusters are drawn, as many as there are.
    """
    units = segments if clusters is None else int(clusters.max()) + 1
    size = block_size(segments)
    for block in range(-(-samples // size)):
        count = min(size, samples - block * size)
        drawn = np.random.default_rng([seed, block]).integers(0, units, size=(count, units))
        drawn += np.arange(count)[:, None] * units
        weights = np.bincount(drawn.ravel(), minlength=count * units).reshape(count, units)
        yield weights if clusters is None else weights[:, clusters]


def paired_bootstrap(
    metric: Metric,
    systems: Sequence[Statistics],
    *,
    samples: int = 1000,
    seed: int = 1,
    clusters: Integers | None = None,
) -> Floats:
    """Scores (samples × systems × parts) of corpora drawn with replacement, the same for all systems."""
    segments, scores = same_length(systems), weighted_scorer(metric.for_resampling, systems)
    return np.concatenate(
        [scores(weights) for weights in bootstrap_weights(segments, samples, seed, clusters)]
    )


def jackknife(metric: Metric, systems: Sequence[Statistics], *, clusters: Integers | None = None) -> Floats:
    """Scores (groups × systems × parts) with one segment or cluster left out at a time.

    If there are more than 2,000 of them, 2,000 groups of adjacent ones are left out instead.
    """
    segments, scores = same_length(systems), weighted_scorer(metric.for_resampling, systems)
    units = np.arange(segments) if clusters is None else clusters
    count = int(units.max()) + 1
    groups = min(count, _MAX_GROUPS)
    group = units * groups // count
    size = block_size(segments)
    blocks = (np.arange(start, min(start + size, groups)) for start in range(0, groups, size))
    return np.concatenate([scores((group != block[:, None]).astype(np.int64)) for block in blocks])


def weighted_scorer(metric: Metric, systems: Sequence[Statistics]) -> Callable[[Integers], Floats]:
    """A function that scores all systems (samples × systems × parts) with the same weights."""
    summands = [metric.summands(statistics) for statistics in systems]
    rows = [each for each in summands if each is not None]
    if len(rows) < len(systems):
        return lambda weights: np.stack([metric.aggregate(each, weights) for each in systems], axis=1)
    together = np.concatenate(rows, axis=1, dtype=np.float64)

    def scores(weights: Integers) -> Floats:
        # BLAS has no integers. The sums are exact nevertheless: counts stay far below 2^53.
        sums = weights.astype(np.float64) @ together
        return metric.from_sums(sums.reshape(len(weights) * len(systems), -1)).reshape(
            len(weights), len(systems), -1
        )

    return scores


def percentile_interval(scores: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """The quantiles with a share of `level` of the bootstrap scores between them."""
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def bca_interval(
    scores: Floats, observed: Floats, left_out: Floats, level: float = 0.95
) -> tuple[Floats, Floats]:
    """BCa interval from bootstrap scores, the observed score and jackknife scores.

    See Efron & Tibshirani (1993), 14.3. The bias is the position of the observed score among the bootstrap
    scores (ties count half), and the skewness comes from the jackknife. If all samples have the same score,
    nothing is corrected.
    """
    from scipy.special import ndtr, ndtri

    below = ((scores < observed).sum(axis=0) + (scores == observed).sum(axis=0) / 2) / len(scores)
    edge = 1 / (2 * len(scores))
    bias = ndtri(np.clip(below, edge, 1 - edge))
    deviations = left_out.mean(axis=0) - left_out
    spread = (deviations**2).sum(axis=0) ** 1.5
    skew = np.divide((deviations**3).sum(axis=0), 6 * spread, out=np.zeros_like(spread), where=spread > 0)
    columns = scores.reshape(len(scores), -1)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + ndtri(tail)
        quantiles = np.atleast_1d(ndtr(bias + z / (1 - skew * z))).ravel()
        values = [np.quantile(columns[:, i], q) for i, q in enumerate(quantiles)]
        ends.append(np.array(values).reshape(np.shape(observed)))
    return ends[0], ends[1]


def cluster_numbers(labels: Sequence[str]) -> Integers:
    """Numbers of the clusters of segments with the same label, such as a document."""
    return np.unique(np.array(labels, dtype=str), return_inverse=True)[1].astype(np.int64)


def same_length(systems: Sequence[Statistics]) -> int:
    """The number of segments, which must be the same for all systems."""
    lengths = {len(statistics) for statistics in systems}
    if len(lengths) != 1:
        raise DataError(
            f"systems with different numbers of segments: {', '.join(map(str, sorted(lengths)))}",
            hint="compare systems on the same sentences",
        )
    count = lengths.pop()
    if not count:
        raise DataError("there is no segment to draw from", hint="is the corpus empty?")
    return count
