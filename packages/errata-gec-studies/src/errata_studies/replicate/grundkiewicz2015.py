"""Grundkiewicz, Junczys-Dowmunt & Gillian (2015), *Human Evaluation of GEC Systems*, EMNLP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from errata_studies.replicate.charts import Curves
from errata_studies.replicate.exhibits import (
    Cause,
    Exhibit,
    Key,
    Paper,
    Reproduction,
    Value,
    cells,
    column_of,
    cut_off,
    grid,
    ranking_cells,
    within,
)
from errata_studies.replicate.grundkiewicz2015_judges import RESAMPLES, ends, table_7
from errata_studies.replicate.sampling import band, means, possible_ranges

TABLE_1 = grid(
    {
        "1": "400 3525 1022 18400 10166",
        "2": "299 2684 1099 13657 8429",
        "3": "400 3523 914 18912 9684",
        "4": "201 1750 550 9478 5539",
        "5": "349 3099 766 17107 8972",
        "6": "400 3474 517 19313 9209",
        "7": "70 646 145 3383 1593",
        "8": "200 1815 681 8848 5525",
        "Total": "2319 20516 5694 109098 59117",
    },
    ["ranks", "unexpanded", "unexpanded ties", "expanded", "expanded ties"],
)
TABLE_2 = grid(
    {
        "1": ".42 .26 .30 .37 .34 .26 .31 .24",
        "2": "– .30 .25 .28 .23 .20 .10 .20",
        "3": "– – .50 .35 .44 .34 .46 .26",
        "4": "– – – .34 .34 .30 .20 .26",
        "5": "– – – – .60 .36 .34 .32",
        "6": "– – – – – .44 .35 .25",
        "8": "– – – – – – – .48",
    },
    list("12345678"),
) | {("all", "inter"): ".29", ("all", "intra"): ".46"}
TABLE_3A = grid(
    {
        "CAMB": "0.397 0.301 0.373", "CUUI": "0.417 0.248 0.367", "AMU": "0.416 0.214 0.350",
        "POST": "0.345 0.217 0.308", "NTHU": "0.350 0.188 0.299", "RAC": "0.331 0.149 0.266",
        "UMC": "0.312 0.144 0.253", "PKU": "0.322 0.136 0.253", "SJTU": "0.301 0.051 0.151",
        "UFC": "0.700 0.017 0.078", "IPN": "0.112 0.028 0.071", "IITB": "0.307 0.013 0.059",
        "INPUT": "0.000 0.000 0.000",
    },
    ["P", "R", "M²"],
)  # fmt: skip
TABLE_3B = grid(
    {
        "AMU": "0.628 1 1", "RAC": "0.566 2–3 2", "CAMB": "0.561 2–4 2", "CUUI": "0.550 3–5 2",
        "POST": "0.539 4–5 2",
        "UFC": "0.513 6–8 3", "PKU": "0.506 6–8 3", "UMC": "0.495 7–9 3", "IITB": "0.485 7–10 3",
        "SJTU": "0.463 10–11 3", "INPUT": "0.456 9–12 3", "NTHU": "0.437 11–12 3", "IPN": "0.300 13 4",
    },
    ["score", "range", "cluster"],
)  # fmt: skip
TABLE_3C = grid(
    {
        "AMU": "0.273 1 1", "CAMB": "0.182 2 2", "RAC": "0.114 3–4 3", "CUUI": "0.105 3–5 3",
        "POST": "0.080 4–5 3",
        "PKU": "-0.001 6–7 4", "UMC": "-0.022 6–8 4", "UFC": "-0.041 7–10 4", "IITB": "-0.055 8–11 4",
        "INPUT": "-0.062 8–11 4", "SJTU": "-0.074 9–11 4", "NTHU": "-0.142 12 5", "IPN": "-0.358 13 6",
    },
    ["score", "range", "cluster"],
)  # fmt: skip
ORDER = ["AMU", "RAC", "CAMB", "CUUI", "POST", "UFC", "PKU", "UMC", "IITB", "SJTU", "INPUT", "NTHU", "IPN"]
TABLE_3D = grid(
    {
        "AMU": "– .44 .47 .46 .44 .34 .40 .37 .32 .34 .32 .31 .24",
        "RAC": ".56 – .53 .48 .48 .40 .45 .44 .39 .38 .38 .43 .28",
        "CAMB": ".53 .47 – .49 .45 .43 .43 .42 .42 .43 .42 .43 .34",
        "CUUI": ".54 .52 .51 – .49 .42 .47 .46 .42 .41 .41 .42 .32",
        "POST": ".56 .52 .55 .51 – .45 .47 .46 .44 .44 .43 .42 .29",
        "UFC": ".66 .60 .57 .58 .55 – .54 .50 .49 .44 .27 .42 .21",
        "PKU": ".60 .55 .57 .53 .53 .46 – .50 .47 .46 .46 .46 .35",
        "UMC": ".63 .56 .58 .54 .54 .50 .50 – .48 .47 .48 .45 .35",
        "IITB": ".68 .61 .58 .58 .56 .51 .53 .52 – .48 .43 .43 .27",
        "SJTU": ".66 .62 .57 .59 .56 .56 .54 .53 .52 – .53 .46 .30",
        "INPUT": ".68 .62 .58 .59 .57 .73 .54 .52 .57 .47 – .43 .22",
        "NTHU": ".69 .57 .57 .58 .58 .58 .54 .55 .57 .54 .57 – .41",
        "IPN": ".76 .72 .66 .68 .71 .79 .65 .65 .73 .70 .78 .59 –",
    },
    ORDER,
)
KINDS = {"ρ": "spearman", "r": "pearson"}
BETAS = {"M² F1.0": 1.0, "M² F0.5": 0.5, "M² F0.25": 0.25, "M² F0.18": 0.18, "M² F0.1": 0.1}
TABLE_5 = grid(
    {
        "M² F1.0": "0.648 0.610", "M² F0.5": "0.692 0.627", "M² F0.25": "0.720 0.680",
        "M² F0.18": "0.758 0.701",
        "M² F0.1": "0.670 0.652", "I-WAcc": "-0.154 -0.098", "BLEU": "-0.346 -0.240",
        "METEOR": "-0.374 -0.241",
    },
    ["ρ", "r"],
)  # fmt: skip
TABLE_6_ROWS = {
    "1": "– .70 .31 .76 .74 .19 .62 .48 .70", "2": ".72 – .77 .84 .90 .57 .59 .64 .93",
    "3": ".53 .89 – .66 .70 .58 .42 .64 .63", "4": ".82 .79 .69 – .91 .42 .67 .54 .91",
    "5": ".65 .85 .82 .87 – .63 .63 .51 .93", "6": ".32 .71 .67 .56 .86 – .63 .39 .42",
    "7": ".72 .74 .57 .76 .72 .63 – .63 .76", "8": ".64 .85 .86 .69 .72 .57 .75 – .60",
    "r": ".67 .93 .82 .87 .92 .66 .80 .82 –",
}  # fmt: skip
TABLE_6 = grid(TABLE_6_ROWS, [*"12345678", "ρ"]) | {("mean", "ρ"): ".72", ("mean", "r"): ".80"}


def table_1(bench: Bench) -> Reproduction:
    everything = read_judgments(bench.path("gjg15") / "judgments.xml")
    found: dict[Key, Value] = {}
    rows = [
        (s.items, s.unexpanded, s.unexpanded_ties, s.expanded, s.expanded_ties)
        for s in judge_statistics(everything)
    ]
    for judge, row in [*enumerate(rows, 1), ("Total", tuple(map(sum, zip(*rows, strict=True))))]:
        columns = ("ranks", "unexpanded", "unexpanded ties", "expanded", "expanded ties")
        found |= {(str(judge), column): value for column, value in zip(columns, row, strict=True)}
    return Reproduction(cells(TABLE_1, found))


def table_2(bench: Bench) -> Reproduction:
    made = agreement(bench.experts)
    found: dict[Key, Value] = {(k.first[-1], k.second[-1]): k.kappa for k in [*made.inter, *made.intra]}
    found["all", "inter"], found["all", "intra"] = made.overall(made.inter), made.overall(made.intra)
    return Reproduction(
        cells(TABLE_2, found, causes=cut_off(TABLE_2, found)),
        notes=["35 figures are rounded, one is cut off"],
    )


def table_3a(bench: Bench) -> Reproduction:
    found: dict[Key, Value] = {}
    for system, statistics in bench.statistics(M2(), "NUCLE").items():
        parts = M2().score(statistics).parts
        found |= {
            (system, "P"): parts["precision"],
            (system, "R"): parts["recall"],
            (system, "M²"): parts["f"],
        }
    found["INPUT", "P"] = 0.0  # the official program prints 1.0 where nothing is proposed; the paper 0
    return Reproduction(
        cells(TABLE_3A, found, causes=cut_off(TABLE_3A, found)),
        notes=[
            "the paper cuts figures off instead of rounding them; INPUT proposes nothing, and its P is set "
            "to 0"
        ],
    )


def _range_causes(systems: Sequence[str], samples: Floats, table: Mapping[Key, str]) -> dict[Key, Cause]:
    """A cause for each printed range that 1,000 resamples can give."""
    text = (
        "where a rank comes up in about 2.5 % of all resamples, chance decides whether it belongs to the "
        "range: the printed one is one that 1,000 resamples can give, and the official program's own runs "
        "differ so"
    )
    printed = {system: table[system, "range"] for system in systems}
    possible = possible_ranges(samples, [ends(span) for span in printed.values()])
    return {
        (system, "range"): Cause(text, outcomes=frozenset({span}))
        for (system, span), can in zip(printed.items(), possible, strict=True)
        if can
    }


def table_3b(bench: Bench) -> Reproduction:
    pairs = bench.pairs(bench.experts)
    samples = expected_wins(resampled_tallies(pairs, samples=RESAMPLES, unit="pair", seed=bench.seed))
    scores = bench.expected_wins(bench.experts)
    found = ranking_cells(rank_systems(pairs.systems, samples, scores=scores))
    return Reproduction(cells(TABLE_3B, found, causes=_range_causes(pairs.systems, samples, TABLE_3B)))


def table_3c(bench: Bench) -> Reproduction:
    runs = bench.trueskill(bench.experts)
    found = ranking_cells(rank_systems(bench.experts.systems, runs))
    text = "TrueSkill's random draws: 95 % of means of 1,000 runs reach as far in all scores at once"
    reach = named(bench.experts.systems, band(means(runs, 1000, seed=bench.seed)))
    causes = _range_causes(bench.experts.systems, runs, TABLE_3C)
    causes |= within(text, (((system, "score"), each) for system, each in reach.items()))
    return Reproduction(cells(TABLE_3C, found, causes=causes))


def table_3d(bench: Bench) -> Reproduction:
    shares = head_to_head(bench.pairs(bench.experts).tally())
    place = {name: i for i, name in enumerate(bench.experts.systems)}
    found: dict[Key, Value] = {
        (row, column): float(shares[place[column], place[row]]) for row, column in TABLE_3D
    }
    return Reproduction(
        cells(TABLE_3D, found),
        notes=["how often the column's system is better than the row's, of the decided pairs"],
    )


def _released_m2(bench: Bench, beta: float) -> Floats:
    """F_β of every system, from the precision and recall that were released."""
    _, precision, recall = bench.released("m2").T
    weighted = beta**2 * precision + recall
    above = (1 + beta**2) * precision * recall
    found: Floats = np.divide(above, weighted, out=np.zeros_like(weighted), where=weighted > 0)
    return found


def _printed(bench: Bench) -> Floats:
    """The Expected Wins that Table 3b prints."""
    scores = column_of(TABLE_3B, "score")
    return np.array([scores[system] for system in bench.systems])


def table_5(bench: Bench) -> Reproduction:
    human = bench.aligned(bench.experts.systems, bench.expected_wins(bench.experts))
    printed = _printed(bench)
    theirs = {row: _released_m2(bench, beta) for row, beta in BETAS.items()}
    theirs |= {
        row: bench.released(name)[:, 0]
        for row, name in (("I-WAcc", "iwacc"), ("METEOR", "meteor"), ("BLEU", "bleu"))
    }
    ours = theirs | {row: bench.scores(M2(beta=beta), "NUCLE") for row, beta in BETAS.items()}
    ours["BLEU"] = bench.scores(BLEU(), "NUCLE texts")
    found, other = (
        {
            (row, symbol): float(CORRELATIONS[kind](values, people))
            for row, values in scores.items()
            for symbol, kind in KINDS.items()
        }
        for scores, people in ((ours, human), (theirs, printed))
    )
    causes = {
        (row, symbol): Cause(
            "the authors' released metric scores and printed human scores (the other column) differ a little "
            "from what the texts and judgments give, and give the printed correlation as far as the three "
            "decimals of the human scores allow",
            gives=other[row, symbol],
            reach=jitter_reach(printed, theirs[row], 0.0005, kind, seed=bench.seed),
        )
        for row in theirs
        for symbol, kind in KINDS.items()
    }
    return Reproduction(
        cells(TABLE_5, found, other=other, causes=causes),
        notes=[
            "I-WAcc and METEOR from the released scores: the paper took those of Felice & Briscoe (2015) "
            "for the former, and the latter is not among errata's metrics"
        ],
        other="from released scores",
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
    found: dict[Key, Value] = {}
    for a, b in combinations(judges, 2):
        found[a, b] = float(spearman(scores[a], scores[b]))
        found[b, a] = float(pearson(scores[a], scores[b]))
    for judge in judges:
        found[judge, "ρ"] = float(spearman(scores[judge], rest[judge]))
        found["r", judge] = float(pearson(scores[judge], rest[judge]))
    weights = np.array(list(counts.values()), dtype=float)
    found["mean", "ρ"] = float(np.average([float(found[j, "ρ"] or 0) for j in judges], weights=weights))
    found["mean", "r"] = float(np.average([float(found["r", j] or 0) for j in judges], weights=weights))
    return Reproduction(
        cells(TABLE_6, found),
        notes=["ρ above the diagonal, r below; the last column and row: against all others"],
    )


def figure_3(bench: Bench) -> Reproduction:
    human = named(bench.experts.systems, bench.expected_wins(bench.experts))
    betas = np.round(np.arange(0.01, 1.0001, 0.01), 2)
    golds = {"combined": bench.gold}
    for annotator in (0, 1):
        golds[f"annotator {annotator + 1}"] = _only(bench, annotator)
    lines: dict[str, Floats] = {}
    found: dict[Key, Value] = {}
    for name, corpus in golds.items():
        statistics = {system: M2().statistics(corpus, lines_) for system, lines_ in bench.outputs.items()}
        made = sweep(M2(), statistics, human, betas)
        for symbol, kind in KINDS.items():
            lines[f"{symbol} {name}"] = made.correlations[kind]
            if name == "combined":
                found["best β", symbol] = made.best(kind)
    rows = [
        [float(beta), *(float(line[i]) for line in lines.values())]
        for i, beta in enumerate(betas)
        if i % 5 == 4
    ]
    table = Table([Column("β", 2), *(Column(name, 3) for name in lines)], [*rows], "Correlation by β")
    theirs = np.array([_released_m2(bench, beta) for beta in betas.tolist()])
    other = {
        ("best β", symbol): float(betas[int(np.argmax(CORRELATIONS[kind](theirs, _printed(bench))))])
        for symbol, kind in KINDS.items()
    }
    published = {("best β", "ρ"): "0.18"}
    text = "the released scores (the other column) have the maximum there"
    causes = {key: Cause(text, gives=other[key]) for key in published}
    return Reproduction(
        cells(published, found, other=other, causes=causes),
        [table],
        [f"r is highest at {found['best β', 'r']:.2f}"],
        charts=[
            Curves(
                betas.tolist(),
                {name: line for name, line in lines.items() if name.startswith(symbol)},
                xlabel="β",
                ylabel=label,
                marks={"β = .18": 0.18, "β = .5": 0.5},
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


PAPER = Paper(
    "grundkiewicz2015",
    "Grundkiewicz, Junczys-Dowmunt & Gillian 2015, Human Evaluation of Grammatical Error Correction "
    "Systems, EMNLP",
    [
        Exhibit("Table 1", "Statistics of judgments", table_1),
        Exhibit("Table 2", "Agreement of judges", table_2),
        Exhibit("Table 3a", "CoNLL-2014 ranking by M²", table_3a),
        Exhibit("Table 3b", "Human ranking by Expected Wins", table_3b),
        Exhibit("Table 3c", "Human ranking by TrueSkill", table_3c),
        Exhibit("Table 3d", "Head to head", table_3d),
        Exhibit("Table 5", "Correlation of metrics with the human ranking", table_5),
        Exhibit("Table 6", "Correlation of judges' rankings", table_6),
        Exhibit("Table 7", "Rankings by judge", table_7),
        Exhibit("Figure 3", "Correlation of M² by β", figure_3),
    ],
    [
        "Table 4 (accuracy of rankings by cross-validation, 58.18, 58.15, 40.12 and 39.48 %) is not "
        "computed: a trial (10,000 rankings by TrueSkill, 39 s) left two of the four unexplained, 58.33 "
        "for 58.15 and 39.0 for 40.12. Of the rankings of Tables 3b and 3c on the judgments they rest "
        "on accuracies are 58.15, 58.35, 41.59 and 39.50 %"
    ],
)
