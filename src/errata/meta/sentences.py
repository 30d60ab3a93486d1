"""Sentence level: does a metric order two outputs of a sentence as people do?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from errata.errors import DataError, plural
from errata.human.pairs import Pairs
from errata.metrics.statistics import Floats, Integers
from errata.significance.kendall import PairCounts, count_comparisons


class Calibrated(NamedTuple):
    """Pairwise accuracy when differences up to `epsilon` count as ties (Deutsch et al. 2023)."""

    accuracy: float
    epsilon: float


@dataclass(frozen=True, eq=False)
class SentenceLevel:
    """Human comparisons, and each metric's difference in score for the same two outputs."""

    metrics: tuple[str, ...]
    outcomes: Integers  # 1 where people prefer the left output, −1 the right one, 0 a tie
    differences: Floats  # metrics × comparisons

    @classmethod
    def of(
        cls, pairs: Pairs, scores: Mapping[str, Mapping[str, Floats]], *, first_segment: int = 0
    ) -> SentenceLevel:
        """From judgments and sentence scores by metric and system.

        Judgments name segments by number; `first_segment` is that of the first line (0 or 1).
        """
        lines = lines_of(pairs.judgments.segments, first_segment)[pairs.segment]
        rows = []
        for metric, by_system in scores.items():
            lacking = [name for name in pairs.systems if name not in by_system]
            if lacking:
                raise DataError(f"{metric} has no sentence scores for {', '.join(lacking)}")
            table = np.stack([by_system[name] for name in pairs.systems])
            if lines.min(initial=0) < 0 or lines.max(initial=0) >= table.shape[1]:
                raise DataError(
                    f"the judgments are about segments {lines.min()} to {lines.max()}, {metric} has scores "
                    f"for {table.shape[1]}",
                    hint="segments are numbered from 0, or from 1 with --first-segment 1",
                )
            rows.append(differences_of(metric, table[pairs.left, lines], table[pairs.right, lines]))
        return cls(tuple(scores), pairs.outcome, np.stack(rows))

    def counts(self, tolerance: float = 1e-12) -> list[PairCounts]:
        """Concordant, discordant and tied comparisons of every metric."""
        signs = np.where(np.abs(self.differences) <= tolerance, 0.0, np.sign(self.differences))
        return [count_comparisons(self.outcomes, row) for row in signs]

    def hits(self, ties: str = "half", tolerance: float = 1e-12) -> Floats:
        """Whether each metric (rows) orders the comparisons that people decide (columns) as people do.

        A metric's tie counts ½ with `half`. With `official`, the rule of SEEDA's script, the first-listed
        system loses a tie, so that it is right wherever people prefer the later one; `reversed` is the
        opposite rule, which shows how much depends on it.
        """
        shares = {"half": (0.5, 0.5), "official": (0.0, 1.0), "reversed": (1.0, 0.0)}
        decided = self.outcomes != 0
        outcomes, differences = self.outcomes[decided], self.differences[:, decided]
        tie = np.where(outcomes > 0, *shares[ties])
        right = (np.sign(differences) == outcomes).astype(np.float64)
        return np.where(np.abs(differences) <= tolerance, tie, right)

    def decided_accuracy(self, ties: str = "half") -> Floats:
        """Pairwise accuracy of every metric over the comparisons people decide; τ is 2 · accuracy − 1."""
        return (
            self.hits(ties).mean(axis=1) if (self.outcomes != 0).any() else np.full(len(self.metrics), np.nan)
        )

    def stars(self, variant: str, *, samples: int = 1000, seed: int = 1) -> list[bool]:
        """Whether a metric's 95 % interval overlaps with no other's (Chollampatt & Ng 2018 Table 3)."""
        ends = [each.interval(variant, samples=samples, seed=seed) for each in self.counts()]
        return [
            all(low > other[1] or high < other[0] for k, other in enumerate(ends) if k != i)
            for i, (low, high) in enumerate(ends)
        ]

    def calibrated(self, metric: int) -> Calibrated:
        """The best pairwise accuracy over all thresholds below which the metric calls a tie."""
        return calibrate(self.outcomes, self.differences[metric])


def differences_of(metric: str, left: Floats, right: Floats) -> Floats:
    """By how much the left outputs are better; equal scores, infinite ones too, differ by 0."""
    missing = int((np.isnan(left) | np.isnan(right)).sum())
    if missing:
        raise DataError(f"{metric} has no score (NaN) for {missing} {plural(missing, 'comparison')}")
    return np.subtract(left, right, out=np.zeros_like(left), where=left != right)


def calibrate(outcomes: Integers, differences: Floats) -> Calibrated:
    """Tie calibration: the threshold on |difference| with the highest pairwise accuracy; O(n log n)."""
    if not len(outcomes):
        return Calibrated(float("nan"), float("nan"))
    size = np.round(np.abs(differences), 12)
    order = np.argsort(size, kind="stable")
    size = size[order]
    tied = (outcomes == 0)[order]
    right = ((np.sign(differences) == outcomes) & (outcomes != 0))[order]
    # With the first k comparisons called ties, those of them that people tie are right, and of the others
    # those the metric orders as people do.
    hits = np.concatenate([[0], np.cumsum(tied)]) + right.sum() - np.concatenate([[0], np.cumsum(right)])
    whole = np.concatenate([[size[0] > 0], size[1:] > size[:-1], [True]])  # equal sizes tie together
    best = int(np.argmax(np.where(whole, hits, -1)))
    return Calibrated(float(hits[best] / len(size)), float(size[best - 1]) if best else 0.0)


def lines_of(names: Sequence[str], first: int = 0) -> Integers:
    """Line numbers from 0, out of segments' names that are numbers."""
    odd = next((name for name in names if not name.strip().isdecimal()), None)
    if odd is not None:
        raise DataError(f"a segment of the judgments is called {odd!r}, which is no number")
    return np.array([int(name) - first for name in names], dtype=np.int64)
