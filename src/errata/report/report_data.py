"""An evaluation as plain data for the report page.

Numbers keep full precision: the page rounds them once. Sentences come in chunks, with a small index of all.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errata.corpus.apply_edits import apply_edits, levenshtein_edits
from errata.corpus.segment import Edit, Segment
from errata.human.agreement import JudgeOverview
from errata.meta.breakdowns import Marked, OutcomeRates, Profile, TypeBreakdown
from errata.meta.evaluation import Evaluation, MetricFit, PeopleComparison
from errata.meta.sensitivity import BetaPlane
from errata.metrics.m2_edits import AnnotatorView, count_edits
from errata.metrics.results import Results
from errata.metrics.score_tables import signatures
from errata.metrics.statistics import Floats
from errata.significance.compare import SystemComparison, number_of_pairs
from errata.significance.decisions import data_in_words, headline
from errata.tables import Table, jsonable

Data = dict[str, Any]
_COUNTED = (
    "changed", "edits", "correct", "wrong", "missed", "insertions", "deletions", "replacements", "tokens",
)  # fmt: skip


@dataclass(frozen=True)
class Heading:
    """The title of a page, the command that wrote it, and the date."""

    title: str = "Evaluation report"
    command: str = ""
    date: str = ""
    data: str = ""  # their name


def score_data(evaluation: Evaluation, heading: Heading, *, intervals: bool = True) -> Data:
    """The scores with their intervals, which the explorer shows and which take little time."""
    results, plan = evaluation.results, evaluation.plan
    return {
        "title": heading.title,
        "headline": "",
        "version": results.version,
        "command": heading.command,
        "made": heading.date,
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
            "test": plan.in_words(number_of_pairs(results.systems, None)),
            "alpha": plan.alpha,
            "seed": plan.seed,
        },
        "board": [_board(evaluation, number, intervals) for number in range(len(results.metrics))],
        "planes": [],
        "groups": [],
        "typed": [],
        "agreement": None,
        "curves": [],
    }


def report_data(evaluation: Evaluation, heading: Heading) -> Data:
    """Everything except human judgments and single sentences."""
    results = evaluation.results
    data = score_data(evaluation, heading, intervals=not evaluation.comparisons)
    for board, comparison in zip(data["board"], evaluation.comparisons, strict=False):
        board |= _comparison(results.systems, comparison)
    if evaluation.comparisons:
        ranked = [comparison.ranked for comparison in evaluation.comparisons]
        date = f", evaluated on {heading.date}" if heading.date else ""
        words = data_in_words(heading.data, len(results), len(results.systems), date)
        data["headline"] = headline(ranked, words)
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
    """The names and digests of the scored inputs."""
    listed = []
    for name, digest in inputs.items():
        several = digest.items() if isinstance(digest, Mapping) else [("", digest)]
        listed += [[f"{name} {part}".strip(), str(value)] for part, value in several]
    return listed


def _board(evaluation: Evaluation, number: int, intervals: bool) -> Data:
    results, plan = evaluation.results, evaluation.plan
    scores = [results.score(system, number) for system in results.systems]
    metric = results.metrics[number]
    board: Data = {
        "scores": numbers(score.value for score in scores),
        "parts": {part: numbers(score.parts[part] for score in scores) for part in metric.shown},
    }
    if intervals and len(results) > 1:
        level = 1 - plan.alpha
        ends = [
            results.interval(system, number, level=level, samples=plan.samples, seed=plan.seed)
            for system in results.systems
        ]
        board |= {"low": numbers(low for low, _ in ends), "high": numbers(high for _, high in ends)}
    return board


def _comparison(systems: Sequence[str], comparison: SystemComparison) -> Data:
    index = {system: i for i, system in enumerate(systems)}
    p: list[list[float | None]] = [[None] * len(index) for _ in index]
    for pair in comparison.pairs:
        i, j = index[pair.first], index[pair.second]
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
    empty = {"counts": [0, 0, 0], "scores": [None, None, None]}
    cells = [
        [
            {"counts": list(scores.counts[name]), "scores": numbers(scores.scores(name))}
            if name in scores.counts
            else empty
            for name in types.gold
        ]
        for scores in types.scores.values()
    ]
    return {"metric": types.number, "names": list(types.gold), "cells": cells}


def _profile(profile: Profile) -> Data:
    """Counts and rates of hit, wrong, missed and unnecessary chunks: in total, by label and by type."""
    return {
        "signature": profile.signature,
        "names": list(OutcomeRates.names),
        "whole": _outcome_rates(profile.whole),
        "groups": {
            label: {value: _outcome_rates(systems) for value, systems in values.items()}
            for label, values in profile.groups.items()
        },
        "types": {kind: _outcome_rates(systems) for kind, systems in profile.types.items()},
    }


def _outcome_rates(systems: Mapping[str, OutcomeRates]) -> list[Data]:
    return [
        {
            "counts": rates.counts.tolist(),
            "rates": numbers(rates.rates),
            "low": numbers(rates.low),
            "high": numbers(rates.high),
        }
        for rates in systems.values()
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
    """Counts of each system's edits, and how many gold edits of each type it made."""
    counts = [count_edits(marked[system]) for system in systems]
    totals: dict[str, int] = {}
    for count in counts:
        for name, (_, gold) in count.by_type.items():
            totals[name] = max(totals.get(name, 0), gold)
    names = sorted(totals, key=lambda name: (-totals[name], name))
    by_type = [[count.by_type.get(name, (0, 0)) for name in names] for count in counts]
    edits = [{name: getattr(count, name) for name in _COUNTED} for count in counts]
    return edits, {"names": names, "found": by_type}


