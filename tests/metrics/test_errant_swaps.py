"""ERRANT and CLEME under permutation: swapping segments in one scan gives what weights give."""

from __future__ import annotations

import numpy as np
import pytest

from errata.metrics.errant import ERRANT
from errata.metrics.statistics import Statistics
from errata.significance.permutation import weight_swapper


def statistics_of(generator: np.random.Generator, segments: int) -> Statistics:
    offsets = np.concatenate([[0], np.cumsum(generator.integers(0, 4, segments))])
    values = generator.integers(0, 4, (offsets[-1], 3))
    references = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    return Statistics(ERRANT.columns, values, offsets, references)


@pytest.mark.parametrize("seed", range(40))
def test_swapping_scores_what_weights_do(seed) -> None:
    generator = np.random.default_rng(seed)
    segments = int(generator.integers(1, 90))
    systems = [statistics_of(generator, segments) for _ in range(3)]
    swaps = generator.integers(0, 2, (7, segments)).astype(np.uint8)
    metric = ERRANT(tagger="embedded", beta=float(generator.choice([0.18, 0.5, 1.0])))
    fast = metric.swapper(systems)(swaps, [(0, 1), (1, 2)])
    assert np.array_equal(fast, weight_swapper(metric, systems)(swaps, [(0, 1), (1, 2)]))
