"""Grundkiewicz, Junczys-Dowmunt & Gillian (2015), *Human Evaluation of GEC Systems*, EMNLP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation
from errata.human.agreement import agreement, judge_statistics
from errata.human.judgment_files import read_judgments
from errata.human.pairs import resampled_tallies
from errata.human.rankings import expected_wins, head_to_head, rank_systems
from errata.meta.sensitivity import jitter_reach, sweep
from errata.metrics.bleu import BLEU
from errata.metrics.m2 import M2
from errata.metrics.statistics import Floats
from errata.significance.correlations import CORRELATIONS, pearson, spearman
from errata.tables import Column, Table
from errata_studies.replicate.bench import Bench, named
from errata_studies.replicate.drawing import curves
from errata_studies.replicate.exhibits import (
    Cause,
    Key,
    Reproduction,
    Value,
    cells,
    column_of,
    cut_off,
    printed,
    ranking_cells,
    within,
)  # fmt: skip
from errata_studies.replicate.sampling import band, means, possible_ranges

NAME = "grundkiewicz2015"
TABLE_3B, TABLE_7 = printed(NAME, "Table 3b"), printed(NAME, "Table 7")
KINDS = {"ρ": "spearman", "r": "pearson"}
BETAS = {"M² F1.0": 1.0, "M² F0.5": 0.5, "M² F0.25": 0.25, "M² F0.18": 0.18, "M² F0.1": 0.1}
RESAMPLES = 1000  # as the official tool draws
LEVEL = 0.9  # of the ranges of Table 7
CHANCE = (
    "chance of the bootstrap: a rank that comes up about as often as the limit belongs to the range or not; "
    "the printed range is one that 1,000 resamples can give"
)


def table_1(bench: Bench) -> Reproduction:
    everything = read_judgments(bench.path("gjg15") / "judgments.xml")
    reproduced: dict[Key, Value] = {}
    rows = [
        (s.items, s.unexpanded, s.unexpanded_ties, s.expanded, s.expanded_ties)
        for s in judge_statistics(everything)
    ]
    for judge, row in [*enumerate(rows, 1), ("Total", tuple(map(sum, zip(*rows, strict=True))))]:
        columns = ("ranks", "unexpanded", "unexpanded ties", "expanded", "expanded ties")
        reproduced |= {(str(judge), column): value for column, value in zip(columns, row, strict=True)}
    return Reproduction(cells(printed(NAME, "Table 1"), reproduced))


def table_2(bench: Bench) -> Reproduction:
    kappas = agreement(bench.experts)
    reproduced: dict[Key, Value] = {
        (k.first[-1], k.second[-1]): k.kappa for k in [*kappas.inter, *kappas.intra]
    }
    reproduced["all", "inter"], reproduced["all", "intra"] = (
        kappas.overall(kappas.inter),
        kappas.overall(kappas.intra),
    )
    return Reproduction(
        cells(printed(NAME, "Table 2"), reproduced, causes=cut_off(printed(NAME, "Table 2"), reproduced))
    )


def table_3a(bench: Bench) -> Reproduction:
    reproduced: dict[Key, Value] = {}
    for system, statistics in bench.statistics(M2(), "NUCLE").items():
        parts = M2().score(statistics).parts
        reproduced |= {
            (system, "P"): parts["precision"],
            (system, "R"): parts["recall"],
            (system, "M²"): parts["f"],
        }
    reproduced["INPUT", "P"] = 0.0  # the official program prints 1.0 where nothing is proposed; the paper 0
    return Reproduction(
        cells(printed(NAME, "Table 3a"), reproduced, causes=cut_off(printed(NAME, "Table 3a"), reproduced))
    )


def _range_causes(
    systems: Sequence[str], samples: Floats, level: float = 0.95, row: str = "{}"
) -> dict[Key, Cause]:
    """The ranges that 1,000 resamples can give each system."""
    possible = possible_ranges(samples, level)
    return {
        (row.format(system), "range"): Cause(CHANCE, outcomes=each)
        for system, each in zip(systems, possible, strict=True)
    }


def table_3b(bench: Bench) -> Reproduction:
    pairs = bench.pairs(bench.experts)
    samples = expected_wins(resampled_tallies(pairs, samples=RESAMPLES, unit="pair", seed=bench.seed))
    scores = bench.expected_wins(bench.experts)
    reproduced = ranking_cells(rank_systems(pairs.systems, samples, scores=scores))
    return Reproduction(cells(TABLE_3B, reproduced, causes=_range_causes(pairs.systems, samples)))


def table_3c(bench: Bench) -> Reproduction:
    runs = bench.trueskill(bench.experts)
    systems = bench.experts.systems
    text = "TrueSkill's random draws: 95 % of means of 1,000 runs reach as far in all scores at once"
    reach = named(systems, band(means(runs, 1000, seed=bench.seed)))
    causes = _range_causes(systems, runs)
    causes |= within(text, (((system, "score"), each) for system, each in reach.items()))
    reproduced = ranking_cells(rank_systems(systems, runs))
    return Reproduction(cells(printed(NAME, "Table 3c"), reproduced, causes=causes))


def table_3d(bench: Bench) -> Reproduction:
    shares = head_to_head(bench.pairs(bench.experts).tally())
    place = {name: i for i, name in enumerate(bench.experts.systems)}
    reproduced: dict[Key, Value] = {
        (row, column): float(shares[place[column], place[row]]) for row, column in printed(NAME, "Table 3d")
    }
    return Reproduction(cells(printed(NAME, "Table 3d"), reproduced))


def _released_m2(bench: Bench, beta: float) -> Floats:
    """F_β of every system, from the precision and recall that were released."""
    _, precision, recall = bench.released("m2").T
    weighted = beta**2 * precision + recall
    above = (1 + beta**2) * precision * recall
    f_scores: Floats = np.divide(above, weighted, out=np.zeros_like(weighted), where=weighted > 0)
    return f_scores


def _printed(bench: Bench) -> Floats:
    """The Expected Wins that Table 3b prints."""
    scores = column_of(TABLE_3B, "score")
    return np.array([scores[system] for system in bench.systems])


def table_5(bench: Bench) -> Reproduction:
    human = bench.aligned(bench.experts.systems, bench.expected_wins(bench.experts))
    people = _printed(bench)
    released = {row: _released_m2(bench, beta) for row, beta in BETAS.items()}
    released |= {
        row: bench.released(name)[:, 0]
        for row, name in (("I-WAcc", "iwacc"), ("METEOR", "meteor"), ("BLEU", "bleu"))
    }
    computed = released | {row: bench.scores(M2(beta=beta), "NUCLE") for row, beta in BETAS.items()}
    computed["BLEU"] = bench.scores(BLEU(), "NUCLE texts")
    reproduced, other = (
        {
            (row, symbol): float(CORRELATIONS[kind](values, judged))
            for row, values in scores.items()
            for symbol, kind in KINDS.items()
        }
        for scores, judged in ((computed, human), (released, people))
    )
    causes = {
        (row, symbol): Cause(
            "the authors' released metric scores and printed human scores (the other column) differ a little "
            "from what the texts and judgments give, and give the printed correlation as far as the three "
            "decimals of the human scores allow",
            gives=other[row, symbol],
            reach=jitter_reach(people, released[row], 0.0005, kind, seed=bench.seed),
        )
        for row in released
        for symbol, kind in KINDS.items()
    }
    return Reproduction(
        cells(printed(NAME, "Table 5"), reproduced, other=other, causes=causes), other="from released scores"
    )


def table_6(bench: Bench) -> Reproduction:
    judges = [f"{k}" for k in range(1, 9)]
    names = sorted({bench.experts.judges[j] for j in bench.experts.judge})
    scores, rest, counts = {}, {}, {}
    for judge, name in zip(judges, names, strict=True):
        pairs = bench.pairs(bench.experts.filtered(judges=[name]))
        # The official tool divides by the opponents beaten at least once: it matters where pairs are few.
        scores[judge] = expected_wins(pairs.tally(), divisor="beaten")
        counts[judge] = len(pairs)
        others = bench.pairs(bench.experts.filtered(exclude_judges=[name]))
        rest[judge] = expected_wins(others.tally(), divisor="beaten")
    reproduced: dict[Key, Value] = {}
    for a, b in combinations(judges, 2):
        reproduced[a, b] = float(spearman(scores[a], scores[b]))
        reproduced[b, a] = float(pearson(scores[a], scores[b]))
    for judge in judges:
        reproduced[judge, "ρ"] = float(spearman(scores[judge], rest[judge]))
        reproduced["r", judge] = float(pearson(scores[judge], rest[judge]))
    weights = np.array(list(counts.values()), dtype=float)
    reproduced["mean", "ρ"] = float(
        np.average([float(reproduced[j, "ρ"] or 0) for j in judges], weights=weights)
    )
    reproduced["mean", "r"] = float(
        np.average([float(reproduced["r", j] or 0) for j in judges], weights=weights)
    )
    return Reproduction(cells(printed(NAME, "Table 6"), reproduced))


def _clusters_of(ranges: Sequence[str]) -> list[int]:
    """Clusters of systems in order of their scores: a line where all before end above all after."""
    ends = [text.partition("–") for text in ranges]
    best, worst = [int(b) for b, _, _ in ends], [int(w or b) for b, _, w in ends]
    lines = [max(worst[:k]) < min(best[k:]) for k in range(1, len(ends))]
    return [1, *(1 + np.cumsum(lines)).tolist()]


def table_7(bench: Bench) -> Reproduction:
    reproduced: dict[Key, Value] = {}
    causes: dict[Key, Cause] = {}
    text = "the official tool prints means of 1,000 resamples: 95 % of them reach as far in all scores"
    names = sorted({bench.experts.judges[j] for j in bench.experts.judge})
    for judge, name in enumerate(names, 1):
        pairs = bench.pairs(bench.experts.filtered(judges=[name]))
        scores = expected_wins(pairs.tally(), divisor="beaten")
        tallies = resampled_tallies(pairs, samples=RESAMPLES, unit="pair", seed=bench.seed)
        samples = expected_wins(tallies, divisor="beaten")
        ranking = rank_systems(pairs.systems, samples, scores=scores, level=LEVEL)
        row = f"judge {judge}: {{}}"
        rows = {system: row.format(system) for system in ranking.systems}
        reproduced |= ranking_cells(ranking, rows)
        reach = named(pairs.systems, band(means(samples, RESAMPLES, seed=bench.seed)))
        causes |= within(text, (((rows[system], "score"), each) for system, each in reach.items()))
        causes |= _range_causes(pairs.systems, samples, LEVEL, row)
        # Clusters follow from ranges: the printed ranges must give the printed clusters.
        spans = [TABLE_7[each, "range"] for each in rows.values()]
        if all(
            span in causes[each, "range"].outcomes for each, span in zip(rows.values(), spans, strict=True)
        ):
            why = f"{CHANCE}, and clusters follow from the printed ranges"
            for each, cluster in zip(rows.values(), _clusters_of(spans), strict=True):
                causes[each, "cluster"] = Cause(why, outcomes=frozenset({str(cluster)}))
    return Reproduction(cells(TABLE_7, reproduced, causes=causes))


def figure_3(bench: Bench) -> Reproduction:
    human = named(bench.experts.systems, bench.expected_wins(bench.experts))
    betas = np.round(np.arange(0.01, 1.0001, 0.01), 2)
    golds = {"combined": bench.gold}
    for annotator in (0, 1):
        golds[f"annotator {annotator + 1}"] = _only(bench, annotator)
    lines: dict[str, Floats] = {}
    reproduced: dict[Key, Value] = {}
    for name, corpus in golds.items():
        statistics = {system: M2().statistics(corpus, lines_) for system, lines_ in bench.outputs.items()}
        curve = sweep(M2(), statistics, human, betas)
        for symbol, kind in KINDS.items():
            lines[f"{symbol} {name}"] = curve.correlations[kind]
            if name == "combined":
                reproduced["best β", symbol] = curve.best(kind)
    rows = [
        [float(beta), *(float(line[i]) for line in lines.values())]
        for i, beta in enumerate(betas)
        if i % 5 == 4
    ]
    table = Table([Column("β", 2), *(Column(name, 3) for name in lines)], [*rows], "Correlation by β")
    released = np.array([_released_m2(bench, beta) for beta in betas.tolist()])
    other = {
        ("best β", symbol): float(betas[int(np.argmax(CORRELATIONS[kind](released, _printed(bench))))])
        for symbol, kind in KINDS.items()
    }
    published = printed(NAME, "Figure 3")
    text = "the released scores (the other column) have the maximum there"
    causes = {key: Cause(text, gives=other[key]) for key in published}
    return Reproduction(
        cells(published, reproduced, other=other, causes=causes),
        [table],
        [f"r is highest at {reproduced['best β', 'r']:.2f}"],
        charts=[
            partial(
                curves,
                betas.tolist(),
                {name: line for name, line in lines.items() if name.startswith(symbol)},
                ("β", label),
                {"β = .18": 0.18, "β = .5": 0.5},
                None,
            )
            for symbol, label in (("ρ", "Spearman's ρ"), ("r", "Pearson's r"))
        ],
        other="from released scores",
    )


def _only(bench: Bench, annotator: int) -> Corpus:
    """The gold of one annotator; where he is missing, he had nothing to correct."""
    segments = []
    for segment in bench.gold:
        mine = segment.annotation(annotator) or Annotation(segment.source, edits=(), annotator=annotator)
        segments.append(replace(segment, annotations=(mine,)))
    return Corpus(segments)
