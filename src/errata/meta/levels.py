"""Agreement of metrics with people at the system level and at the sentence level.

At the system level, scores of systems are correlated; the tests say which metric correlates better. At the
sentence level, metrics order two outputs of a sentence, as people do.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from errata.array_types import Floats, Integers
from errata.errors import DataError, plural
from errata.human.judgments import Judgments
from errata.human.pairs import Pairs, pairs_of
from errata.human.scalars import Scalars
from errata.significance.correlations import (
    CORRELATIONS,
    bootstrap_interval,
    fisher_interval,
    metric_permutation_test,
    williams_test,
)
from errata.significance.decisions import Ranked, holm
from errata.significance.kendall import PairCounts, count_comparisons
from errata.tables import Cell, Column, Estimate, Table, matrix

KINDS = tuple(CORRELATIONS)
CRITERIA = {"pearson": "Pearson’s r", "spearman": "Spearman’s ρ", "kendall": "Kendall’s τ"}
SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}
WILLIAMS = "one-tailed; a small p: the row's metric correlates better than the column's"


@dataclass(frozen=True, eq=False)
class SystemLevel:
    """Human and metric scores of the same systems; higher is better in both."""

    systems: tuple[str, ...]
    human: Floats  # systems
    metrics: tuple[str, ...]
    scores: Floats  # metrics × systems

    @classmethod
    def of(cls, human: Mapping[str, float], scores: Mapping[str, Mapping[str, float]]) -> SystemLevel:
        """From scores by name; a system without a human score or a metric's score is an error."""
        systems = tuple(human)
        for metric, by_system in scores.items():
            missing = [name for name in systems if name not in by_system]
            unknown = [name for name in by_system if name not in human]
            if missing or unknown:
                problem = (
                    f"no score for {', '.join(missing)}" if missing else f"{', '.join(unknown)} not judged"
                )
                raise DataError(
                    f"{metric} and the human scores are of different systems: {problem}",
                    hint="name systems alike in both, or leave some out with --without",
                )
        if len(systems) < 3:
            raise DataError(
                f"{len(systems)} systems are too few for a correlation", hint="give three or more"
            )
        rows = [[by_system[name] for name in systems] for by_system in scores.values()]
        return cls(systems, np.array(list(human.values())), tuple(scores), np.array(rows))

    def without(self, *names: str) -> SystemLevel:
        """The same without some systems, such as outliers."""
        return self.select([i for i, name in enumerate(self.systems) if name not in names])

    def select(self, kept: Sequence[int]) -> SystemLevel:
        """The same for the systems with these numbers."""
        chosen = list(kept)
        return SystemLevel(
            tuple(self.systems[i] for i in chosen), self.human[chosen], self.metrics, self.scores[:, chosen]
        )

    def correlations(self, kind: str = "pearson") -> Floats:
        """Every metric's correlation with people."""
        return CORRELATIONS[kind](self.scores, self.human)

    def stacked(self, sentences: Mapping[str, Mapping[str, Floats]]) -> list[Floats]:
        """Sentence scores by metric and system as one array per metric, systems × segments."""
        return [np.stack([sentences[metric][name] for name in self.systems]) for metric in self.metrics]

    def interval(
        self,
        metric: int,
        kind: str = "pearson",
        *,
        method: str = "fisher",
        samples: int = 1000,
        seed: int = 1,
    ) -> tuple[float, float]:
        """A 95 % interval for one correlation: Fisher's, or a bootstrap over systems."""
        if method == "bootstrap":
            return bootstrap_interval(self.scores[metric], self.human, kind=kind, samples=samples, seed=seed)
        return fisher_interval(float(self.correlations(kind)[metric]), len(self.systems), kind=kind)

    def leave_one_out(self, kind: str = "pearson") -> Floats:
        """Correlations with each system left out (metrics × systems), which reveal outliers."""
        return np.stack([self.without(name).correlations(kind) for name in self.systems], axis=1)

    def williams(self, kind: str = "pearson") -> Floats:
        """One-tailed p of Williams' test (metrics × metrics); NaN unless the row's metric is better."""
        correlations = self.correlations(kind)
        p = np.full((len(self.metrics), len(self.metrics)), np.nan)
        for (i, row), (j, column) in itertools.permutations(enumerate(self.scores), 2):
            if correlations[i] > correlations[j]:
                p[i, j] = williams_test(self.human, row, column, kind=kind).p
        return p

    def ranked(self, kind: str = "pearson", alpha: float = 0.05) -> Ranked:
        """The metrics by their correlation; pairs differ by Williams' test with Holm's correction."""
        p, correlations = self.williams(kind), self.correlations(kind)
        pairs = np.argwhere(~np.isnan(p))
        significant = pairs[holm(p[tuple(pairs.T)]) <= alpha]
        order = np.argsort(-correlations, kind="stable")  # NaN is last
        names = np.array(self.metrics)
        different = frozenset(frozenset(names[pair].tolist()) for pair in significant)
        return Ranked(CRITERIA[kind], tuple(names[order].tolist()), different)

    def windows(self, size: int, kind: str = "pearson") -> Floats:
        """Correlations in windows of `size` systems of the human ranking (metrics × windows), best first.

        A metric may distinguish good systems from bad ones, but not good ones from each other.
        """
        if not 3 <= size <= len(self.systems):
            raise DataError(f"a window of {size} out of {len(self.systems)} systems", hint="at least 3")
        order = np.argsort(-self.human, kind="stable")
        starts = range(len(self.systems) - size + 1)
        return np.stack(
            [self.select(order[start : start + size].tolist()).correlations(kind) for start in starts], axis=1
        )

    def table(self, *, interval: str, samples: int, seed: int) -> Table:
        """r, ρ and τ of every metric, with intervals."""
        columns = [Column("metric"), *(Column(SYMBOLS[kind], 3, "max") for kind in KINDS)]
        rows: list[Sequence[Cell]] = []
        correlations = {kind: self.correlations(kind) for kind in KINDS}
        for i, metric in enumerate(self.metrics):
            cells: list[Cell] = [metric]
            for kind in KINDS:
                low, high = self.interval(i, kind, method=interval, samples=samples, seed=seed)
                cells.append(Estimate(float(correlations[kind][i]), low, high))
            rows.append(cells)
        how = "Fisher's z" if interval == "fisher" else f"{samples:,} bootstrap samples of systems"
        note = f"{len(self.systems)} systems; 95 % intervals by {how}"
        return Table(columns, rows, "System level: correlation with people", [note])

    def leave_one_out_table(self, kind: str) -> Table:
        """Correlations without each system in turn: a large change points to an outlier."""
        correlations = self.leave_one_out(kind)
        columns = [Column("without"), *(Column(f"{metric} {SYMBOLS[kind]}", 3) for metric in self.metrics)]
        rows = [("(none)", *self.correlations(kind).tolist())]
        rows += [(name, *correlations[:, i].tolist()) for i, name in enumerate(self.systems)]
        return Table(columns, rows, "Leave one system out", rules=frozenset([1]))

    def window_table(self, size: int, kind: str) -> Table:
        """Correlations within windows of the human ranking."""
        correlations = self.windows(size, kind)
        order = np.argsort(-self.human, kind="stable")
        columns = [Column("places"), Column("systems"), *(Column(metric, 3) for metric in self.metrics)]
        rows = []
        for k in range(correlations.shape[1]):
            systems = " ".join(self.systems[i] for i in order[k : k + size])
            rows.append((f"{k + 1}–{k + size}", systems, *correlations[:, k].tolist()))
        return Table(columns, rows, f"{SYMBOLS[kind]} within windows of {size} systems")

    def williams_table(self, kind: str) -> Table:
        """p-values of Williams' test that the row is better than the column; empty if it is not."""
        return matrix("better", self.metrics, self.williams(kind), 5, f"Williams' test, {kind}", [WILLIAMS])

    def permutation_table(
        self, sentences: Sequence[Floats], kind: str, *, permutations: int, seed: int
    ) -> Table:
        """p-values of PERM-BOTH that the row is better than the column; empty if it is not.

        `sentences` has the sentence scores of every metric, systems × segments.
        """
        p = perm_both(self.human, sentences, kind=kind, permutations=permutations, seed=seed)
        note = "one-tailed p; two metrics exchange scores of single sentences (Deutsch et al. 2021)"
        return matrix("better", self.metrics, p, 4, f"PERM-BOTH, {SYMBOLS[kind]}", [note])


