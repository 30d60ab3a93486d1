"""All analyses of the results of some systems, each computed on first use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from errata.array_types import Floats
from errata.errors import DataError
from errata.human.agreement import JudgeOverview, judge_overview
from errata.human.corrections import Difference
from errata.human.corrections import changes as changes_of
from errata.human.judgments import Judgments, LineRanks, ranks_by_line
from errata.human.pairs import pairs_of
from errata.human.rankings import METHODS, Ranking, rank
from errata.meta.breakdowns import (
    Marked,
    Profile,
    TypeBreakdown,
    distinct_outputs,
    edit_types,
    mark_edits,
    profile,
    types_of_results,
)
from errata.meta.levels import SystemLevel
from errata.meta.sensitivity import BetaPlane, ReferenceCurve, beta_planes, reference_curve, restricted_to
from errata.metrics.cleme import ChunkMetric
from errata.metrics.results import Results
from errata.metrics.score_tables import metric_names
from errata.significance.compare import Plan, SystemComparison, compare
from errata.significance.correlations import (
    Regression,
    correlation,
    fisher_interval,
    pearson,
    regression,
    spearman,
)

Interval = tuple[float, float, float]  # value, low, high
_METHOD, _RUNS = "ew", 1000  # of the human ranking
MAX_GROUPS = 40  # of a label in a heat map


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Results, judgments if there are any, and all analyses of them.

    The report page, the explorer and the figures use the same evaluation, so they show the same numbers.
    `plan` says how to compare systems; its seed is used for all random choices.
    """

    results: Results
    judgments: Judgments | None = None
    plan: Plan = field(default_factory=Plan)
    jobs: int | None = None

    @cached_property
    def names(self) -> list[str]:
        """The names of the metrics."""
        return metric_names(self.results.metrics)

    @cached_property
    def comparisons(self) -> list[SystemComparison]:
        """All pairs of systems compared by each metric; empty for a single system or segment."""
        if len(self.results.systems) < 2 or len(self.results) < 2:
            return []
        return compare(self.results, self.plan)

    @cached_property
    def groups(self) -> dict[str, dict[str, Results]]:
        """The results by label and value, for labels with several but not too many values."""
        by_label = {}
        for label in self.results.labels:
            groups = self.results.groups(label)
            if 1 < len(groups) <= MAX_GROUPS and label != "paragraph":
                by_label[label] = {name: self.results.select(rows) for name, rows in groups.items()}
        return by_label

    @cached_property
    def planes(self) -> list[BetaPlane]:
        """Precision, recall and F for several β, of the metrics that have them."""
        return beta_planes(self.results)

    @cached_property
    def types(self) -> list[TypeBreakdown]:
        """Scores per error type, of the metrics that have types."""
        return types_of_results(self.results, jobs=self.jobs)

    @cached_property
    def profile(self) -> Profile | None:
        """Over-correction and under-correction, if one of the metrics is of the CLEME family."""
        results = self.results
        if results.corpus is None or not any(isinstance(metric, ChunkMetric) for metric in results.metrics):
            return None
        return profile(
            results, labels=list(self.groups), samples=self.plan.samples, seed=self.plan.seed, jobs=self.jobs
        )

    @cached_property
    def agreement(self) -> MetricAgreement | None:
        """Agreement between the metrics; None for a single metric."""
        return _metric_agreement(self.results) if len(self.results.metrics) > 1 else None

    @cached_property
    def curves(self) -> dict[int, ReferenceCurve]:
        """Scores with 1, 2, … references by number of metric; empty without texts or with one annotator."""
        results = self.results
        if results.corpus is None or results.outputs is None:
            return {}
        curves = {}
        for number, metric in enumerate(results.metrics):
            corpus = metric.view(results.corpus)
            if len(corpus.annotators) > 1:
                full = np.array([results.score(system, number).value for system in results.systems])
                curves[number] = reference_curve(
                    metric, corpus, results.outputs, choose="annotators", draws=5, seed=self.plan.seed,
                    full=full, jobs=self.jobs,
                )  # fmt: skip
        return curves

    @cached_property
    def marked(self) -> Marked | None:
        """Every system's edits as counted by M²."""
        return mark_edits(self.results, self.jobs)

    @cached_property
    def people(self) -> PeopleComparison | None:
        """The human ranking and the metrics' agreement with it; None without judgments."""
        if self.judgments is None:
            return None
        return _compare_with_people(self.results, self.judgments, self.names, seed=self.plan.seed)

    @cached_property
    def ranks(self) -> dict[int, list[LineRanks]]:
        """The human rankings of every judged line; empty without judgments or texts."""
        if self.judgments is None or self.results.outputs is None:
            return {}
        return ranks_by_line(self.judgments, self.results.outputs, len(self.results))

    @cached_property
    def distinct(self) -> list[int]:
        """The number of different outputs for every segment."""
        if self.results.outputs is None:
            raise DataError("the outputs are needed", hint="give the texts instead of --stats")
        return distinct_outputs(self.results.outputs)

    @cached_property
    def edit_types(self) -> dict[str, Counter[str]]:
        """The number of gold edits of every type in each domain."""
        if self.results.corpus is None:
            raise DataError("the gold edits are needed", hint="give the texts instead of --stats")
        return edit_types(self.results)

    @cached_property
    def changes(self) -> list[Difference]:
        """The changes of every annotator and every system to the source; annotators come first."""
        results = self.results
        if results.corpus is None or results.outputs is None:
            raise DataError("the texts are needed", hint="give them instead of --stats")
        corpus = results.corpus.as_texts()
        sets: dict[str, list[Sequence[str | None]]] = {
            f"annotator {k + 1}": [corpus.references(a)] for k, a in enumerate(corpus.annotators)
        }
        # Differences in spaces are no changes.
        for name, lines in results.outputs.items():
            sets[name] = [[" ".join(line.split()) for line in lines]]
        return changes_of([" ".join(line.split()) for line in corpus.sources], sets)

    @cached_property
    def by_annotator(self) -> dict[str, list[float]]:
        """Spearman's ρ of every metric with people, with the references of each annotator and of all."""
        results, people = self.results, self.people
        if results.corpus is None or results.outputs is None or people is None:
            raise DataError("texts and judgments are needed", hint="give the texts instead of --stats")
        lines = [results.outputs[system] for system in people.level.systems]
        human = people.level.human
        rows: dict[str, list[float]] = {}
        for number, metric in enumerate(results.metrics):
            corpus = metric.view(results.corpus)
            for k, annotator in enumerate(corpus.annotators):
                part, kept = restricted_to(corpus, {annotator})
                scores = [metric.score(part, [each[i] for i in kept], jobs=self.jobs).value for each in lines]
                rows.setdefault(f"annotator {k + 1}", []).append(correlation(scores, human, "spearman"))
            rows.setdefault("all", []).append(correlation(people.fits[number].values, human, "spearman"))
        return rows


