"""chrF and chrF++ (Popović 2015, 2017)."""

from __future__ import annotations

import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar

import numpy as np

from errata.metrics.base import ScanMetric
from errata.metrics.batch import Batch, Encoded, encode_letters
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.metrics.totals import f_beta
from errata.native import ngrams
from errata.native.ragged import Ragged
from errata.text.vocabulary import Vocabulary

_PUNCTUATION = frozenset(string.punctuation)


@dataclass(frozen=True)
class ChrF(ScanMetric):
    """chrF between 0 and 1: F_β of character n-grams against the best reference of each sentence.

    `word_order=2` adds word n-grams and makes it chrF++. White space does not count. Equals sacreBLEU's chrF.
    """

    char_order: int = parameter(6, at_least=1, at_most=32)
    word_order: int = parameter(0, at_least=0, at_most=32)
    beta: float = parameter(2.0, above=0)

    name: ClassVar[str] = "chrf"
    white_space = "unicode"
    title: ClassVar[str] = "chrF"
    parts: ClassVar[tuple[str, ...]] = ("chrf",)
    computed_by = "native"
    of_tokens: ClassVar[bool] = False
    running: ClassVar[bool] = False

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """n-grams of the hypothesis, of the reference, and of both, by order."""
        orders = [f"char{k}" for k in range(1, self.char_order + 1)]
        orders += [f"word{k}" for k in range(1, self.word_order + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("hypothesis", "reference", "matched"))

    def counts(self, batch: Batch) -> Statistics:
        """Counts of n-grams against every reference."""
        characters = encode_letters(batch, self.name)
        out = _matches(characters, self.char_order)
        if self.word_order:
            out = np.hstack([out, _matches(_words(batch, characters), self.word_order)])
        references = characters.references
        return Statistics(self.columns, out, references.offsets, references.annotators)

    def from_totals(self, totals: Numbers) -> Floats:
        """F_β of precision and recall, averaged over the orders that both sides have."""
        hypothesis, reference, matched = (totals[:, k::3].astype(np.float64) for k in range(3))
        used = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(used.sum(axis=1), 1)
        precision = np.where(used, matched / np.maximum(hypothesis, 1), 0.0).sum(axis=1) / orders
        recall = np.where(used, matched / np.maximum(reference, 1), 0.0).sum(axis=1) / orders
        return f_beta(precision, recall, self.beta)[:, None]


def _matches(texts: Encoded, order: int) -> Integers:
    """Per reference and order: n-grams of the hypothesis, of the reference, and of both."""
    references = texts.references
    # without any source, GLEU's numerators are the n-grams that both have
    empty = Ragged(np.zeros(0, dtype=np.int32), np.zeros(len(references.offsets), dtype=np.int64))
    counts = ngrams.gleu_counts(*replace(texts, source=empty).texts, order, False)
    lengths = references.ids.lengths[:, None] - np.arange(order)
    out = np.empty((len(counts), 3 * order), dtype=np.int64)
    # as in sacreBLEU, orders for which the reference is too short do not count
    out[:, 0::3] = np.where(lengths > 0, counts[:, order : 2 * order], 0)
    out[:, 1::3] = np.maximum(lengths, 0)
    out[:, 2::3] = counts[:, :order]
    return out


def _words(batch: Batch, characters: Encoded) -> Encoded:
    """The words of all texts, with punctuation at their beginning or end as separate tokens."""
    vocabulary = Vocabulary()
    ids = _split_words(vocabulary, chain.from_iterable(batch.references))
    hypotheses = _split_words(vocabulary, batch.hypotheses)
    return Encoded(characters.source, hypotheses, replace(characters.references, ids=ids))


def _split_words(vocabulary: Vocabulary, lines: Iterable[str]) -> Ragged:
    return vocabulary.encode([token for word in line.split() for token in _parts(word)] for line in lines)


def _parts(word: str) -> Sequence[str]:
    """A word without the punctuation character at its end, or else at its beginning; and that character."""
    if len(word) == 1:
        return (word,)
    if word[-1] in _PUNCTUATION:
        return (word[:-1], word[-1])
    if word[0] in _PUNCTUATION:
        return (word[0], word[1:])
    return (word,)
