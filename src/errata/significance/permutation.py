"""Paired permutation tests of systems, and tests by random signs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers, Numbers
from errata.engine import in_order
from errata.significance.decisions import adjust, boundaries, hit_interval, looks
from errata.significance.resampling import block_size, same_length

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.statistics import Statistics

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


# -- Paired tests of two systems: Monte-Carlo permutation, with early stopping, and the bootstrap

_TOGETHER = 1000  # permutations that are made together at most: larger products, fewer tables
_STEP = 8  # looks at a time where no decision is taken before the end: work for several threads
_CELLS = 1 << 21  # of them times segments at most, for memory
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
    """Paired permutation tests under way: swaps are made and counted until one has seen enough.

    `pairs` are numbers of systems. All pairs see the same swaps, which are drawn and added up only once.
    """

    def __init__(
        self,
        metric: Metric,
        systems: Sequence[Statistics],
        pairs: Pairs,
        *,
        seed: int = 1,
        clusters: Integers | None = None,
        jobs: int | None = None,
    ) -> None:
        segments = same_length(systems)
        self._scores = metric.for_resampling.swapper(systems)
        self._pairs, self._seed, self._clusters, self._jobs = list(pairs), seed, clusters, jobs
        self._block = block_size(2 * segments)
        self._together = max(1, min(_TOGETHER, _CELLS // segments) // self._block)
        self._units = segments if clusters is None else int(clusters.max()) + 1
        self.observed: Floats = self._differences(np.zeros((1, segments), dtype=np.uint8), self._pairs)[0]
        self.hits: Integers = np.zeros(len(self._pairs), dtype=np.int64)
        self.samples: Integers = np.zeros(len(self._pairs), dtype=np.int64)

    def __len__(self) -> int:
        return len(self._pairs)

    def _differences(self, swaps: Swaps, pairs: Pairs) -> Floats:
        scores = self._scores(swaps, pairs)
        return np.subtract(scores[:, :, 0], scores[:, :, 1])

    def run(self, upto: int, going: Sequence[int] | None = None) -> None:
        """Go on until there are `upto` permutations; the last call alone may leave a block incomplete.

        `going` are the numbers of the pairs that go on, all of them by default; they have seen equally many.
        """
        numbers = list(range(len(self._pairs)) if going is None else going)
        if not numbers:
            return
        pairs, observed = [self._pairs[number] for number in numbers], self.observed[numbers]
        size = self._block

        def work(first: int) -> Integers:
            blocks = range(first, min(first + self._together, -(-upto // size)))
            swaps = np.concatenate([self._swaps(block, min(size, upto - block * size)) for block in blocks])
            return _hits(self._differences(swaps, pairs), observed)

        begun = int(self.samples[numbers[0]]) // size
        for hits in in_order(work, range(begun, -(-upto // size), self._together), self._jobs):
            self.hits[numbers] += hits
        self.samples[numbers] = upto

    def _swaps(self, block: int, count: int) -> Swaps:
        """One block of swaps: the same whichever thread asks, and in whatever order."""
        swaps = _bits(np.random.default_rng([self._seed, block]), count, self._units)
        return swaps if self._clusters is None else swaps[:, self._clusters]

    def result(self, number: int, decision: Decision) -> PairedTest:
        """What is known of a pair by now."""
        hits, samples = int(self.hits[number]), int(self.samples[number])
        low, high = hit_interval(hits, samples)
        observed = float(self.observed[number])
        return PairedTest(observed, (hits + 1) / (samples + 1), hits, samples, decision, low, high)


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
    walk = Permutations(metric, [first, second], [(0, 1)], seed=seed, clusters=clusters, jobs=jobs)
    return decide_each(walk, permutations=permutations, alpha=alpha, risk=risk)[0]


def decide_each(
    walk: Permutations,
    *,
    permutations: int,
    alpha: float = 0.05,
    risk: float | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> list[PairedTest]:
    """Many tests, each by itself: all permutations, or with `risk` until its own decision is known."""
    if risk is None:
        done = 0
        for samples in sorted({*[*looks(permutations)][_STEP - 1 :: _STEP], permutations}):
            walk.run(samples)
            advance(len(walk) * samples // permutations - done)
            done = len(walk) * samples // permutations
        p_values = (walk.hits + 1) / (walk.samples + 1)
        return [walk.result(i, decision_at(p, alpha)) for i, p in enumerate(p_values)]
    decisions: list[Decision] = ["undecided"] * len(walk)
    for look in boundaries(alpha, risk, permutations):
        going = [i for i, decision in enumerate(decisions) if decision == "undecided"]
        if not going:
            break
        walk.run(look.samples, going)
        for i in going:
            if walk.hits[i] <= look.lower or walk.hits[i] >= look.upper:
                decisions[i] = "significant" if walk.hits[i] <= look.lower else "not significant"
                advance(1)
    advance(decisions.count("undecided"))
    return [walk.result(i, decision) for i, decision in enumerate(decisions)]


def decide_together(
    walk: Permutations,
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
    decisions: list[Decision] = ["undecided"] * len(walk)
    for samples in looks(permutations):
        walk.run(samples, [i for i, decision in enumerate(decisions) if decision == "undecided"])
        seen = zip(walk.hits.tolist(), walk.samples.tolist(), strict=True)
        ends = [hit_interval(hits, made, 1 - risk / len(walk)) for hits, made in seen]
        lowest, highest = (adjust([end[side] for end in ends], correction) for side in (0, 1))
        for i, (low, high) in enumerate(zip(lowest, highest, strict=True)):
            if decisions[i] == "undecided" and (low > alpha or high <= alpha):
                decisions[i] = "significant" if high <= alpha else "not significant"
                advance(1)
        if "undecided" not in decisions:
            break
    return [walk.result(i, decision) for i, decision in enumerate(decisions)]


def sampled_test(differences: Floats, observed: float, alpha: float) -> PairedTest:
    """The paired bootstrap as a test: how often is the difference as far from its mean as it is from 0?

    Two-sided, on the bootstrap distribution of the differences moved to a mean of 0 (Riezler & Maxwell 2005).
    """
    hits, samples = int(_hits(differences - differences.mean(), observed)), len(differences)
    p = (hits + 1) / (samples + 1)
    return PairedTest(observed, p, hits, samples, decision_at(p, alpha), *hit_interval(hits, samples))


def decision_at(p: float, alpha: float) -> Decision:
    """What a p-value that is known says at a level."""
    return "significant" if p <= alpha else "not significant"


def observed_scores(metric: Metric, systems: Sequence[Statistics]) -> Floats:
    """The score of each system, by the metric that is used in resampling."""
    ones = np.ones((1, len(systems[0])), dtype=np.int64)
    return np.array([metric.for_resampling.aggregate(statistics, ones)[0, 0] for statistics in systems])


def _hits(differences: Floats, observed: npt.ArrayLike) -> Integers:
    """How many differences are at least as large; what is not a number never speaks for one."""
    size = np.abs(observed)
    smaller = np.abs(differences) < size - _TIE * np.maximum(1.0, size)
    hits: Integers = (~smaller).sum(axis=0)
    return hits


def _bits(generator: np.random.Generator, rows: int, columns: int) -> npt.NDArray[np.uint8]:
    """Fair coin flips, 0 or 1."""
    octets = -(-columns // 8)
    drawn = np.frombuffer(generator.bytes(rows * octets), dtype=np.uint8).reshape(rows, octets)
    return np.unpackbits(drawn, axis=1, count=columns)


# -- Paired tests by random signs: how often chance makes a sum of differences as large as the one observed

_SIGN_TIE = 1e-9  # of the largest difference: sums closer than this are equal, added up in another order


def random_signs(samples: int, items: int, seed: int) -> Floats:
    """Signs, samples × items, as mt-metrics-eval draws them (its seed is 4)."""
    drawn = np.random.default_rng(seed).random(size=(samples, items), dtype=np.float32)
    signs: Floats = 2.0 * np.rint(drawn).astype(np.float64) - 1.0
    return signs


def sign_flip_hits(differences: npt.ArrayLike, signs: Floats) -> npt.NDArray[np.int64]:
    """For every row of differences (tests × items), how many samples have a sum as large as its own."""
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    slack = _SIGN_TIE * np.abs(rows).max(axis=1, initial=0.0)
    hits: npt.NDArray[np.int64] = (signs @ rows.T >= rows.sum(axis=1) - slack).sum(axis=0)
    return hits


def soft_pairwise_accuracy(
    human: npt.ArrayLike, metric: npt.ArrayLike, *, samples: int = 1000, seed: int = 4
) -> float:
    """Soft pairwise accuracy (Thompson et al. 2024): 1 − the mean distance of human and metric p-values.

    Both arguments have a row of differences over segments for each pair of systems, first minus second. A
    p-value is the share of random signs whose sum is as large as the observed one, as in mt-metrics-eval.
    """
    people, scores = (np.atleast_2d(np.asarray(rows, dtype=np.float64)) for rows in (human, metric))
    if not len(people):
        return float("nan")
    both = [
        sign_flip_hits(rows, random_signs(samples, rows.shape[1], seed)) / samples
        for rows in (people, scores)
    ]
    return float(1.0 - np.abs(both[0] - both[1]).mean())
