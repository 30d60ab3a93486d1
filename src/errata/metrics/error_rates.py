"""Word and character error rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch, Encoded, encode, encode_letters
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.metrics.ter import edit_rate
from errata.metrics.totals import choose_alone
from errata.native import distance

_BLANK = ord(" ")


@dataclass(frozen=True)
class _ErrorRate(SumMetric):
    """Levenshtein distance to the nearest reference per unit of that reference."""

    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")
    higher_is_better: ClassVar[bool] = False
    by_reference: ClassVar[bool] = True
    computed_by = "native"

    def _encoded(self, batch: Batch) -> Encoded:
        return encode(batch, self.name)

    def features(self, batch: Batch) -> Statistics:
        """The edits to every reference, and its length."""
        texts = self._encoded(batch)
        references = texts.references
        edits = distance.distances(texts.hypothesis, references.ids, references.offsets)
        values = np.stack([edits, references.ids.lengths], axis=1)
        return Statistics(self.columns, values, references.offsets, references.annotators)

    def summands(self, statistics: Statistics) -> Numbers:
        """The edits to the nearest reference (of several the first), and its length."""
        nearest = choose_alone(statistics, lambda _, rows: [-rows[:, 0]])
        return statistics.values[nearest]

    def from_sums(self, sums: Floats) -> Floats:
        return edit_rate(sums[:, 0], sums[:, 1])[:, None]


@dataclass(frozen=True)
class WER(_ErrorRate):
    """Word error rate: inserted, deleted and replaced tokens per token of the nearest reference."""

    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "WER"
    parts: ClassVar[tuple[str, ...]] = ("wer",)


@dataclass(frozen=True)
class CER(_ErrorRate):
    """Character error rate: as WER over characters, runs of white space being one blank."""

    name: ClassVar[str] = "cer"
    title: ClassVar[str] = "CER"
    parts: ClassVar[tuple[str, ...]] = ("cer",)
    of_tokens: ClassVar[bool] = False

    def _encoded(self, batch: Batch) -> Encoded:
        return encode_letters(batch, self.name, separator=_BLANK)
