"""Scores and edits by error type, the diversity of outputs, and over-correction and under-correction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.array_types import Floats, Integers
from errata.corpus.model import Corpus, Outputs
from errata.errors import DataError
from errata.metrics.batch import Batch
from errata.metrics.cleme import CLEME2, Chunk, ChunkMetric
from errata.metrics.edit_matching import NO_TYPES, TypedMetric, TypeScores, at_level, split_type
from errata.metrics.edit_metric import EditMetric
from errata.metrics.m2 import M2
from errata.metrics.m2_edits import AnnotatorView, count_edits, marked_edits
from errata.metrics.results import Results
from errata.metrics.score_tables import signatures
from errata.significance.resampling import bootstrap_weights, percentile_interval
from errata.tables import Cell, Column, Estimate, Table

Marked = Mapping[str, Sequence[AnnotatorView]]  # by system, one per segment
Outcome = tuple[str, int]  # error type of a chunk, and the number of its column
_COLUMNS = {"tp": 0, "fp_ne": 1, "fn": 2, "fp_un": 3}
_NAMED = 5  # types listed in a note
SEVERAL = "several"  # type of a chunk whose edits have several types


@dataclass(frozen=True, eq=False)
class TypeBreakdown:
    """One metric's scores of every system per error type, the most frequent type first."""

    number: int  # of the metric
    gold: Mapping[str, int]  # edits of each type in the references, the maximum over systems
    scores: Mapping[str, TypeScores]  # by system
    foreign: tuple[str, ...] = ()  # types in the references that are not ERRANT's, frequent ones first


def types_of_results(results: Results, level: int = 2, *, jobs: int | None = None) -> list[TypeBreakdown]:
    """Scores per error type by every metric that has types; empty if the texts are missing."""
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
    """The types of gold edits that are not in ERRANT's notation, the most frequent first."""
    counts = Counter(edit.type for segment in corpus for note in segment.annotations for edit in note.edits)
    names = [name for name in counts if name not in NO_TYPES and split_type(name)[0] == ""]
    return tuple(sorted(names, key=lambda name: (-counts[name], name)))


def edit_types(results: Results) -> dict[str, Counter[str]]:
    """The number of gold edits of every type by domain, or under "" without domains."""
    assert results.corpus is not None
    groups = results.groups("domain") if "domain" in results.labels else {"": list(range(len(results)))}
    segments = list(results.corpus)
    return {
        name: Counter(edit.type for i in rows for note in segments[i].annotations for edit in note.edits)
        for name, rows in groups.items()
    }


def distinct_outputs(outputs: Outputs) -> list[int]:
    """The number of different outputs for every segment; spaces do not count."""
    return [len({tuple(text.split()) for text in texts}) for texts in zip(*outputs.values(), strict=True)]


def mark_edits(results: Results, jobs: int | None = None) -> Marked | None:
    """Every system's edits as counted by M²; None without texts, or if a segment has no reference."""
    corpus, outputs = results.corpus, results.outputs
    if corpus is None or outputs is None or not all(segment.annotations for segment in corpus):
        return None
    number = next((i for i, metric in enumerate(results.metrics) if isinstance(metric, M2)), None)
    metric = M2() if number is None else results.metrics[number]
    assert isinstance(metric, M2)
    cache: dict[tuple[int, str], AnnotatorView] = {}
    marked = {}
    for system, hypotheses in outputs.items():
        if number is None:
            statistics = metric.statistics(corpus, hypotheses, jobs=jobs)
        else:
            statistics = results.statistics[system, number]
        marked[system] = marked_edits(metric, corpus, hypotheses, statistics, cache)
    return marked


# -- over-correction and under-correction ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OutcomeRates:
    """The outcomes of chunks, and the rates of CLEME2 with their bootstrap intervals.

    Chunks that need a change are `hit` if corrected, `wrong` if changed in another way, and `missed` if
    unchanged. Other changed chunks are `unnecessary`. The first three rates are relative to the chunks that
    need a change, and the last one to all changed chunks.
    """

    names: ClassVar[tuple[str, ...]] = ("hit", "wrong", "missed", "unnecessary")
    counts: Integers  # in the order of the names
    rates: Floats  # NaN if there are no such chunks
    low: Floats
    high: Floats

    def cells(self) -> list[Cell]:
        """Chunks that need a change, changed chunks, and the rates."""
        hit, wrong, missed, unnecessary = self.counts.tolist()
        cells: list[Cell] = [hit + wrong + missed, hit + wrong + unnecessary]
        for value, low, high in zip(*(a.tolist() for a in (self.rates, self.low, self.high)), strict=True):
            cells.append(None if np.isnan(value) else Estimate(value, low, high))
        return cells


