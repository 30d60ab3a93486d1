"""CLEME (Ye et al. 2023) and CLEME2.0 (Ye et al. 2025): scores over chunks.

A chunk is a stretch of the source that is compared as a whole across a hypothesis and its references. Chunks
are right (`tp`), wrongly corrected (`fp_ne`), changed without need (`fp_un`), missed (`fn`) or rightly
unchanged (`tn`). CLEME computes F of them, with weights that depend on their lengths; CLEME2 combines four
rates. The official numbers are those of the authors' package CLEME 1.1.0.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from errata.corpus.segment import Edit
from errata.metrics.base import NativeScanMetric, SumMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.edit_keys import sequence_keys
from errata.metrics.edit_metric import EditSequenceMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import choose_alone, prf, share
from errata.native import edit_matches, scans
from errata.significance.permutation import Swapper, weight_swapper
from errata.text.vocabulary import Vocabulary

COLUMNS = ("tp", "fp_ne", "fp_un", "fn", "tn")  # in the order of `edit_matches.count_chunks`
_RATES = ("com", "hit", "err", "und", "ove")
_NO_WEIGHTS: Floats = np.ones((len(COLUMNS), 1))  # every chunk counts 1
_BEYOND = 46  # weights of chunks this much longer than the mean are equal, because 1 + e^-46 is 1
Tokens = tuple[str, ...]
Edits = tuple[Edit, ...]


# -- chunks ----------------------------------------------------------------------------------------------


class Version(NamedTuple):
    """A chunk in one text: its tokens, whether the text has an edit there, and the types of the edits."""

    tokens: Tokens
    changed: bool
    types: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """A chunk in the source, in the hypothesis and in every reference that it is compared with.

    `columns` has the column that it counts in against each of these references, or against all together.
    """

    source: Tokens
    hypothesis: Version
    references: tuple[Version, ...]
    columns: tuple[str, ...]


class ChunkCounts(NamedTuple):
    """The result of `edit_matches.count_chunks` for some hypotheses."""

    values: Floats  # a row of sums for each hypothesis, or for each reference that it is compared with
    rows: Integers  # the references of hypothesis i are kept[rows[i]:rows[i + 1]]
    kept: Integers
    changes: Integers  # summed length and number of the chunks that references change
    chunks: Integers  # the spans of hypothesis i are spans[chunks[i]:chunks[i + 1]]
    spans: Integers  # start, end, and whether a text has edits there
    columns: Integers  # of every chunk in each row


def chunks_of(
    sources: Sequence[str], hypotheses: Sequence[Edits], references: Sequence[Sequence[Edits]], *,
    independent: bool,
) -> list[list[Chunk]]:  # fmt: skip
    """The chunks of every source, with their versions in all texts."""
    vocabulary = Vocabulary()
    flat = [*chain.from_iterable(references)]
    rows = np.cumsum([0, *map(len, references)], dtype=np.int64)
    edits, gold = (sequence_keys(rows, vocabulary, exact=False) for rows in (hypotheses, flat))
    ids, segments = vocabulary.encode_lines(sources), np.arange(len(sources))
    counts = ChunkCounts(
        *edit_matches.count_chunks(ids, segments, edits, gold, rows, independent, _NO_WEIGHTS, True)
    )
    columns = iter(counts.columns.tolist())
    chunks: list[list[Chunk]] = []
    for i, (start, stop) in enumerate(pairwise(counts.chunks.tolist())):
        tokens = tuple(sources[i].split())
        kept = counts.kept[slice(*counts.rows[i : i + 2].tolist())].tolist()
        texts = [hypotheses[i], *(flat[row] for row in kept)]
        chunks.append([])
        for first, last, edited in counts.spans[start:stop].tolist():
            versions = [_version(tokens, first, last, text if edited else ()) for text in texts]
            names = tuple(COLUMNS[next(columns)] for _ in range(1 if independent else len(kept)))
            chunks[-1].append(Chunk(tokens[first:last], versions[0], tuple(versions[1:]), names))
    return chunks


def _version(tokens: Tokens, start: int, end: int, edits: Iterable[Edit]) -> Version:
    """The source tokens start:end after the edits in this span."""
    inside = [edit for edit in edits if edit.type != "noop" and start <= edit.start <= edit.end <= end]
    out: list[str] = []
    place = start
    for edit in sorted(inside, key=lambda edit: edit.start):
        out += tokens[place : edit.start]
        out += edit.correction.split()
        place = max(place, edit.end)
    return Version((*out, *tokens[place:end]), bool(inside), tuple(edit.type for edit in inside))


class LengthWeights(NamedTuple):
    """Scale and bounds of the length weights (Ye et al. 2023, Section 3.3)."""

    scale: float
    tp: tuple[float, float]
    fp: tuple[float, float]
    fn: tuple[float, float]

    def table(self, mean: float) -> Floats:
        """The weights, columns × lengths, for a mean length of the references' changes."""
        lengths = range(math.ceil(mean) + _BEYOND)
        tp, fn = ([self._clipped(mean - n, bounds) for n in lengths] for bounds in (self.tp, self.fn))
        fp = [self._clipped(n - mean, self.fp) for n in lengths]
        return np.array([tp, fp, fp, fn, [1.0] * len(lengths)])

    def _clipped(self, exponent: float, bounds: tuple[float, float]) -> float:
        value = self.scale / (1 + (self.scale - 1) * math.exp(min(exponent, 700.0)))
        return min(max(value, bounds[0]), bounds[1])


