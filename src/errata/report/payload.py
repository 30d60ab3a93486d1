"""What the HTML report shows, as plain data: computed in the other rooms, put together here."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from errata import __version__
from errata.metrics.base import Floats, TypedMetric
from errata.metrics.m2 import M2
from errata.metrics.results import Results
from errata.report.scores import metric_names
from errata.significance.compare import Comparison, Plan, compare
from errata.significance.correlations import correlation, pearson, spearman

if TYPE_CHECKING:
    from errata.metrics.m2_explanation import AnnotatorView

BETAS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.5, 2.0, 3.0, 5.0)
ALPHA = 0.05
MOST_GROUPS = 40  # of a label that is worth a heat map
Marked = Mapping[str, "Sequence[AnnotatorView]"]
Data = dict[str, Any]


@dataclass(frozen=True)
class Settings:
    """How the report is made: its title, the command to print, the bootstrap behind the intervals."""

    title: str = "Evaluation report"
    command: str = ""
    samples: int = 2000
    correction: str = "bh"
    seed: int = 1
    jobs: int | None = None


def score_data(results: Results, settings: Settings) -> Data:
    """The scores alone, quickly made: what the explorer needs around it."""
    return _data(results, settings, [None] * len(results.metrics))


def report_data(
    results: Results,
    settings: Settings,
    marked: Marked | None = None,
    advance: Callable[[int], None] = lambda steps: None,
) -> Data:
    """Everything but people's judgments and the single sentences."""
    plan = Plan(
        "bootstrap",
        samples=settings.samples,
        alpha=ALPHA,
        correction=settings.correction,
        seed=settings.seed,
    )
    comparisons: list[Comparison | None] = [None] * len(results.metrics)
    if len(results.systems) > 1 and len(results) > 1:
        comparisons = list(compare(results, plan, jobs=settings.jobs))
    advance(len(results.metrics))
    data = _data(results, settings, comparisons) | {
        "groups": [found for label in results.labels if (found := group_scores(results, label)) is not None],
        "planes": planes(results),
        "typed": typed_scores(results, settings.jobs),
        "agreement": metric_agreement(results),
        "curves": curves(results, settings, advance),
    }
    if marked is not None:
        data["edits"], data["types"] = edit_data(results.systems, marked)
    return data


def _data(results: Results, settings: Settings, comparisons: Sequence[Comparison | None]) -> Data:
    return {
        "title": settings.title,
        "version": __version__,
        "command": settings.command,
        "segments": len(results),
        "references": 0 if results.corpus is None else len(results.corpus.annotators),
        "systems": list(results.systems),
        "metrics": [
            {
                "name": name,
                "decimals": metric.decimals,
                "higher": metric.higher_is_better,
                "signature": metric.signature,
            }
            for name, metric in zip(metric_names(results), results.metrics, strict=True)
        ],
        "plan": {
            "samples": settings.samples,
            "correction": settings.correction,
            "alpha": ALPHA,
            "seed": settings.seed,
        },
        "board": [_board(results, number, comparison) for number, comparison in enumerate(comparisons)],
        "planes": [],
        "groups": [],
        "typed": [],
        "agreement": None,
        "curves": [],
    }


def _board(results: Results, number: int, comparison: Comparison | None) -> Data:
    scores = [results.score(system, number) for system in results.systems]
    metric = results.metrics[number]
    board: Data = {
        "scores": numbers([score.value for score in scores]),
        "parts": {part: numbers([score.parts[part] for score in scores]) for part in metric.shown},
    }
    if comparison is not None:
        place = {system: i for i, system in enumerate(results.systems)}
        p: list[list[float | None]] = [[None] * len(place) for _ in place]
        for pair in comparison.pairs:
            i, j = place[pair.first], place[pair.second]
            p[i][j] = p[j][i] = number_of(pair.adjusted)
        clusters = dict(zip(comparison.systems, comparison.clusters, strict=True))
        board |= {
            "low": numbers([comparison.scores[system][1] for system in results.systems]),
            "high": numbers([comparison.scores[system][2] for system in results.systems]),
            "clusters": [clusters[system] for system in results.systems],
            "p": p,
        }
    return board


def planes(results: Results) -> list[Data]:
    """Precision and recall, and F over β, for every metric that has them."""
    found = []
    for number, metric in enumerate(results.metrics):
        beta = metric.parameters.get("beta")
        if beta is None or metric.parts[0] != "f" or not {"precision", "recall"} <= set(metric.parts):
            continue
        scores = [results.score(system, number) for system in results.systems]
        ones = np.ones((1, len(results)), dtype=np.int64)
        sweep = [
            [
                number_of(replace(metric, beta=b).aggregate(score.statistics, ones)[0, 0])  # type: ignore[call-arg]
                for b in BETAS
            ]
            for score in scores
        ]
        found.append(
            {
                "metric": number,
                "beta": beta,
                "precision": numbers([score.parts["precision"] for score in scores]),
                "recall": numbers([score.parts["recall"] for score in scores]),
                "betas": list(BETAS),
                "sweep": sweep,
            }
        )
    return found


def group_scores(results: Results, label: str) -> Data | None:
    """Scores on each domain or other label by itself; None for labels with one value or very many."""
    groups = results.groups(label)
    if not 1 < len(groups) <= MOST_GROUPS or label == "paragraph":
        return None
    parts = [results.select(rows) for rows in groups.values()]
    return {
        "label": label,
        "names": [name or "(none)" for name in groups],
        "sizes": [len(rows) for rows in groups.values()],
        "scores": [
            [numbers([part.score(system, number).value for part in parts]) for system in results.systems]
            for number in range(len(results.metrics))
        ],
    }


