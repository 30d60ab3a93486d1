"""The bootstrap over segments: a sample is a row of weights, and many samples one call of the metric."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from errata.metrics.base import Floats, Integers, Metric, Statistics

_BLOCK = 500  # samples drawn at a time: bounds memory, changes nothing


def bootstrap_weights(segments: int, samples: int, seed: int) -> Iterator[Integers]:
    """Blocks of rows, each row how often every segment was drawn when drawing as many with replacement."""
    generator = np.random.default_rng(seed)
    for start in range(0, samples, _BLOCK):
        count = min(_BLOCK, samples - start)
        drawn = generator.integers(0, segments, size=(count, segments))
        drawn += np.arange(count)[:, None] * segments
        yield np.bincount(drawn.ravel(), minlength=count * segments).reshape(count, segments)


def bootstrap_scores(metric: Metric, statistics: Statistics, *, samples: int = 1000, seed: int = 1) -> Floats:
    """Scores (samples × parts) of corpora drawn with replacement from this one."""
    blocks = bootstrap_weights(len(statistics), samples, seed)
    return np.concatenate([metric.aggregate(statistics, weights) for weights in blocks])


def percentile_interval(
    metric: Metric, statistics: Statistics, *, level: float = 0.95, samples: int = 1000, seed: int = 1
) -> tuple[Floats, Floats]:
    """Lower and upper ends for every part of the score (Efron's percentile method)."""
    scores = bootstrap_scores(metric, statistics, samples=samples, seed=seed)
    tail = (1 - level) / 2
    low, high = np.quantile(scores, [tail, 1 - tail], axis=0)
    return low, high