def perm_both(
    human: Floats,
    sentences: Sequence[Floats],
    *,
    kind: str = "pearson",
    permutations: int = 1000,
    seed: int = 1,
) -> Floats:
    """One-tailed p of PERM-BOTH (metrics × metrics) from the sentence scores of each metric.

    Sentence scores are systems × segments; `human` has a score per system, or systems × segments. p is NaN
    unless the row's metric is better.
    """
    human = np.asarray(human, dtype=np.float64)
    human = np.broadcast_to(human[:, None], sentences[0].shape) if human.ndim == 1 else human
    p = np.full((len(sentences), len(sentences)), np.nan)
    for (i, row), (j, column) in itertools.permutations(enumerate(sentences), 2):
        test = metric_permutation_test(human, row, column, kind=kind, permutations=permutations, seed=seed)
        if test.difference > 0:
            p[i, j] = test.p
    return p


# -- sentence level ----------------------------------------------------------------------------------


class Calibrated(NamedTuple):
    """Pairwise accuracy when differences up to `epsilon` count as ties (Deutsch et al. 2023)."""

    accuracy: float
    epsilon: float


@dataclass(frozen=True, eq=False)
class SentenceLevel:
    """Human comparisons, and each metric's difference in score for the same two outputs."""

    metrics: tuple[str, ...]
    outcomes: Integers  # 1 if people prefer the left output, −1 for the right one, 0 for a tie
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
            missing = [name for name in pairs.systems if name not in by_system]
            if missing:
                raise DataError(f"{metric} has no sentence scores for {', '.join(missing)}")
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
        """Whether each metric (rows) agrees with each comparison that people decided (columns).

        A metric's tie counts ½ with `half`. With `official`, the rule of SEEDA's script, the first system
        loses a tie, so the metric agrees if people prefer the second one. `reversed` is the opposite rule,
        and shows how much depends on it.
        """
        shares = {"half": (0.5, 0.5), "official": (0.0, 1.0), "reversed": (1.0, 0.0)}
        decided = self.outcomes != 0
        outcomes, differences = self.outcomes[decided], self.differences[:, decided]
        tie = np.where(outcomes > 0, *shares[ties])
        right = (np.sign(differences) == outcomes).astype(np.float64)
        return np.where(np.abs(differences) <= tolerance, tie, right)

    def decided_accuracy(self, ties: str = "half") -> Floats:
        """Pairwise accuracy of every metric over decided human comparisons; τ is 2 · accuracy − 1."""
        return (
            self.hits(ties).mean(axis=1) if (self.outcomes != 0).any() else np.full(len(self.metrics), np.nan)
        )

    def stars(self, variant: str, *, samples: int = 1000, seed: int = 1) -> list[bool]:
        """Whether a metric's 95 % interval overlaps no other interval (Chollampatt & Ng 2018 Table 3)."""
        ends = [each.interval(variant, samples=samples, seed=seed) for each in self.counts()]
        return [
            all(low > other[1] or high < other[0] for k, other in enumerate(ends) if k != i)
            for i, (low, high) in enumerate(ends)
        ]

    def calibrated(self, metric: int) -> Calibrated:
        """The best pairwise accuracy over all thresholds below which the metric calls a tie."""
        return calibrate(self.outcomes, self.differences[metric])

    def table(self, title: str, *, samples: int, seed: int) -> Table:
        """Kendall's τ of every metric with intervals and stars, and accuracy without and with calibration."""
        columns = [Column("metric"), Column("HTies", 3, "max"), Column("HTies *"), Column("NoTies", 3, "max")]
        columns += [Column("NoTies *"), Column("accuracy", 3, "max"), Column("calibrated", 3, "max")]
        columns += [Column("ε", 4), Column("decided", 3, "max"), Column("τ decided", 3, "max")]
        stars = {variant: self.stars(variant, samples=samples, seed=seed) for variant in ("hties", "noties")}
        rows: list[Sequence[Cell]] = []
        all_counts = self.counts()
        for i, (metric, counts) in enumerate(zip(self.metrics, all_counts, strict=True)):
            cells: list[Cell] = [metric]
            for variant in ("hties", "noties"):
                low, high = counts.interval(variant, samples=samples, seed=seed)
                cells += [Estimate(counts.tau(variant), low, high), "*" if stars[variant][i] else ""]
            decided = counts.concordant + counts.discordant + counts.metric_ties
            calibrated = self.calibrated(i)
            right = counts.concordant / decided if decided else float("nan")
            cells += [counts.accuracy, calibrated.accuracy, calibrated.epsilon, right, counts.wmt12]
            rows.append(cells)
        ties = all_counts[0].human_ties + all_counts[0].both_ties
        notes = [
            f"{all_counts[0].pairs:,} comparisons, {ties:,} of them human ties; {samples:,} bootstrap "
            "samples; *: the interval overlaps no other",
            "accuracy: share of comparisons with the same outcome, ties included; calibrated: when "
            "differences up to ε are ties (the best ε for these data)",
            "decided, τ decided: human ties left out, a metric's tie counts as wrong "
            "(SEEDA-like accuracy, τ)",
        ]
        return Table(columns, rows, title, notes)


