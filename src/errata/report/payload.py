"""An evaluation as plain data for the report page. Numbers keep full precision: the page rounds them once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from errata.meta.breakdowns import Marked, Profile, Shares, TypeBreakdown
from errata.meta.evaluation import Evaluation
from errata.meta.sensitivity import BetaPlane
from errata.metrics.m2.marked_edits import count_edits
from errata.metrics.results import Results
from errata.metrics.score_tables import signatures
from errata.metrics.statistics import Floats
from errata.significance.compare import SystemComparison

Data = dict[str, Any]
_COUNTED = (
    "changed", "edits", "correct", "wrong", "missed", "insertions", "deletions", "replacements", "tokens",
)  # fmt: skip


@dataclass(frozen=True)
class Heading:
    """What a page says of itself: its title, the command that made it, and when."""

    title: str = "Evaluation report"
    command: str = ""
    made: str = ""  # the date


def score_data(evaluation: Evaluation, heading: Heading) -> Data:
    """The scores alone, quickly made: what the explorer shows around its sentences."""
    results, plan = evaluation.results, evaluation.plan
    return {
        "title": heading.title,
        "version": results.version,
        "command": heading.command,
        "made": heading.made,
        "inputs": _inputs(results.inputs),
        "segments": len(results),
        "references": 0 if results.corpus is None else len(results.corpus.annotators),
        "systems": list(results.systems),
        "metrics": [
            {
                "name": name,
                "decimals": metric.decimals,
                "higher": metric.higher_is_better,
                "signature": signature,
            }
            for name, metric, signature in zip(
                evaluation.names, results.metrics, signatures(results), strict=True
            )
        ],
        "plan": {
            "samples": plan.samples,
            "correction": plan.correction,
            "alpha": plan.alpha,
            "seed": plan.seed,
        },
        "board": [_board(results, number) for number in range(len(results.metrics))],
        "planes": [],
        "groups": [],
        "typed": [],
        "agreement": None,
        "curves": [],
    }


def report_data(evaluation: Evaluation, heading: Heading) -> Data:
    """Everything but people's judgments and the single sentences."""
    results = evaluation.results
    data = score_data(evaluation, heading)
    for board, comparison in zip(data["board"], evaluation.comparisons, strict=False):
        board |= _comparison(results.systems, comparison)
    data |= {
        "groups": [_groups(label, parts) for label, parts in evaluation.groups.items()],
        "planes": [_plane(plane) for plane in evaluation.planes],
        "typed": [_types(types) for types in evaluation.types],
        "agreement": _agreement(evaluation),
        "curves": [
            {"metric": number, "scores": [numbers(row) for row in curve.scores.T]}
            for number, curve in evaluation.curves.items()
        ],
    }
    if evaluation.profile is not None:
        data["profile"] = _profile(evaluation.profile)
    if evaluation.marked is not None:
        data["edits"], data["types"] = _edits(results.systems, evaluation.marked)
    return data


def _inputs(inputs: Mapping[str, Any]) -> list[list[str]]:
    """The names and digests of what was scored."""
    listed = []
    for name, digest in inputs.items():
        several = digest.items() if isinstance(digest, Mapping) else [("", digest)]
        listed += [[f"{name} {part}".strip(), str(value)] for part, value in several]
    return listed


def _board(results: Results, number: int) -> Data:
    scores = [results.score(system, number) for system in results.systems]
    metric = results.metrics[number]
    return {
        "scores": numbers(score.value for score in scores),
        "parts": {part: numbers(score.parts[part] for score in scores) for part in metric.shown},
    }


def _comparison(systems: Sequence[str], comparison: SystemComparison) -> Data:
    place = {system: i for i, system in enumerate(systems)}
    p: list[list[float | None]] = [[None] * len(place) for _ in place]
    for pair in comparison.pairs:
        i, j = place[pair.first], place[pair.second]
        p[i][j] = p[j][i] = finite(pair.adjusted)
    clusters = dict(zip(comparison.systems, comparison.clusters, strict=True))
    return {
        "low": numbers(comparison.scores[system][1] for system in systems),
        "high": numbers(comparison.scores[system][2] for system in systems),
        "clusters": [clusters[system] for system in systems],
        "p": p,
    }


def _plane(plane: BetaPlane) -> Data:
    return {
        "metric": plane.number,
        "beta": plane.beta,
        "precision": numbers(plane.precision),
        "recall": numbers(plane.recall),
        "betas": list(plane.betas),
        "sweep": [numbers(row) for row in plane.scores],
    }


def _groups(label: str, parts: dict[str, Results]) -> Data:
    results = next(iter(parts.values()))
    return {
        "label": label,
        "names": [name or "(none)" for name in parts],
        "sizes": [len(part) for part in parts.values()],
        "scores": [
            [
                numbers(part.score(system, number).value for part in parts.values())
                for system in results.systems
            ]
            for number in range(len(results.metrics))
        ],
    }


def _types(types: TypeBreakdown) -> Data:
    nothing = {"counts": [0, 0, 0], "scores": [None, None, None]}
    cells = [
        [
            {"counts": list(scores.counts[name]), "scores": numbers(scores.scores(name))}
            if name in scores.counts
            else nothing
            for name in types.gold
        ]
        for scores in types.scores.values()
    ]
    return {"metric": types.number, "names": list(types.gold), "cells": cells}


def _profile(found: Profile) -> Data:
    """Counts and rates of hit, wrong, missed and unnecessary chunks: as a whole, by label and by type."""
    return {
        "signature": found.signature,
        "names": list(Shares.names),
        "whole": _shares(found.whole),
        "groups": {
            label: {value: _shares(systems) for value, systems in values.items()}
            for label, values in found.groups.items()
        },
        "types": {kind: _shares(systems) for kind, systems in found.types.items()},
    }


def _shares(systems: Mapping[str, Shares]) -> list[Data]:
    return [
        {
            "counts": shares.counts.tolist(),
            "rates": numbers(shares.rates),
            "low": numbers(shares.low),
            "high": numbers(shares.high),
        }
        for shares in systems.values()
    ]


def _agreement(evaluation: Evaluation) -> Data | None:
    agreement = evaluation.agreement
    if agreement is None:
        return None
    matrices = {"sentences": _matrix(agreement.sentences)}
    if agreement.pearson is not None:
        matrices |= {"pearson": _matrix(agreement.pearson), "spearman": _matrix(agreement.spearman)}
    return matrices


def _matrix(values: Floats | None) -> list[list[float | None]] | None:
    return None if values is None else [numbers(row) for row in values]


def _edits(systems: Sequence[str], marked: Marked) -> tuple[list[Data], Data]:
    """What each system's edits look like, and how many gold edits of each type it found."""
    counts = [count_edits(marked[system]) for system in systems]
    totals: dict[str, int] = {}
    for count in counts:
        for name, (_, gold) in count.by_type.items():
            totals[name] = max(totals.get(name, 0), gold)
    names = sorted(totals, key=lambda name: (-totals[name], name))
    found = [[count.by_type.get(name, (0, 0)) for name in names] for count in counts]
    edits = [{name: getattr(count, name) for name in _COUNTED} for count in counts]
    return edits, {"names": names, "found": found}


def finite(value: float) -> float | None:
    """A number as JSON has it, in full precision; nothing where there is none."""
    return float(value) if math.isfinite(value) else None


def numbers(values: Iterable[float] | Floats) -> list[float | None]:
    """Several numbers as JSON has them."""
    return [finite(value) for value in values]
