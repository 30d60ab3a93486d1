"""SARI (Xu et al. 2016): what was added, kept and deleted, against source and references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.statistics import Floats
from errata.text.mteval import tokenize_13a

_ORDERS = 4
_OPERATIONS = ("add", "keep", "delete")
Ngrams = Counter[tuple[str, ...]]
Wanted = tuple[Ngrams, set[tuple[str, ...]], Ngrams, Ngrams]


@dataclass(frozen=True)
class SARI(SumMetric):
    """SARI between 0 and 1: the mean of how well n-grams were added, kept and deleted.

    Texts are lower-cased and tokenised by `13a`; counts are summed over the corpus, as EASSE and EditEval do.
    `average="orders"` takes F1 per n-gram order and then their mean, `average="paper"` takes the means of
    precision and recall first. `deletion="precision"` scores deletions by precision alone, as the paper does.
    """

    average: Literal["orders", "paper"] = "orders"
    deletion: Literal["f1", "precision"] = "f1"

    name: ClassVar[str] = "sari"
    title: ClassVar[str] = "SARI"
    parts: ClassVar[tuple[str, ...]] = ("sari", "add", "keep", "delete")
    columns: ClassVar[tuple[str, ...]] = tuple(
        f"{operation}_{what}{n}"
        for operation in _OPERATIONS
        for n in range(1, _ORDERS + 1)
        for what in ("correct", "made", "wanted")
    )

    def features(self, batch: Batch) -> list[list[int]]:
        """Per operation and order: how many n-grams are right, were changed, and should have been."""
        require_references([len(texts) for texts in batch.references], self.name, batch.corpus.first)
        return [_counts(source, _tokens(text), references) for source, text, references in batch]

    def from_sums(self, sums: Floats) -> Floats:
        """SARI and its three parts."""
        shape = (-1, len(_OPERATIONS), _ORDERS, 3)
        correct, made, wanted = np.moveaxis(sums.reshape(shape), -1, 0)
        precision = np.where(made > 0, correct / np.maximum(made, 1), 0.0)
        recall = np.where(wanted > 0, correct / np.maximum(wanted, 1), 0.0)
        if self.average == "paper":
            precision, recall = precision.mean(axis=-1), recall.mean(axis=-1)
            scores = _f1(precision, recall)
            of_deletion = precision[:, 2]
        else:
            scores = _f1(precision, recall).mean(axis=-1)
            of_deletion = precision[:, 2].mean(axis=-1)
        if self.deletion == "precision":
            scores[:, 2] = of_deletion
        return np.column_stack([scores.mean(axis=1), scores])


def _tokens(text: str) -> list[str]:
    return tokenize_13a(text.lower())


def _f1(precision: Floats, recall: Floats) -> Floats:
    both = precision + recall
    return np.where(both > 0, 2 * precision * recall / np.where(both > 0, both, 1.0), 0.0)


def _counts(source: str, output: Sequence[str], references: tuple[str, ...]) -> list[int]:
    by_operation: dict[str, list[int]] = {operation: [] for operation in _OPERATIONS}
    for n, (before, to_add, to_keep, to_delete) in enumerate(_wanted(source, references), 1):
        after = _times(_ngrams(output, n), len(references))
        added = set(after) - set(before)
        by_operation["add"] += [len(added & to_add), len(added), len(to_add)]
        for operation, ours, theirs in (
            ("keep", before & after, to_keep),
            ("delete", before - after, to_delete),
        ):
            by_operation[operation] += [(ours & theirs).total(), ours.total(), theirs.total()]
    return [count for operation in _OPERATIONS for count in by_operation[operation]]


@lru_cache(maxsize=1 << 12)
def _wanted(source: str, references: tuple[str, ...]) -> list[Wanted]:
    """Per order: the source's n-grams, and those to add, to keep and to delete; once for all systems."""
    tokens, texts = _tokens(source), [*map(_tokens, references)]
    found = []
    for n in range(1, _ORDERS + 1):
        before = _times(_ngrams(tokens, n), len(references))
        wanted = sum((_ngrams(text, n) for text in texts), Ngrams())
        found.append((before, set(wanted) - set(before), before & wanted, before - wanted))
    return found


def _ngrams(tokens: Sequence[str], n: int) -> Ngrams:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def _times(ngrams: Ngrams, factor: int) -> Ngrams:
    return Counter({ngram: factor * count for ngram, count in ngrams.items()})