@dataclass(frozen=True, eq=False)
class Profile:
    """Outcomes per system, per value of each label (such as the domain), and per error type."""

    signature: str
    systems: tuple[str, ...]
    whole: Mapping[str, OutcomeRates]  # by system
    groups: Mapping[str, Mapping[str, Mapping[str, OutcomeRates]]]  # by label, its value, and system
    types: Mapping[str, Mapping[str, OutcomeRates]]  # by type, the most frequent first, and system
    samples: int
    seed: int

    def tables(self) -> list[Table]:
        """One table of all sentences, one per label, and one by error type."""
        notes = [
            f"chunks of {self.signature}",
            "hit, wrong, missed: shares of the needed changes; unnecessary: share of the changes made",
            f"[low, high]: 95 % bootstrap interval, {self.samples} samples, seed {self.seed}",
        ]
        shares_columns = [Column("needed"), Column("made"), *(Column(name, 3) for name in OutcomeRates.names)]
        whole = [[system, *rates.cells()] for system, rates in self.whole.items()]
        tables = [Table([Column("system"), *shares_columns], whole, title="over-correction", notes=notes)]
        for label, values in (*self.groups.items(), ("type", self.types)):
            rows: list[Sequence[Cell]] = [
                [value or "(none)", system, *rates.cells()]
                for value, systems in values.items()
                for system, rates in systems.items()
            ]
            columns = [Column(label), Column("system"), *shares_columns]
            rules = frozenset(range(0, len(rows), len(self.systems)))
            tables.append(Table(columns, rows, title=f"over-correction by {label}", rules=rules))
        return tables


def profile(
    results: Results,
    *,
    labels: Sequence[str] = (),
    samples: int = 1000,
    seed: int = 1,
    jobs: int | None = None,
) -> Profile:
    """Count hit, wrong, missed and unnecessary chunks of every system, with bootstrap intervals.

    Chunks are those of CLEME2, and a chunk may agree with any reference. Edits are extracted with the
    settings of the first CLEME metric in the results, or else of the first metric that extracts edits.
    `labels` are the labels to group by.
    """
    if results.corpus is None or results.outputs is None:
        raise DataError(
            "a profile needs the texts, and these results have none",
            hint="give --m2 or --source and --ref, and --hyp, without --stats and --stream",
        )
    metric = _chunk_metric(results)
    outcomes = {
        system: [_outcomes(chunks) for chunks in metric.chunks(Batch(results.corpus, lines, jobs))]
        for system, lines in results.outputs.items()
    }
    counts = {system: _counts(rows) for system, rows in outcomes.items()}
    everything = np.arange(len(results))
    return Profile(
        metric.signature,
        results.systems,
        {system: _outcome_rates(rows, everything, samples, seed) for system, rows in counts.items()},
        {
            label: {
                value: {
                    system: _outcome_rates(rows, np.array(segments), samples, seed)
                    for system, rows in counts.items()
                }
                for value, segments in results.groups(label).items()
            }
            for label in labels
        },
        {
            kind: {
                system: _outcome_rates(_counts(rows, kind), everything, samples, seed)
                for system, rows in outcomes.items()
            }
            for kind in _types(outcomes)
        },
        samples,
        seed,
    )


def _chunk_metric(results: Results) -> CLEME2:
    """CLEME2 with any reference, on edits with the settings of the results' metrics."""
    extracting = [metric for metric in results.metrics if isinstance(metric, EditMetric)]
    if not extracting:
        return CLEME2(assumption="independent")
    own = next((metric for metric in extracting if isinstance(metric, ChunkMetric)), extracting[0])
    shared = (own.language, own.tagger, own.words, own.merge, own.references)
    return CLEME2(*shared, assumption="independent")


def _outcomes(chunks: Sequence[Chunk]) -> list[Outcome]:
    outcomes = []
    for chunk in chunks:
        (column,) = chunk.columns  # compared with all references
        if column in _COLUMNS:
            version = chunk.references[0] if column == "fn" else chunk.hypothesis
            types = set(version.types)
            outcomes.append((types.pop() if len(types) == 1 else SEVERAL, _COLUMNS[column]))
    return outcomes


def _counts(rows: Sequence[Sequence[Outcome]], kind: str | None = None) -> Integers:
    """The number of chunks (of this type) by segment and outcome."""
    counts = np.zeros((len(rows), len(_COLUMNS)), dtype=np.int64)
    for segment, outcomes in enumerate(rows):
        for name, column in outcomes:
            if kind is None or name == kind:
                counts[segment, column] += 1
    return counts


