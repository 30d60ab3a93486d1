"""Simple metrics: word and character error rate, exact match, unchanged rate, and length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from errata.metrics.base import Need, SentenceMetric, SumMetric
from errata.metrics.batch import Batch, Encoded, encode, encode_letters
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.metrics.ter import edit_rate
from errata.metrics.totals import choose_alone
from errata.text.lines import Lines, Places, character_counts
from errata.text.vocabulary import equal_rows

_BLANK = ord(" ")


@dataclass(frozen=True)
class _ErrorRate(SumMetric):
    """Levenshtein distance to the nearest reference per unit of that reference."""

    columns: ClassVar[tuple[str, ...]] = ("edits", "reference_length")
    higher_is_better: ClassVar[bool] = False
    by_reference: ClassVar[bool] = True

    def _encoded(self, batch: Batch) -> Encoded:
        return encode(batch, self.name)

    def features(self, batch: Batch) -> Statistics:
        """The edits to every reference, and its length."""
        texts = self._encoded(batch)
        references = texts.references
        hypotheses = list(texts.hypothesis.lists())
        owners = np.repeat(np.arange(len(hypotheses)), np.diff(references.offsets)).tolist()
        pairs = zip(owners, references.ids.lists(), strict=True)
        edits = [Levenshtein.distance(hypotheses[owner], reference) for owner, reference in pairs]
        values = np.stack([np.array(edits, dtype=np.int64), references.ids.lengths], axis=1)
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
    white_space = "unicode"
    title: ClassVar[str] = "WER"
    parts: ClassVar[tuple[str, ...]] = ("wer",)


@dataclass(frozen=True)
class CER(_ErrorRate):
    """Character error rate: as WER over characters, runs of white space being one blank."""

    name: ClassVar[str] = "cer"
    white_space = "unicode"
    title: ClassVar[str] = "CER"
    parts: ClassVar[tuple[str, ...]] = ("cer",)
    of_tokens: ClassVar[bool] = False

    def _encoded(self, batch: Batch) -> Encoded:
        return encode_letters(batch, self.name, separator=_BLANK)


@dataclass(frozen=True)
class ExactMatch(SentenceMetric):
    """Sentence accuracy: the share of hypotheses that equal one of their references, token by token."""

    name: ClassVar[str] = "exact"
    white_space = "unicode"
    title: ClassVar[str] = "exact match"
    parts: ClassVar[tuple[str, ...]] = ("exact",)
    computed_by = "native"

    def scores(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Whether each hypothesis equals a reference."""
        texts = encode(batch, self.name)
        return equal_rows(texts.hypothesis, texts.references.ids, texts.references.offsets)


@dataclass(frozen=True)
class UnchangedRate(SentenceMetric):
    """The share of hypotheses that equal their source, token by token; not a measure of quality."""

    name: ClassVar[str] = "unchanged"
    white_space = "unicode"
    title: ClassVar[str] = "unchanged"
    parts: ClassVar[tuple[str, ...]] = ("unchanged",)
    computed_by = "native"
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    def scores(self, batch: Batch) -> npt.NDArray[np.bool_]:
        """Whether each hypothesis equals its source."""
        corpus = batch.corpus
        return equal_rows(corpus.vocabulary.encode_lines(batch.hypotheses), corpus.source_ids)


@dataclass(frozen=True)
class Length(SentenceMetric):
    """The mean number of characters per output, blanks included; not a measure of quality."""

    name: ClassVar[str] = "length"
    white_space = "unicode"
    title: ClassVar[str] = "length"
    parts: ClassVar[tuple[str, ...]] = ("length",)
    decimals: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    of_tokens: ClassVar[bool] = False
    computed_by = "native"

    def scores(self, batch: Batch) -> Places:
        """The number of characters of every hypothesis."""
        return character_counts(Lines.of(batch.hypotheses))
