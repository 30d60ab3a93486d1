"""SOME and IMPARA: metrics by regressors that were trained on judgments of quality, without references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.model_metric import ModelMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats
from errata.models.loading import regressor, sentence_encoder
from errata.models.protocols import cosines


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
