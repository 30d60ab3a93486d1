"""Paired tests of two systems: Monte-Carlo permutation, with early stopping, and the bootstrap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from errata.engine import in_order
from errata.metrics.base import Floats, Integers, Metric, Statistics
from errata.significance.bootstrap import paired_bootstrap, same_length
from errata.significance.sequential import LOOK, boundaries, hit_interval, looks
from errata.significance.sums import scores_of_sums

_BLOCK = 250  # permutations at a time: bounds memory; each block has a generator of its own
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


def permutation_test(
    metric: Metric,
    first: Statistics,
    second: Statistics,
    *,
    permutations: int = 10_000,
    alpha: float = 0.05,
    risk: float | None = None,
    at_least: int = LOOK,
    seed: int = 1,
    clusters: Integers | None = None,
    jobs: int | None = None,
) -> PairedTest:
    """Swap the two systems' outputs segment by segment: how often do they come to differ as much?

    Two-sided. With `risk` (say 1e-6) it stops as soon as the p-value is known to lie on one side of
    `alpha` with at most that risk (Gandy 2009), after `at_least` and at most `permutations`; if it is
    not known by then, the test is undecided. With `clusters` whole documents are swapped.
    """
    segments = same_length([first, second])
    swapper = Swapper(metric, first, second)
    observed = swapper.difference(np.zeros((1, segments), dtype=np.uint8))[0]
    units = segments if clusters is None else int(clusters.max()) + 1

    def work(block: int) -> int:
        count = min(_BLOCK, permutations - block * _BLOCK)
        swaps = _bits(np.random.default_rng([seed, block]), count, units)
        differences = swapper.difference(swaps if clusters is None else swaps[:, clusters])
        return int((np.abs(differences) >= abs(observed) - _TIE * max(1.0, abs(observed))).sum())

    hits = samples = 0
    decision: Decision = "undecided"
    ends = looks(permutations) if risk is None else boundaries(alpha, risk, permutations)
    for end in ends:
        upto = end if isinstance(end, int) else end.samples
        hits += sum(in_order(work, range(samples // _BLOCK, -(-upto // _BLOCK)), jobs))
        samples = upto
        if not isinstance(end, int) and decision == "undecided":
            decision = _decide(hits, end.lower, end.upper)
        if decision != "undecided" and samples >= at_least:
            break
    p = (hits + 1) / (samples + 1)
    if risk is None:
        decision = "significant" if p <= alpha else "not significant"
    return PairedTest(float(observed), p, hits, samples, decision, *hit_interval(hits, samples))


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


def sampled_test(differences: Floats, observed: float, alpha: float = 0.05) -> PairedTest:
    """The bootstrap test from differences that were sampled already."""
    apart = np.abs(differences - differences.mean())
    hits = int((apart >= abs(observed) - _TIE * max(1.0, abs(observed))).sum())
    p = (hits + 1) / (len(differences) + 1)
    decision: Decision = "significant" if p <= alpha else "not significant"
    return PairedTest(observed, p, hits, len(differences), decision, *hit_interval(hits, len(differences)))


def observed_scores(metric: Metric, systems: list[Statistics]) -> Floats:
    """The score of each system."""
    ones = np.ones((1, len(systems[0])), dtype=np.int64)
    return np.array([metric.aggregate(statistics, ones)[0, 0] for statistics in systems])


class Swapper:
    """Differences of two systems' scores after swapping some of their segments.

    An additive metric needs one matrix product. Any other gets both systems' segments in turns, those
    of A and B side by side, and weights of 0 and 1 that pick one of each two: the order of the corpus
    stays, so that metrics with running totals see what they would in a corpus put together so.
    """

    def __init__(self, metric: Metric, first: Statistics, second: Statistics) -> None:
        self.metric = metric
        if metric.additive:
            self.apart = (second.values - first.values).astype(np.float64)
            self.sums = [statistics.values.sum(axis=0).astype(np.float64) for statistics in (first, second)]
        else:
            self.both = interleave(first, second)

    def difference(self, swaps: npt.NDArray[np.uint8]) -> Floats:
        """Score of A minus score of B for every row of 0 and 1 (swapped)."""
        if self.metric.additive:
            moved = swaps.astype(np.float64) @ self.apart
            ours, theirs = (
                scores_of_sums(self.metric, sums) for sums in (self.sums[0] + moved, self.sums[1] - moved)
            )
        else:
            weights = np.empty((len(swaps), len(self.both)), dtype=np.int64)
            weights[:, 1::2] = swaps
            weights[:, 0::2] = 1 - swaps
            ours = self.metric.aggregate(self.both, weights)
            np.subtract(1, weights, out=weights)
            theirs = self.metric.aggregate(self.both, weights)
        found: Floats = ours[:, 0] - theirs[:, 0]
        return found


def interleave(first: Statistics, second: Statistics) -> Statistics:
    """Both systems' segments in turns: segment i of the first is 2i, of the second 2i + 1."""
    together = Statistics(
        first.columns,
        np.concatenate([first.values, second.values]),
        np.concatenate([first.offsets, second.offsets[1:] + first.offsets[-1]]),
        np.concatenate([first.references, second.references]),
    )
    return together.select(np.arange(2 * len(first)).reshape(2, -1).T.ravel())


def _bits(generator: np.random.Generator, rows: int, columns: int) -> npt.NDArray[np.uint8]:
    """Fair coin flips, 0 or 1."""
    octets = -(-columns // 8)
    drawn = np.frombuffer(generator.bytes(rows * octets), dtype=np.uint8).reshape(rows, octets)
    return np.unpackbits(drawn, axis=1, count=columns)


def _decide(hits: int, lower: int, upper: int) -> Decision:
    if hits <= lower:
        return "significant"
    return "not significant" if hits >= upper else "undecided"
