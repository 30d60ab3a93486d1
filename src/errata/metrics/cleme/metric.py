"""CLEME (Ye et al. 2023): F over chunks that hypothesis and references share, weighted by length."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from errata.metrics.base import ScanMetric, SumMetric
from errata.metrics.batch import Batch
from errata.metrics.cleme.chunks import Chunk, Counted, chunks_of, count_chunks
from errata.metrics.cleme.counting import COLUMNS, CORPUS, NO_WEIGHTS, SENTENCE, Clips
from errata.metrics.edit_sequences import PlacedMetric
from errata.metrics.encoding import require_references
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import choose_alone, prf, share
from errata.native import scans


@dataclass(frozen=True)
class ChunkMetric(PlacedMetric):
    """What the CLEME family shares: chunks, their counts, and the mean length that weights depend on.

    With `assumption="dependent"` a correction is compared with one reference as a whole; `independent` lets
    every chunk agree with any reference.
    """

    assumption: Literal["dependent", "independent"] = "dependent"

    @property
    def first_pass(self) -> bool:
        """Whether chunks are weighted by their length, in relation to the mean."""
        return self.clips() is not None

    @property
    def depends_on_systems(self) -> bool:
        """Each system has a mean length of its own."""
        return False

    def clips(self) -> Clips | None:
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

    def counted(self, batch: Batch, weights: Floats = NO_WEIGHTS) -> Counted:
        """The chunks of every segment, counted with these weights."""
        corpus, numbers = batch.distinct
        require_references(corpus.annotation_counts[numbers], self.name, batch.corpus.first)
        texts = self.placed_hypotheses(batch), self.placed_references(corpus, batch.jobs)
        return count_chunks(corpus.source_ids, numbers, *texts, self.assumption == "independent", weights)

    def observe(self, batches: Mapping[str, Batch]) -> dict[str, tuple[int, int]]:
        """Per system, the summed length and the number of the chunks that references change."""

        def changes(batch: Batch) -> tuple[int, int]:
            length, count = self.counted(batch).changes.tolist()
            return length, count

        return self.of_systems(changes, batches)

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
        clips = self.clips()
        weights = NO_WEIGHTS if clips is None else clips.weights(batch.settled[batch.system])
        found = self.counted(batch, weights)
        rows = np.arange(len(batch) + 1) if self.assumption == "independent" else found.rows
        numbers = np.arange(rows[-1]) - np.repeat(rows[:-1], np.diff(rows))
        return Statistics(COLUMNS, found.values, rows, numbers)


@dataclass(frozen=True)
class RunningChunks(ChunkMetric, ScanMetric):
    """Choosing references by the running totals of their chunks, in native code."""

    by_reference: ClassVar[bool] = False

    @property
    @abstractmethod
    def factors(self) -> tuple[float, ...]:
        """The square of β for CLEME's F, or the four factors of CLEME2's sum."""

    @property
    def rule(self) -> int:
        """How references are compared."""
        return scans.WEIGHTED if len(self.factors) == 4 else scans.ROUNDED_F

    def counts(self, batch: Batch) -> Statistics:
        """Weighted counts of chunks."""
        return self.rows(batch)

    def scan(self, statistics: Statistics, weights: Integers, totals: Numbers) -> None:
        """Add the counts of the chosen references to the totals of every sample."""
        scans.scan(statistics.values, statistics.offsets, weights, totals, self.rule, self.factors)

    def chosen(self, statistics: Statistics, *, running: bool | None = None) -> Integers:
        """The number of the chosen row per segment: in the corpus run, or each by itself."""
        rows: Integers = scans.choose(
            statistics.values, statistics.offsets, running is not False, self.rule, self.factors
        )
        return rows


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
    columns: ClassVar[tuple[str, ...]] = COLUMNS
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "accuracy", "tp", "fp", "fn", "tn")

    def clips(self) -> Clips | None:
        """The weights of the corpus level."""
        return CORPUS if self.weights == "length" else None

    @property
    def factors(self) -> tuple[float, ...]:
        """The square of β."""
        return (self.beta**2,)

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision, recall and accuracy of total counts, and the counts."""
        return np.stack([*_measures(totals, self.beta), *_four(totals)], axis=-1)


@dataclass(frozen=True)
class SentCLEME(ChunkMetric, SumMetric):
    """The mean over sentences of CLEME's F0.5, each against its best reference.

    `weights="length"` are those of the paper's sentence level; `shipped` are what version 1.1.0 computes,
    which ignores them and uses the corpus level's; `none` counts chunks.
    """

    weights: Literal["length", "shipped", "none"] = "length"

    name: ClassVar[str] = "sentcleme"
    title: ClassVar[str] = "SentCLEME"
    columns: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "accuracy", "segments", *COLUMNS)
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "accuracy", "tp", "fp", "fn", "tn")

    def clips(self) -> Clips | None:
        """The weights of the sentence level, or those that are shipped."""
        return {"length": SENTENCE[self.assumption], "shipped": CORPUS, "none": None}[self.weights]

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
