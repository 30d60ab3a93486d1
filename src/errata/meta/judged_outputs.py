"""Outputs that people judged: human scores, comparisons, and the agreement of metrics with both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from errata.array_types import Floats, Integers
from errata.corpus.model import Corpus
from errata.human.pairs import Pairs, index_pairs
from errata.meta.levels import (
    SYMBOLS,
    SentenceLevel,
    SystemLevel,
    differences_of,
    lines_of,
    metric_clusters,
)
from errata.meta.score_files import ScoreTable
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.score_tables import metric_labels
from errata.significance.correlations import fisher_interval
from errata.significance.permutation import random_signs, sign_flip_hits, soft_pairwise_accuracy
from errata.tables import Cell, Column, Estimate, Table

_SAMPLES = 1000  # bootstrap samples of segments
_SIGN_SAMPLES = 10_000  # random signs in the permutation test over segments


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Human comparisons of two systems' outputs for a segment, by the numbers of systems and lines."""

    left: Integers
    right: Integers
    line: Integers
    outcome: Integers  # 1 if left is better, −1 if right is better, 0 for a tie

    @classmethod
    def of_pairs(cls, pairs: Pairs, lines: Mapping[int, int], first_segment: int) -> Comparisons:
        """From pairs; `lines` maps segment numbers (counted from `first_segment`) to lines."""
        segments = lines_of(pairs.judgments.segments, first_segment)[pairs.segment].tolist()
        line = np.array([lines[segment] for segment in segments], dtype=np.int64)
        return cls(pairs.left, pairs.right, line, pairs.outcome)

    @classmethod
    def of_ratings(cls, ratings: Floats) -> Comparisons:
        """From mean ratings (systems × segments): all pairs of systems rated on the same segment."""
        first, second = index_pairs(len(ratings))
        differences = ratings[first] - ratings[second]
        pair, line = np.nonzero(~np.isnan(differences))
        outcome = np.sign(np.round(differences[pair, line], 9)).astype(np.int64)
        return cls(first[pair], second[pair], line.astype(np.int64), outcome)

    def __len__(self) -> int:
        return len(self.outcome)

    def by_pair(self, systems: int, lines: int) -> Floats:
        """For every pair of systems, the sum of the outcomes on each line (pairs × lines)."""
        first, second = index_pairs(systems)
        number = np.zeros((systems, systems), dtype=np.int64)
        number[first, second] = np.arange(len(first))
        sums = np.zeros((len(first), lines))
        np.add.at(sums, (number[self.left, self.right], self.line), self.outcome)
        return sums


@dataclass(frozen=True, eq=False)
class View:
    """One set of systems under one kind of judgment, with the human scores by every method."""

    name: str
    systems: tuple[str, ...]  # in alphabetical order, as comparisons number them
    human: Mapping[str, Floats]
    comparisons: Comparisons
    official_ties: bool = False  # whether papers count metric ties by SEEDA's rule


@dataclass(frozen=True, eq=False)
class JudgedOutputs:
    """Outputs of systems that people judged, and views of the judgments."""

    name: str
    corpus: Corpus
    outputs: Mapping[str, list[str]]
    views: tuple[View, ...]
    has_references: bool = True

    def unusable(self, metrics: Sequence[Metric]) -> list[Metric]:
        """The metrics that need references, if there are none."""
        if self.has_references:
            return []
        return [metric for metric in metrics if metric.needs & {"references", "edits"}]

    def agreements(
        self,
        metrics: Sequence[Metric],
        views: Sequence[str] = (),
        *,
        jobs: int | None = None,
        advance: Callable[[int], None] = lambda segments: None,
    ) -> dict[str, BenchmarkAgreement]:
        """The agreement of metrics with people in every view whose name contains one of `views`."""
        unusable = self.unusable(metrics)
        labels = {
            label: metric
            for label, metric in zip(metric_labels(metrics), metrics, strict=True)
            if metric not in unusable
        }
        if not labels:
            return {}
        results = Results.compute(
            self.corpus, self.outputs, list(labels.values()), jobs=jobs, advance=advance
        )
        scored = ScoreTable.of(results, list(labels))
        return {
            f"{self.name}, {view.name}": BenchmarkAgreement.of(view, scored)
            for view in self.views
            if not views or any(text in view.name for text in views)
        }


