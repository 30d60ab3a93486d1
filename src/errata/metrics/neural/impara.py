"""IMPARA (Maeda, Kaneko & Okazaki 2022): a quality estimate behind a gate of similarity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.neural.model_metric import ModelMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats
from errata.models.loading import regressor, sentence_encoder
from errata.models.protocols import cosines


@dataclass(frozen=True)
class IMPARA(ModelMetric, SentenceMetric):
    """The estimated quality of a hypothesis, or 0 if it is not similar enough to its source.

    `model` is the quality estimator, a regressor whose number passes through the logistic function. `encoder`
    gives the vectors of source and hypothesis (means over tokens), whose cosine must reach `threshold`.
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
        """The quality of every hypothesis that passes the gate; 0 for the others."""
        texts, sources = list(batch.hypotheses), list(batch.sources)
        quality: Floats = expit(regressor(self.model, self.device, self.precision).predict(texts))
        embed = sentence_encoder(self.encoder, self.device, self.precision).embed
        return np.where(cosines(embed(sources), embed(texts)) >= self.threshold, quality, 0.0)
