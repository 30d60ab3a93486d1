"""SOME (Yoshimura et al. 2020): three regressors for grammaticality, fluency and meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.neural.model_metric import ModelMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats
from errata.models.loading import regressor


@dataclass(frozen=True)
class SOME(ModelMetric, SentenceMetric):
    """A weighted mean of three models' numbers for grammaticality, fluency and preserved meaning.

    `grammaticality`, `fluency` and `meaning` are sequence regressors that were trained on grades of 1 to 4;
    the first two read the hypothesis, the third source and hypothesis. `g`, `f` and `m` are their weights.
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
        return self.g * _share(grammar) + self.f * _share(fluency) + self.m * _share(meaning)


def _share(grades: Floats) -> Floats:
    """Grades of 1 to 4 as numbers from 0 to 1."""
    return (grades - 1) / 3
