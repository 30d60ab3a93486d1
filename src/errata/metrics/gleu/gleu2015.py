"""GLEU as first published (Napoles, Sakaguchi, Post and Tetreault 2015): pooled references and a weight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from errata.corpus.model import Segment
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import encode_as_bytes
from errata.metrics.gleu.geometry import geometric_score, log_brevity, ngram_columns
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.native import ngrams

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation


@dataclass(frozen=True)
class GLEU2015(SumMetric):
    """GLEU of 2015 with its weight λ on source n-grams that should have gone (`lambda_`: 0 or 0.1).

    `false_positives` is a weight on n-grams that neither source nor references have, the extension the
    paper suggests. `brevity="inverted"`, `denominator="code"` and `difference="types"` (an n-gram of one
    text is new to the other if that has none of it) are the released program. The paper's equations are
    `denominator="paper"`, `difference="counts"` (bags: new are the occurrences by which it has more) and
    `brevity="none"`: they give the paper's rankings. All weights work on the same statistics: a sweep
    scores a text once.
    """

    lambda_: float = parameter(0.0, at_least=0)
    false_positives: float = parameter(0.0, at_least=0)
    brevity: Literal["fixed", "inverted", "none"] = "inverted"
    denominator: Literal["code", "paper"] = "code"
    difference: Literal["types", "counts"] = "types"
    n: int = parameter(4, at_least=1, at_most=32)

    name: ClassVar[str] = "gleu2015"
    title: ClassVar[str] = "GLEU 2015"
    parts: ClassVar[tuple[str, ...]] = ("gleu", "brevity")
    computed_by = "native"

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """n-gram counts by order and the two lengths."""
        groups = ("new_matched", "left_wrong", "introduced", "new_in_references")
        further = [f"{group}{k}" for group in groups for k in range(1, self.n + 1)]
        return (*ngram_columns("matched", "total", self.n), *further)

    def features(self, batch: Batch) -> Statistics:
        """Counts of n-grams, from which all weights make their terms."""
        texts = encode_as_bytes(batch, self.name)
        counts = ngrams.pooled_counts(*texts.texts, self.n, 2 if self.difference == "counts" else 1)
        return Statistics.one_row_each(self.columns, counts)

    def summands(self, statistics: Statistics) -> Numbers:
        """Numerators, denominators and the two lengths."""
        n, values = self.n, statistics.values
        new, wrong, introduced, wanted = np.split(values[:, 2 * n + 2 :], 4, axis=1)
        kept = values[:, :n]
        if self.lambda_ or self.false_positives:
            kept = np.maximum(0.0, kept - self.lambda_ * wrong - self.false_positives * introduced)
        terms = values[:, : 2 * n + 2].astype(kept.dtype)
        np.add(new, kept, out=terms[:, :n])
        terms[:, n : 2 * n] += new if self.denominator == "code" else wanted
        return terms

    def from_sums(self, sums: Floats) -> Floats:
        n, hypothesis, reference = self.n, sums[:, -2], sums[:, -1]
        with np.errstate(divide="ignore", invalid="ignore"):
            none = self.brevity == "none"
            penalty = np.zeros_like(hypothesis) if none else log_brevity(hypothesis, reference, self.brevity)
        scores = geometric_score(sums[:, :n], sums[:, n : 2 * n], penalty)
        empty = (hypothesis == 0) | (reference == 0)
        return np.where(empty[:, None], 0.0, np.stack([scores, np.exp(penalty)], axis=1))

    def sentence_scores(self, statistics: Statistics) -> Floats:
        """Each segment by itself, terms of 0 replaced by 1 as in GLEU+."""
        terms = self.summands(statistics)
        return self.from_sums(np.where(terms == 0, 1.0, terms))[:, 0]

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """Which n-grams count for and against the hypothesis."""
        from errata.metrics.explainers import explain_gleu2015

        return explain_gleu2015(self, segment, hypothesis)
