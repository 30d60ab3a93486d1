"""Bootstrap and jackknife over segments: a sample is a row of weights, and systems share their samples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from errata.array_types import Floats, Integers
from errata.engine import in_order
from errata.errors import DataError

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.statistics import Statistics


def bootstrap_weights(
    segments: int, samples: int, seed: int, clusters: Integers | None = None
) -> Iterator[Integers]:
    """Blocks of rows, each row how often every segment was drawn when drawing as many with replacement.

    With `clusters` (a number for every segment) whole clusters are drawn, as many as there are.
    """
    block = block_size(segments)
    for start in range(0, samples, block):
        yield _weights(segments, min(block, samples - start), seed, start // block, clusters)


def block_size(segments: int) -> int:
    """How many samples are drawn at a time, each block by a generator of its own: 32 MB of weights at most.

    A divisor of 1,000, and the same for any number of threads.
    """
    return next(size for size in (250, 125, 50, 25, 10, 5, 2, 1) if size * segments <= 1 << 22 or size == 1)


def _weights(segments: int, samples: int, seed: int, block: int, clusters: Integers | None) -> Integers:
    """One block of weights: the same whichever thread asks, and in whatever order."""
    units = segments if clusters is None else int(clusters.max()) + 1
    drawn = np.random.default_rng([seed, block]).integers(0, units, size=(samples, units))
    drawn += np.arange(samples)[:, None] * units
    counts: Integers = np.bincount(drawn.ravel(), minlength=samples * units).reshape(samples, units)
    return counts if clusters is None else counts[:, clusters]


def paired_bootstrap(
    metric: Metric,
    systems: Sequence[Statistics],
    *,
    samples: int = 1000,
    seed: int = 1,
    clusters: Integers | None = None,
    jobs: int | None = None,
) -> Floats:
    """Scores (samples × systems × parts) of corpora drawn with replacement, the same for all systems."""
    metric, segments = metric.for_resampling, same_length(systems)
    size, scores = block_size(segments), weigher(metric, systems)

    def work(block: int) -> Floats:
        count = min(size, samples - block * size)
        return scores(_weights(segments, count, seed, block, clusters))

    return np.concatenate(list(in_order(work, range(-(-samples // size)), jobs)))


def weigher(metric: Metric, systems: Sequence[Statistics]) -> Callable[[Integers], Floats]:
    """What scores several systems (samples × systems × parts) under the same weights."""
    features = [metric.summands(statistics) for statistics in systems]
    known = [rows for rows in features if rows is not None]
    if len(known) < len(systems):
        return lambda weights: np.stack([metric.aggregate(rows, weights) for rows in systems], axis=1)
    together = np.concatenate(known, axis=1, dtype=np.float64)

    def scores(weights: Integers) -> Floats:
        # BLAS has no integers: exact all the same, as sums of counts stay far below 2^53
        sums = weights.astype(np.float64) @ together
        found = metric.from_sums(sums.reshape(len(weights) * len(systems), -1))
        return found.reshape(len(weights), len(systems), -1)

    return scores


def percentile_ends(scores: Floats, level: float = 0.95) -> tuple[Floats, Floats]:
    """The quantiles that hold `level` of the bootstrap scores between them."""
    low, high = np.quantile(scores, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return low, high


def same_length(systems: Sequence[Statistics]) -> int:
    """The number of segments that all these systems have."""
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


# -- The bootstrap over segments: a sample is a row of weights, and many samples one call of the metric

_MOST_LEFT_OUT = 2000  # groups the jackknife leaves out one by one


def cluster_numbers(labels: Sequence[str]) -> Integers:
    """A number for every segment: that of its document, or of whatever else `labels` names."""
    _, numbers = np.unique(np.asarray(labels, dtype=object).astype(str), return_inverse=True)
    return numbers.astype(np.int64)


def jackknife(
    metric: Metric,
    systems: Sequence[Statistics],
    *,
    clusters: Integers | None = None,
    jobs: int | None = None,
) -> Floats:
    """Scores (groups × systems × parts) with one segment or cluster left out at a time.

    Where there are more than 2,000, as many groups of neighbours are left out instead.
    """
    metric, segments = metric.for_resampling, same_length(systems)
    units = np.arange(segments) if clusters is None else clusters
    count = int(units.max()) + 1
    groups = min(count, _MOST_LEFT_OUT)
    group = units * groups // count
    size, scores = block_size(segments), weigher(metric, systems)

    def work(start: int) -> Floats:
        left_out = np.arange(start, min(start + size, groups))
        return scores((group[None, :] != left_out[:, None]).astype(np.int64))

    return np.concatenate(list(in_order(work, range(0, groups, size), jobs)))


def bca_ends(
    scores: Floats, observed: Floats, left_out: Floats, level: float = 0.95
) -> tuple[Floats, Floats]:
    """BCa ends from bootstrap scores, the score itself and jackknife scores (Efron & Tibshirani 1993, 14.3).

    Bias is where the score stands among its bootstrap copies (ties count half), skewness comes from the
    jackknife. Where all samples score the same there is nothing to correct.
    """
    from scipy.special import ndtr, ndtri

    below = ((scores < observed).sum(axis=0) + (scores == observed).sum(axis=0) / 2) / len(scores)
    edge = 1 / (2 * len(scores))
    bias = ndtri(np.clip(below, edge, 1 - edge))
    apart = left_out.mean(axis=0) - left_out
    spread = (apart**2).sum(axis=0) ** 1.5
    skew = np.divide((apart**3).sum(axis=0), 6 * spread, out=np.zeros_like(spread), where=spread > 0)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = bias + ndtri(tail)
        quantiles = np.atleast_1d(ndtr(bias + z / (1 - skew * z)))
        columns = scores.reshape(len(scores), -1)
        found = [np.quantile(columns[:, i], q) for i, q in enumerate(quantiles.ravel())]
        ends.append(np.array(found).reshape(np.shape(observed)))
    return ends[0], ends[1]
