"""SentM2: the mean over sentences of the best annotator's F."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from errata.corpus.model import Segment
from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.explanation import Explanation
from errata.metrics.m2.metric import M2
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats


@dataclass(frozen=True)
class SentM2(SentenceMetric):
    """The mean over sentences of M²'s F_β, each sentence against its best annotator.

    A sentence without gold edits that was left alone has 1. The parameters are those of M².
    """

    beta: float = parameter(0.5, at_least=0)
    max_unchanged_words: int = parameter(2, at_least=0)
    ignore_whitespace_casing: bool = False

    name: ClassVar[str] = "sentm2"
    title: ClassVar[str] = "SentM²"
    parts: ClassVar[tuple[str, ...]] = ("f",)
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    computed_by = "native"

    @property
    def m2(self) -> M2:
        """The metric that scores the sentences."""
        return M2(self.beta, self.max_unchanged_words, self.ignore_whitespace_casing)

    def scores(self, batch: Batch) -> Floats:
        """F of every sentence."""
        return self.m2.sentence_scores(self.m2.counts(batch))

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The explanation of M²."""
        return self.m2.explain(segment, hypothesis)
