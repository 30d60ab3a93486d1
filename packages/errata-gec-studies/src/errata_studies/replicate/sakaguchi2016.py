"""Sakaguchi, Napoles, Post & Tetreault (2016), *Reassessing the Goals of GEC*, TACL 4."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from errata.corpus.files import read_lines
from errata.corpus.model import Corpus
from errata.human.agreement import Kappa, comparisons
from errata.human.corrections import Difference, agreements, changes, difference
from errata.human.judgments import Judgments
from errata.human.rankings import rank_systems
from errata.meta.sensitivity import reference_curve
from errata.metrics.gleu import GLEU
from errata.metrics.statistics import Floats, Integers
from errata.significance.correlations import pearson, spearman
from errata.tables import Cell as TableCell
from errata.tables import Column, Table
from errata_studies.replicate.bench import REWRITES, Bench, named, once
from errata_studies.replicate.charts import Bars, Curves
from errata_studies.replicate.exhibits import (
    Cause,
    Exhibit,
    Key,
    Paper,
    Reproduction,
    Value,
    cells,
    grid,
    listing,
    near,
    ranked,
    ranking_cells,
    within,
)
from errata_studies.replicate.sakaguchi2016_table6 import figure_3, table_6
from errata_studies.replicate.sampling import band, means, place_causes

TABLE_4 = grid(
    {
        "fluency E1 v. E2": "15.3 5.1",
        "fluency N1 v. N2": "5.9 10.0",
        "fluency E v. N": "8.5 7.9",
        "minimal E1 v. E2": "38.7 1.7",
        "minimal N1 v. N2": "21.8 2.9",
        "minimal E v. N": "25.9 2.4",
        "NUCLE A v. B": "18.8 3.3",
    },
    ["identical %", "sTER"],
)


@once
def _rewrites(bench: Bench, how: str) -> dict[str, list[Sequence[str | None]]]:
    """Both rewrites of experts and non-experts, on the 1,278 sentences."""
    found: dict[str, list[Sequence[str | None]]] = {}
    for letter, who in (("E", "expert"), ("N", "turker")):
        files = [read_lines(bench.path("reassess") / f"{who}_{how}{version}.txt") for version in "AB"]
        found[letter] = [[lines[i] for i in bench.merged] for lines in files]
    return found


def _nucle(bench: Bench) -> list[Sequence[str | None]]:
    """Both annotators with their `Um` edits; the first stands in where the second is missing."""
    corpus = bench.references("NUCLE 1278")
    first = [a if a is not None else s for a, s in zip(corpus.references(0), corpus.sources, strict=True)]
    return [first, [b if b is not None else a for a, b in zip(first, corpus.references(1), strict=True)]]


def table_4(bench: Bench) -> Reproduction:
    found: dict[Key, Value] = {}

    def add(row: str, made: Difference) -> None:
        found[row, "identical %"] = 100 * made.identical
        found[row, "sTER"] = made.ster

    for how in ("fluency", "minimal"):
        for made in agreements(_rewrites(bench, how)):
            same = made.first == made.second
            pair = f"{made.first}1 v. {made.first}2" if same else f"{made.first} v. {made.second}"
            add(f"{how} {pair}", made)
    add("NUCLE A v. B", difference(_nucle(bench)[0], _nucle(bench)[1]))
    return Reproduction(
        cells(TABLE_4, found),
        notes=[
            "NUCLE with the 54 edits of type Um, and the first annotator's text where the second is missing"
        ],
    )


def figure_2(bench: Bench) -> Reproduction:
    source = [bench.gold.sources[i] for i in bench.merged]
    sets: dict[str, Sequence[Sequence[str | None]]] = {"NUCLE": _nucle(bench)}
    for name, (who, how) in REWRITES.items():
        sets[name] = _rewrites(bench, how)["E" if who == "expert" else "N"]
    raw = [[lines[i] for i in bench.merged] for system, lines in bench.outputs.items() if system != "INPUT"]
    sets["output"] = [[" ".join(line.split()) for line in lines] for lines in raw]
    made = changes([" ".join(line.split()) for line in source], sets)
    parts = ("insertions", "deletions", "substitutions", "shifts")
    rows: list[list[TableCell]] = [
        [m.second, 100 * m.changed, m.ster, *(float(getattr(m, part)) for part in parts)] for m in made
    ]
    columns = [Column("set"), Column("changed %", 1), Column("sTER", 2), *(Column(part, 2) for part in parts)]
    by_set = {m.second: m for m in made}
    published = {
        ("N-fluency", "sTER"): "7", ("E-fluency", "sTER"): "4", ("output", "sTER"): "1.4",
        ("E-min.", "sTER"): "2", ("N-min.", "sTER"): "2",
    }  # fmt: skip
    stacked = {part: [float(getattr(m, part)) for m in made] for part in parts}
    output, as_they_are = by_set["output"], changes(source, {"output": raw})[0]
    apart = Cause(
        "1.4 is the mean over the sentences that were changed "
        f"({as_they_are.ster / as_they_are.changed:.2f}), while the other sets' numbers are over all; among "
        "them is every line of IITB and SJTU, for the blanks at its end (without these it would be "
        f"{output.ster / output.changed:.2f})",
        gives=as_they_are.ster / as_they_are.changed,
    )
    return Reproduction(
        cells(
            published,
            {key: by_set[key[0]].ster for key in published},
            causes={("output", "sTER"): apart},
        ),
        [Table(columns, [*rows], "Changes of the source")],
        ["cells are the numbers of §3.2; BN15 is not public"],
        [Bars([m.second for m in made], stacked, ylabel="mean sTER", stacked=True)],
    )


RELEASED_RUNS = 100  # that the authors' commands for clusters take
ANNOTATIONS = {
    "refExptFluent": "Expert fluency", "refCrwdFluent": "Non-expert fluency", "refNUCLE": "NUCLE",
    "refExptMinimal": "Expert minimal", "refCrwdMinimal": "Non-expert minimal", "src": "Original sentence",
}  # fmt: skip
TABLE_5 = grid(
    {
        "Expert fluency": "1 1.164 1–2",
        "Non-expert fluency": "1 0.976 1–2",
        "NUCLE": "2 0.540 3",
        "Expert minimal": "3 0.265 4",
        "Non-expert minimal": "4 -0.020 5",
        "Original sentence": "5 -2.925 6",
    },
    ["cluster", "score", "range"],
) | {("all", "comparisons"): "7795"}


def table_5(bench: Bench) -> Reproduction:
    judgments = bench.crowd("Main")
    runs = bench.trueskill(judgments)
    found = ranking_cells(rank_systems(judgments.systems, runs), ANNOTATIONS)
    found["all", "comparisons"] = len(bench.pairs(judgments))
    reach = named(judgments.systems, band(means(runs, RELEASED_RUNS, seed=bench.seed)))
    text = (
        f"TrueSkill's random draws: 95 % of means of {RELEASED_RUNS} runs lie within bands that reach as "
        "far in all six scores at "
        "once. The text says 1,000 runs; the commands released with the data take 100"
    )
    causes = within(text, (((name, "score"), reach[system]) for system, name in ANNOTATIONS.items()))
    return Reproduction(
        cells(TABLE_5, found, causes=causes),
        notes=["clusters are numbered 1, 2, … here; the paper numbers them by rank (1, 3, 4, 5, 6)"],
    )


FIGURE_4 = listing("GLEU E-fluency", "CAMB POST CUUI AMU PKU RAC UMC SJTU NTHU UFC IITB IPN INPUT") | listing(
    "expert", "AMU CAMB RAC CUUI POST PKU UMC UFC IITB INPUT SJTU NTHU IPN"
)


def figure_4(bench: Bench) -> Reproduction:
    old = named(bench.systems, bench.scores(GLEU(brevity="inverted"), "E-fluency"))
    new = named(bench.systems, bench.scores(GLEU(), "E-fluency"))
    experts = named(bench.experts.systems, bench.trueskill(bench.experts).mean(axis=0))
    text = (
        "two systems whose scores differ by less than the .0004 by which random references and small "
        "differences of the texts move them change places"
    )
    closest = min(b - a for a, b in itertools.pairwise(sorted(old.values())))
    ours = ranked("GLEU E-fluency", old)
    causes = {key: Cause(text, outcomes=near(old, str(name), 0.0008)) for key, name in ours.items()}
    made = cells(
        FIGURE_4,
        ours | ranked("expert", experts),
        other=ranked("GLEU E-fluency", new),
        causes=causes,
    )
    return Reproduction(
        made,
        notes=[
            f"the two closest scores are {closest:.5f} apart; beside them the ranking with the brevity "
            "penalty set right"
        ],
        other="penalty corrected",
    )


def figure_5(bench: Bench) -> Reproduction:
    with open(bench.path("reassess") / "extra_fluency.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rewrites: dict[int, list[str]] = {}
    for row in rows:
        if row["Answer.Q1MultiLineTextInput"].strip():
            rewrites.setdefault(int(row["Input.sentID"]), []).append(
                row["Answer.Q1MultiLineTextInput"].strip()
            )
    chosen = [number - 1 for number in sorted(rewrites)]
    earlier = [
        read_lines(bench.path("reassess") / f"turker_fluency{version}.txt") for version in "AB"
    ]  # the two rewrites of all sentences belong to the ten
    given = [[*rewrites[i + 1], *(lines[i] for lines in earlier)] for i in chosen]
    least = min(map(len, given))
    corpus = Corpus.from_lists([bench.gold.sources[i] for i in chosen], [row[:least] for row in given])
    outputs = {name: [lines[i] for i in chosen] for name, lines in bench.outputs.items() if name != "INPUT"}
    measure = partial(
        reference_curve, corpus=corpus, outputs=outputs, draws=30, seed=bench.seed, jobs=bench.jobs
    )
    tables, lines, band = [], {}, None
    for title, metric in (
        ("inverted penalty (2016)", GLEU(brevity="inverted", sampling="all")),
        ("as of June 2017", GLEU(sampling="all")),
    ):
        curve = measure(metric)
        table: list[Any] = [
            [count, float(row.mean()), float(row.min()), float(row.max())]
            for count, row in zip(curve.counts, curve.scores, strict=True)
        ]
        columns = [Column("references"), *(Column(name, 4) for name in ("mean", "lowest", "highest"))]
        tables.append(Table(columns, table, f"GLEU by number of references, {title}"))
        lines[title] = curve.scores.mean(axis=1)
        band = band or (curve.scores.min(axis=1).tolist(), curve.scores.max(axis=1).tolist())
    counts = [float(row[0]) for row in tables[0].rows if isinstance(row[0], int)]
    return Reproduction(
        tables=tables,
        notes=[
            f"{len(chosen)} sentences, {least} rewrites each (six collected for this figure, two for all "
            "sentences); the paper prints no numbers and speaks of ten. The paper's curve rises up to four "
            "references. GLEU as the paper defines it is a mean over one reference a sentence, whose "
            "expectation does not depend on how many there are: over random orders of the rewrites the "
            "curve is flat"
        ],
        charts=[Curves(counts, lines, xlabel="references", ylabel="GLEU", band=band)],
    )


PLACES_6 = "AMU CAMB CUUI POST RAC UMC IITB PKU INPUT UFC SJTU IPN NTHU"
FIGURE_6 = listing("non-expert", PLACES_6) | {
    ("non-expert and expert", "ρ"): "0.917",
    ("non-expert and expert", "r"): "0.876",
    ("all", "comparisons"): "26265",
}


def figure_6(bench: Bench) -> Reproduction:
    crowd = bench.crowd("Ctrl")
    # The experts' judgments of the sentences that the crowd judged, whose numbers are one lower
    chosen = {str(int(crowd.segments[s]) + 1) for s in crowd.segment}
    experts = bench.experts.select(
        np.array([bench.experts.segments[s] in chosen for s in bench.experts.segment])
    )
    ours, theirs = bench.trueskill(crowd), bench.trueskill(experts)
    found = ranked("non-expert", named(crowd.systems, ours.mean(axis=0)))
    hundreds = [means(runs, RELEASED_RUNS, seed=bench.seed + k) for k, runs in enumerate((ours, theirs))]
    both = np.column_stack([function(*hundreds) for function in (spearman, pearson)])
    text = (
        f"TrueSkill's random draws: 95 % of means of {RELEASED_RUNS} runs, as the authors took, reach so far"
    )
    keys = [("non-expert and expert", symbol) for symbol in "ρr"]
    found |= {key: float(column.mean()) for key, column in zip(keys, both.T, strict=True)}
    causes = within(text, zip(keys, band(both), strict=True))
    found["all", "comparisons"] = len(bench.pairs(crowd))
    text = (
        f"TrueSkill's random draws: the printed place is among those that 95 % of means of {RELEASED_RUNS} "
        "runs give all systems at once"
    )
    causes |= place_causes(text, "non-expert", crowd.systems, hundreds[0])
    return Reproduction(
        cells(FIGURE_6, found, causes=causes),
        notes=[
            "the experts' judgments are those of the 294 sentences the crowd saw (42,593 pairs); in the "
            "crowd's file every group of systems is that of the experts' sentence one line further on, so "
            "that its judgments are in part counted for systems whose text nobody was shown"
        ],
    )


TABLE_7 = grid(
    {"Non-experts": "0.29 0.43", "Experts": "0.29 0.45", "Non-experts and Experts": "0.15 0.23"}, ["κ", "κw"]
)


Meetings = list[
    tuple[Sequence[Sequence[int]], Sequence[Sequence[int]]]
]  # judges of either side, and outcomes


@once
def _meetings(bench: Bench) -> dict[str, Meetings]:
    """The outcomes of all who judged a comparison of two single systems, by row of the table."""

    def single(judgments: Judgments, *, as_shown: bool = False) -> dict[Any, list[Sequence[int]]]:
        found = comparisons(judgments, as_shown=as_shown)
        return {key: [*found[key].values()] for key in found if len(key[1]) == len(key[2]) == 1}

    crowd, experts = bench.crowd("Ctrl"), bench.experts
    rows: dict[str, Meetings] = {
        name: [(judges, judges) for judges in single(judgments).values() if len(judges) > 1]
        for name, judgments in (("Non-experts", crowd), ("Experts", experts))
    }
    for name, as_shown in (("Non-experts and Experts", True), ("in a common order", False)):
        ours, theirs = single(crowd, as_shown=as_shown), single(experts, as_shown=as_shown)
        rows[name] = [(ours[key], theirs[key]) for key in ours if key in theirs]
    return rows


def _couples(meetings: Meetings) -> tuple[Integers, Integers]:
    """Every judgment with every other judge's as a cell of the 3 × 3 table, and how many a comparison has."""
    found, sizes = [], []
    for ours, theirs in meetings:
        couples = itertools.combinations(ours, 2) if ours is theirs else itertools.product(ours, theirs)
        cells_ = [3 * (1 - x) + 1 - y for one, other in couples for x in one for y in other]
        found += cells_
        sizes.append(len(cells_))
    return np.array(found), np.array(sizes)


