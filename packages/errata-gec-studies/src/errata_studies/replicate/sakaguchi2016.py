"""Sakaguchi, Napoles, Post & Tetreault (2016), *Reassessing the Goals of GEC*, TACL 4."""

from __future__ import annotations

import csv
import itertools
from ast import literal_eval
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from errata.corpus.files import read_lines
from errata.corpus.model import Corpus
from errata.human.agreement import between
from errata.human.agreement import within as inside
from errata.human.corrections import Difference, agreements, changes, difference
from errata.human.rankings import rank_systems
from errata.meta.sensitivity import reference_curve
from errata.metrics.gleu import GLEU, GLEU2015
from errata.significance.agreement_coefficients import confusion, kappa_of_table
from errata.significance.correlations import pearson, spearman
from errata.tables import Cell as TableCell
from errata.tables import Column, Table
from errata_studies.replicate.bench import REWRITES, Bench, named, once
from errata_studies.replicate.drawing import bars, curves, slopes
from errata_studies.replicate.exhibits import (
    Cause,
    Key,
    Reproduction,
    Value,
    cells,
    near,
    order_of,
    printed,
    ranked,
    ranking_cells,
    within,
)  # fmt: skip
from errata_studies.replicate.sakaguchi2016_table6 import figure_3 as figure_3
from errata_studies.replicate.sakaguchi2016_table6 import table_6 as table_6
from errata_studies.replicate.sampling import band, means, place_causes

NAME = "sakaguchi2016"


@once
def _rewrites(bench: Bench, how: str) -> dict[str, list[Sequence[str | None]]]:
    """Both rewrites of experts and non-experts, on the 1,278 sentences."""
    rewrites: dict[str, list[Sequence[str | None]]] = {}
    for letter, who in (("E", "expert"), ("N", "turker")):
        files = [read_lines(bench.path("reassess") / f"{who}_{how}{version}.txt") for version in "AB"]
        rewrites[letter] = [[lines[i] for i in bench.merged] for lines in files]
    return rewrites


def _nucle(bench: Bench) -> list[Sequence[str | None]]:
    """Both annotators with their `Um` edits; the first replaces the second where that is missing."""
    corpus = bench.references("NUCLE 1278")
    first = [a if a is not None else s for a, s in zip(corpus.references(0), corpus.sources, strict=True)]
    return [first, [b if b is not None else a for a, b in zip(first, corpus.references(1), strict=True)]]


def table_4(bench: Bench) -> Reproduction:
    reproduced: dict[Key, Value] = {}

    def add(row: str, each: Difference) -> None:
        reproduced[row, "identical %"] = 100 * each.identical
        reproduced[row, "sTER"] = each.ster

    for how in ("fluency", "minimal"):
        for each in agreements(_rewrites(bench, how)):
            same = each.first == each.second
            pair = f"{each.first}1 v. {each.first}2" if same else f"{each.first} v. {each.second}"
            add(f"{how} {pair}", each)
    add("NUCLE A v. B", difference(_nucle(bench)[0], _nucle(bench)[1]))
    return Reproduction(cells(printed(NAME, "Table 4"), reproduced))