def _types(outcomes: Mapping[str, Sequence[Sequence[Outcome]]]) -> list[str]:
    totals = Counter(name for rows in outcomes.values() for segment in rows for name, _ in segment)
    return sorted(totals, key=lambda name: (-totals[name], name))


def _outcome_rates(counts: Integers, segments: Integers, samples: int, seed: int) -> OutcomeRates:
    rows = counts[segments].astype(np.float64)
    blocks = bootstrap_weights(len(rows), samples, seed)
    drawn = np.concatenate([_rates(weights.astype(np.float64) @ rows) for weights in blocks])
    low, high = np.full(4, np.nan), np.full(4, np.nan)
    for column in range(4):
        rates = drawn[~np.isnan(drawn[:, column]), column]
        if len(rates):
            low[column], high[column] = percentile_interval(rates)
    totals = rows.sum(axis=0)
    return OutcomeRates(totals.astype(np.int64), _rates(totals[None])[0], low, high)


def _rates(totals: Floats) -> Floats:
    hit, wrong, missed, unnecessary = totals.T
    needed, changed = hit + wrong + missed, hit + wrong + unnecessary
    base = np.stack([needed, needed, needed, changed], axis=1)
    rates: Floats = np.divide(totals, base, out=np.full(totals.shape, np.nan), where=base > 0)
    return rates


def _type_table(results: Results, types: TypeBreakdown) -> Table:
    metric = results.metrics[types.number]
    rows: list[list[Cell]] = []
    for name, size in types.gold.items():
        row: list[Cell] = [name, size]
        for scores in types.scores.values():
            row += scores.scores(name) if name in scores.counts else (None, None, None)
        rows.append(row)
    count = len(rows)
    for title in ("micro", "macro"):
        parts = (part for scores in types.scores.values() for part in getattr(scores, title))
        rows.append([title, None, *parts])
    columns = [Column("type"), Column("gold edits")]
    columns += [
        Column(f"{system} {part}", metric.decimals) for system in types.scores for part in ("P", "R", "F")
    ]
    notes = [
        signatures(results)[types.number],
        *_unknown_types([name for name in types.foreign if name in types.gold]),
    ]
    return Table(columns, rows, title="by type", notes=notes, rules=frozenset({count} if count else ()))


def _unknown_types(types: Sequence[str]) -> list[str]:
    if not types:
        return []
    named = ", ".join(types[:_NAMED]) + (", …" if len(types) > _NAMED else "")
    return [
        f"{len(types)} types of the references are not ERRANT's and are shown unchanged ({named}); "
        "`errata edits classify` gives the edits ERRANT's types"
    ]


def type_tables(results: Results, level: int = 2) -> list[Table]:
    """Scores by error type, for metrics with types: systems side by side, frequent types first.

    M² has the recall of each type of gold edits: the edits of systems have no types.
    """
    if not any(isinstance(metric, TypedMetric | M2) for metric in results.metrics):
        raise DataError("none of these metrics has error types", hint="try --metric errant")
    if results.corpus is None or results.outputs is None:
        raise DataError(
            "error types need the texts, which saved statistics do not contain",
            hint="give --m2 or --source and --ref, and --hyp, instead of --stats",
        )
    tables = [_type_table(results, types) for types in types_of_results(results, level)]
    recalls = [_recall_table(results, n, level) for n, m in enumerate(results.metrics) if isinstance(m, M2)]
    return [*recalls, *tables]


def _recall_table(results: Results, number: int, level: int) -> Table:
    """The recall of M² for each type of gold edits, against the annotators that the corpus score chose."""
    metric, corpus, outputs = results.metrics[number], results.corpus, results.outputs
    assert isinstance(metric, M2)
    assert corpus is not None
    assert outputs is not None
    counts: dict[str, dict[str, list[int]]] = {}
    for system, hypotheses in outputs.items():
        marked = marked_edits(metric, corpus, hypotheses, results.statistics[system, number], running=True)
        by_type = count_edits(marked).by_type
        counts[system] = at_level(
            {name: [recalled, size] for name, (recalled, size) in by_type.items()}, level
        )
    sizes: dict[str, int] = {}
    for by_name in counts.values():
        for name, (_, size) in by_name.items():
            sizes[name] = max(sizes.get(name, 0), size)
    rows: list[list[Cell]] = []
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        row: list[Cell] = [name, sizes[name]]
        for by_name in counts.values():
            recalled, size = by_name.get(name, (0, 0))
            row.append(recalled / size if size else None)
        rows.append(row)
    columns = [Column("type"), Column("gold edits")]
    columns += [Column(f"{system} R", metric.decimals) for system in outputs]
    notes = [signatures(results)[number], *_unknown_types([t for t in foreign_types(corpus) if t in sizes])]
    return Table(columns, rows, title="recall by type", notes=notes)