# -- human ranking and metrics -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MetricFit:
    """Agreement of one metric with the human scores: correlations, the regression line, and outliers."""

    number: int  # of the metric
    values: Floats  # the metric's scores of the judged systems
    pearson: Interval | None  # None for fewer than three systems
    spearman: Interval | None
    line: Regression | None
    outliers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PeopleComparison:
    """The human ranking, the metrics' agreement with it, and the judges."""

    method: str
    runs: int
    items: int
    pairs: int
    ties: int
    ranking: Ranking
    level: SystemLevel  # the systems that are both judged and scored
    places: tuple[int, ...]  # the numbers of these systems in the results
    fits: tuple[MetricFit, ...]
    judges: JudgeOverview


def _compare_with_people(
    results: Results, judgments: Judgments, names: list[str], *, seed: int = 1
) -> PeopleComparison:
    """Rank the systems by the judgments, and correlate every metric with the ranking."""
    judgments = judgments.filtered()
    pairs = pairs_of(judgments, "expanded", seed=seed)
    places = tuple(i for i, name in enumerate(results.systems) if name in judgments.systems)
    if not places:
        raise DataError(
            "the judgments are of other systems",
            hint=f"judged: {', '.join(judgments.systems)}; scored: {', '.join(results.systems)}",
        )
    ranking = rank(pairs, _METHOD, runs=_RUNS, seed=seed)
    score = dict(zip(ranking.systems, ranking.scores.tolist(), strict=True))
    systems = tuple(results.systems[i] for i in places)
    human = np.array([score[name] for name in systems])
    signs = np.array([[1.0 if metric.higher_is_better else -1.0] for metric in results.metrics])
    values = np.array(
        [[results.score(name, number).value for name in systems] for number in range(len(results.metrics))]
    )
    level = SystemLevel(systems, human, tuple(names), signs * values)
    return PeopleComparison(
        METHODS[_METHOD],
        _RUNS,
        len(judgments),
        len(pairs),
        pairs.ties,
        ranking,
        level,
        places,
        tuple(_fit(level, number, row) for number, row in enumerate(values)),
        judge_overview(judgments),
    )


def _fit(level: SystemLevel, number: int, values: Floats) -> MetricFit:
    line = regression(values, level.human)
    outliers = () if line is None else tuple(level.systems[i] for i in line.outliers)
    pearson, spearman = (_correlation(level, number, kind) for kind in ("pearson", "spearman"))
    return MetricFit(number, values, pearson, spearman, line, outliers)


def _correlation(level: SystemLevel, number: int, kind: str) -> Interval | None:
    if len(level.systems) < 3:
        return None
    r = float(level.correlations(kind)[number])
    return r, *fisher_interval(r, len(level.systems), kind=kind)


# -- agreement between metrics -----------------------------------------------------------------------


class MetricAgreement(NamedTuple):
    """Correlations between metrics (metrics × metrics), signed as if higher were always better.

    They are None for fewer than three systems or fewer than two sentences.
    """

    pearson: Floats | None  # over systems
    spearman: Floats | None
    sentences: Floats | None  # Pearson, over all sentences of all systems


def _metric_agreement(results: Results) -> MetricAgreement:
    """The correlations of every pair of metrics in the results."""
    signs = [1 if metric.higher_is_better else -1 for metric in results.metrics]
    scores = [[results.score(system, number) for system in results.systems] for number in range(len(signs))]
    systems = np.array(
        [[sign * score.value for score in row] for sign, row in zip(signs, scores, strict=True)]
    )
    sentences = np.array(
        [
            sign * np.concatenate([score.sentences for score in row])
            for sign, row in zip(signs, scores, strict=True)
        ]
    )
    finite = np.isfinite(sentences).all(axis=0)
    several = len(results.systems) > 2
    return MetricAgreement(
        _matrix(pearson, systems) if several else None,
        _matrix(spearman, systems) if several else None,
        _matrix(pearson, sentences[:, finite]) if finite.sum() > 1 else None,
    )


def _matrix(coefficient: Callable[[Any, Any], Floats], rows: Floats) -> Floats:
    return np.array([[float(coefficient(a, b)) for b in rows] for a in rows])
