"""Texts of a corpus and a hypothesis as the token ids that the kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from errata.corpus.model import Corpus, EncodedReferences
from errata.errors import DataError
from errata.metrics.base import check_lengths
from errata.text.vocabulary import Ragged


@dataclass(frozen=True, slots=True)
class Encoded:
    """Source, hypotheses and references over one vocabulary."""

    source: Ragged
    hypothesis: Ragged
    references: EncodedReferences

    @property
    def hypothesis_and_references(self) -> tuple[np.ndarray, ...]:
        """The arrays in the order in which kernels take them."""
        hypothesis, references = self.hypothesis, self.references
        return (
            hypothesis.ids,
            hypothesis.offsets,
            references.ids.ids,
            references.ids.offsets,
            references.offsets,
        )


def encode(corpus: Corpus, hypotheses: Sequence[str], metric: str) -> Encoded:
    """Encode a hypothesis and the corpus; every segment must have a reference."""
    check_lengths(corpus, hypotheses)
    references = corpus.reference_ids
    require_references(np.diff(references.offsets), metric)
    return Encoded(corpus.source_ids, corpus.vocabulary.encode_lines(hypotheses), references)


def require_references(counts: Sequence[int] | np.ndarray, metric: str) -> None:
    """Raise for the first segment without a reference."""
    missing = np.flatnonzero(np.asarray(counts) == 0)
    if len(missing):
        others = f" (and {len(missing) - 1} others)" if len(missing) > 1 else ""
        raise DataError(
            f"segment {missing[0] + 1}{others} has no reference, and {metric} needs one for every segment",
            hint="leave such segments out of the corpus, or give an empty annotation if they are correct",
        )
