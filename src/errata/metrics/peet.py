"""PEET (Vadehra et al. 2025): how many seconds a person would need to post-edit an output."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.edits.edit_arrays import TYPES, EditArrays
from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.errant.extraction import EditMetric
from errata.metrics.statistics import Floats, Integers

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
    edits_from_source: ClassVar[bool] = False
    needs: ClassVar[frozenset[Need]] = frozenset({"references"})
    counts_natively: ClassVar[bool] = True

    def scores(self, batch: Batch) -> Floats:
        """The least time over the references."""
        references = batch.corpus.reference_ids
        counts = np.diff(references.offsets)
        require_references(counts, self.name, batch.corpus.first)
        vocabulary, extract = batch.corpus.vocabulary, self.extractor
        extract.jobs = batch.jobs
        hypotheses = vocabulary.encode_lines(batch.hypotheses).select(
            np.repeat(np.arange(len(counts)), counts)
        )
        edits = extract.arrays(vocabulary, hypotheses, references.ids)
        times = seconds(edits, hypotheses.lengths, references.ids.lengths)
        return np.minimum.reduceat(times, references.offsets[:-1]) if len(times) else times


def seconds(edits: EditArrays, hypotheses: Integers, references: Integers) -> Floats:
    """The regression for pairs of texts of these numbers of words.

    Each edit counts as often as the hypothesis tokens that it spans.
    """
    count = len(hypotheses)
    sizes = np.maximum(1, edits.spans[:, 1] - edits.spans[:, 0])
    pairs = np.repeat(np.arange(count), np.diff(edits.offsets))
    places = {kind: place for place, kind in enumerate(_PER_EDIT)}
    kinds = [3 if name in _SKIPPED else places.get(name[:1], 3) for name in TYPES.names]
    found = np.bincount(4 * pairs + np.array(kinds, np.int64)[edits.types], sizes, 4 * count).reshape(-1, 4)
    by_kind: dict[str, Floats] = dict(zip(_PER_EDIT, found.T, strict=False))
    return (
        _CONSTANT
        + sum(factor * by_kind[kind] for kind, factor in _PER_EDIT.items())
        + _PER_HYPOTHESIS_WORD * hypotheses
        + _PER_REFERENCE_WORD * references
        + _PER_ANY_EDIT * sum(by_kind.values())
    )