def differences_of(metric: str, left: Floats, right: Floats) -> Floats:
    """The left scores minus the right scores; equal scores, even infinite ones, differ by 0."""
    missing = int((np.isnan(left) | np.isnan(right)).sum())
    if missing:
        raise DataError(f"{metric} has no score (NaN) for {missing} {plural(missing, 'comparison')}")
    return np.subtract(left, right, out=np.zeros_like(left), where=left != right)


def calibrate(outcomes: Integers, differences: Floats) -> Calibrated:
    """Tie calibration: the threshold on |difference| with the highest pairwise accuracy, in O(n log n)."""
    if not len(outcomes):
        return Calibrated(float("nan"), float("nan"))
    size = np.round(np.abs(differences), 12)
    order = np.argsort(size, kind="stable")
    size = size[order]
    tied = (outcomes == 0)[order]
    right = ((np.sign(differences) == outcomes) & (outcomes != 0))[order]
    # If the first k comparisons count as ties, the hits are the human ties among them, and among the others
    # the comparisons with the same order.
    hits = np.concatenate([[0], np.cumsum(tied)]) + right.sum() - np.concatenate([[0], np.cumsum(right)])
    possible = np.concatenate([[size[0] > 0], size[1:] > size[:-1], [True]])  # equal sizes tie together
    best = int(np.argmax(np.where(possible, hits, -1)))
    return Calibrated(float(hits[best] / len(size)), float(size[best - 1]) if best else 0.0)


