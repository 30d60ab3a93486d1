"""Metrics as utilities of MBR decoding with `mbrs`: `DecoderMBR(DecoderMBR.Config(), Utility("gleu"))`."""

from __future__ import annotations

from dataclasses import dataclass

from mbrs.metrics import Metric as MbrsMetric
from mbrs.metrics import register
from torch import Tensor

from errata.metrics.api import as_corpus, as_metric
from errata.metrics.base import Metric


@register("errata")
class Utility(MbrsMetric):
    """Sentence scores of hypotheses against pseudo-references; it needs the source."""

    @dataclass
    class Config(MbrsMetric.Config):
        """The metric, by its name on the command line."""

        metric: str = "gleu"

    def __init__(self, metric: str | Metric | Config = "gleu") -> None:
        name = metric.metric if isinstance(metric, Utility.Config) else metric
        self.metric = as_metric(name)
        super().__init__(self.Config(str(self.metric)))
        self.HIGHER_IS_BETTER = self.metric.higher_is_better

    def score(self, hypothesis: str, reference: str, source: str | None = None) -> float:
        """The score of a sentence."""
        return float(self.scores([hypothesis], [reference], [source or ""])[0])

    def scores(
        self, hypotheses: list[str], references: list[str], sources: list[str] | None = None
    ) -> Tensor:
        """The scores of sentences, each with one reference."""
        sources = sources or [""] * len(hypotheses)
        corpus = as_corpus(sources, [[reference] for reference in references])
        return Tensor(self.metric.sentence_scores(self.metric.statistics(corpus, hypotheses)))

    def pairwise_scores(
        self, hypotheses: list[str], references: list[str], source: str | None = None
    ) -> Tensor:
        """The score of every hypothesis against every reference."""
        pairs = [(hypothesis, reference) for hypothesis in hypotheses for reference in references]
        scores = self.scores([a for a, _ in pairs], [b for _, b in pairs], [source or ""] * len(pairs))
        return scores.reshape(len(hypotheses), len(references))
