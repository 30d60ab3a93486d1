"""The bootstrap over segments: a sample is a row of weights, and many samples one call of the metric.

Systems share their samples, so that differences between them are paired.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errata.engine import in_order
from errata.metrics.base import Metric
from errata.metrics.resampling import block_size, same_length, weigher
from errata.metrics.statistics import Floats, Integers, Statistics

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