def figure_2(bench: Bench) -> Reproduction:
    source = [bench.gold.sources[i] for i in bench.merged]
    sets: dict[str, Sequence[Sequence[str | None]]] = {"NUCLE": _nucle(bench)}
    for name, (who, how) in REWRITES.items():
        sets[name] = _rewrites(bench, how)["E" if who == "expert" else "N"]
    sets["BN15"] = [[segment.references[k] for segment in bench.references("BN15")] for k in range(10)]
    raw = [[lines[i] for i in bench.merged] for system, lines in bench.outputs.items() if system != "INPUT"]
    sets["output"] = [[" ".join(line.split()) for line in lines] for lines in raw]
    differences = changes([" ".join(line.split()) for line in source], sets)
    parts = ("insertions", "deletions", "substitutions", "shifts")
    rows: list[list[TableCell]] = [
        [m.second, 100 * m.changed, m.ster, *(float(getattr(m, part)) for part in parts)] for m in differences
    ]
    columns = [Column("set"), Column("changed %", 1), Column("sTER", 2), *(Column(part, 2) for part in parts)]
    by_set = {m.second: m for m in differences}
    published = printed(NAME, "Figure 2")
    stacked = {part: [float(getattr(m, part)) for m in differences] for part in parts}
    output, as_they_are = by_set["output"], changes(source, {"output": raw})[0]
    apart = Cause(
        "1.4 is the mean over the sentences that were changed "
        f"({as_they_are.ster / as_they_are.changed:.2f}), while the other sets' numbers are over all; among "
        "them is every line of IITB and SJTU, for the blanks at its end (without these it would be "
        f"{output.ster / output.changed:.2f})",
        gives=as_they_are.ster / as_they_are.changed,
    )
    return Reproduction(
        cells(published, {key: by_set[key[0]].ster for key in published}, causes={("output", "sTER"): apart}),
        [Table(columns, [*rows], "Changes of the source")],
        ["cells are the numbers of §3.2"],
        [partial(bars, [m.second for m in differences], stacked, "mean sTER", True)],
    )


RELEASED_RUNS = 100  # that the authors' commands for clusters take
ANNOTATIONS = {
    "refExptFluent": "Expert fluency", "refCrwdFluent": "Non-expert fluency", "refNUCLE": "NUCLE",
    "refExptMinimal": "Expert minimal", "refCrwdMinimal": "Non-expert minimal", "src": "Original sentence",
}  # fmt: skip


@once
def _released_runs(bench: Bench, name: str) -> dict[str, float]:
    """Mean scores over the released runs of TrueSkill: `main`, `ctrl` (crowd) or `AMU` (experts)."""
    scores: dict[str, list[float]] = {}
    for line in read_lines(bench.path("reassess") / "trueskill_runs.tsv.xz"):
        group, _, system, mu, _ = line.split("\t")
        if group == name and system != "data_points":
            scores.setdefault(system, []).append(float(mu))
    return {system: float(np.mean(values)) for system, values in scores.items()}


def table_5(bench: Bench) -> Reproduction:
    judgments = bench.crowd("Main")
    runs = bench.trueskill(judgments)
    reproduced = ranking_cells(rank_systems(judgments.systems, runs), ANNOTATIONS)
    reproduced["all", "comparisons"] = len(bench.pairs(judgments))
    other = {key: value for key, value in reproduced.items() if key[1] == "score"}
    reproduced |= {
        (ANNOTATIONS[name], "score"): score for name, score in _released_runs(bench, "main").items()
    }
    return Reproduction(
        cells(printed(NAME, "Table 5"), reproduced, other=other),
        notes=[
            f"scores are means of the {RELEASED_RUNS} released runs; beside them from the judgments. "
            "Clusters are numbered 1, 2, … here; the paper numbers them by rank (1, 3, 4, 5, 6)"
        ],
        other="from the judgments",
    )


