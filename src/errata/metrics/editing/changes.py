"""ID: whether the right n-grams were inserted and deleted (EditEval, Dwivedi-Yu et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references

_ORDERS = 3
Ngrams = set[tuple[str, ...]]


@dataclass(frozen=True)
class InsertDelete(SentenceMetric):
    """ID between 0 and 1: the overlap of inserted and of deleted n-grams with those of the best reference.

    For n = 1, 2, 3, the n-grams that a text adds to the source and those that it removes are sets; their
    overlap with a reference's sets is |A ∩ B| / max(|A|, |B|), and 1 if both are empty.
    """

    name: ClassVar[str] = "id"
    title: ClassVar[str] = "ID"
    parts: ClassVar[tuple[str, ...]] = ("id",)

    def scores(self, batch: Batch) -> list[float]:
        """The best overlap over the references."""
        require_references([len(texts) for texts in batch.references], self.name, batch.corpus.first)
        return [
            max(_overlap(_changes(source, output), _changes(source, text)) for text in references)
            for source, output, references in batch
        ]


def _changes(source: str, text: str) -> list[Ngrams]:
    """Per order, the n-grams that a text inserts and those that it deletes."""
    before, after = source.split(), text.split()
    pairs = [(_ngrams(before, n), _ngrams(after, n)) for n in range(1, _ORDERS + 1)]
    return [changed for ours, theirs in pairs for changed in (theirs - ours, ours - theirs)]


def _overlap(ours: Sequence[Ngrams], theirs: Sequence[Ngrams]) -> float:
    shares = [len(a & b) / max(len(a), len(b)) if a or b else 1.0 for a, b in zip(ours, theirs, strict=True)]
    by_order = [(inserted + deleted) / 2 for inserted, deleted in zip(shares[::2], shares[1::2], strict=True)]
    return sum(by_order) / _ORDERS


def _ngrams(tokens: Sequence[str], n: int) -> Ngrams:
    return {tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1)}