_CORPUS = LengthWeights(2.0, (0.75, 1.25), (0.75, 1.25), (0.75, 1.25))
_SENTENCE = {
    "dependent": LengthWeights(10.0, (1.0, 10.0), (0.25, 1.0), (1.0, 1.0)),
    "independent": LengthWeights(10.0, (2.5, 10.0), (0.25, 1.0), (1.0, 1.0)),
}


# -- what the four metrics share -------------------------------------------------------------------------


@dataclass(frozen=True)
class ChunkMetric(EditSequenceMetric):
    """Base of the CLEME family: chunks, their counts, and the mean length that weights depend on.

    With `assumption="dependent"` a correction is compared with one reference as a whole; `independent` lets
    every chunk agree with any reference.
    """

    assumption: Literal["dependent", "independent"] = "dependent"

    @property
    def first_pass(self) -> bool:
        """Whether chunks are weighted by their length, in relation to the mean."""
        return self.length_weights() is not None

    @property
    def depends_on_systems(self) -> bool:
        """Each system has its own mean length."""
        return False

    def length_weights(self) -> LengthWeights | None:
        """The parameters of the length weights; None without any."""
        return None

    def chunks(self, batch: Batch) -> list[list[Chunk]]:
        """The chunks of every segment."""
        corpus, numbers = batch.distinct
        references = self.reference_edits(corpus)
        require_references([len(references[i]) for i in numbers], self.name, batch.corpus.first)
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        independent = self.assumption == "independent"
        return chunks_of(batch.sources, edits, [references[i] for i in numbers], independent=independent)

    def _count(self, batch: Batch, weights: Floats = _NO_WEIGHTS) -> ChunkCounts:
        corpus, numbers = batch.distinct
        require_references(corpus.annotation_counts[numbers], self.name, batch.corpus.first)
        gold, rows = self.reference_sequences(corpus, batch.jobs)
        edits = self.hypothesis_sequences(batch)
        independent = self.assumption == "independent"
        return ChunkCounts(
            *edit_matches.count_chunks(
                corpus.source_ids, numbers, edits, gold, rows, independent, weights, False
            )
        )

    def observe(self, batches: Mapping[str, Batch]) -> dict[str, tuple[int, int]]:
        """Per system, the summed length and the number of the chunks that references change."""

        def changes(batch: Batch) -> tuple[int, int]:
            length, count = self._count(batch).changes.tolist()
            return length, count

        return self.for_systems(changes, batches)

    def settle(self, observations: Sequence[Mapping[str, tuple[int, int]]]) -> Mapping[str, Any]:
        """The mean length of the references' changes, which depends on how a system's edits divide them."""
        means = {}
        for system in observations[0]:
            length = sum(chunk[system][0] for chunk in observations)
            count = sum(chunk[system][1] for chunk in observations)
            means[system] = length / count if count else 0.0
        return means

    def rows(self, batch: Batch) -> Statistics:
        """Weighted counts per segment, and per reference where these are compared one by one."""
        weights = self.length_weights()
        table = _NO_WEIGHTS if weights is None else weights.table(batch.settled[batch.system])
        counts = self._count(batch, table)
        rows = np.arange(len(batch) + 1) if self.assumption == "independent" else counts.rows
        numbers = np.arange(rows[-1]) - np.repeat(rows[:-1], np.diff(rows))
        return Statistics(COLUMNS, counts.values, rows, numbers)


