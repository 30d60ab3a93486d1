"""Napoles, Sakaguchi, Post & Tetreault (2015), *Ground Truth for GEC Metrics*, ACL."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from itertools import combinations

import numpy as np

from errata.human.pairs import Pairs, pairs_of
from errata.human.trueskill import trueskill_runs
from errata.meta.levels import SystemLevel
from errata.metrics.base import Metric
from errata.metrics.bleu import BLEU
from errata.metrics.gleu import GLEU, GLEU2015
from errata.metrics.imeasure import IMeasure
from errata.metrics.m2 import M2
from errata.metrics.statistics import Floats
from errata.significance.correlations import CORRELATIONS, pearson, spearman
from errata.tables import Cell as TableCell
from errata.tables import Column, Table
from errata_studies.replicate.bench import Bench, named, once
from errata_studies.replicate.drawing import among_draws, scatter
from errata_studies.replicate.exhibits import (
    Cause,
    Key,
    Reproduction,
    Value,
    cells,
    cut_off,
    order_of,
    printed,
    ranked,
    within,
)  # fmt: skip
from errata_studies.replicate.sakaguchi2016_table6 import bleu_2016
from errata_studies.replicate.sampling import band, place_causes, share_as_far

NAME = "napoles2015"
KINDS = {"r": "pearson", "ρ": "spearman"}
JUDGES = ("annot1", "annot2", "annot3")
TABLE_2, TABLE_3 = printed(NAME, "Table 2"), printed(NAME, "Table 3")
DRAWN = (
    "human scores: TrueSkill on unexpanded pairs, which of its systems stands for a text drawn at random. "
    "The paper says neither that nor how many runs it took, so a draw here is one choice and one run, and "
    "what is printed is the mean over draws"
)
AT_ONCE = "TrueSkill's random draws: 95 % of draws reach as far in all figures of the table at once"
EACH = 10  # runs of TrueSkill for each choice of systems for the texts
BY_EQUATION = GLEU2015(denominator="paper", difference="counts", brevity="none")
METRICS: dict[str, Metric] = {
    "M²": M2(),
    "I-measure": IMeasure(),
    "GLEU0": BY_EQUATION,
    "GLEU0.1": GLEU2015(lambda_=0.1, denominator="paper", difference="counts", brevity="none"),
    "GLEU+": GLEU(brevity="inverted"),
}


def _played(bench: Bench, pairs: Pairs, runs: int, seed: int) -> Floats:
    """TrueSkill without the reference (runs × systems of the bench)."""
    return bench.aligned(pairs.systems, trueskill_runs(pairs, runs=runs, seed=seed, jobs=bench.jobs))


@once
def draws_of(bench: Bench, judges: tuple[str, ...] = JUDGES, kind: str = "unexpanded") -> Floats:
    """The systems' scores in every draw: a choice of systems for the texts, and a run of TrueSkill."""
    judgments = bench.napoles
    part = judgments if judges == JUDGES else judgments.filtered(judges=judges)
    if kind == "expanded":
        return _played(bench, bench.pairs(part), bench.runs, bench.seed)
    # A choice takes longer than a run, so each is played several times.
    seeds = [bench.seed + k for k in range(max(10, bench.runs // EACH))]
    return np.concatenate([_played(bench, pairs_of(part, kind, seed=s), EACH, s) for s in seeds])


def judge_correlations(bench: Bench, kind: str, runs: int = 1) -> Floats:
    """r and ρ of every two judges (draws × 6), of single runs or of means of several of one choice."""
    by_judge = [draws_of(bench, (judge,), kind) for judge in JUDGES]
    by_judge = [each.reshape(-1, runs, each.shape[1]).mean(axis=1) for each in by_judge]
    return np.column_stack(
        [f(by_judge[a], by_judge[b]) for a, b in combinations(range(3), 2) for f in (pearson, spearman)]
    )


def table_1(bench: Bench) -> Reproduction:
    published = printed(NAME, "Table 1")
    figures = np.array([float(text) for text in published.values()])
    ways = {
        "single runs": judge_correlations(bench, "unexpanded"),
        f"means of {EACH}": judge_correlations(bench, "unexpanded", EACH),
        "expanded pairs": judge_correlations(bench, "expanded"),
    }
    values = ways["single runs"]
    rows: list[list[TableCell]] = [
        [
            *key,
            text,
            *(each for way in ways.values() for each in (float(way[:, k].mean()), float(way[:, k].std()))),
        ]
        for k, (key, text) in enumerate(published.items())
    ]
    columns = [Column("judges"), Column(""), Column("published")]
    columns += [Column(f"{name} {part}", 3) for name in ways for part in ("mean", "sd")]
    far = "; ".join(f"{name} {100 * share_as_far(each, figures):.0f} %" for name, each in ways.items())
    reproduced: dict[Key, Value] = dict(zip(published, values.mean(axis=0).tolist(), strict=True))
    return Reproduction(
        cells(published, reproduced, causes=within(AT_ONCE, zip(published, band(values), strict=True))),
        [Table(columns, [*rows], "The published figures among the draws")],
        charts=[partial(among_draws, [f"{row}, {symbol}" for row, symbol in published], ways, figures)],
        notes=[DRAWN, f"draws that are as far from their mean as the six figures together: {far}"],
    )


def scores(bench: Bench) -> dict[str, Floats]:
    """Every metric's scores on the NUCLE references, in the order of the bench's systems."""
    by_metric = {name: bench.scores(metric, "NUCLE") for name, metric in METRICS.items()}
    by_metric["BLEU"] = _bleus(bench)["texts, no penalty"]
    return by_metric


@once
def _bleus(bench: Bench) -> dict[str, Floats]:
    """BLEU by references (with the Um edits or without) and brevity penalty; the paper names neither."""
    by_variant = {}
    for label, name in (("texts", "NUCLE texts"), ("edits", "NUCLE")):
        statistics = bench.statistics(BLEU(), name)
        sums = np.array([statistics[system].values.sum(axis=0) for system in bench.systems])
        by_variant[f"{label}, no penalty"] = np.exp(np.log(sums[:, :4] / sums[:, 4:8]).mean(axis=1))
        by_variant[f"{label}, fixed"] = bench.scores(BLEU(), name)
        by_variant[f"{label}, inverted"] = bleu_2016(bench, name, whole=True)
    return by_variant


def sources(bench: Bench) -> dict[str, Floats]:
    """Scores of other programs, which give the printed orders and correlations."""
    return {
        "BLEU": bench.released("bleu")[:, 0],
        "I-measure": bench.released("iwacc")[:, 0],
        "M²": bench.scores(M2(), "NUCLE alternatives"),
    }


def _bleu_places(bench: Bench, reproduced: Mapping[Key, Value]) -> dict[Key, Cause]:
    """For each place of BLEU, the systems that one of the definitions puts there."""
    orders = [ranked("BLEU", named(bench.systems, each)) for each in _bleus(bench).values()]
    text = (
        f"the paper does not define BLEU: one of {len(orders)} definitions (references with and without Um "
        "edits; no brevity penalty, the usual one, inverted) puts the system there"
    )
    return {
        key: Cause(text, outcomes=frozenset(str(order[key]) for order in orders))
        for key in reproduced
        if key[1] == "BLEU"
    }


def table_2(bench: Bench) -> Reproduction:
    computed, other_scores = scores(bench), sources(bench)
    reproduced: dict[Key, Value] = {}
    other: dict[Key, Value] = {}
    text = "TrueSkill's random draws: the systems that 95 % of draws put there, all places at once"
    causes = place_causes(text, "Human", bench.systems, draws_of(bench))
    for column in dict.fromkeys(column for _, column in TABLE_2):
        values = draws_of(bench).mean(axis=0) if column == "Human" else computed[column]
        reproduced |= ranked(column, named(bench.systems, values))
    reasons = {
        "I-measure": "the scores published by Felice & Briscoe (2015) have this order; the "
        "official program with this gold, without mixing annotators, gives another one",
        "M²": "the shared task's evaluation with alternative answers (Ng et al. 2014) has this order",
    }
    for column, reason in reasons.items():
        other |= ranked(column, named(bench.systems, other_scores[column]))
        causes |= {key: Cause(reason, gives=other[key]) for key in TABLE_2 if key[1] == column}
    return Reproduction(
        cells(TABLE_2, reproduced, other=other, causes=causes | _bleu_places(bench, reproduced)),
        notes=[
            DRAWN,
            "GLEU0 and GLEU0.1 by the paper's Equation 1 on bags of n-grams, without a brevity penalty: the "
            "released program has another denominator and puts AMU eighth",
            "GLEU0.1: the equations put INPUT fifth, where it is printed last. UFC, printed fourth, differs "
            f"from it in {_changed(bench, 'UFC')} of {len(bench.gold)} sentences, so that no sum over "
            "sentences can put INPUT last: a misprint is suspected",
        ],
        other="from others' scores",
    )


def _changed(bench: Bench, system: str) -> int:
    pairs = zip(bench.outputs[system], bench.outputs["INPUT"], strict=True)
    return sum(a.split() != b.split() for a, b in pairs)


def correlations(bench: Bench, names: tuple[str, ...]) -> tuple[dict[Key, Value], dict[Key, Cause]]:
    """Mean correlations with the human scores over the draws, and how far the draws move them."""
    drawn, computed = draws_of(bench), scores(bench)
    keys = [(name, symbol) for name in names for symbol in KINDS]
    values = np.column_stack([CORRELATIONS[KINDS[symbol]](drawn, computed[name]) for name, symbol in keys])
    reproduced: dict[Key, Value] = dict(zip(keys, values.mean(axis=0).tolist(), strict=True))
    return reproduced, within(AT_ONCE, zip(keys, band(values), strict=True))


def table_3(bench: Bench) -> Reproduction:
    names = tuple(dict.fromkeys(row for row, _ in TABLE_3))
    reproduced, causes = correlations(bench, names)
    drawn = draws_of(bench)
    order = order_of(TABLE_2, "Human")
    people = np.array([-float(order.index(system)) for system in bench.systems])
    values = {name: pearson(drawn, each) for name, each in sources(bench).items()}
    reach = dict(zip(values, band(np.column_stack([*values.values()])).tolist(), strict=True))
    other: dict[Key, Value] = {}
    for name, each in values.items():
        other[name, "r"] = float(each.mean())
        causes[name, "r"] = Cause(f"{OTHERS}. {AT_ONCE}", gives=other[name, "r"], reach=reach[name])
    for name, each in (scores(bench) | sources(bench)).items():
        if name in names:
            other[name, "ρ"] = float(spearman(each, people))
            reach_of = causes[name, "ρ"].reach if name not in reach else 0.0
            text = "the printed human ranking" + (f" and {OTHERS}" if name in reach else "")
            causes[name, "ρ"] = Cause(text, other[name, "ρ"], reach_of)
    for symbol in KINDS:  # no computation is known that gives the printed row
        del causes["GLEU0.1", symbol]
    return Reproduction(
        cells(TABLE_3, reproduced, other=other, causes=causes),
        notes=[DRAWN, "for GLEU0.1 see Table 2"],
        other="from others' scores",
    )


OTHERS = (
    "the scores of others (M² with alternative answers, the I-measure of Felice & Briscoe, BLEU as "
    "Grundkiewicz et al. released it)"
)


def section_2(bench: Bench) -> Reproduction:
    """Correlations between metrics (§2, Figure 1)."""
    published = printed(NAME, "§2")
    each = sources(bench)
    reproduced: dict[Key, Value] = {
        (f"{a} and {b}", "r"): float(pearson(each[a], each[b]))
        for a, b in (("M²", "I-measure"), ("M²", "BLEU"), ("I-measure", "BLEU"))
    }
    level = SystemLevel.of(
        named(bench.systems, each["M²"]),
        {name: named(bench.systems, each[name]) for name in ("I-measure", "BLEU")},
    )
    return Reproduction(
        cells(published, reproduced, causes=cut_off(published, reproduced)),
        charts=[partial(scatter, level, "M² with alternative answers")],
    )


def table_4(bench: Bench) -> Reproduction:
    index = next(
        i for i, s in enumerate(bench.gold.sources) if s.startswith("We may in actual fact communicating")
    )
    reproduced: dict[Key, Value] = {}
    other: dict[Key, Value] = {}
    for system in ("UMC", "AMU", "NTHU"):
        hypothesis = bench.outputs[system][index]
        part = bench.references("NUCLE").select([index])
        reproduced[system, "GLEU"] = BY_EQUATION.score(part, [hypothesis]).value
        reproduced[system, "M²"] = M2().score(part, [hypothesis]).value
        other[system, "GLEU"] = GLEU().score(part, [hypothesis]).value
        ranks = [
            rank
            for item in bench.napoles.items()
            if item.segment == str(index + 1)
            for text, rank in zip(item.texts, item.ranks, strict=True)
            if system in text
        ]
        reproduced[system, "human rank"] = ranks[0] if ranks else None
    return Reproduction(
        cells(printed(NAME, "Table 4"), reproduced, other=other, causes=_rounded_twice(reproduced)),
        other="GLEU+",
    )


def _rounded_twice(reproduced: Mapping[Key, Value]) -> dict[Key, Cause]:
    """Figures rounded to three decimals, and then halves up to two."""
    return {
        key: Cause(
            "rounded to three decimals, then up", gives=math.floor(100 * round(value, 3) + 0.5 + 1e-9) / 100
        )
        for key, value in reproduced.items()
        if isinstance(value, float)
    }


def footnote_3(bench: Bench) -> Reproduction:
    published, metric = printed(NAME, "Footnote 3"), M2()
    score = metric.score(bench.gold, ["X"] * len(bench.gold))
    systems = named(bench.systems, bench.scores(metric, "NUCLE"))
    twelve = [value for name, value in systems.items() if name != "INPUT"]
    reproduced: dict[Key, Value] = {
        ("X", "P"): score.parts["precision"],
        ("X", "R"): score.parts["recall"],
        ("X", "F"): score.value,
        ("X", "rank"): 1 + sum(value > score.value for value in twelve),
    }
    return Reproduction(cells(published, reproduced, causes=cut_off(published, reproduced)))
