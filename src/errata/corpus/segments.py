"""Segments of parallel texts, which stay bytes until somebody looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import overload

import numpy as np

from errata.corpus.model import Corpus, EncodedReferences, Segment, annotated
from errata.native.ragged import Ragged
from errata.text.lines import Lines
from errata.text.vocabulary import Vocabulary


class ParallelSegments(Sequence[Segment]):
    """Sources with a line of every reference file; the segments are made at the first look."""

    def __init__(self, sources: Lines, references: Sequence[Lines] = ()) -> None:
        self.source_lines = sources
        self.references = references

    def __len__(self) -> int:
        return len(self.source_lines)

    @cached_property
    def _made(self) -> list[Segment]:
        rows = zip(*self.references, strict=True) if self.references else [()] * len(self)
        return [annotated(source, row) for source, row in zip(self.source_lines, rows, strict=True)]

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        return self._made[index]

    def __iter__(self) -> Iterator[Segment]:
        return iter(self._made)

    def sources(self) -> list[str]:
        """The sources as strings."""
        return list(self.source_lines)

    def reference_texts(self) -> list[tuple[str, ...]]:
        """The texts of all references of each segment."""
        return [*zip(*self.references, strict=True)] if self.references else [()] * len(self)

    def reference_ids(self, sources: Ragged, vocabulary: Vocabulary) -> EncodedReferences:
        """The references as token ids."""
        files, count = len(self.references), len(self)
        rows = Ragged.concatenated([vocabulary.encode_lines(lines) for lines in self.references])
        order = np.arange(files * count, dtype=np.int64).reshape(files, count).T.ravel()
        return EncodedReferences(
            rows.select(order) if files > 1 else rows,
            np.arange(count + 1, dtype=np.int64) * files,
            np.tile(np.arange(files, dtype=np.int64), count),
        )


def with_texts(corpus: Corpus, texts: Sequence[Lines], names: Mapping[int, str] | None = None) -> Corpus:
    """The same segments with a reference of each of these files, in place of their own."""
    if isinstance(corpus.segments, ParallelSegments):
        lines = corpus.segments.source_lines
        return Corpus(ParallelSegments(lines, texts), origin=corpus.origin, names=names)
    rows = zip(*texts, strict=True) if texts else [()] * len(corpus)
    segments = [
        Segment(s.source, annotated(s.source, row).annotations, s.document, s.paragraph, s.meta)
        for s, row in zip(corpus, rows, strict=True)
    ]
    return Corpus(segments, origin=corpus.origin, names=names)