def lines_of(names: Sequence[str], first: int = 0) -> Integers:
    """Line numbers from 0; the names of the segments are numbers that count from `first`."""
    invalid = next((name for name in names if not name.strip().isdecimal()), None)
    if invalid is not None:
        raise DataError(f"a segment of the judgments is called {invalid!r}, which is not a number")
    return np.array([int(name) - first for name in names], dtype=np.int64)


# -- clusters of metrics -----------------------------------------------------------------------------


def metric_clusters(agreement: Floats, p: Floats, *, alpha: float = 0.05) -> list[int]:
    """The number of every metric's cluster, 1 for the best.

    A cluster begins with a metric that is significantly worse than the best one of the cluster before.
    `agreement` has each metric's agreement with people, and `p` (metrics × metrics) one-tailed p-values where
    the row agrees better than the column. Holm's method corrects all p-values together. Metrics without an
    agreement (NaN) come last.
    """
    tested = ~np.isnan(p)
    adjusted = np.full(p.shape, np.nan)
    adjusted[tested] = holm(p[tested])
    numbers = [0] * len(agreement)
    order = np.argsort(-np.where(np.isnan(agreement), -np.inf, agreement), kind="stable").tolist()
    best, cluster = order[0] if order else 0, 1
    for metric in order:
        if adjusted[best, metric] <= alpha:
            best, cluster = metric, cluster + 1
        numbers[metric] = cluster
    return numbers


def sentence_tables(
    judged: Judgments | Scalars | None,
    sentences: Mapping[str, Mapping[str, Floats]],
    without: Sequence[str] = (),
    first_segment: int = 0,
    *,
    samples: int,
    seed: int,
) -> list[Table]:
    """Agreement with rankings on expanded and on unexpanded pairs; none for other judgments."""
    if not isinstance(judged, Judgments):
        return []
    if without:
        judged = judged.without_systems([name for name in without if name in judged.systems])
    return [
        SentenceLevel.of(pairs_of(judged, kind, seed=seed), sentences, first_segment=first_segment).table(
            f"Sentence level, {title} pairs", samples=samples, seed=seed
        )
        for kind, title in (("expanded", "expanded"), ("first", "unexpanded"))
    ]
