"""SentERRANT: the mean over sentences of the best annotator's F."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from errata.corpus.model import Segment
from errata.metrics.base import SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.errant.metric import ERRANT
from errata.metrics.explanation import Explanation
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats


@dataclass(frozen=True)
class SentERRANT(EditMetric, SentenceMetric):
    """The mean over sentences of ERRANT's F_β, each sentence against its best annotator.

    A sentence without gold edits that was left alone has 1.
    """

    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "senterrant"
    title: ClassVar[str] = "SentERRANT"
    parts: ClassVar[tuple[str, ...]] = ("f",)
    counts_natively: ClassVar[bool] = True

    @property
    def errant(self) -> ERRANT:
        """The metric that scores the sentences."""
        return ERRANT(self.language, self.tagger, self.words, self.merge, self.references, beta=self.beta)

    def scores(self, batch: Batch) -> Floats:
        """F of every sentence."""
        return self.errant.sentence_scores(self.errant.counts(batch))

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The explanation of ERRANT."""
        return self.errant.explain(segment, hypothesis)