def tables_page(title: str, sections: Sequence[Data], command: str, **more: Any) -> Data:
    """A page of tables alone: sections made by `tables_data`."""
    from errata import __version__

    lists = ("inputs", "systems", "metrics", "board", "planes", "groups", "typed", "curves")
    page = {"title": title, "version": __version__, "command": command, "made": "", "segments": 0}
    return {**{name: [] for name in lists}, **page, "agreement": None, "sections": list(sections), **more}


def tables_data(
    identifier: str, title: str, tables: Sequence[Table], note: str = "", *, shaded: bool = False
) -> Data:
    """A section of tables; the page links texts that are in `links` of its data.

    Numbers between 0 and 1 have a colour each if the tables are `shaded`.
    """
    return {
        "id": identifier,
        "title": title,
        "note": note,
        "tables": [
            {
                "title": table.title,
                "notes": table.notes,
                "columns": [
                    {"name": column.name, "decimals": column.decimals, "text": not table.is_numeric(j)}
                    for j, column in enumerate(table.columns)
                ],
                "rows": [[jsonable(cell) for cell in row] for row in table.rows],
                "rules": sorted(table.rules),
                "shaded": shaded,
            }
            for table in tables
        ],
    }


def finite(value: float) -> float | None:
    """A number for JSON, in full precision; None if it is not finite."""
    return float(value) if math.isfinite(value) else None


def numbers(values: Iterable[float] | Floats) -> list[float | None]:
    """Several numbers for JSON."""
    return [finite(value) for value in values]


# -- human judgments ------------------------------------------------------------------------------------


def people_data(people: PeopleComparison) -> Data:
    """The human ranking of the systems, its agreement with metrics, and statistics of every judge."""
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
        "names": [judge.judge for judge in statistics],
        "items": [judge.items for judge in statistics],
        "pairs": [judge.expanded for judge in statistics],
        "ties": [judge.expanded_ties for judge in statistics],
        "seconds": numbers(judge.median_seconds for judge in statistics),
        "systems": list(judges.systems),
        "wins": [numbers(row) for row in judges.wins],
        "kappas": [numbers(row) for row in judges.kappas],
        "inter": finite(judges.inter),
        "intra": finite(judges.intra),
    }


# -- single sentences -----------------------------------------------------------------------------------


CHUNK = 500  # sentences
_MAX_16_BITS = 65535  # values that 16 bits can number, with one code left for a missing score
_UNMATCHED = -1
_UNJUDGED = -2  # an edit of a sentence without a reference


