"""CLEME2 with similarity weights (Ye et al. 2025): chunks weighted by what they change in BERTScore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.batch import Batch
from errata.metrics.cleme.chunks import Chunk
from errata.metrics.cleme.cleme2 import CLEME2, SentCLEME2
from errata.metrics.cleme.counting import COLUMNS, Row, columns, summed
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

    def rows(self, batch: Batch) -> Statistics:
        """Weighted counts per segment and reference; weights differ between references in any case."""
        segments = self.chunks(batch)
        compared = [
            _Compared(chunks, number, columns(chunks, number if self.assumption == "dependent" else None))
            for chunks in segments
            for number in range(len(chunks[0].references))
        ]
        known = similarities(self.encoder, [pair for one in compared for pair in one.pairs()])
        rows = iter([one.row(known) for one in compared])
        made = [[next(rows) for _ in chunks[0].references] for chunks in segments]
        numbers = [list(range(len(some))) for some in made]
        return Statistics.from_lists(COLUMNS, [np.array(some, dtype=np.float64) for some in made], numbers)


@dataclass(frozen=True)
class _Compared:
    """The chunks of a segment against one reference, and the column that each counts in."""

    chunks: Sequence[Chunk]
    reference: int
    columns: Sequence[str]

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of texts whose similarity is needed."""
        texts = [self._alone(place) for place, column in enumerate(self.columns) if column != "tn"]
        return [(text, self._target) for text in [self._source, *texts]]

    def row(self, known: Known) -> Row:
        """The summed weights of every column."""
        return summed((column, self._weight(place, known)) for place, column in enumerate(self.columns))

    def _weight(self, place: int, known: Known) -> float:
        if self.columns[place] == "tn":
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
