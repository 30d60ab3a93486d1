"""Metrics for minimum Bayes risk decoding with mbrs: `DecoderMBR(config, metric("gleu"))`."""

from __future__ import annotations

from dataclasses import dataclass

from mbrs.metrics import Metric as MbrsMetric
from torch import Tensor, from_numpy

from errata.errors import ErrataError
from errata.metrics.api import as_metric
from errata.metrics.base import Metric


class ErrataMetric(MbrsMetric):
    """A metric with the interface of mbrs; every call needs the source. `metric` builds it."""

    @dataclass
    class Config(MbrsMetric.Config):
        """A metric by its name on the command line."""

        metric: str = "gleu"

    def __init__(self, cfg: Config, chosen: Metric | None = None) -> None:
        super().__init__(cfg)
        self.metric = as_metric(chosen or cfg.metric)
        self.HIGHER_IS_BETTER = self.metric.higher_is_better

    def score(self, hypothesis: str, reference: str, source: str | None = None) -> float:
        """The sentence score of a hypothesis against one reference."""
        return float(self.pairwise_scores([hypothesis], [reference], source)[0, 0])

    def pairwise_scores(
        self, hypotheses: list[str], references: list[str], source: str | None = None
    ) -> Tensor:
        """Sentence scores: hypotheses are rows, references columns."""
        if source is None:
            raise ErrataError(
                f"{self.metric.name} compares texts with their source\n  hint: decode(…, source=…)"
            )
        (scores,) = self.metric.score_pairs([source], [hypotheses], [references], jobs=1)
        return from_numpy(scores).float()


def metric(specification: str | Metric) -> ErrataMetric:
    """A metric of mbrs by its name on the command line: `metric("gleu:n=3")`."""
    chosen = as_metric(specification)
    return ErrataMetric(ErrataMetric.Config(str(chosen)), chosen)
