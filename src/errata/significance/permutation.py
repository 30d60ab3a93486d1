"""Paired tests of two systems: Monte-Carlo permutation, with early stopping, and the bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from errata.engine import in_order
from errata.metrics.base import Metric
from errata.metrics.resampling import block_size, paired_bootstrap, same_length
from errata.metrics.statistics import Floats, Integers, Statistics
from errata.significance.multiple import adjust
from errata.significance.sequential import boundaries, hit_interval, looks

_TIE = 1e-12  # differences closer than this are the same difference, summed in another order

Decision = Literal["significant", "not significant", "undecided"]


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Whether two systems differ: the difference of their scores, its p-value, and what it rests on.

    `p` is (hits + 1) / (samples + 1), never 0 and never too small (Phipson & Smyth 2010); `low` and
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
    """A paired permutation test under way: swaps are made and counted until one has seen enough."""

    def __init__(
        self,
        metric: Metric,
        first: Statistics,
        second: Statistics,
        *,
        seed: int = 1,
        clusters: Integers | None = None,
        jobs: int | None = None,
    ) -> None:
        segments = same_length([first, second])
        self._scores = metric.for_resampling.swapper(first, second)
        self._seed, self._clusters, self._jobs = seed, clusters, jobs
        self._block = block_size(2 * segments)
        self._units = segments if clusters is None else int(clusters.max()) + 1
        self.observed = float(self._differences(np.zeros((1, segments), dtype=np.uint8))[0])
        self.hits = self.samples = 0

    def _differences(self, swaps: npt.NDArray[np.uint8]) -> Floats:
        scores = self._scores(swaps)
        return np.subtract(scores[:, 0], scores[:, 1])

    def run(self, upto: int) -> None:
        """Go on until there are `upto` permutations; the last call alone may leave a block incomplete."""
        size = self._block

        def work(block: int) -> int:
            count = min(size, upto - block * size)
            swaps = _bits(np.random.default_rng([self._seed, block]), count, self._units)
            if self._clusters is not None:
                swaps = swaps[:, self._clusters]
            return _hits(self._differences(swaps), self.observed)

        self.hits += sum(in_order(work, range(self.samples // size, -(-upto // size)), self._jobs))
        self.samples = upto

    def result(self, decision: Decision) -> PairedTest:
        """What is known by now."""
        p = (self.hits + 1) / (self.samples + 1)
        low, high = hit_interval(self.hits, self.samples)
        return PairedTest(self.observed, p, self.hits, self.samples, decision, low, high)


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
    jobs: int | None = None,
) -> PairedTest:
    """Swap the two systems' outputs segment by segment: how often do they come to differ as much?

    Two-sided. With `risk` (say 1e-6) it stops as soon as the p-value is known to lie on one side of
    `alpha` with at most that risk (Gandy 2009), after `permutations` at most; if it is not known by
    then, the test is undecided. With `clusters` whole documents are swapped.
    """
    walk = Permutations(metric, first, second, seed=seed, clusters=clusters, jobs=jobs)
    if risk is None:
        walk.run(permutations)
        p = (walk.hits + 1) / (walk.samples + 1)
        return walk.result("significant" if p <= alpha else "not significant")
    for look in boundaries(alpha, risk, permutations):
        walk.run(look.samples)
        if walk.hits <= look.lower:
            return walk.result("significant")
        if walk.hits >= look.upper:
            return walk.result("not significant")
    return walk.result("undecided")


def decide_together(
    walks: Sequence[Permutations],
    *,
    correction: str,
    permutations: int,
    alpha: float = 0.05,
    risk: float = 1e-6,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[PairedTest]:
    """Many tests under a correction, each stopped once its decision is known (Gandy & Hahn 2014).

    Every p-value has an interval that holds at all times with probability 1 − risk/tests. Adjusted
    p-values grow with each p-value, so those of the lower and of the upper ends enclose them: where both
    lie on one side of `alpha`, more permutations would change nothing. Only the others go on.
    """
    decisions: list[Decision] = ["undecided"] * len(walks)
    for samples in looks(permutations):
        for walk, decision in zip(walks, decisions, strict=True):
            if decision == "undecided":
                walk.run(samples)
        ends = [hit_interval(walk.hits, walk.samples, 1 - risk / len(walks)) for walk in walks]
        lowest, highest = (adjust([end[side] for end in ends], correction) for side in (0, 1))
        for i, (low, high) in enumerate(zip(lowest, highest, strict=True)):
            if decisions[i] == "undecided" and (low > alpha or high <= alpha):
                decisions[i] = "significant" if high <= alpha else "not significant"
                advance(1)
        if "undecided" not in decisions:
            break
    return [walk.result(decision) for walk, decision in zip(walks, decisions, strict=True)]


def bootstrap_test(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    samples: int = 10_000,
    alpha: float = 0.05,
    seed: int = 1,
    clusters: Integers | None = None,
    jobs: int | None = None,
) -> PairedTest:
    """The paired bootstrap as a test: how often is the difference as far from its mean as it is from 0?

    Two-sided, on the bootstrap distribution moved to a mean of 0 (Riezler & Maxwell 2005).
    """
    scores = paired_bootstrap(
        metric, [first, second], samples=samples, seed=seed, clusters=clusters, jobs=jobs
    )[:, :, 0]
    observed = observed_scores(metric, [first, second])
    return sampled_test(scores[:, 0] - scores[:, 1], float(observed[0] - observed[1]), alpha)


def sampled_test(differences: Floats, observed: float, alpha: float) -> PairedTest:
    """The bootstrap test from differences that were sampled already."""
    hits = _hits(differences - differences.mean(), observed)
    p = (hits + 1) / (len(differences) + 1)
    decision: Decision = "significant" if p <= alpha else "not significant"
    return PairedTest(observed, p, hits, len(differences), decision, *hit_interval(hits, len(differences)))


def observed_scores(metric: Metric, systems: Sequence[Statistics]) -> Floats:
    """The score of each system, by the metric that is used in resampling."""
    ones = np.ones((1, len(systems[0])), dtype=np.int64)
    return np.array([metric.for_resampling.aggregate(statistics, ones)[0, 0] for statistics in systems])


def _hits(differences: Floats, observed: float) -> int:
    """How many differences are at least as large; what is not a number never speaks for one."""
    smaller = np.abs(differences) < abs(observed) - _TIE * max(1.0, abs(observed))
    return int((~smaller).sum())


def _bits(generator: np.random.Generator, rows: int, columns: int) -> npt.NDArray[np.uint8]:
    """Fair coin flips, 0 or 1."""
    octets = -(-columns // 8)
    drawn = np.frombuffer(generator.bytes(rows * octets), dtype=np.uint8).reshape(rows, octets)
    return np.unpackbits(drawn, axis=1, count=columns)
