"""Chollampatt & Ng (2018), *A Reassessment of Reference-Based GEC Metrics*, COLING."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from errata.corpus.files import read_lines
from errata.meta.levels import WILLIAMS, SentenceLevel, SystemLevel
from errata.metrics.base import Metric
from errata.metrics.gleu import GLEU
from errata.metrics.imeasure import IMeasure
from errata.metrics.m2 import M2
from errata.metrics.statistics import Floats
from errata.tables import Column, Table, matrix
from errata_studies.replicate.bench import Bench, named
from errata_studies.replicate.drawing import heat, scatter
from errata_studies.replicate.exhibits import (
    Cause,
    Key,
    Reproduction,
    Value,
    cells,
    printed,
)  # fmt: skip

METRICS: dict[str, tuple[Metric, str, int]] = {
    # the metric, its references, and the decimals that the official program prints (of a fraction)
    "GLEU": (GLEU(), "NUCLE texts", 4),
    "I-measure": (IMeasure(), "NUCLE", 4),
    "M²": (M2(), "NUCLE", 4),
}
KINDS = {"r": "pearson", "ρ": "spearman"}
RANKINGS = {"EW": "expected_wins", "TS": "trueskill"}
NAME = "chollampatt2018"
TABLE_3 = printed(NAME, "Table 3")
SETS = {"expanded": "expanded", "unexpanded": "first"}
MISPRINT = (
    "the authors' own file has 20,516 comparisons, 5,694 of them ties: 14,822 remain, and with these the "
    "three printed τ come out. The printed number is that of the comparisons that GLEU, rounded to four "
    "decimals, does not tie either"
)
RELEASED = (
    "reproduced: metrics from the texts, rounded as the official programs print them, against the human "
    "scores the authors released (one sampling run); the other column uses the judgments themselves and "
    "nothing rounded"
)


def _scores(bench: Bench, *, rounded: bool) -> dict[str, dict[str, float]]:
    by_metric = {}
    for name, (metric, references, decimals) in METRICS.items():
        scores = bench.scores(metric, references)
        by_metric[name] = named(bench.systems, np.round(scores, decimals) if rounded else scores)
    return by_metric


def _human(bench: Bench, ranking: str, *, released: bool) -> dict[str, float]:
    if released:
        file = bench.path("gecmetrics") / "system_scores_humans" / f"{RANKINGS[ranking]}.txt.gz"
        rows = [line.split("\t") for line in read_lines(file)]
        return {row[3]: float(row[4]) for row in rows}
    if ranking == "EW":
        return named(bench.experts.systems, bench.expected_wins(bench.experts))
    return named(bench.experts.systems, bench.trueskill(bench.experts).mean(axis=0))


def _level(bench: Bench, ranking: str, *, released: bool) -> SystemLevel:
    return SystemLevel.of(_human(bench, ranking, released=released), _scores(bench, rounded=released))


def _correlations(bench: Bench, *without: str, released: bool) -> dict[Key, Value]:
    computed: dict[Key, Value] = {}
    for ranking in RANKINGS:
        level = _level(bench, ranking, released=released).without(*without)
        for symbol, kind in KINDS.items():
            values = level.correlations(kind).tolist()
            computed |= {(m, f"{ranking} {symbol}"): v for m, v in zip(level.metrics, values, strict=True)}
    return computed


def _compared(bench: Bench, published: dict[Key, str], *without: str) -> Reproduction:
    released, judged = (_correlations(bench, *without, released=released) for released in (True, False))
    return Reproduction(
        cells(published, released, other=judged), notes=[RELEASED], other="from the judgments"
    )


def table_2(bench: Bench) -> Reproduction:
    return _compared(bench, printed(NAME, "Table 2"))


def section_3_3_1(bench: Bench) -> Reproduction:
    return _compared(bench, printed(NAME, "§3.3.1"), "IPN")


def sentence_level(bench: Bench, kind: str, *, m2: str) -> SentenceLevel:
    """The three metrics against the experts' comparisons; `m2` is how M² scores a sentence."""
    scores = {}
    for name, (metric, references, decimals) in METRICS.items():
        chosen = M2(sentence=m2) if isinstance(metric, M2) else metric
        sentences = bench.sentences(chosen, references)
        # The I-measure's program prints a percentage with two decimals: equal print is a tie.
        digits = decimals if name == "I-measure" else 12
        scores[name] = {system: np.round(values, digits) for system, values in sentences.items()}
    return SentenceLevel.of(bench.pairs(bench.experts, kind), scores)


