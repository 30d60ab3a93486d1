"""iBLEU (Sun & Zhou 2012): BLEU against the references minus a share of BLEU against the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.corpus.columns import EncodedReferences
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.bleu import BLEU
from errata.metrics.encoding import Encoded, encode
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Statistics


@dataclass(frozen=True)
class IBLEU(SumMetric):
    """α·BLEU(output, references) − (1 − α)·BLEU(output, source), over tokens between white space.

    It rewards outputs that are like the references and unlike the source. `alpha` is 0.9 in the editing
    benchmarks. Sentence scores use the smoothed BLEU of single sentences.
    """

    alpha: float = parameter(0.9, at_least=0, at_most=1)
    n: int = parameter(4, at_least=1, at_most=32)

    name: ClassVar[str] = "ibleu"
    title: ClassVar[str] = "iBLEU"
    computed_by = "native"
    parts: ClassVar[tuple[str, ...]] = ("ibleu", "bleu", "self_bleu")

    @property
    def bleu(self) -> BLEU:
        """The BLEU that both comparisons use."""
        return BLEU(self.n)

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """BLEU's columns against the references, then against the source."""
        columns = self.bleu.columns
        return (*columns, *(f"self_{name}" for name in columns))

    def features(self, batch: Batch) -> np.ndarray:
        """BLEU's statistics against the references, and against the source."""
        texts, bleu = encode(batch, self.name), self.bleu
        rows = np.arange(len(batch) + 1, dtype=np.int64)
        source = EncodedReferences(texts.source, rows, np.zeros(len(batch), dtype=np.int64))
        unchanged = Encoded(texts.source, texts.hypothesis, source)
        return np.hstack([bleu.counts(each) for each in (texts, unchanged)])

    def from_sums(self, sums: Floats) -> Floats:
        """iBLEU and the two BLEU scores."""
        bleu, half = self.bleu, sums.shape[1] // 2
        scores, self_scores = (bleu.from_sums(part)[:, 0] for part in (sums[:, :half], sums[:, half:]))
        return np.stack([self._combined(scores, self_scores), scores, self_scores], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """The same of BLEU's sentence scores."""
        half = len(self.bleu.columns)
        scores, self_scores = (
            self.bleu.sentence_scores(Statistics.one_row_each(self.bleu.columns, part))
            for part in (statistics.values[:, :half], statistics.values[:, half:])
        )
        return self._combined(scores, self_scores)

    def _combined(self, scores: Floats, self_scores: Floats) -> Floats:
        return self.alpha * scores - (1 - self.alpha) * self_scores