def figure_4(bench: Bench) -> Reproduction:
    old = named(bench.systems, bench.scores(GLEU(brevity="inverted"), "E-fluency"))
    new = named(bench.systems, bench.scores(GLEU(), "E-fluency"))
    experts = named(bench.experts.systems, bench.trueskill(bench.experts).mean(axis=0))
    text = "systems whose scores differ by less than the .0004 by which random references and texts move them"
    inverted = ranked("GLEU E-fluency", old)
    causes = {key: Cause(text, outcomes=near(old, str(name), 0.0008)) for key, name in inverted.items()}
    published = printed(NAME, "Figure 4")
    orders = [order_of(published, column) for column in ("expert", "GLEU E-fluency")]
    corrected = ranked("GLEU E-fluency", new)
    return Reproduction(
        cells(published, inverted | ranked("expert", experts), other=corrected, causes=causes),
        charts=[
            partial(
                slopes,
                ["experts", "GLEU as printed", "GLEU, penalty corrected"],
                [*orders, [str(name) for name in corrected.values()]],
            )
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
    references = [[*rewrites[i + 1], *(lines[i] for lines in earlier)] for i in chosen]
    least = min(map(len, references))
    corpus = Corpus.from_lists([bench.gold.sources[i] for i in chosen], [row[:least] for row in references])
    outputs = {name: [lines[i] for i in chosen] for name, lines in bench.outputs.items() if name != "INPUT"}
    measure = partial(
        reference_curve, corpus=corpus, outputs=outputs, draws=30, seed=bench.seed, jobs=bench.jobs
    )
    tables, lines, reach = [], {}, None
    for title, metric in (
        ("GLEU of 2015", GLEU2015()),
        ("of 2016, penalty inverted", GLEU(brevity="inverted", sampling="all")),
        ("of June 2017", GLEU(sampling="all")),
    ):
        curve = measure(metric)
        table: list[Any] = [
            [count, float(row.mean()), float(row.min()), float(row.max())]
            for count, row in zip(curve.counts, curve.scores, strict=True)
        ]
        columns = [Column("references"), *(Column(name, 4) for name in ("mean", "lowest", "highest"))]
        tables.append(Table(columns, table, f"GLEU by number of references, {title}"))
        lines[title] = curve.scores.mean(axis=1)
        reach = reach or (curve.scores.min(axis=1).tolist(), curve.scores.max(axis=1).tolist())
    means_of = lines["GLEU of 2015"]
    reproduced: dict[Key, Value] = {("mean GLEU", "rises"): "yes" if (np.diff(means_of) > 0).all() else "no"}
    counts = [float(row[0]) for row in tables[0].rows if isinstance(row[0], int)]
    return Reproduction(
        cells({("mean GLEU", "rises"): "yes"}, reproduced),
        tables,
        notes=[
            f"{len(chosen)} sentences, {least} rewrites each (six collected for this figure, two for all "
            "sentences); the paper prints no numbers and speaks of ten. With the program of 2015, which "
            "pools the references, the curve rises and levels off at about four, as printed. GLEU as this "
            "paper defines it is a mean over one reference a sentence, whose expectation does not depend on "
            "how many there are: that curve is flat"
        ],
        charts=[partial(curves, counts, lines, ("references", "GLEU"), {}, reach)],
    )


def figure_6(bench: Bench) -> Reproduction:
    crowd = bench.crowd("Ctrl")
    # The experts' judgments of the sentences that the crowd judged, whose numbers are one lower
    chosen = {str(int(crowd.segments[s]) + 1) for s in crowd.segment}
    experts = bench.experts.select(
        np.array([bench.experts.segments[s] in chosen for s in bench.experts.segment])
    )
    crowd_runs, expert_runs = bench.trueskill(crowd), bench.trueskill(experts)
    released = [
        np.array([scores[system] for system in crowd.systems])
        for scores in (_released_runs(bench, "ctrl"), _released_runs(bench, "AMU"))
    ]
    published = printed(NAME, "Figure 6") | printed(NAME, "Figure 6, text")
    reproduced = ranked("non-expert", named(crowd.systems, crowd_runs.mean(axis=0)))
    hundreds = [
        means(runs, RELEASED_RUNS, seed=bench.seed + k) for k, runs in enumerate((crowd_runs, expert_runs))
    ]
    both = np.column_stack([function(*hundreds) for function in (spearman, pearson)])
    text = (
        f"TrueSkill's random draws: 95 % of means of {RELEASED_RUNS} runs, as the authors took, reach so far"
    )
    keys = [("non-expert and expert", symbol) for symbol in "ρr"]
    reproduced |= {key: float(column.mean()) for key, column in zip(keys, both.T, strict=True)}
    causes = within(text, zip(keys, band(both), strict=True))
    reproduced["all", "comparisons"] = len(bench.pairs(crowd))
    text = (
        f"TrueSkill's random draws: the printed place is among those that 95 % of means of {RELEASED_RUNS} "
        "runs give all systems at once"
    )
    causes |= place_causes(text, "non-expert", crowd.systems, hundreds[0])
    other: dict[Key, Value] = dict(
        zip(keys, (float(function(*released)) for function in (spearman, pearson)), strict=True)
    )
    rankings = [order_of(printed(NAME, "Figure 4"), "expert"), order_of(published, "non-expert")]
    return Reproduction(
        cells(published, reproduced, other=other, causes=causes),
        charts=[partial(slopes, ["experts", "non-experts"], rankings)],
        other="from released runs",
    )


Outcomes = dict[str, list[int | None]]  # of each pair of outputs, by the key of the authors' script


def _python_2_hash(text: str) -> int:
    """The hash of a string in Python 2.7 on 64 bits."""
    value = ord(text[0]) << 7
    for letter in text:
        value = (1000003 * value & 0xFFFFFFFFFFFFFFFF) ^ ord(letter)
    return value ^ len(text)


def _python_2_order(texts: Iterable[str]) -> list[str]:
    """The order of a set or dict of at most five strings in Python 2.7, which has a table of 8 places."""
    table: dict[int, str] = {}
    for text in texts:
        place = perturb = _python_2_hash(text)
        while place & 7 in table:
            place = 5 * place + perturb + 1
            perturb >>= 5
        table[place & 7] = text
    return [table[place] for place in sorted(table)]


def _add_screen(outcomes: Outcomes, sentence: int, systems: Sequence[str], ranks: Sequence[str]) -> None:
    """The comparisons of one screen as in the authors' script: ranks keep the order of the file."""
    for pair, (x, y) in zip(
        itertools.combinations(systems, 2), itertools.combinations(ranks, 2), strict=True
    ):
        outcome = (int(x) < int(y)) - (int(x) > int(y)) if x and y else None
        outcomes.setdefault(f"{sentence}_{'-'.join(_python_2_order(pair))}", []).append(outcome)


def _outcomes(bench: Bench) -> tuple[Outcomes, Outcomes]:
    """The comparisons of the crowd, and of the experts for the first group of systems of each sentence."""
    crowd: Outcomes = {}
    with open(bench.path("reassess") / "Ctrl_merged.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["Input.type"] == "control":
                screen = [(row[f"Input.system{k}"], row[f"Answer.rank_{k}"]) for k in range(1, 6)]
                systems, ranks = zip(*(pair for pair in screen if pair[0] != "###"), strict=True)
                _add_screen(crowd, int(row["Input.sentID"]), systems, ranks)
    experts: Outcomes = {}
    for line in read_lines(bench.path("reassess") / "highAgreedAMU.txt"):
        sentence, _, screens = line.split("\t")
        judged = literal_eval(screens)
        first = _python_2_order(judged)[0]
        for ranks in judged[first]:
            _add_screen(experts, int(sentence) - 1, first.split("||"), ranks)
    return crowd, experts


def table_7(bench: Bench) -> Reproduction:
    crowd, experts = _outcomes(bench)
    both = [key for key in crowd if len(crowd[key]) > 1 and len(experts.get(key, ())) > 1]
    groups = {
        "Non-experts": [crowd[key] for key in both],
        "Experts": [experts[key] for key in both],
        "Non-experts and Experts": [crowd[key] + experts[key] for key in both],
    }
    judged, by_experts = bench.crowd("Ctrl"), bench.experts
    common = dict(zip(groups, (inside(judged), inside(by_experts), between(judged, by_experts)), strict=True))
    reproduced: dict[Key, Value] = {}
    other: dict[Key, Value] = {}
    for name, comparisons in groups.items():
        pairs = [pair for each in comparisons for pair in itertools.combinations(each, 2) if None not in pair]
        table = confusion([a for a, _ in pairs], [b for _, b in pairs], (-1, 0, 1))
        reproduced[name, "κ"], reproduced[name, "κw"] = (
            kappa_of_table(table, weights=w) for w in ("plain", "quadratic")
        )
        other[name, "κ"], other[name, "κw"] = common[name].cohen, common[name].weighted
    return Reproduction(cells(printed(NAME, "Table 7"), reproduced, other=other), other="in a common order")
