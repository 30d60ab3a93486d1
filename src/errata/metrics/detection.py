"""Detection: whether the right tokens or spans were found to be wrong (MultiGED-2023)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from errata.corpus.corpus_cache import once
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.errant.keys import Wanted
from errata.metrics.errant.matching import Matching
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
        ours, _ = self.hypothesis_keys(batch, matching)
        base, numbers = batch.distinct
        keys = self.reference_keys(base, matching)
        wanted = once(base, (self.extracted, matching, "marks"), lambda: self._marks(base, keys))
        lengths = base.source_ids.lengths[numbers] if self.level == "token" else None
        values, offsets, annotators = wanted.counts(ours.marks(lengths), numbers)
        counts = np.diff(offsets)
        asked = annotators == self.annotator
        if self.annotator == 0:
            asked |= np.repeat(counts == 1, counts)  # the only annotation of a segment, whatever its number
        rows = np.append(np.flatnonzero(asked), len(asked))
        chosen = rows[np.searchsorted(rows, offsets[:-1])]
        missing = np.flatnonzero(chosen >= offsets[1:])
        if len(missing):
            raise DataError(
                f"segment {batch.corpus.first + int(missing[0])} has no annotation of annotator "
                f"{self.annotator}",
                hint="choose another one with detection:annotator=N",
            )
        found: Integers = values[chosen]
        return found

    def _marks(self, corpus: Corpus, wanted: Wanted) -> Wanted:
        """What the references mark."""
        owners = np.repeat(np.arange(len(corpus)), np.diff(wanted.rows))
        lengths = corpus.source_ids.lengths[owners] if self.level == "token" else None
        return wanted._replace(keys=wanted.keys.marks(lengths))

    def from_sums(self, sums: Floats) -> Floats:
        """F, precision and recall of counts, and the counts."""
        tp, fp, fn = sums.T
        return np.column_stack([*prf(tp, fp, fn, self.beta), sums])
