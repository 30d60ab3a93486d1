"""Paired tests: permutation of two systems' outputs, the bootstrap as a test, and random signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers, Numbers
from errata.significance.decisions import (
    Decision,
    adjust,
    decide,
    hit_interval,
    look_schedule,
    stopping_boundaries,
)
from errata.significance.resampling import block_size, same_length

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.statistics import Statistics

Swaps = npt.NDArray[np.uint8]  # permutations × segments: 1 if two systems change places
SystemPairs = Sequence[tuple[int, int]]  # pairs of system numbers
Swapper = Callable[[Swaps, SystemPairs], Floats]  # returns scores, permutations × pairs × 2

_MAX_ROWS = 1000  # permutations per matrix product
_MAX_CELLS = 1 << 21  # permutations × segments per matrix product
_REPORT_EVERY = 8  # looks between two reports of progress
_TIE = 1e-12  # relative difference that may come from another order of summation
_SIGN_TIE = 1e-9  # the same for sums with random signs, relative to the largest difference


# -- scores of swapped systems ----------------------------------------------------------------------


def sum_swapper(metric: Metric, features: Sequence[Numbers]) -> Swapper:
    """Swap systems whose scores depend on sums of rows: one matrix product serves all pairs.

    A swap moves the difference of the swapped rows' sums from one system to the other.
    """
    totals = [rows.sum(axis=0) for rows in features]

    def scores(swaps: Swaps, pairs: SystemPairs) -> Floats:
        used = sorted({system for pair in pairs for system in pair})
        rows = np.concatenate([features[system] for system in used], axis=1, dtype=np.float64)
        product = swaps.astype(np.float64) @ rows
        sums = dict(zip(used, np.split(product, len(used), axis=1), strict=True))
        swapped = np.empty((len(swaps), len(pairs), 2))
        for number, (first, second) in enumerate(pairs):
            moved = sums[second] - sums[first]
            both = metric.value_from_sums(np.concatenate([totals[first] + moved, totals[second] - moved]))
            swapped[:, number] = both.reshape(2, -1).T
        return swapped

    return scores


def weight_swapper(metric: Metric, systems: Sequence[Statistics]) -> Swapper:
    """Swap systems of any metric: segments of both systems alternate, and weights of 0 and 1 select them.

    Running totals thus visit the segments in their order.
    """

    def scores(swaps: Swaps, pairs: SystemPairs) -> Floats:
        swapped = np.empty((len(swaps), len(pairs), 2))
        weights = np.empty((len(swaps), 2 * swaps.shape[1]), dtype=np.int64)
        weights[:, 0::2], weights[:, 1::2] = 1 - swaps, swaps
        for number, (first, second) in enumerate(pairs):
            both = systems[first].interleaved(systems[second])
            swapped[:, number, 0] = metric.aggregate(both, weights)[:, 0]
            swapped[:, number, 1] = metric.aggregate(both, 1 - weights)[:, 0]
        return swapped

    return scores


# -- tests of two systems ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Whether two systems differ: the difference of their scores, its p-value, and its evidence.

    `p` is (hits + 1) / (samples + 1), which is never 0 and never too small (Phipson & Smyth 2010). `low` and
    `high` are a 99 % interval for the p-value of infinitely many samples.
    """

    difference: float
    p: float
    hits: int
    samples: int
    decision: Decision
    low: float
    high: float