def sentence_index(evaluation: Evaluation) -> Data:
    """Data of all sentences for the filters: scores, labels, types, judgments."""
    results = evaluation.results
    assert results.corpus is not None
    types: dict[str, int] = {}
    by_sentence = []
    for segment in results.corpus:
        names = {edit.type for annotation in segment.annotations for edit in annotation.edits}
        by_sentence.append(sorted(types.setdefault(name, len(types)) for name in sorted(names)))
    return {
        "count": len(results),
        "chunk": CHUNK,
        "scores": [_packed(results, number) for number in range(len(results.metrics))],
        "labels": {name: _coded(values) for name, values in results.labels.items()},
        "types": {"names": list(types), "of": by_sentence},
        "distinct": evaluation.distinct,
        "judged": {
            str(line): [{"judge": ranking.judge, "ranks": ranking.ranks} for ranking in rankings]
            for line, rankings in evaluation.ranks.items()
        },
    }


def sentence_chunk(results: Results, marked: Marked | None, number: int) -> list[Data]:
    """The sentences of one chunk: source, references as edits, and every distinct output once.

    An output is a list of edits, each with the indices of the gold edits that it matches, or −1.
    """
    corpus, outputs = results.corpus, results.outputs
    assert corpus is not None
    assert outputs is not None
    records = []
    for i in range(number * CHUNK, min((number + 1) * CHUNK, len(corpus))):
        segment = corpus[i]
        numbers_of: dict[tuple[str, ...], int] = {}
        distinct: list[Data] = []
        by_system = []
        for system, lines in outputs.items():
            words = tuple(lines[i].split())
            if words not in numbers_of:
                numbers_of[words] = len(distinct)
                view = None if marked is None else marked[system][i]
                distinct.append(_output(segment, words, view))
            by_system.append(numbers_of[words])
        record: Data = {"s": segment.source, "g": _gold(segment), "o": distinct, "of": by_system}
        if segment.rewrites is not None:  # references that are texts besides the edits
            record["t"] = list(segment.references)
        records.append(record)
    return records


def chunk_count(results: Results) -> int:
    """The number of chunks."""
    return -(-len(results) // CHUNK)


def _gold(segment: Segment) -> list[Data]:
    length = len(segment.tokens)
    return [
        {
            "a": annotation.annotator,
            "e": [
                [edit.start, edit.end, _is_inside(edit, length), edit.type, *edit.corrections]
                for edit in annotation.edits
            ],
        }
        for annotation in sorted(segment.annotations, key=lambda a: a.annotator)
    ]


def _is_inside(edit: Edit, length: int) -> int:
    """1 for an edit that M² counts, 0 for one that reaches outside the sentence."""
    return int(0 <= edit.start <= length and 0 <= edit.end <= length)


def _output(segment: Segment, words: tuple[str, ...], view: AnnotatorView | None) -> Data:
    before = segment.tokens
    if view is None:
        edits: list[list[Any]] = [
            [start, end, text, _UNJUDGED] for start, end, text in levenshtein_edits(before, list(words))
        ]
        return {"e": edits}
    edits = [[edit.start, edit.end, edit.correction, *(edit.matched or (_UNMATCHED,))] for edit in view.edits]
    output: Data = {"a": view.annotator, "e": edits, "m": [view.correct, view.proposed, view.gold_count]}
    spans = [(edit.start, edit.end, edit.correction) for edit in view.edits]
    if tuple(apply_edits(before, spans)) != words:
        output["h"] = " ".join(words)  # edits that M² ignores are missing above
    return output


def _packed(results: Results, number: int) -> Data:
    """Sentence scores, systems × sentences, in full precision: the distinct values and a code per score.

    A code beyond the values means that the sentence has no score.
    """
    scores = np.array([results.score(system, number).sentences for system in results.systems])
    values, codes = np.unique(np.where(np.isfinite(scores), scores, np.nan), return_inverse=True)
    values = values[np.isfinite(values)]  # NaN is last
    wide = len(values) >= _MAX_16_BITS
    return {
        "values": base64.b64encode(values.astype("<f8").tobytes()).decode(),
        "codes": base64.b64encode(codes.astype("<u4" if wide else "<u2").tobytes()).decode(),
        "wide": wide,
    }


def _coded(values: Sequence[str]) -> Data:
    names: dict[str, int] = {}
    codes = [names.setdefault(value, len(names)) for value in values]
    return {"names": list(names), "of": codes}