@dataclass(frozen=True, eq=False)
class BenchmarkAgreement:
    """Agreement of metrics with people in one view, over systems and over single outputs."""

    view: View
    metrics: tuple[str, ...]
    scores: Mapping[str, Mapping[str, float]]
    sentences_by_metric: Floats  # metrics × systems × lines

    @classmethod
    def of(cls, view: View, scored: ScoreTable) -> BenchmarkAgreement:
        """From a table with the scores of the systems of the view."""
        chosen = {
            metric: {name: by_system[name] for name in view.systems}
            for metric, by_system in scored.systems.items()
        }
        stacked = np.stack(
            [np.stack([scored.sentences[metric][name] for name in view.systems]) for metric in chosen]
        )
        return cls(view, tuple(chosen), chosen, stacked)

    @cached_property
    def levels(self) -> dict[str, SystemLevel]:
        """The system level, by the method of the human scores."""
        return {
            method: SystemLevel.of(dict(zip(self.view.systems, human.tolist(), strict=True)), self.scores)
            for method, human in self.view.human.items()
        }

    @cached_property
    def sentences(self) -> SentenceLevel:
        """The sentence level: every human comparison with the metrics' differences."""
        comparisons = self.view.comparisons
        differences = [
            differences_of(
                metric,
                scores[comparisons.left, comparisons.line],
                scores[comparisons.right, comparisons.line],
            )
            for metric, scores in zip(self.metrics, self.sentences_by_metric, strict=True)
        ]
        return SentenceLevel(self.metrics, comparisons.outcome, np.stack(differences))

    def soft_accuracy(self) -> list[float]:
        """Soft pairwise accuracy of every metric, from outcomes and sentence scores on the judged lines."""
        systems, lines = self.sentences_by_metric.shape[1:]
        human = self.view.comparisons.by_pair(systems, lines)
        first, second = index_pairs(systems)
        return [
            soft_pairwise_accuracy(human, scores[first] - scores[second])
            for scores in self.sentences_by_metric
        ]

    def system_clusters(self, method: str) -> list[int]:
        """Clusters of metrics by Williams' test of Pearson's r with Holm's correction."""
        level = self.levels[method]
        return metric_clusters(level.correlations(), level.williams())

    def sentence_clusters(self, *, seed: int = 1) -> list[int]:
        """Clusters of metrics by a paired permutation test over segments, with Holm's correction."""
        correct = self.sentences.hits("half")
        decided = self.sentences.outcomes != 0
        lines = self.view.comparisons.line[decided]
        by_line = np.stack([np.bincount(lines, weights=row) for row in correct])
        accuracy = correct.mean(axis=1)
        first, second = index_pairs(len(correct))
        p = np.full((len(correct), len(correct)), np.nan)
        signs = random_signs(_SIGN_SAMPLES, by_line.shape[1], seed)
        for better, worse in ((first, second), (second, first)):
            hits = sign_flip_hits(by_line[better] - by_line[worse], signs)
            p[better, worse] = (1 + hits) / (1 + _SIGN_SAMPLES)
        return metric_clusters(accuracy, np.where(accuracy[:, None] > accuracy[None, :], p, np.nan))

    def system_table(self, title: str) -> Table:
        """Correlations with every kind of human score, soft pairwise accuracy and clusters of metrics."""
        methods, kinds = list(self.levels), ("pearson", "spearman")
        columns = [Column("metric")]
        columns += [Column(f"{method} {SYMBOLS[kind]}", 3, "max") for method in methods for kind in kinds]
        columns += [Column("soft accuracy", 3, "max"), Column("cluster")]
        correlations = {
            (method, kind): level.correlations(kind)
            for method, level in self.levels.items()
            for kind in kinds
        }
        soft = self.soft_accuracy()
        groups = self.system_clusters(methods[0])
        rows: list[Sequence[Cell]] = []
        for i, metric in enumerate(self.metrics):
            cells: list[Cell] = [metric]
            for (method, kind), values in correlations.items():
                items = len(self.levels[method].systems)
                cells.append(Estimate(float(values[i]), *fisher_interval(float(values[i]), items, kind=kind)))
            rows.append([*cells, soft[i], groups[i]])
        notes = [
            f"{len(self.view.systems)} systems; 95 % intervals by Fisher's z; soft pairwise accuracy as in "
            "mt-metrics-eval, from sentence scores",
            f"cluster: Williams' test on r with {methods[0]}, Holm's correction over all pairs of metrics",
        ]
        return Table(columns, rows, f"{title}: systems", notes)

    def sentence_table(self, title: str, *, seed: int = 1) -> Table:
        """Pairwise accuracy with ties of a metric as half and, if papers do so, by the rule of SEEDA."""
        level, official = self.sentences, self.view.official_ties
        columns = [Column("metric"), Column("accuracy", 3, "max"), Column("τ", 3, "max")]
        if official:
            columns += [Column("official accuracy", 3, "max"), Column("official τ", 3, "max")]
        columns += [Column("ties %", 1), Column("calibrated", 3, "max"), Column("ε", 4), Column("cluster")]
        half = level.decided_accuracy("half")
        published = level.decided_accuracy("official")
        groups = self.sentence_clusters(seed=seed)
        all_counts = level.counts()
        rows: list[Sequence[Cell]] = []
        for i, (metric, (low, high)) in enumerate(
            zip(self.metrics, self.accuracy_intervals(seed=seed), strict=True)
        ):
            cells: list[Cell] = [metric, Estimate(float(half[i]), low, high), float(2 * half[i] - 1)]
            if official:
                cells += [float(published[i]), float(2 * published[i] - 1)]
            counts = all_counts[i]
            decided = counts.concordant + counts.discordant + counts.metric_ties
            calibrated = level.calibrated(i)
            cells += [100 * counts.metric_ties / decided, calibrated.accuracy, calibrated.epsilon, groups[i]]
            rows.append(cells)
        notes = [
            f"{int((level.outcomes != 0).sum()):,} comparisons that people decide; a metric's tie counts ½; "
            f"95 % intervals: {_SAMPLES:,} bootstrap samples of segments",
            f"calibrated: accuracy over all {len(level.outcomes):,} comparisons when differences up to ε are "
            "ties (the best ε for these data)",
            "cluster: paired permutation test over segments, Holm's correction over all pairs of metrics",
        ]
        if official:
            notes.insert(1, "official: a metric's tie is a loss of the system that comes first by name")
        return Table(columns, rows, f"{title}: sentences", notes)

    def accuracy_intervals(self, *, seed: int = 1) -> list[tuple[float, float]]:
        """95 % bootstrap intervals of the accuracy with ties as half, over segments, one per metric."""
        level = self.sentences
        lines = self.view.comparisons.line[level.outcomes != 0]
        size = int(lines.max(initial=-1)) + 1
        counts = np.bincount(lines, minlength=size)
        judged = np.flatnonzero(counts)
        right = np.stack(
            [np.bincount(lines, weights=row, minlength=size)[judged] for row in level.hits("half")]
        )
        weights = np.random.default_rng(seed).multinomial(
            len(judged), np.full(len(judged), 1 / len(judged)), size=_SAMPLES
        )
        drawn = (weights @ right.T) / (weights @ counts[judged])[:, None]
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        return list(zip(low.tolist(), high.tolist(), strict=True))