def _kappas(cells_: Integers, *, within: bool) -> tuple[float, float]:
    table = np.bincount(cells_, minlength=9).reshape(3, 3).astype(float)
    kappa = Kappa("", "", (table + table.T) / 2 if within else table)
    return kappa.cohen, kappa.weighted


def table_7_draws(bench: Bench, draws: int = 1000) -> Floats:
    """The six κ of Table 7 (draws × 6) when of each comparison two judgments are drawn."""
    generator = np.random.default_rng(bench.seed)
    columns = []
    rows = _meetings(bench)
    for name in dict.fromkeys(row for row, _ in TABLE_7):
        found, sizes = _couples(rows[name])
        starts = np.cumsum(sizes) - sizes
        chosen = (starts + (generator.random((draws, len(sizes))) * sizes).astype(np.int64)).astype(np.int64)
        columns.append(np.array([_kappas(found[each], within="and" not in name) for each in chosen]))
    return np.hstack(columns)


def table_7(bench: Bench) -> Reproduction:
    rows = _meetings(bench)
    both = {
        name: _kappas(_couples(each)[0], within=name in ("Experts", "Non-experts"))
        for name, each in rows.items()
    }
    symbols = ("κ", "κw")
    found: dict[Key, Value] = {
        (name, symbol): value
        for name, pair in both.items()
        for symbol, value in zip(symbols, pair, strict=True)
    }
    common = both["in a common order"]
    other: dict[Key, Value] = {
        ("Non-experts and Experts", symbol): value for symbol, value in zip(symbols, common, strict=True)
    }
    text = (
        "two judgments of each comparison: where more than two judged it (up to eight experts), which "
        "ones meet moves κ by as "
        "much; 95 % of random choices lie within bands that reach as far in all six figures at once"
    )
    reach = band(table_7_draws(bench))
    return Reproduction(
        cells(TABLE_7, found, other=other, causes=within(text, zip(TABLE_7, reach, strict=True))),
        notes=[
            "of comparisons between single systems (with texts of several systems the crowd's κ are .28 "
            "and .42)",
            "between experts and non-experts the published figures come out when outcomes are compared in "
            "the order of the screen, whichever way round the pair stood there; in a common order (the "
            "other column) both groups agree as well as experts among themselves: the paper's low figure "
            "is an artefact",
        ],
        other="in a common order",
    )


PAPER = Paper(
    "sakaguchi2016",
    "Sakaguchi, Napoles, Post & Tetreault 2016, Reassessing the Goals of Grammatical Error Correction, "
    "TACL 4",
    [
        Exhibit("Figure 2", "Changes made by annotators and systems", figure_2),
        Exhibit("Table 4", "Agreement of annotators on corrections", table_4),
        Exhibit("Table 5", "Human ranking of annotations", table_5),
        Exhibit("Figure 3", "Spearman's ρ by metric and references", figure_3),
        Exhibit("Table 6", "Correlation by metric and references", table_6),
        Exhibit("Figure 4", "Ranking by GLEU with expert fluency references", figure_4),
        Exhibit("Figure 5", "GLEU and the number of references", figure_5),
        Exhibit("Figure 6", "Rankings by experts and non-experts", figure_6),
        Exhibit("Table 7", "Agreement of experts and non-experts", table_7),
    ],
    ["BN15's ten annotations are not public: the rows BN15 and All of Table 6, and a bar of Figure 2"],
)
