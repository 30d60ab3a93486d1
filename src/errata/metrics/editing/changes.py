"""ID: whether the right n-grams were inserted and deleted (EditEval, Dwivedi-Yu et al. 2022)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import encode
from errata.metrics.statistics import Floats
from errata.native import ngrams

_ORDERS = 3


@dataclass(frozen=True)
class InsertDelete(SentenceMetric):
    """ID between 0 and 1: the overlap of inserted and of deleted n-grams with those of the best reference.

    For n = 1, 2, 3, the n-grams that a text adds to the source and those that it removes are sets; their
    overlap with a reference's sets is |A ∩ B| / max(|A|, |B|), and 1 if both are empty.
    """

    name: ClassVar[str] = "id"
    title: ClassVar[str] = "ID"
    parts: ClassVar[tuple[str, ...]] = ("id",)
    computed_by = "native"

    def scores(self, batch: Batch) -> Floats:
        """The best overlap over the references."""
        texts = encode(batch, self.name)
        counts = ngrams.edit_counts(*texts.texts, _ORDERS, 2)
        shared, of_hypothesis, of_reference = np.moveaxis(counts.reshape(-1, 2, _ORDERS, 3), -1, 0)
        most = np.maximum(of_hypothesis, of_reference)
        inserted, deleted = np.moveaxis(np.where(most > 0, shared / np.maximum(most, 1), 1.0), 1, 0)
        first, second, third = ((inserted + deleted) / 2).T
        overlaps = (first + second + third) / _ORDERS
        starts = texts.references.offsets[:-1]
        return np.maximum.reduceat(overlaps, starts) if len(starts) else overlaps
