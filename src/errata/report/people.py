"""People's judgments as plain data for the report page."""

from __future__ import annotations

from errata.human.agreement import JudgeOverview
from errata.meta.evaluation import MetricFit, PeopleComparison
from errata.report.payload import Data, finite, numbers


def people_data(people: PeopleComparison) -> Data:
    """The human ranking of the systems, the metrics' agreement with it, and the judges one by one."""
    ranking = people.ranking
    return {
        "method": people.method,
        "runs": people.runs,
        "items": people.items,
        "pairs": people.pairs,
        "ties": people.ties,
        "systems": list(ranking.systems),
        "scores": numbers(ranking.scores),
        "low": numbers(ranking.low),
        "high": numbers(ranking.high),
        "best": ranking.best.tolist(),
        "worst": ranking.worst.tolist(),
        "clusters": ranking.clusters.tolist(),
        "scatter": [_fit(fit) for fit in people.fits],
        "judges": _judges(people.judges),
    }


def _fit(fit: MetricFit) -> Data:
    data: Data = {"metric": fit.number}
    if fit.pearson is not None and fit.spearman is not None:
        data |= {"pearson": numbers(fit.pearson), "spearman": numbers(fit.spearman)}
    line = None if fit.line is None else numbers([fit.line.slope, fit.line.intercept])
    return data | {"line": line, "outliers": list(fit.outliers)}


def _judges(judges: JudgeOverview) -> Data:
    statistics = judges.statistics
    return {
        "names": [one.judge for one in statistics],
        "items": [one.items for one in statistics],
        "pairs": [one.expanded for one in statistics],
        "ties": [one.expanded_ties for one in statistics],
        "seconds": numbers(one.median_seconds for one in statistics),
        "systems": list(judges.systems),
        "wins": [numbers(row) for row in judges.wins],
        "kappas": [numbers(row) for row in judges.kappas],
        "inter": finite(judges.inter),
        "intra": finite(judges.intra),
    }
