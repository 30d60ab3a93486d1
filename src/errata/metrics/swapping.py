"""Scores of pairs of systems after some of their segments were swapped, for many permutations at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats, Numbers, Statistics

if TYPE_CHECKING:
    from errata.metrics.base import Metric

Swaps = npt.NDArray[np.uint8]  # samples × segments: 1 where two systems change places
Pairs = Sequence[tuple[int, int]]  # numbers of systems
Swapper = Callable[[Swaps, Pairs], Floats]  # gives samples × pairs × 2 scores


def sum_swapper(metric: Metric, features: Sequence[Numbers]) -> Swapper:
    """Swap systems whose scores depend on sums of rows: one matrix product serves all pairs.

    What a swap moves between two systems is the difference of the sums of their rows that are swapped.
    """
    totals = [rows.sum(axis=0) for rows in features]

    def scores(swaps: Swaps, pairs: Pairs) -> Floats:
        used = sorted({system for pair in pairs for system in pair})
        rows = np.concatenate([features[system] for system in used], axis=1, dtype=np.float64)
        product = swaps.astype(np.float64) @ rows
        sums = dict(zip(used, np.split(product, len(used), axis=1), strict=True))
        found = np.empty((len(swaps), len(pairs), 2))
        for number, (first, second) in enumerate(pairs):
            moved = sums[second] - sums[first]
            both = metric.from_sums(np.concatenate([totals[first] + moved, totals[second] - moved]))
            found[:, number] = both[:, 0].reshape(2, -1).T
        return found

    return scores


def weight_swapper(metric: Metric, systems: Sequence[Statistics]) -> Swapper:
    """Swap systems of any metric: the segments of two of them alternate, and weights of 0 and 1 select.

    Running totals thus visit the segments in their order.
    """

    def scores(swaps: Swaps, pairs: Pairs) -> Floats:
        found = np.empty((len(swaps), len(pairs), 2))
        weights = np.empty((len(swaps), 2 * swaps.shape[1]), dtype=np.int64)
        for number, (first, second) in enumerate(pairs):
            both = systems[first].interleaved(systems[second])
            weights[:, 1::2] = swaps
            weights[:, 0::2] = 1 - swaps
            found[:, number, 0] = metric.aggregate(both, weights)[:, 0]
            np.subtract(1, weights, out=weights)
            found[:, number, 1] = metric.aggregate(both, weights)[:, 0]
        return found

    return scores
