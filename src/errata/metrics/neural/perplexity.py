"""Perplexity and fluency of hypotheses under a language model; neither needs references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from errata.metrics.base import Need, SentenceMetric, SumMetric
from errata.metrics.batch import Batch
from errata.metrics.neural.model_metric import ModelMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats
from errata.models.loading import causal_model, masked_model
from errata.models.protocols import Likelihood


@dataclass(frozen=True)
class LanguageModelMetric(ModelMetric):
    """What both share: `model` is `en` or `cs` (shipped n-grams) or a causal model of `transformers`.

    With `objective=masked` the model predicts every token from all others: numbers are pseudo-likelihoods.
    """

    model: str = "en"
    objective: str = parameter("causal", choices=("causal", "masked"))

    needs: ClassVar[frozenset[Need]] = frozenset()
    of_tokens: ClassVar[bool] = True  # the words of the n-gram models

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The probability of every text; that of equal texts is computed once."""
        load = causal_model if self.objective == "causal" else masked_model
        distinct = list(dict.fromkeys(texts))
        known = dict(
            zip(distinct, load(self.model, self.device, self.precision).likelihoods(distinct), strict=True)
        )
        return [known[text] for text in texts]


@dataclass(frozen=True)
class Perplexity(LanguageModelMetric, SumMetric):
    """The perplexity of all hypotheses under a language model, per token of the model; lower is better.

    Perplexities of models with different tokens cannot be compared. A text without tokens has infinity.
    """

    name: ClassVar[str] = "perplexity"
    title: ClassVar[str] = "perplexity"
    columns: ClassVar[tuple[str, ...]] = ("log", "tokens")
    parts: ClassVar[tuple[str, ...]] = ("perplexity",)
    decimals: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = False

    def features(self, batch: Batch) -> npt.ArrayLike:
        """The logarithm of every hypothesis's probability, and its number of tokens."""
        return np.array(self.likelihoods(batch.hypotheses), dtype=np.float64).reshape(-1, 2)

    def from_sums(self, sums: Floats) -> Floats:
        """The exponential of the mean negative logarithm per token."""
        made = [perplexity(Likelihood(log, tokens)) for log, tokens in sums.tolist()]
        return np.array(made, dtype=np.float64).reshape(-1, 1)


@dataclass(frozen=True)
class Fluency(LanguageModelMetric, SentenceMetric):
    """The mean over sentences of 1 / (1 + H), where H is the cross-entropy per token in nats.

    This is the fluency score of Ge, Wei & Zhou (2018): between 0 and 1, and higher for likelier texts.
    """

    name: ClassVar[str] = "fluency"
    title: ClassVar[str] = "fluency"
    parts: ClassVar[tuple[str, ...]] = ("fluency",)

    def scores(self, batch: Batch) -> list[float]:
        """The fluency of every hypothesis; 0 for a text without tokens."""
        found = self.likelihoods(batch.hypotheses)
        return [1 / (1 - log / tokens) if tokens else 0.0 for log, tokens in found]


def perplexity(found: Likelihood) -> float:
    """The perplexity of one text; infinite for a text without tokens."""
    return float(np.exp(-found.log / found.tokens)) if found.tokens else float("inf")
