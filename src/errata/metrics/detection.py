"""Detection (MultiGED-2023): whether the right tokens or spans were marked as wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from errata.corpus.model import Corpus
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch, rows_of_annotator
from errata.metrics.edit_keys import ReferenceKeys
from errata.metrics.edit_matching import Matching
from errata.metrics.edit_metric import EditMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers
from errata.metrics.totals import prf

_SKIPPED = frozenset({"noop", "UNK"})


@dataclass(frozen=True)
class Detection(EditMetric, SumMetric):
    """F_β of the tokens (or spans) that a system changes, against those that one annotator changes.

    Tokens inside an edit are wrong; an insertion marks the token that follows it, and none at the end of the
    sentence. Precision is 1 without false alarms and recall is 1 without misses, as in MultiGED-2023.
    """

    level: Literal["token", "span"] = "token"
    annotator: int = parameter(0, at_least=0)
    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "detection"
    title: ClassVar[str] = "detection"
    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn")
    counts_natively: ClassVar[bool] = True

    def features(self, batch: Batch) -> Integers:
        """Counts of tokens or spans that were rightly marked, wrongly marked and missed."""
        matching = Matching(self.level, excluded=_SKIPPED)
        base, numbers = batch.distinct
        references = self.reference_keys(base, matching, batch.jobs)
        marks = base.once((self.extracted, matching, "marks"), lambda: self._marks(base, references))
        hypotheses, _ = self.hypothesis_keys(batch, matching)
        lengths = base.source_ids.lengths[numbers] if self.level == "token" else None
        values, offsets, annotators = marks.counts(hypotheses.marks(lengths), numbers)
        rows = rows_of_annotator(self.annotator, annotators, offsets, self.name, batch.corpus.first)
        counts: Integers = values[rows]
        return counts

    def _marks(self, corpus: Corpus, references: ReferenceKeys) -> ReferenceKeys:
        """The tokens or spans that the references mark."""
        owners = np.repeat(np.arange(len(corpus)), np.diff(references.rows))
        lengths = corpus.source_ids.lengths[owners] if self.level == "token" else None
        return references._replace(keys=references.keys.marks(lengths))

    def from_sums(self, sums: Floats) -> Floats:
        """F, precision and recall of counts, and the counts."""
        tp, fp, fn = sums.T
        return np.column_stack([*prf(tp, fp, fn, self.beta), sums])
