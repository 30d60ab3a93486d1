"""Corpora whose segments come several times: what is known of a segment is not found out again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt

from errata.corpus.edit_ids import EncodedEdits
from errata.corpus.model import Corpus, EncodedReferences, Segment
from errata.native.ragged import Ragged


class _SelectedSegments(Sequence[Segment]):
    """Segments of another corpus, made at the first look."""

    def __init__(self, base: Corpus, numbers: npt.NDArray[np.int64]) -> None:
        self._base, self._numbers = base, numbers

    @cached_property
    def _segments(self) -> list[Segment]:
        segments = self._base.segments if self._base.rewrites is None else list(self._base)
        return [segments[number] for number in self._numbers.tolist()]

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        return self._segments[index]


class RepeatedCorpus(Corpus):
    """Segments of another corpus, in any order and any number of times.

    Sources and references are split into tokens, and edits made of references, once for each segment of
    that corpus: the batch that a training loop scores has a segment for every candidate.
    """

    def __init__(self, base: Corpus, numbers: npt.NDArray[np.int64]) -> None:
        super().__init__(_SelectedSegments(base, numbers), names=base.names)
        self.base = base
        self.numbers = numbers
        self.vocabulary = base.vocabulary

    def as_texts(self) -> Corpus:
        texts = self.base.as_texts()
        return self if texts is self.base else RepeatedCorpus(texts, self.numbers)

    @cached_property
    def sources(self) -> list[str]:
        sources = self.base.sources
        return [sources[number] for number in self.numbers.tolist()]

    def reference_texts(self) -> list[tuple[str, ...]]:
        texts = self.base.reference_texts()
        return [texts[number] for number in self.numbers.tolist()]

    @cached_property
    def annotation_counts(self) -> npt.NDArray[np.int64]:
        return self.base.annotation_counts[self.numbers]

    @cached_property
    def source_ids(self) -> Ragged:
        return self.base.source_ids.select(self.numbers)

    @cached_property
    def reference_ids(self) -> EncodedReferences:
        return self.base.reference_ids.select(self.numbers)

    @cached_property
    def edit_ids(self) -> EncodedEdits:
        return self.base.edit_ids.select(self.numbers)


def unrepeated(corpus: Corpus) -> tuple[Corpus, npt.NDArray[np.int64]]:
    """The corpus that has every segment once, and which of its segments this one consists of."""
    if isinstance(corpus, RepeatedCorpus):
        return corpus.base, corpus.numbers
    return corpus, np.arange(len(corpus))


def one_reference_each(corpus: Corpus) -> Corpus:
    """A corpus with a segment for every reference of every segment."""
    alone = Corpus([Segment(s.source, (annotation,)) for s in corpus for annotation in s.annotations])
    owner = np.repeat(np.arange(len(corpus)), [len(segment.annotations) for segment in corpus])
    alone.vocabulary = corpus.vocabulary
    alone.source_ids = corpus.source_ids.select(owner)
    return alone
