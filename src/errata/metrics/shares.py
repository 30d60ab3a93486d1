"""Shares of segments: exact match and unchanged rate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.text.vocabulary import RepeatedLines


@dataclass(frozen=True)
class ExactMatch(SentenceMetric):
    """Sentence accuracy: the share of hypotheses that equal one of their references, token by token."""

    name: ClassVar[str] = "exact"
    title: ClassVar[str] = "exact match"
    parts: ClassVar[tuple[str, ...]] = ("exact",)

    def scores(self, batch: Batch) -> list[bool]:
        """Whether each hypothesis equals a reference."""
        corpus, numbers = batch.distinct
        references = [[text.split() for text in texts] for texts in corpus.reference_texts()]
        require_references([len(references[i]) for i in numbers], self.name, batch.corpus.first)
        ours = _split(batch.hypotheses)
        return [words in references[i] for words, i in zip(ours, numbers, strict=True)]


@dataclass(frozen=True)
class UnchangedRate(SentenceMetric):
    """The share of hypotheses that equal their source, token by token; neither good nor bad by itself."""

    name: ClassVar[str] = "unchanged"
    title: ClassVar[str] = "unchanged"
    parts: ClassVar[tuple[str, ...]] = ("unchanged",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    def scores(self, batch: Batch) -> list[bool]:
        """Whether each hypothesis equals its source."""
        corpus, numbers = batch.distinct
        sources = [source.split() for source in corpus.sources]
        ours = _split(batch.hypotheses)
        return [words == sources[i] for words, i in zip(ours, numbers, strict=True)]


def _split(lines: Sequence[str]) -> list[list[str]]:
    """The tokens of every line; a line that occurs several times is split once."""
    if isinstance(lines, RepeatedLines):
        words = _split(lines.lines)
        return [words[number] for number in lines.numbers.tolist()]
    return [line.split() for line in lines]