@dataclass(frozen=True)
class RunningChunks(ChunkMetric, NativeScanMetric):
    """Base of CLEME and CLEME2: references are chosen by the running totals of their chunks."""

    columns: ClassVar[tuple[str, ...]] = COLUMNS
    by_reference: ClassVar[bool] = False

    def counts(self, batch: Batch) -> Statistics:
        """Weighted counts of chunks."""
        return self.rows(batch)


# -- CLEME -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CLEME(RunningChunks):
    """F_β of chunks over the corpus; references are chosen by running totals.

    `weights="length"` gives long right chunks more and long wrong ones less weight; `none` counts chunks.
    Precision, recall and F are rounded to four digits, as in the official program, also where they decide.
    """

    weights: Literal["length", "none"] = "length"
    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "cleme"
    title: ClassVar[str] = "CLEME"
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "accuracy", "tp", "fp", "fn", "tn")

    def length_weights(self) -> LengthWeights | None:
        """The weights of the corpus level."""
        return _CORPUS if self.weights == "length" else None

    @property
    def scan_rule(self) -> tuple[int, float]:
        """References are compared by F, rounded to four digits."""
        return scans.ROUNDED_F, self.beta**2

    def swapper(self, systems: Sequence[Statistics]) -> Swapper:
        """Scores of pairs with segments swapped, without the rows that no permutation chooses."""
        from errata.significance.permutation_pruning import never_chosen_by_f

        counts = [np.stack(_four(statistics.values)[:3], axis=1) for statistics in systems]
        unused = never_chosen_by_f(systems, counts, self.beta)
        pairs = zip(systems, unused, strict=True)
        return weight_swapper(self, [statistics.without(rows) for statistics, rows in pairs])

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision, recall and accuracy of total counts, and the counts."""
        return np.stack([*_measures(totals, self.beta), *_four(totals)], axis=-1)


@dataclass(frozen=True)
class SentCLEME(ChunkMetric, SumMetric):
    """The mean over sentences of CLEME's F0.5, each against its best reference.

    `weights="length"` are those of the paper's sentence level. `shipped` is what version 1.1.0 computes: it
    ignores these weights and uses those of the corpus level. `none` counts chunks.
    """

    weights: Literal["length", "shipped", "none"] = "length"

    name: ClassVar[str] = "sentcleme"
    title: ClassVar[str] = "SentCLEME"
    columns: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "accuracy", "segments", *COLUMNS)
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "accuracy", "tp", "fp", "fn", "tn")

    def length_weights(self) -> LengthWeights | None:
        """The weights of the sentence level, or those of the package."""
        return {"length": _SENTENCE[self.assumption], "shipped": _CORPUS, "none": None}[self.weights]

    def features(self, batch: Batch) -> Floats:
        """F, precision, recall and accuracy of the best reference, and its counts."""
        statistics = self.rows(batch)
        measures = np.stack(_measures(statistics.values, 0.5), axis=-1)
        best = choose_alone(statistics, lambda *_: [*measures.T])
        return np.column_stack([measures[best], np.ones(len(best)), statistics.values[best]])

    def from_sums(self, sums: Floats) -> Floats:
        """Means of the measures, and total counts."""
        means = sums[:, :4] / np.maximum(sums[:, 4:5], 1)
        return np.column_stack([means, *_four(sums[:, 5:])])


def _four(counts: Numbers) -> tuple[Floats, Floats, Floats, Floats]:
    """True positives, false positives of both kinds, false negatives, true negatives."""
    tp, fp_ne, fp_un, fn, tn = np.moveaxis(counts, -1, 0).astype(np.float64)
    return tp, fp_ne + fp_un, fn, tn


def _measures(counts: Numbers, beta: float) -> tuple[Floats, Floats, Floats, Floats]:
    """F, precision, recall and accuracy, each rounded to four digits."""
    tp, fp, fn, tn = _four(counts)
    f, p, r = map(rounded, prf(tp, fp, fn, beta))
    return f, p, r, rounded(share(tp + tn, tp + fp + fn + tn))


def rounded(values: Floats) -> Floats:
    """Round to four digits exactly as Python does: near a tie, number by number."""
    scaled = values * 10_000
    out = np.rint(scaled) / 10_000
    near = np.abs(np.abs(scaled - np.floor(scaled)) - 0.5) < 1e-6
    if near.any():
        out[near] = [round(value, 4) for value in values[near].tolist()]
    return out


# -- CLEME2 ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CLEME2(RunningChunks):
    """The weighted sum of hit, 1 − error, 1 − under-correction and 1 − over-correction rates of the corpus.

    Of the chunks that need a change, `hit` is the share that got the right one, `err` a wrong one and `und`
    none; `ove` is the share of all changes that were not needed. The weights are `a`, `b`, `c` and `d`.
    """

    a: float = parameter(0.45, at_least=0)
    b: float = parameter(0.35, at_least=0)
    c: float = parameter(0.15, at_least=0)
    d: float = parameter(0.05, at_least=0)

    name: ClassVar[str] = "cleme2"
    title: ClassVar[str] = "CLEME2"
    parts: ClassVar[tuple[str, ...]] = (*_RATES, *COLUMNS)

    @property
    def shown(self) -> tuple[str, ...]:
        """The four rates."""
        return _RATES[1:]

    @property
    def scan_rule(self) -> tuple[int, tuple[float, ...]]:
        """References are compared by the weighted sum."""
        return scans.WEIGHTED, (self.a, self.b, self.c, self.d)

    def from_totals(self, totals: Numbers) -> Floats:
        """The sum and the four rates of total counts, and the counts."""
        return np.column_stack([*_rates(totals, (self.a, self.b, self.c, self.d)), totals])


@dataclass(frozen=True)
class SentCLEME2(ChunkMetric, SumMetric):
    """The mean over sentences of CLEME2's weighted sum, each against its best reference."""

    a: float = parameter(0.35, at_least=0)
    b: float = parameter(0.25, at_least=0)
    c: float = parameter(0.20, at_least=0)
    d: float = parameter(0.20, at_least=0)

    name: ClassVar[str] = "sentcleme2"
    title: ClassVar[str] = "SentCLEME2"
    columns: ClassVar[tuple[str, ...]] = (*_RATES, "segments", *COLUMNS)
    parts: ClassVar[tuple[str, ...]] = (*_RATES, *COLUMNS)

    @property
    def shown(self) -> tuple[str, ...]:
        """The four rates."""
        return _RATES[1:]

    def features(self, batch: Batch) -> Floats:
        """The rates of the best reference, and its counts."""
        statistics = self.rows(batch)
        rates = np.stack(_rates(statistics.values, (self.a, self.b, self.c, self.d)), axis=-1)
        best = choose_alone(statistics, lambda *_: [*(rates * [1, 1, -1, -1, -1]).T])
        return np.column_stack([rates[best], np.ones(len(best)), statistics.values[best]])

    def from_sums(self, sums: Floats) -> Floats:
        """Means of the rates, and total counts."""
        return np.column_stack([sums[:, :5] / np.maximum(sums[:, 5:6], 1), sums[:, 6:]])


def _rates(counts: Numbers, weights: tuple[float, ...]) -> tuple[Floats, ...]:
    """The weighted sum, and the rates of hits, errors, under-correction and over-correction."""
    tp, fp_ne, fp_un, fn, _ = np.moveaxis(counts, -1, 0).astype(np.float64)
    needed, changed = tp + fp_ne + fn, tp + fp_ne + fp_un
    hit, err, und = (share(part, needed, 0.0) for part in (tp, fp_ne, fn))
    ove = share(fp_un, changed, 0.0)
    a, b, c, d = weights
    return a * hit + b * (1 - err) + c * (1 - und) + d * (1 - ove), hit, err, und, ove
