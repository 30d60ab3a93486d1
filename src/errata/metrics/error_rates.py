"""Word and character error rate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.metrics.ter import edit_rate


@dataclass(frozen=True)
class _ErrorRate(SumMetric):
    """Levenshtein distance to the nearest reference per unit of that reference."""

    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")
    higher_is_better: ClassVar[bool] = False
    by_reference: ClassVar[bool] = True

    def _units(self, text: str) -> Sequence[Hashable]:
        raise NotImplementedError

    def features(self, batch: Batch) -> Statistics:
        """The edits to every reference, and its length."""
        from rapidfuzz.distance import Levenshtein

        corpus, hypotheses = batch.corpus, batch.hypotheses
        base, numbers = batch.distinct
        references = [[self._units(text) for text in texts] for texts in base.reference_texts()]
        counts = [len(references[i]) for i in numbers]
        require_references(counts, self.name, corpus.first)
        named = [[annotation.annotator for annotation in segment.rewritten] for segment in base]
        annotators = [annotator for i in numbers for annotator in named[i]]
        rows = []
        for hypothesis, i in zip(hypotheses, numbers, strict=True):
            ours = self._units(hypothesis)
            for theirs in references[i]:
                rows.append((Levenshtein.distance(ours, theirs), len(theirs)))
        values = np.array(rows, dtype=np.int64).reshape(-1, 2)
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Statistics(self.columns, values, offsets, np.array(annotators, dtype=np.int64))

    def _nearest(self, statistics: Statistics) -> Numbers:
        """The row with the fewest edits of every segment; of several the first."""
        owner = np.repeat(np.arange(len(statistics)), statistics.counts)
        order = np.lexsort((statistics.values[:, 0], owner))
        return statistics.values[order[statistics.offsets[:-1]]]

    def summands(self, statistics: Statistics) -> Floats:
        """The edits to the nearest reference, and its length."""
        return self._nearest(statistics).astype(np.float64)

    def from_sums(self, sums: Floats) -> Floats:
        return edit_rate(sums[:, 0], sums[:, 1])[:, None]


@dataclass(frozen=True)
class WER(_ErrorRate):
    """Word error rate: inserted, deleted and replaced tokens per token of the nearest reference."""

    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    parts: ClassVar[tuple[str, ...]] = ("wer",)

    def _units(self, text: str) -> Sequence[Hashable]:
        return text.split()


@dataclass(frozen=True)
class CER(_ErrorRate):
    """Character error rate: as WER over characters, runs of white space being one blank."""

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    parts: ClassVar[tuple[str, ...]] = ("cer",)
    of_tokens: ClassVar[bool] = False

    def _units(self, text: str) -> Sequence[Hashable]:
        return " ".join(text.split())