def metric_agreement(results: Results) -> Data | None:
    """How far the metrics agree, over systems and over sentences; signs as if higher were better."""
    if len(results.metrics) < 2:
        return None
    signs = [1 if metric.higher_is_better else -1 for metric in results.metrics]
    systems = np.array(
        [
            [sign * results.score(system, number).value for system in results.systems]
            for number, sign in enumerate(signs)
        ]
    )
    sentences = np.array(
        [
            sign * np.concatenate([results.score(system, number).sentences for system in results.systems])
            for number, sign in enumerate(signs)
        ]
    )
    known = np.isfinite(sentences).all(axis=0)
    agreement: Data = {"sentences": _matrix(pearson, sentences[:, known]) if known.sum() > 1 else None}
    if len(results.systems) > 2:
        agreement |= {"pearson": _matrix(pearson, systems), "spearman": _matrix(spearman, systems)}
    return agreement


def _matrix(coefficient: Callable[[Any, Any], Floats], rows: Floats) -> list[list[float | None]]:
    return [numbers([float(coefficient(a, b)) for b in rows]) for a in rows]


def curves(results: Results, settings: Settings, advance: Callable[[int], None]) -> list[Data]:
    """Scores with 1, 2, … references, where there are texts and several annotators."""
    from errata.metrics.reference_curve import reference_curve

    if results.corpus is None or results.outputs is None:
        return []
    found = []
    for number, metric in enumerate(results.metrics):
        corpus = results.texts if results.texts is not None and metric.reads == "texts" else results.corpus
        advance(1)
        if len(corpus.annotators) < 2:
            continue
        full = np.array([results.score(system, number).value for system in results.systems])
        curve = reference_curve(
            metric, corpus, results.outputs, seed=settings.seed, full=full, jobs=settings.jobs
        )
        found.append({"metric": number, "scores": [numbers(row) for row in curve.tolist()]})
    return found


def typed_scores(results: Results, jobs: int | None) -> list[Data]:
    """Counts and scores of every error type, by the metrics that have types; frequent types first."""
    if results.corpus is None or results.outputs is None:
        return []
    found = []
    for number, metric in enumerate(results.metrics):
        if not isinstance(metric, TypedMetric):
            continue
        corpus = results.texts if results.texts is not None and metric.reads == "texts" else results.corpus
        scores = [metric.by_type(corpus, lines, jobs=jobs) for lines in results.outputs.values()]
        totals = Counter({name: 0 for one in scores for name in one.counts})
        for one in scores:
            totals.update({name: right + missed for name, (right, _, missed) in one.counts.items()})
        names = [name for name, _ in totals.most_common()]
        nothing = {"counts": [0, 0, 0], "scores": [None, None, None]}
        cells = [
            [
                {"counts": list(one.counts[name]), "scores": numbers(one.scores(name))}
                if name in one.counts
                else nothing
                for name in names
            ]
            for one in scores
        ]
        found.append({"metric": number, "names": names, "cells": cells})
    return found


def edit_data(systems: Sequence[str], marked: Marked) -> tuple[list[Data], Data]:
    """What each system's edits look like, and how many gold edits of each type it found."""
    from errata.metrics.marked_edits import count_edits

    counts = [count_edits(marked[system]) for system in systems]
    totals: dict[str, int] = {}
    for count in counts:
        for name, (_, gold) in count.by_type.items():
            totals[name] = max(totals.get(name, 0), gold)
    names = sorted(totals, key=lambda name: (-totals[name], name))
    found = [[count.by_type.get(name, (0, 0)) for name in names] for count in counts]
    edits = [
        {
            "changed": count.changed,
            "edits": count.edits,
            "correct": count.correct,
            "wrong": count.wrong,
            "missed": count.missed,
            "insertions": count.insertions,
            "deletions": count.deletions,
            "replacements": count.replacements,
            "tokens": count.tokens,
        }
        for count in counts
    ]
    return edits, {"names": names, "found": found}


def mark(results: Results, jobs: int | None = None) -> Marked | None:
    """Every system's edits as M² sees them; None without texts, or where a segment has no reference."""
    from errata.metrics.marked_edits import marked_edits

    corpus, outputs = results.corpus, results.outputs
    if corpus is None or outputs is None or not all(segment.annotations for segment in corpus):
        return None
    number = next((i for i, metric in enumerate(results.metrics) if isinstance(metric, M2)), None)
    metric = M2() if number is None else results.metrics[number]
    assert isinstance(metric, M2)
    known: dict[tuple[int, str], AnnotatorView] = {}
    marked = {}
    for system, hypotheses in outputs.items():
        if number is None:
            statistics = metric.statistics(corpus, hypotheses, jobs=jobs)
        else:
            statistics = results.statistics[system, number]
        marked[system] = marked_edits(metric, corpus, hypotheses, statistics, known)
    return marked


def number_of(value: float) -> float | None:
    """A number as JSON has it: six significant digits, nothing where there is none."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def numbers(values: Sequence[float] | Floats) -> list[float | None]:
    """Several of them."""
    return [number_of(float(value)) for value in values]


def correlations(metric: Floats, human: Floats) -> Data:
    """Pearson's r and Spearman's ρ with Fisher intervals."""
    from errata.significance.correlations import fisher_interval

    found: Data = {}
    for kind in ("pearson", "spearman"):
        r = correlation(metric, human, kind)
        found[kind] = numbers([r, *fisher_interval(r, len(metric), kind=kind)])
    return found