def _taus(bench: Bench, *, m2: str) -> dict[Key, Value]:
    computed: dict[Key, Value] = {}
    for label, kind in SETS.items():
        level = sentence_level(bench, kind, m2=m2)
        for variant, heading in (("hties", f"{label} HTies"), ("noties", f"{label} NoTies")):
            stars = level.stars(variant, seed=bench.seed)
            for metric, counts, star in zip(level.metrics, level.counts(), stars, strict=True):
                computed[metric, heading] = counts.tau(variant)
                # The paper stars the best metric only.
                best = counts.tau(variant) == max(other.tau(variant) for other in level.counts())
                computed[f"{metric} starred", heading] = "yes" if star and best else "no"
                ties = counts.human_ties + counts.both_ties if variant == "noties" else 0
                computed["comparisons", heading] = counts.pairs - ties
    return computed


def _misprint(bench: Bench) -> dict[Key, Cause]:
    metric, references, decimals = METRICS["GLEU"]
    sentences = bench.sentences(metric, references).items()
    scores = {"GLEU": {system: np.round(values, decimals) for system, values in sentences}}
    gleu = SentenceLevel.of(bench.pairs(bench.experts, "first"), scores).counts()[0]
    return {("comparisons", "unexpanded NoTies"): Cause(MISPRINT, gives=gleu.concordant + gleu.discordant)}


def table_3(bench: Bench) -> Reproduction:
    computed = _taus(bench, m2="last")
    return Reproduction(
        cells(TABLE_3, computed, other=_taus(bench, m2="best"), causes=_misprint(bench)),
        other="M² of the best annotator",
    )


# Table 4: the examples are the paper's (CC BY 4.0).
_MAKES = "The weekly quizzes in this course makes it challenging and fun ."
_MAKE = "The weekly quizzes in this course make it challenging and fun ."
_MAKING = "The weekly quizzes in this course making it challenging and fun ."
_SOURCE = "The senior student who failed have to retake the course next year ."
_FIRST = "The senior student who failed has to retake the course next year ."
_SECOND = "The senior students who failed have to retake the course next year ."
_BOTH = "The senior students who failed has to retake the course next year ."
EXAMPLES = {
    "1.1": (_MAKES, [_MAKE], _MAKES),
    "1.2": (_MAKES, [_MAKE], _MAKING),
    "2.1": (_SOURCE, [_FIRST, _SECOND], _FIRST),
    "2.2": (_SOURCE, [_FIRST, _SECOND], _SECOND),
    "2.3": (_SOURCE, [_FIRST, _SECOND], _BOTH),
}


def table_4(bench: Bench) -> Reproduction:
    computed: dict[Key, Value] = {}
    other: dict[Key, Value] = {}
    for example, (source, references, hypothesis) in EXAMPLES.items():
        for column, metric, scale in (("GLEU", GLEU(), 1), ("I %", IMeasure(), 100), ("M²", M2(), 1)):
            score = metric.score([source], [hypothesis], [references])
            computed[example, column] = scale * score.value
        exact = GLEU(sampling="all").score([source], [hypothesis], [references])
        other[example, "GLEU"] = exact.value
    return Reproduction(cells(printed(NAME, "Table 4"), computed, other=other), other="over all choices")


def figure_1(bench: Bench) -> Reproduction:
    levels = {name: _level(bench, name, released=False) for name in RANKINGS}
    level = levels["EW"]
    columns = [Column("system"), *(Column(name, 3) for name in ("Expected Wins", "TrueSkill"))]
    columns += [Column(metric, 4) for metric in level.metrics]
    order = np.argsort(-level.human)
    rows: list[Any] = [
        [level.systems[i], float(level.human[i]), float(levels["TS"].human[i]), *level.scores[:, i].tolist()]
        for i in order
    ]
    return Reproduction(
        tables=[Table(columns, rows, "Metric and human scores (Figure 1)")],
        charts=[partial(scatter, level, "Expected Wins"), partial(scatter, levels["TS"], "TrueSkill")],
    )


def figure_2(bench: Bench) -> Reproduction:
    computed: dict[Key, Value] = {}
    tables, panels = [], {}
    for ranking in RANKINGS:
        level = _level(bench, ranking, released=True)
        gleu, m2 = level.metrics.index("GLEU"), level.metrics.index("M²")
        for symbol, kind in KINDS.items():
            p: Floats = level.williams(kind)
            panels[f"{ranking} {symbol}"] = p
            tables.append(
                matrix("better", level.metrics, p, 5, f"Williams' p, {ranking} {symbol}", [WILLIAMS])
            )
            if symbol == "r":
                computed["GLEU over M²", f"{ranking} r"] = float(p[gleu, m2])
            else:
                computed["M² over GLEU at .10", f"{ranking} ρ"] = "yes" if p[m2, gleu] < 0.10 else "no"
    return Reproduction(
        cells(printed(NAME, "Figure 2"), computed),
        tables,
        charts=[partial(heat, level.metrics, [*panels], [*panels.values()])],
    )