class Permutations:
    """Paired permutation tests in progress, with the hits and the permutations of every pair so far.

    `pairs` are pairs of system numbers. All pairs use the same swaps.
    """

    def __init__(
        self,
        metric: Metric,
        systems: Sequence[Statistics],
        pairs: SystemPairs,
        *,
        seed: int = 1,
        clusters: Integers | None = None,
    ) -> None:
        segments = same_length(systems)
        self._scores = metric.for_resampling.swapper(systems)
        self._pairs, self._seed, self._clusters = list(pairs), seed, clusters
        self._block = block_size(2 * segments)
        self._blocks_at_once = max(1, min(_MAX_ROWS, _MAX_CELLS // segments) // self._block)
        self._units = segments if clusters is None else int(clusters.max()) + 1
        self.observed: Floats = self._differences(np.zeros((1, segments), dtype=np.uint8), self._pairs)[0]
        self.hits: Integers = np.zeros(len(self._pairs), dtype=np.int64)
        self.samples: Integers = np.zeros(len(self._pairs), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._pairs)

    def run(self, upto: int, active: Sequence[int] | None = None) -> None:
        """Continue up to `upto` permutations; only the last call may leave a block incomplete.

        `active` are the numbers of the pairs to continue with, by default all. They must have the same number
        of permutations.
        """
        numbers = list(range(len(self._pairs)) if active is None else active)
        if not numbers:
            return
        pairs, observed = [self._pairs[number] for number in numbers], self.observed[numbers]
        size, stop = self._block, -(-upto // self._block)
        for first in range(int(self.samples[numbers[0]]) // size, stop, self._blocks_at_once):
            blocks = range(first, min(first + self._blocks_at_once, stop))
            swaps = np.concatenate([self._swaps(block, min(size, upto - block * size)) for block in blocks])
            self.hits[numbers] += _hits(self._differences(swaps, pairs), observed)
        self.samples[numbers] = upto

    def result(self, number: int, decision: Decision) -> PairedTest:
        """The test of a pair after the permutations so far."""
        hits, samples = int(self.hits[number]), int(self.samples[number])
        return _paired_test(float(self.observed[number]), hits, samples, decision)

    def _differences(self, swaps: Swaps, pairs: SystemPairs) -> Floats:
        scores = self._scores(swaps, pairs)
        return np.subtract(scores[:, :, 0], scores[:, :, 1])

    def _swaps(self, block: int, count: int) -> Swaps:
        """One block of random swaps, from its own generator."""
        octets = -(-self._units // 8)
        drawn = np.random.default_rng([self._seed, block]).bytes(count * octets)
        packed = np.frombuffer(drawn, dtype=np.uint8).reshape(count, octets)
        swaps = np.unpackbits(packed, axis=1, count=self._units)
        return swaps if self._clusters is None else swaps[:, self._clusters]


def permutation_test(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    permutations: int = 10_000,
    alpha: float = 0.05,
    risk: float | None = None,
    seed: int = 1,
    clusters: Integers | None = None,
) -> PairedTest:
    """Swap the two systems' outputs segment by segment: how often do they differ at least as much?

    The test is two-sided. With `risk` (say 1e-6) it stops as soon as the p-value is on one side of `alpha`
    with at most that risk of an error (Gandy 2009). If this does not happen within `permutations`, the test
    is undecided. With `clusters` whole documents are swapped.
    """
    tests = Permutations(metric, [first, second], [(0, 1)], seed=seed, clusters=clusters)
    return decide_each(tests, permutations=permutations, alpha=alpha, risk=risk)[0]


def decide_each(
    tests: Permutations,
    *,
    permutations: int,
    alpha: float = 0.05,
    risk: float | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[PairedTest]:
    """Decide every test by itself: after all permutations, or with `risk` as soon as possible."""
    if risk is None:
        reported = 0
        looks = list(look_schedule(permutations))
        for samples in sorted({*looks[_REPORT_EVERY - 1 :: _REPORT_EVERY], permutations}):
            tests.run(samples)
            done = len(tests) * samples // permutations
            advance(done - reported)
            reported = done
        p_values = (tests.hits + 1) / (tests.samples + 1)
        return [tests.result(i, decide(p, alpha)) for i, p in enumerate(p_values)]
    decisions: list[Decision] = ["undecided"] * len(tests)
    for look in stopping_boundaries(alpha, risk, permutations):
        active = [i for i, decision in enumerate(decisions) if decision == "undecided"]
        if not active:
            break
        tests.run(look.samples, active)
        for i in active:
            if tests.hits[i] <= look.lower or tests.hits[i] >= look.upper:
                decisions[i] = "significant" if tests.hits[i] <= look.lower else "not significant"
                advance(1)
    advance(decisions.count("undecided"))
    return [tests.result(i, decision) for i, decision in enumerate(decisions)]


def decide_together(
    tests: Permutations,
    *,
    correction: str,
    permutations: int,
    alpha: float = 0.05,
    risk: float = 1e-6,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[PairedTest]:
    """Decide many tests under a correction, each as soon as possible (Gandy & Hahn 2014).

    Every p-value has an interval that is valid at all times with probability 1 − risk/tests. Adjusted
    p-values grow with each p-value, so the adjusted lower and upper ends enclose them. If both are on the
    same side of `alpha`, more permutations would change nothing. Only the other tests continue.
    """
    decisions: list[Decision] = ["undecided"] * len(tests)
    for samples in look_schedule(permutations):
        tests.run(samples, [i for i, decision in enumerate(decisions) if decision == "undecided"])
        counts = zip(tests.hits.tolist(), tests.samples.tolist(), strict=True)
        intervals = [hit_interval(hits, total, 1 - risk / len(tests)) for hits, total in counts]
        lowest, highest = (adjust([ends[side] for ends in intervals], correction) for side in (0, 1))
        for i, (low, high) in enumerate(zip(lowest, highest, strict=True)):
            if decisions[i] == "undecided" and (low > alpha or high <= alpha):
                decisions[i] = "significant" if high <= alpha else "not significant"
                advance(1)
        if "undecided" not in decisions:
            break
    return [tests.result(i, decision) for i, decision in enumerate(decisions)]


def bootstrap_test(differences: Floats, observed: float, alpha: float) -> PairedTest:
    """The paired bootstrap as a test: how often is the difference as far from its mean as `observed` from 0?

    The test is two-sided, on bootstrap differences shifted to a mean of 0 (Riezler & Maxwell 2005).
    """
    hits, samples = int(_hits(differences - differences.mean(), observed)), len(differences)
    return _paired_test(observed, hits, samples, decide((hits + 1) / (samples + 1), alpha))


def observed_scores(metric: Metric, systems: Sequence[Statistics]) -> Floats:
    """The score of each system by the metric that stands in for this one in resampling."""
    ones = np.ones((1, len(systems[0])), dtype=np.int64)
    return np.array([metric.for_resampling.aggregate(statistics, ones)[0, 0] for statistics in systems])


def _paired_test(observed: float, hits: int, samples: int, decision: Decision) -> PairedTest:
    p = (hits + 1) / (samples + 1)
    return PairedTest(observed, p, hits, samples, decision, *hit_interval(hits, samples))


def _hits(differences: Floats, observed: npt.ArrayLike) -> Integers:
    """How many differences are at least as large. NaN counts as a hit, so it never suggests a difference."""
    size = np.abs(observed)
    smaller = np.abs(differences) < size - _TIE * np.maximum(1.0, size)
    hits: Integers = (~smaller).sum(axis=0)
    return hits


# -- random signs -----------------------------------------------------------------------------------


def random_signs(samples: int, items: int, seed: int) -> Floats:
    """Random signs (samples × items), drawn in the same way as by mt-metrics-eval, which uses the seed 4."""
    drawn = np.random.default_rng(seed).random(size=(samples, items), dtype=np.float32)
    signs: Floats = 2.0 * np.rint(drawn).astype(np.float64) - 1.0
    return signs


def sign_flip_hits(differences: npt.ArrayLike, signs: Floats) -> Integers:
    """For every row of differences (tests × items), the number of samples whose sum is at least as large."""
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    slack = _SIGN_TIE * np.abs(rows).max(axis=1, initial=0.0)
    hits: Integers = (signs @ rows.T >= rows.sum(axis=1) - slack).sum(axis=0)
    return hits


def soft_pairwise_accuracy(
    human: npt.ArrayLike, metric: npt.ArrayLike, *, samples: int = 1000, seed: int = 4
) -> float:
    """Soft pairwise accuracy (Thompson et al. 2024): 1 − the mean distance of human and metric p-values.

    Both arguments have a row of differences over segments for each pair of systems, first minus second. A
    p-value is the share of random signs with a sum at least as large as observed, as in mt-metrics-eval.
    """
    tables = [np.atleast_2d(np.asarray(rows, dtype=np.float64)) for rows in (human, metric)]
    if not len(tables[0]):
        return float("nan")
    human_p, metric_p = (
        sign_flip_hits(rows, random_signs(samples, rows.shape[1], seed)) / samples for rows in tables
    )
    return float(1.0 - np.abs(human_p - metric_p).mean())
