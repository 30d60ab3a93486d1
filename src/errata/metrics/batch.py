"""What a metric gets to read: some segments, one system's hypotheses for them, and the references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.corpus.model import Corpus, check_list
from errata.errors import DataError


@dataclass(frozen=True)
class Batch:
    """Segments and their hypotheses. Iterating gives (source, hypothesis, reference texts) per segment.

    `corpus` has the segments with their annotations and token ids; one segment may occur several times.
    `settled` is what the metric's first pass found, `system` the name of the system that it was observed
    under, and `jobs` the number of threads to use.
    """

    corpus: Corpus
    hypotheses: Sequence[str]
    jobs: int | None = None
    settled: Mapping[str, Any] = field(default_factory=dict)
    system: str = ""

    def __len__(self) -> int:
        return len(self.corpus)

    def __iter__(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        return zip(self.corpus.sources, self.hypotheses, self.corpus.reference_texts(), strict=True)

    @property
    def sources(self) -> Sequence[str]:
        """The source of every segment."""
        return self.corpus.sources

    @property
    def references(self) -> list[tuple[str, ...]]:
        """The reference texts of every segment."""
        return self.corpus.reference_texts()

    @property
    def distinct(self) -> tuple[Corpus, npt.NDArray[np.int64]]:
        """The corpus in which every segment occurs once, and the number there of each segment here."""
        return self.corpus.distinct


def check_lengths(corpus: Corpus, hypotheses: Sequence[str]) -> None:
    """Raise unless there is one hypothesis per segment."""
    check_list(hypotheses, "hypotheses")
    if len(corpus) != len(hypotheses):
        raise DataError(
            f"{len(hypotheses)} hypotheses for {len(corpus)} source segments",
            hint="give one hypothesis per segment, in the same order",
        )
