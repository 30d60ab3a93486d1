"""The Scribendi score (Islam & Magnani 2021): does a language model prefer a text that is much the same?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz import utils as preparation
from rapidfuzz.distance import Indel

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.neural.model_metric import ModelMetric
from errata.metrics.neural.perplexity import perplexity
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats
from errata.models.loading import causal_model


@dataclass(frozen=True)
class Scribendi(ModelMetric, SentenceMetric):
    """+1 per sentence that became likelier and stayed similar, 0 if nothing changed, otherwise −1; the sum.

    A sentence is similar if the larger of its token-sort ratio and its Levenshtein ratio is at least
    `threshold`. No references are needed. `model` is a causal language model, GPT-2 in the paper.
    """

    model: str = "gpt2"
    threshold: float = parameter(0.8, at_least=0, at_most=1)

    name: ClassVar[str] = "scribendi"
    title: ClassVar[str] = "Scribendi"
    parts: ClassVar[tuple[str, ...]] = ("sum", "mean")
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})

    @property
    def shown(self) -> tuple[str, ...]:
        """The mean."""
        return ("mean",)

    def scores(self, batch: Batch) -> list[float]:
        """1, 0 or −1 per sentence."""
        pairs = list(zip(batch.sources, batch.hypotheses, strict=True))
        texts = list(dict.fromkeys(text for pair in pairs if pair[0] != pair[1] for text in pair))
        found = causal_model(self.model, self.device, self.precision).likelihoods(texts)
        perplexities = {text: perplexity(one) for text, one in zip(texts, found, strict=True)}
        return [0.0 if s == h else self._judged(s, h, perplexities[h] < perplexities[s]) for s, h in pairs]

    def _judged(self, source: str, hypothesis: str, likelier: bool) -> float:
        return 1.0 if likelier and similarity(source, hypothesis) >= self.threshold else -1.0

    def from_sums(self, sums: Floats) -> Floats:
        """The sum of the sentences' numbers, and their mean."""
        return np.column_stack([sums[:, 0], sums[:, 0] / np.maximum(sums[:, 1], 1)])


def similarity(source: str, hypothesis: str) -> float:
    """The larger of two ratios, token-sort and Levenshtein, between 0 and 1."""
    return max(token_sort_ratio(source, hypothesis), levenshtein_ratio(source, hypothesis))


def token_sort_ratio(first: str, second: str) -> float:
    """The ratio of both texts' sorted words without case and punctuation, in whole hundredths."""
    return round(fuzz.token_sort_ratio(first, second, processor=preparation.default_process)) / 100


def levenshtein_ratio(first: str, second: str) -> float:
    """1 − d / (sum of lengths), where d is the distance over characters with substitutions of cost 2."""
    return Indel.normalized_similarity(first, second)
