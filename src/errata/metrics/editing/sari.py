"""SARI (Xu et al. 2016): what was added, kept and deleted, against source and references."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from errata.corpus.columns import EncodedReferences
from errata.corpus.corpus_cache import once
from errata.corpus.model import Corpus
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_rows
from errata.metrics.statistics import Floats, Integers
from errata.metrics.totals import f_beta, share
from errata.native import ngrams
from errata.native.ragged import Ragged
from errata.text.lines import Lines
from errata.text.mteval import spaced_13a
from errata.text.vocabulary import Vocabulary

_ORDERS = 4
_OPERATIONS = ("add", "keep", "delete")


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
    computed_by = "native"
    columns: ClassVar[tuple[str, ...]] = tuple(
        f"{operation}_{what}{n}"
        for operation in _OPERATIONS
        for n in range(1, _ORDERS + 1)
        for what in ("correct", "made", "wanted")
    )

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Tokenise sources and references."""
        _tokenised(corpus)

    def features(self, batch: Batch) -> Integers:
        """Per operation and order: how many n-grams are right, were changed, and should have been."""
        corpus, numbers = batch.distinct
        tokenised = _tokenised(corpus)
        hypothesis = tokenised.vocabulary.encode_lines(_spaced(batch.hypotheses))
        references, source = tokenised.references, tokenised.source
        if corpus is not batch.corpus:
            references, source = references.select(numbers), source.select(numbers)
        require_rows(references.offsets, self.name, batch.corpus.first)
        texts = source, hypothesis, references.ids, references.offsets
        counts: Integers = ngrams.edit_counts(*texts, _ORDERS, 1)
        return counts

    def from_sums(self, sums: Floats) -> Floats:
        """SARI and its three parts."""
        shape = (-1, len(_OPERATIONS), _ORDERS, 3)
        correct, changed, wanted = np.moveaxis(sums.reshape(shape), -1, 0)
        precision, recall = share(correct, changed, 0.0), share(correct, wanted, 0.0)
        if self.average == "paper":
            precision, recall = precision.mean(axis=-1), recall.mean(axis=-1)
            scores = f_beta(precision, recall, 1)
            of_deletion = precision[:, 2]
        else:
            scores = f_beta(precision, recall, 1).mean(axis=-1)
            of_deletion = precision[:, 2].mean(axis=-1)
        if self.deletion == "precision":
            scores[:, 2] = of_deletion
        return np.column_stack([scores.mean(axis=1), scores])


@dataclass(frozen=True)
class _Tokenised:
    """The sources and references of a corpus as token ids."""

    vocabulary: Vocabulary
    source: Ragged
    references: EncodedReferences


def _tokenised(corpus: Corpus) -> _Tokenised:
    """The corpus in tokens of `13a`, computed once for all systems."""
    return once(corpus, "13a", lambda: _tokenise(corpus))


def _tokenise(corpus: Corpus) -> _Tokenised:
    vocabulary = Vocabulary()
    source = vocabulary.encode_lines(_spaced(corpus.source_texts))
    ids = vocabulary.encode_lines(_spaced(corpus.reference_lines))
    return _Tokenised(vocabulary, source, replace(corpus.reference_ids, ids=ids))


def _spaced(lines: Iterable[str]) -> Lines:
    return spaced_13a(lines.lower() if isinstance(lines, Lines) else [line.lower() for line in lines])
