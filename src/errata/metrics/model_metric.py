"""Metrics with models: their base, perplexity, fluency, Scribendi, SOME and IMPARA. None needs references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from rapidfuzz import fuzz
from rapidfuzz import utils as preparation
from rapidfuzz.distance import Indel
from scipy.special import expit

from errata.metrics.base import Metric, Need, SentenceMetric, SumMetric
from errata.metrics.batch import Batch
from errata.metrics.parameters import parameter
from errata.metrics.signature import WhiteSpace
from errata.metrics.statistics import Floats
from errata.models.loading import causal_model, identity, masked_model, regressor, sentence_encoder
from errata.models.protocols import PRECISIONS, Likelihood, cosines


@dataclass(frozen=True)
class ModelMetric(Metric):
    """A metric with one or more models; `device` is auto, cpu, cuda or cuda:NUMBER.

    `precision=float32` is faster, but then the last digits depend on which texts share a batch. The signature
    names every model by the end of its path and a digest of its files.
    """

    device: str = parameter("auto", signed=False)
    precision: str = parameter(PRECISIONS[0], choices=PRECISIONS)

    models: ClassVar[tuple[str, ...]] = ("model",)  # the parameters that name models
    white_space: ClassVar[WhiteSpace] = "kept"
    of_tokens: ClassVar[bool] = False
    computed_by = "model"

    def settings(self) -> dict[str, object]:
        """The parameters that can change the number, with digests of the models."""
        return {k: identity(str(v)) if k in self.models else v for k, v in super().settings().items()}


@dataclass(frozen=True)
class LanguageModelMetric(ModelMetric):
    """Base of perplexity and fluency.

    `model` is `en` or `cs` (embedded n-gram models) or a causal model of `transformers`. With
    `objective=masked` the model predicts every token from all others, which gives pseudo-likelihoods
    (Salazar et al. 2020).
    """

    model: str = "en"
    objective: str = parameter("causal", choices=("causal", "masked"))

    needs: ClassVar[frozenset[Need]] = frozenset()
    of_tokens: ClassVar[bool] = True  # the words of the n-gram models

    def likelihoods(self, texts: Sequence[str]) -> list[Likelihood]:
        """The probability of every text; that of equal texts is computed once."""
        load = causal_model if self.objective == "causal" else masked_model
        distinct = list(dict.fromkeys(texts))
        likelihoods = load(self.model, self.device, self.precision).likelihoods(distinct)
        by_text = dict(zip(distinct, likelihoods, strict=True))
        return [by_text[text] for text in texts]


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
        perplexities = [perplexity(Likelihood(log, tokens)) for log, tokens in sums.tolist()]
        return np.array(perplexities, dtype=np.float64).reshape(-1, 1)


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
        likelihoods = self.likelihoods(batch.hypotheses)
        return [1 / (1 - log / tokens) if tokens else 0.0 for log, tokens in likelihoods]


def perplexity(likelihood: Likelihood) -> float:
    """The perplexity of one text; infinite for a text without tokens."""
    return float(np.exp(-likelihood.log / likelihood.tokens)) if likelihood.tokens else float("inf")


@dataclass(frozen=True)
class Scribendi(ModelMetric, SentenceMetric):
    """+1 per sentence that became likelier and stayed similar, 0 if nothing changed, otherwise −1; the sum.

    Islam & Magnani (2021). A sentence is similar if the larger of its token-sort ratio and its Levenshtein
    ratio is at least `threshold`. `model` is a causal language model, GPT-2 in the paper.
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
        likelihoods = causal_model(self.model, self.device, self.precision).likelihoods(texts)
        perplexities = {text: perplexity(one) for text, one in zip(texts, likelihoods, strict=True)}
        return [0.0 if s == h else self._sign(s, h, perplexities[h] < perplexities[s]) for s, h in pairs]

    def _sign(self, source: str, hypothesis: str, likelier: bool) -> float:
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


@dataclass(frozen=True)
class SOME(ModelMetric, SentenceMetric):
    """A weighted mean of three models' grades for grammaticality, fluency and preserved meaning.

    Yoshimura et al. (2020). `grammaticality`, `fluency` and `meaning` are sequence regressors that were
    trained on grades of 1 to 4; the first two read the hypothesis, the third source and hypothesis. `g`, `f`
    and `m` are their weights.
    """

    grammaticality: str = ""
    fluency: str = ""
    meaning: str = ""
    g: float = parameter(0.55, at_least=0)
    f: float = parameter(0.43, at_least=0)
    m: float = parameter(0.02, at_least=0)

    name: ClassVar[str] = "some"
    title: ClassVar[str] = "SOME"
    parts: ClassVar[tuple[str, ...]] = ("score",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    models: ClassVar[tuple[str, ...]] = ("grammaticality", "fluency", "meaning")

    def scores(self, batch: Batch) -> Floats:
        """The weighted sum of the three grades, each from 0 to 1."""
        texts, sources = list(batch.hypotheses), list(batch.sources)
        grammar = regressor(self.grammaticality, self.device, self.precision).predict(texts)
        fluency = regressor(self.fluency, self.device, self.precision).predict(texts)
        meaning = regressor(self.meaning, self.device, self.precision).predict(sources, texts)
        grammar, fluency, meaning = ((grades - 1) / 3 for grades in (grammar, fluency, meaning))
        return self.g * grammar + self.f * fluency + self.m * meaning


@dataclass(frozen=True)
class IMPARA(ModelMetric, SentenceMetric):
    """The estimated quality of a hypothesis, or 0 if it is not similar enough to its source.

    Maeda, Kaneko & Okazaki (2022). `model` is the quality estimator, a regressor whose number passes through
    the logistic function. `encoder` gives the vectors of source and hypothesis (means over tokens), whose
    cosine must reach `threshold`.
    """

    model: str = ""
    encoder: str = "bert-base-cased"
    threshold: float = parameter(0.9, at_least=-1, at_most=1)

    name: ClassVar[str] = "impara"
    title: ClassVar[str] = "IMPARA"
    parts: ClassVar[tuple[str, ...]] = ("score",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    models: ClassVar[tuple[str, ...]] = ("model", "encoder")

    def scores(self, batch: Batch) -> Floats:
        """The quality of every hypothesis that is similar to its source; 0 for the others."""
        texts, sources = list(batch.hypotheses), list(batch.sources)
        quality: Floats = expit(regressor(self.model, self.device, self.precision).predict(texts))
        embed = sentence_encoder(self.encoder, self.device, self.precision).embed
        return np.where(cosines(embed(sources), embed(texts)) >= self.threshold, quality, 0.0)
