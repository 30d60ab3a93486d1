"""Rates of segments that match: exact match and unchanged rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch, encode
from errata.text.vocabulary import equal_rows


@dataclass(frozen=True)
class ExactMatch(SentenceMetric):
    """Sentence accuracy: the share of hypotheses that equal one of their references, token by token."""

    name: ClassVar[str] = "exact"
    title: ClassVar[str] = "exact match"
    parts: ClassVar[tuple[str, ...]] = ("exact",)
    computed_by = "native"

    def scores(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Whether each hypothesis equals a reference."""
        texts = encode(batch, self.name)
        return equal_rows(texts.hypothesis, texts.references.ids, texts.references.offsets)


@dataclass(frozen=True)
class UnchangedRate(SentenceMetric):
    """The share of hypotheses that equal their source, token by token; neither good nor bad by itself."""

    name: ClassVar[str] = "unchanged"
    title: ClassVar[str] = "unchanged"
    parts: ClassVar[tuple[str, ...]] = ("unchanged",)
    computed_by = "native"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    def scores(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Whether each hypothesis equals its source."""
        corpus = batch.corpus
        return equal_rows(corpus.vocabulary.encode_lines(batch.hypotheses), corpus.source_ids)
