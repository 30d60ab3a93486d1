"""What the HTML report shows of people's judgments: their ranking, each metric beside it, and the judges."""

from __future__ import annotations

import numpy as np

from errata.errors import DataError
from errata.human.agreement import agreement
from errata.human.expected_wins import expected_wins
from errata.human.judgments import Judgments
from errata.human.pairs import expanded_pairs, pairs_of
from errata.human.placing import line_numbers
from errata.human.rankings import METHODS, rank
from errata.human.statistics import judge_statistics
from errata.metrics.results import Results
from errata.report.payload import Data, correlations, number_of, numbers
from errata.significance.regression import regression


def people_data(
    results: Results, judgments: Judgments, *, method: str = "ew", runs: int = 1000, seed: int = 1
) -> Data:
    """The human ranking of the systems, the metrics' agreement with it, and the judges one by one."""
    judgments = judgments.filtered()
    pairs = pairs_of(judgments, "expanded", seed=seed)
    known = [name for name in results.systems if name in judgments.systems]
    if not known:
        raise DataError(
            "the judgments are of other systems",
            hint=f"judged: {', '.join(judgments.systems)}; scored: {', '.join(results.systems)}",
        )
    ranking = rank(pairs, method, runs=runs, seed=seed)
    place = {name: k for k, name in enumerate(ranking.systems)}
    score = {name: float(ranking.scores[k]) for name, k in place.items()}
    human = np.array([score[name] for name in known])
    scatter = []
    for number, metric in enumerate(results.metrics):
        sign = 1 if metric.higher_is_better else -1
        values = np.array([results.score(name, number).value for name in known])
        line = regression(values, human)
        scatter.append(
            {
                "metric": number,
                **(correlations(sign * values, human) if len(known) > 2 else {}),
                "line": None if line is None else numbers([line.slope, line.intercept]),
                "outliers": [] if line is None else [known[i] for i in line.outliers],
            }
        )
    return {
        "method": METHODS[method],
        "runs": runs,
        "items": len(judgments),
        "pairs": len(pairs),
        "ties": pairs.ties,
        "systems": list(ranking.systems),
        "scores": numbers(ranking.scores),
        "low": numbers(ranking.low),
        "high": numbers(ranking.high),
        "best": ranking.best.tolist(),
        "worst": ranking.worst.tolist(),
        "clusters": ranking.clusters.tolist(),
        "scatter": scatter,
        "judges": _judges(judgments),
    }


def _judges(judgments: Judgments) -> Data:
    """What each judge did, whom each judge prefers, and how far they agree."""
    statistics = judge_statistics(judgments)
    systems = judgments.systems
    wins = []
    for one in statistics:
        tally = expanded_pairs(judgments.filtered(judges=[one.judge])).tally()
        with np.errstate(invalid="ignore", divide="ignore"):
            wins.append(numbers(expected_wins(tally)))
    found = agreement(judgments)
    place = {one.judge: i for i, one in enumerate(statistics)}
    kappas: list[list[float | None]] = [[None] * len(place) for _ in place]
    for kappa in found.inter:
        if kappa.comparisons >= found.minimum:
            i, j = place[kappa.first], place[kappa.second]
            kappas[i][j] = kappas[j][i] = number_of(kappa.kappa)
    for kappa in found.intra:
        if kappa.comparisons >= found.minimum:
            kappas[place[kappa.first]][place[kappa.first]] = number_of(kappa.kappa)
    return {
        "names": [one.judge for one in statistics],
        "items": [one.items for one in statistics],
        "pairs": [one.expanded for one in statistics],
        "ties": [one.expanded_ties for one in statistics],
        "seconds": numbers([one.median_seconds for one in statistics]),
        "systems": list(systems),
        "wins": wins,
        "kappas": kappas,
        "inter": number_of(found.overall(found.inter)),
        "intra": number_of(found.overall(found.intra)),
    }


def items_by_line(results: Results, judgments: Judgments) -> dict[int, list[Data]]:
    """For every judged line, who ranked which systems how: ranks by number of system."""
    judgments = judgments.filtered()
    if results.outputs is None:
        return {}
    lines = line_numbers(judgments, results.outputs, len(results)).tolist()
    number = {name: i for i, name in enumerate(results.systems)}
    found: dict[int, list[Data]] = {}
    for i, (start, stop) in enumerate(zip(judgments.offsets[:-1], judgments.offsets[1:], strict=True)):
        ranks = {
            number[name]: int(judgments.rank[e])
            for e in range(start, stop)
            if (name := judgments.systems[judgments.system[e]]) in number
        }
        if lines[i] >= 0 and len(ranks) > 1:
            record = {"judge": judgments.judges[judgments.judge[i]], "ranks": sorted(ranks.items())}
            found.setdefault(lines[i], []).append(record)
    return found
