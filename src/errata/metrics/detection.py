"""Detection: whether the right tokens or spans were found to be wrong (MultiGED-2023)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from errata.corpus.model import Annotation, Edit, Segment
from errata.errors import DataError
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.fractions import prf
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats

_SKIPPED = ("noop", "UNK")


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
    shown: ClassVar[tuple[str, ...]] = ("precision", "recall")

    def features(self, batch: Batch) -> list[list[int]]:
        """Counts of tokens or spans that were rightly marked, wrongly marked and missed."""
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        references = self.reference_edits(batch.corpus)
        mark = self._tokens if self.level == "token" else self._spans
        rows = []
        for i, (segment, ours, every) in enumerate(zip(batch.corpus, edits, references, strict=True)):
            gold = segment.annotation(self.annotator) or _only(segment, self.annotator)
            if gold is None:
                raise DataError(
                    f"segment {batch.corpus.first + i} has no annotation of annotator {self.annotator}",
                    hint="choose another one with detection:annotator=N",
                )
            length = len(segment.tokens)
            found, wanted = mark(ours, length), mark(every[segment.annotations.index(gold)], length)
            rows.append([len(found & wanted), len(found - wanted), len(wanted - found)])
        return rows

    def from_sums(self, sums: Floats) -> Floats:
        """F, precision and recall of counts, and the counts."""
        tp, fp, fn = sums.T
        return np.column_stack([*prf(tp, fp, fn, self.beta), sums])

    @staticmethod
    def _tokens(edits: Sequence[Edit], length: int) -> set[int]:
        marked: set[int] = set()
        for edit in edits:
            if edit.type not in _SKIPPED:
                marked.update(range(edit.start, max(edit.end, edit.start + 1)))
        return {token for token in marked if 0 <= token < length}

    @staticmethod
    def _spans(edits: Sequence[Edit], length: int) -> set[tuple[int, int]]:
        return {(edit.start, edit.end) for edit in edits if edit.type not in _SKIPPED}


def _only(segment: Segment, annotator: int) -> Annotation | None:
    """The only annotation of a segment, where the first annotator was asked for."""
    return segment.annotations[0] if annotator == 0 and len(segment.annotations) == 1 else None
