"""Scores and edits broken down by error type, and how different the systems' outputs are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from errata.corpus.model import Corpus, Outputs
from errata.metrics.errant.matching import NO_TYPES, split_type
from errata.metrics.m2 import M2
from errata.metrics.m2.marked_edits import AnnotatorView, marked_edits
from errata.metrics.results import Results
from errata.metrics.typed import TypedMetric, TypeScores

Marked = Mapping[str, Sequence[AnnotatorView]]  # by system, one per segment


@dataclass(frozen=True, eq=False)
class TypeBreakdown:
    """The scores of every system per error type, by one metric; the most frequent type first."""

    number: int  # of the metric
    gold: Mapping[str, int]  # edits of each type in the references, the most over all systems
    scores: Mapping[str, TypeScores]  # by system
    foreign: tuple[str, ...] = ()  # types in the references that are none of ERRANT's, frequent first


def types_of_results(results: Results, level: int = 2, *, jobs: int | None = None) -> list[TypeBreakdown]:
    """Scores per error type, by every metric that has types; nothing where the texts are missing."""
    if results.corpus is None or results.outputs is None:
        return []
    breakdowns = []
    foreign = foreign_types(results.corpus)
    for number, metric in enumerate(results.metrics):
        if not isinstance(metric, TypedMetric):
            continue
        scores = {
            system: metric.by_type(results.corpus, lines, level, jobs=jobs)
            for system, lines in results.outputs.items()
        }
        gold: dict[str, int] = {}
        for each in scores.values():
            for name, (right, _, missed) in each.counts.items():
                gold[name] = max(gold.get(name, 0), right + missed)
        frequent = sorted(gold, key=lambda name: (-gold[name], name))
        breakdowns.append(TypeBreakdown(number, {name: gold[name] for name in frequent}, scores, foreign))
    return breakdowns


def foreign_types(corpus: Corpus) -> tuple[str, ...]:
    """The types of gold edits that are not written as ERRANT's, the most frequent first."""
    counts = Counter(edit.type for segment in corpus for note in segment.annotations for edit in note.edits)
    names = [name for name in counts if name not in NO_TYPES and split_type(name)[0] == ""]
    return tuple(sorted(names, key=lambda name: (-counts[name], name)))


def edit_types(results: Results) -> dict[str, Counter[str]]:
    """How many gold edits there are of every type, by domain, or under "" where there are no domains."""
    assert results.corpus is not None
    groups = results.groups("domain") if "domain" in results.labels else {"": list(range(len(results)))}
    segments = list(results.corpus)
    return {
        name: Counter(edit.type for i in rows for note in segments[i].annotations for edit in note.edits)
        for name, rows in groups.items()
    }


def distinct_outputs(outputs: Outputs) -> list[int]:
    """How many different texts the systems wrote for every segment; blanks do not count."""
    return [len({tuple(text.split()) for text in texts}) for texts in zip(*outputs.values(), strict=True)]


def mark_edits(results: Results, jobs: int | None = None) -> Marked | None:
    """Every system's edits as M² counts them; None without texts, or where a segment has no reference."""
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
