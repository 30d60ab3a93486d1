"""People's ranking of the systems beside every metric's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errata.errors import DataError
from errata.human.clusters import Ranking
from errata.human.judges import JudgeOverview, judge_overview
from errata.human.judgments import Judgments
from errata.human.pairs import pairs_of
from errata.human.rankings import METHODS, rank
from errata.meta.systems import SystemLevel
from errata.metrics.results import Results
from errata.metrics.statistics import Floats
from errata.significance.correlations import fisher_interval
from errata.significance.regression import Regression, regression

Interval = tuple[float, float, float]  # value, low, high
_METHOD, _RUNS = "ew", 1000


@dataclass(frozen=True, eq=False)
class MetricFit:
    """How one metric's scores follow people's: correlations, the line through them, and its outliers."""

    number: int  # of the metric
    values: Floats  # the metric's scores of the systems that people judged
    pearson: Interval | None  # None for fewer than three systems
    spearman: Interval | None
    line: Regression | None
    outliers: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PeopleComparison:
    """The human ranking, the metrics' agreement with it, and the judges one by one."""

    method: str
    runs: int
    items: int
    pairs: int
    ties: int
    ranking: Ranking
    level: SystemLevel  # of the systems that are both judged and scored
    places: tuple[int, ...]  # the numbers of those systems among the results
    fits: tuple[MetricFit, ...]
    judges: JudgeOverview


def compare_with_people(
    results: Results, judgments: Judgments, names: list[str], *, seed: int = 1
) -> PeopleComparison:
    """Rank the systems by the judgments, and correlate every metric (called by `names`) with the ranking."""
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
