"""Scores and edits by error type, the diversity of outputs, and over-correction and under-correction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from errata.array_types import Floats, Integers
from errata.corpus.model import Corpus, Outputs
from errata.errors import DataError
from errata.metrics.batch import Batch
from errata.metrics.cleme import CLEME2
from errata.metrics.cleme.chunks import Chunk
from errata.metrics.cleme.metric import ChunkMetric
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.errant.matching import NO_TYPES, split_type
from errata.metrics.m2 import M2
from errata.metrics.m2.marked_edits import marked_edits
from errata.metrics.results import Results
from errata.metrics.typed import TypedMetric, TypeScores
from errata.significance.resampling import bootstrap_weights, percentile_interval

if TYPE_CHECKING:
    from errata.metrics.m2.explanation import AnnotatorView

Marked = Mapping[str, "Sequence[AnnotatorView]"]  # by system, one per segment


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


# -- Over-correction and under-correction: what systems hit, correct wrongly, miss and change without need

_COLUMNS = {"tp": 0, "fp_ne": 1, "fn": 2, "fp_un": 3}
SEVERAL = "several"  # the type of a chunk whose edits have more than one


@dataclass(frozen=True, eq=False)
class Shares:
    """The chunks of some segments by outcome, and the rates of CLEME2 with their bootstrap intervals.

    Of the chunks that need a change, `hit` were corrected, `wrong` were corrected in another way, and
    `missed` were left alone; `unnecessary` are changes where none was needed. The rates of the first three
    are relative to the chunks that need a change, that of the last to all changes made.
    """

    names: ClassVar[tuple[str, ...]] = ("hit", "wrong", "missed", "unnecessary")
    counts: Integers  # in the order of the names
    rates: Floats  # NaN where there is nothing to relate to
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False)
class Profile:
    """Shares per system as a whole, per value of each label (such as the domain), and per error type."""

    signature: str
    systems: tuple[str, ...]
    whole: Mapping[str, Shares]  # by system
    groups: Mapping[str, Mapping[str, Mapping[str, Shares]]]  # by label, its value, and system
    types: Mapping[str, Mapping[str, Shares]]  # by type, the most frequent first, and system
    samples: int
    seed: int


def profile(
    results: Results,
    *,
    labels: Sequence[str] = (),
    samples: int = 1000,
    seed: int = 1,
    jobs: int | None = None,
) -> Profile:
    """Count hit, wrong, missed and unnecessary chunks of every system, with bootstrap intervals.

    Chunks are those of CLEME2, and a chunk may agree with any reference. Edits are extracted as by the first
    metric of the CLEME family in the results, or else as by the first one that extracts any. `labels` are
    those to break down by.
    """
    if results.corpus is None or results.outputs is None:
        raise DataError(
            "a profile needs the texts, and these results have none",
            hint="give --m2 or --source and --ref, and --hyp, without --stats and --stream",
        )
    metric = chunk_metric(results)
    found = {
        system: [_outcomes(chunks) for chunks in metric.chunks(Batch(results.corpus, lines, jobs))]
        for system, lines in results.outputs.items()
    }
    counts = {system: _counts(rows) for system, rows in found.items()}
    everything = np.arange(len(results))
    return Profile(
        metric.signature,
        results.systems,
        {system: _shares(rows, everything, samples, seed) for system, rows in counts.items()},
        {
            label: {
                value: {
                    system: _shares(rows, np.array(segments), samples, seed)
                    for system, rows in counts.items()
                }
                for value, segments in results.groups(label).items()
            }
            for label in labels
        },
        {
            kind: {
                system: _shares(_counts(rows, kind), everything, samples, seed)
                for system, rows in found.items()
            }
            for kind in _types(found)
        },
        samples,
        seed,
    )


def chunk_metric(results: Results) -> CLEME2:
    """CLEME2 with any reference, over edits as the results' own metrics extract them."""
    extracting = [metric for metric in results.metrics if isinstance(metric, EditMetric)]
    if not extracting:
        return CLEME2(assumption="independent")
    own = next((metric for metric in extracting if isinstance(metric, ChunkMetric)), extracting[0])
    shared = (own.language, own.tagger, own.words, own.merge, own.references)
    return CLEME2(*shared, assumption="independent")


Outcome = tuple[str, int]  # the type of the chunk, and the number of its column


def _outcomes(chunks: Sequence[Chunk]) -> list[Outcome]:
    outcomes = []
    for chunk in chunks:
        (column,) = chunk.columns  # against all references
        if column in _COLUMNS:
            version = chunk.references[0] if column == "fn" else chunk.hypothesis
            types = set(version.types)
            outcomes.append((types.pop() if len(types) == 1 else SEVERAL, _COLUMNS[column]))
    return outcomes


def _counts(rows: Sequence[Sequence[Outcome]], kind: str | None = None) -> Integers:
    """Per segment and outcome, the number of chunks (of this type)."""
    counts = np.zeros((len(rows), len(_COLUMNS)), dtype=np.int64)
    for segment, outcomes in enumerate(rows):
        for name, column in outcomes:
            if kind is None or name == kind:
                counts[segment, column] += 1
    return counts


def _types(found: Mapping[str, Sequence[Sequence[Outcome]]]) -> list[str]:
    totals = Counter(name for rows in found.values() for outcomes in rows for name, _ in outcomes)
    return sorted(totals, key=lambda name: (-totals[name], name))


def _shares(counts: Integers, segments: Integers, samples: int, seed: int) -> Shares:
    rows = counts[segments].astype(np.float64)
    blocks = bootstrap_weights(len(rows), samples, seed)
    drawn = np.concatenate([_rates(weights.astype(np.float64) @ rows) for weights in blocks])
    low, high = np.full(4, np.nan), np.full(4, np.nan)
    for column in range(4):
        known = drawn[~np.isnan(drawn[:, column]), column]
        if len(known):
            low[column], high[column] = percentile_interval(known)
    totals = rows.sum(axis=0)
    return Shares(totals.astype(np.int64), _rates(totals[None])[0], low, high)


def _rates(totals: Floats) -> Floats:
    hit, wrong, missed, unnecessary = totals.T
    needed, made = hit + wrong + missed, hit + wrong + unnecessary
    whole = np.stack([needed, needed, needed, made], axis=1)
    rates: Floats = np.divide(totals, whole, out=np.full(totals.shape, np.nan), where=whole > 0)
    return rates
