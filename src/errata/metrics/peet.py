"""PEET (Vadehra et al. 2025): how many seconds a person would need to post-edit an output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from errata.corpus.model import Edit
from errata.metrics.base import EditDirection, Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.errant.extraction import EditMetric

_CONSTANT = 4.928985111087574
_PER_EDIT = {"R": 1.1932367408397972, "M": -0.0802252693897299, "U": 1.2794781873575816}
_PER_HYPOTHESIS_WORD = -0.5234712378684506
_PER_REFERENCE_WORD = 1.2015463695881172
_PER_ANY_EDIT = 2.3924896582160695
_SKIPPED = ("noop", "UNK", "Um")


@dataclass(frozen=True)
class PEET(EditMetric, SentenceMetric):
    """Estimated seconds of post-editing, from the hypothesis to its nearest reference; lower is better.

    A linear regression on the number of ERRANT edits by operation and on the lengths of both texts, fitted by
    its authors to measured times. The references should be post-edits of this very output: against ordinary
    references it punishes rewriting.
    """

    name: ClassVar[str] = "peet"
    title: ClassVar[str] = "PEET"
    parts: ClassVar[tuple[str, ...]] = ("seconds",)
    decimals: ClassVar[int] = 2
    higher_is_better: ClassVar[bool] = False
    edit_direction: ClassVar[EditDirection] = "hypothesis to reference"
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})

    def scores(self, batch: Batch) -> list[float]:
        """The least time over the references."""
        references = batch.references
        require_references([len(texts) for texts in references], self.name, batch.corpus.first)
        extract = self.extractor
        extract.jobs = batch.jobs
        pairs = [(h, text) for h, texts in zip(batch.hypotheses, references, strict=True) for text in texts]
        edits = extract.extract_all(pairs)
        times = (seconds(h, text, found) for (h, text), found in zip(pairs, edits, strict=True))
        return [min(next(times) for _ in texts) for texts in references]


def seconds(hypothesis: str, reference: str, edits: Sequence[Edit]) -> float:
    """The regression for one pair; each edit counts as often as the hypothesis tokens that it spans."""
    sizes: Counter[str] = Counter()
    for edit in edits:
        if edit.type not in _SKIPPED:
            sizes[edit.type[0]] += max(1, edit.end - edit.start)
    return (
        _CONSTANT
        + sum(factor * sizes[operation] for operation, factor in _PER_EDIT.items())
        + _PER_HYPOTHESIS_WORD * len(hypothesis.split())
        + _PER_REFERENCE_WORD * len(reference.split())
        + _PER_ANY_EDIT * sizes.total()
    )
