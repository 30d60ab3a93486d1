"""CLEME2 with similarity weights (Ye et al. 2025): chunks weighted by what they change in BERTScore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.batch import Batch
from errata.metrics.cleme.chunks import Chunk
from errata.metrics.cleme.cleme2 import CLEME2, SentCLEME2
from errata.metrics.cleme.counting import COLUMNS
from errata.metrics.cleme.metric import ChunkMetric
from errata.metrics.neural.bertscore import EncoderMetric, similarities
from errata.metrics.statistics import Statistics

Known = dict[tuple[str, str], float]  # BERTScore of pairs of texts


@dataclass(frozen=True)
class WeightedChunks(EncoderMetric, ChunkMetric):
    """What both metrics share: the weights of chunks.

    The weight of a chunk is |B(source with this chunk alone, reference) − B(source, reference)|, where B is
    the F of BERTScore from this `model` and `layer` (0: the layer that `bert-score` uses for the model). A
    missed chunk is that of the reference; one that is rightly unchanged counts 1.
    """

    of_tokens: ClassVar[bool] = True
    counts_natively: ClassVar[bool] = False

    def rows(self, batch: Batch) -> Statistics:
        """Weighted counts per segment and reference; weights differ between references in any case."""
        compared = [
            [_Compared(chunks, number) for number in range(len(chunks[0].references))]
            for chunks in self.chunks(batch)
        ]
        pairs = [pair for some in compared for one in some for pair in one.pairs()]
        known = similarities(self.encoder, pairs)
        made = [[one.row(known) for one in some] for some in compared]
        numbers = [list(range(len(some))) for some in made]
        return Statistics.from_lists(COLUMNS, [np.array(some, dtype=np.float64) for some in made], numbers)


@dataclass(frozen=True)
class _Compared:
    """The chunks of a segment against one reference."""

    chunks: Sequence[Chunk]
    reference: int

    @property
    def columns(self) -> list[str]:
        """The column that each counts in: against this reference, or against all of them."""
        return [chunk.columns[self.reference if len(chunk.columns) > 1 else 0] for chunk in self.chunks]

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of texts whose similarity is needed."""
        texts = [self._alone(place) for place, column in enumerate(self.columns) if column != "tn"]
        return [(text, self._target) for text in [self._source, *texts]]

    def row(self, known: Known) -> list[float]:
        """The summed weights of every column."""
        sums = dict.fromkeys(COLUMNS, 0.0)
        for place, column in enumerate(self.columns):
            sums[column] += self._weight(place, column, known)
        return list(sums.values())

    def _weight(self, place: int, column: str, known: Known) -> float:
        if column == "tn":
            return 1.0
        return abs(known[self._alone(place), self._target] - known[self._source, self._target])

    @property
    def _source(self) -> str:
        return _joined([chunk.source for chunk in self.chunks])

    @property
    def _target(self) -> str:
        return _joined([chunk.references[self.reference].tokens for chunk in self.chunks])

    def _alone(self, place: int) -> str:
        """The source with one chunk as in the hypothesis (or, if that missed it, as in the reference)."""
        chunk = self.chunks[place]
        version = chunk.references[self.reference] if self.columns[place] == "fn" else chunk.hypothesis
        parts = [one.source for one in self.chunks]
        parts[place] = version.tokens
        return _joined(parts) or self._source  # as the official program does where nothing is left


def _joined(parts: Sequence[Sequence[str]]) -> str:
    return " ".join(token for part in parts for token in part)


@dataclass(frozen=True)
class SimCLEME2(WeightedChunks, CLEME2):
    """CLEME2 over the corpus, with chunks weighted by what they change in BERTScore."""

    name: ClassVar[str] = "simcleme2"
    title: ClassVar[str] = "SimCLEME2"


@dataclass(frozen=True)
class SentSimCLEME2(WeightedChunks, SentCLEME2):
    """The mean over sentences of CLEME2, with chunks weighted by what they change in BERTScore."""

    name: ClassVar[str] = "sentsimcleme2"
    title: ClassVar[str] = "SentSimCLEME2"
