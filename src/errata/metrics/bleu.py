"""BLEU (Papineni, Roukos, Ward and Zhu 2002) over tokens as they are, and the functions that GLEU shares."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from errata.corpus.segment import Segment
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch, Encoded, encode
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Statistics
from errata.native import ngrams

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation


@dataclass(frozen=True)
class BLEU(SumMetric):
    """Corpus BLEU between 0 and 1: clipped n-gram precision and brevity, references pooled.

    Tokens are those between white space. Equals sacreBLEU's `corpus_bleu` without tokenising and
    without smoothing; sentence scores equal its `sentence_bleu` (exponential smoothing, effective order).
    """

    n: int = parameter(4, at_least=1, at_most=32)

    name: ClassVar[str] = "bleu"
    white_space = "unicode"
    title: ClassVar[str] = "BLEU"
    parts: ClassVar[tuple[str, ...]] = ("bleu", "brevity")
    computed_by = "native"
    needs_ngrams = True

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Clipped matches and totals by order, and the two lengths."""
        return ngram_columns("matched", "total", self.n)

    def features(self, batch: Batch) -> Integers:
        """Clipped matches and totals by order, and the two lengths."""
        return self.counts(encode(batch, self.name))

    def counts(self, texts: Encoded) -> Integers:
        """The same for texts that are token ids already."""
        counts: Integers = ngrams.pooled_counts(*texts.texts, self.n, 0)
        return counts

    def from_sums(self, sums: Floats) -> Floats:
        n = self.n
        brevity = _brevity(sums[:, 2 * n], sums[:, 2 * n + 1])
        scores = geometric_score(sums[:, :n], sums[:, n : 2 * n], np.zeros(len(sums)))
        return np.stack([scores * brevity, brevity], axis=1)

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """Exponential smoothing: the k-th order without a match counts 1 / 2^k; empty orders are left out."""
        n = self.n
        values = statistics.values.astype(np.float64)
        matched, total = values[:, :n], values[:, n : 2 * n]
        halvings = np.cumsum(matched == 0, axis=1)
        smoothed = np.where(matched == 0, 0.5**halvings, matched)
        used = total > 0
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.where(used, np.log(smoothed / total), 0.0)
        mean = logs.sum(axis=1) / np.maximum(used.sum(axis=1), 1)
        scores = np.exp(mean) * _brevity(values[:, 2 * n], values[:, 2 * n + 1])
        return np.where((matched > 0).any(axis=1), scores, 0.0)

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """Which n-grams of the hypothesis the references have."""
        from errata.metrics.explainers import explain_bleu

        return explain_bleu(self, segment, hypothesis)


def _brevity(hypothesis: Floats, reference: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        penalty = np.exp(log_brevity(hypothesis, reference, "fixed"))
    return np.where(hypothesis == 0, np.where(reference == 0, 1.0, 0.0), penalty)


def ngram_columns(above: str, below: str, n: int) -> tuple[str, ...]:
    """The columns of numerators and denominators by order, and of the two lengths."""
    orders = [f"{name}{k}" for name in (above, below) for k in range(1, n + 1)]
    return (*orders, "hypothesis_length", "reference_length")


def log_brevity(hypothesis: Floats, reference: Floats, brevity: str) -> Floats:
    """The logarithm of the brevity penalty; `inverted` is that of GLEU's programs before June 2017."""
    short, long = (hypothesis, reference) if brevity == "fixed" else (reference, hypothesis)
    return np.minimum(0.0, 1.0 - long / short)


def geometric_score(numerators: Floats, denominators: Floats, penalty: Floats) -> Floats:
    """exp(penalty + mean of the log ratios); 0 if a numerator or denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = np.exp(penalty + np.log(numerators / denominators).sum(axis=-1) / numerators.shape[-1])
    empty = (numerators == 0).any(axis=-1) | (denominators == 0).any(axis=-1) | np.isnan(penalty)
    return np.where(empty, 0.0, scores)
