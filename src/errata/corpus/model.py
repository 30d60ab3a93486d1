"""A corpus in columns, the outputs of systems, and both together."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, pairwise
from operator import eq
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numpy as np

from errata.corpus.columns import (
    AnnotationColumns,
    EditColumns,
    EncodedEdits,
    EncodedReferences,
    corrected_texts,
    encode_edits,
)
from errata.corpus.segment import NO_META, References, Segment, annotated
from errata.errors import DataError
from errata.native.ragged import Integers, Ragged
from errata.text.lines import Lines, check_list
from errata.text.vocabulary import Vocabulary

if TYPE_CHECKING:
    from errata.corpus.edit_clusters import Cluster

Result = TypeVar("Result")


def _all_texts(items: Sequence[object]) -> bool:
    return set(map(type, items)) <= {str}


def _columns(references: References) -> list[list[str]] | None:
    """The first reference of every source, the second, …; None unless each has the same number of texts."""
    if _all_texts(references):
        return [[*map(str, references)]]
    if set(map(type, references)) <= {list, tuple} and len(set(map(len, references))) == 1:
        columns: list[list[Any]] = [[*column] for column in zip(*references, strict=True)]
        return columns if all(map(_all_texts, columns)) else None
    return None


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a corpus was read from, and what must be kept to write it back to the byte."""

    path: str
    format: str
    final_blank_line: bool = True
    tokens: str = ""  # the tokenizer with which all texts, outputs included, were divided after reading


Label = tuple[str | None, str | None, Mapping[str, str]]  # document, paragraph, meta
NO_LABEL: Label = (None, None, NO_META)


class Corpus(Sequence[Segment]):
    """Segments in columns. A `Segment` is made when it is read for the first time.

    `annotations` has the annotations of all segments, `rewrites` the reference texts that were given besides
    gold edits, `lines` the line of the file that each segment begins on. `first` is the number of the first
    segment, where the corpus is a chunk of another. The texts, and the outputs that are scored on them, share
    the token ids of `vocabulary`.
    """

    rewrites: AnnotationColumns | None = None
    labels_by_segment: Sequence[Label] | None = None
    clusters: Sequence[tuple[Cluster, ...] | None] | None = None
    lines: Integers | None = None
    first = 1
    _base: tuple[Corpus, Integers] | None = None  # see `repeat`

    def __init__(
        self,
        segments: Iterable[Segment] = (),
        *,
        origin: Origin | None = None,
        names: Mapping[int, str] | None = None,
        first_line: int | None = None,
    ) -> None:
        """`names` are those of annotators. With `first_line`, every segment is one line of its file."""
        segments = [*segments]
        self.source_texts = Lines.of([segment.source for segment in segments])
        self.annotations = AnnotationColumns.of([segment.annotations for segment in segments])
        self.origin = origin
        self.names = dict(names or {})
        self.vocabulary = Vocabulary()
        if first_line is not None:
            self.lines = np.arange(first_line, first_line + len(segments), dtype=np.int64)
        if any(segment.rewrites is not None for segment in segments):
            self.rewrites = AnnotationColumns.of([segment.rewritten for segment in segments])
        if any(s.document is not None or s.paragraph is not None or s.meta for s in segments):
            self.labels_by_segment = [(s.document, s.paragraph, s.meta) for s in segments]
        if any(segment.clusters is not None for segment in segments):
            self.clusters = [segment.clusters for segment in segments]

    @classmethod
    def from_columns(
        cls,
        sources: Lines,
        annotations: AnnotationColumns,
        *,
        lines: Integers | None = None,
        origin: Origin | None = None,
        names: Mapping[int, str] | None = None,
    ) -> Corpus:
        """A corpus from columns of the same number of segments."""
        corpus = cls.__new__(cls)
        corpus.source_texts, corpus.annotations, corpus.lines = sources, annotations, lines
        corpus.origin, corpus.names, corpus.vocabulary = origin, dict(names or {}), Vocabulary()
        return corpus

    @classmethod
    def from_texts(
        cls, sources: Lines, references: Sequence[Lines] = (), *, path: str | None = None, line: int = 1
    ) -> Corpus:
        """A corpus from lines of sources and as many lines of each reference.

        `path` is the file of the sources, `line` the number of the first line in it.
        """
        return cls.from_columns(
            sources,
            AnnotationColumns.of_texts(references, len(sources)),
            lines=None if path is None else np.arange(line, line + len(sources), dtype=np.int64),
            origin=None if path is None else Origin(path, "text"),
        )

    @classmethod
    def from_lists(cls, sources: Sequence[str], references: References | None = None) -> Corpus:
        """A corpus from plain strings; `references[i]` belongs to `sources[i]` (None: missing).

        A reference is a text, or the edits that make one of the source.
        """
        check_list(sources, "sources")
        if references is None:
            return cls([Segment(source) for source in sources])
        check_list(references, "references")
        if len(references) != len(sources):
            raise DataError(
                f"{len(sources)} sources but {len(references)} lists of references",
                hint="give one list of references per source sentence",
            )
        columns = _columns(references) if _all_texts(sources) else None
        if columns is None:
            return cls(map(annotated, sources, references, count(1)))
        return cls.from_texts(Lines.of([*sources]), [*map(Lines.of, columns)])

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> Segment | Corpus:
        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        index = range(len(self))[index]
        segments: dict[int, Segment] = vars(self).setdefault("_segments", {})
        if index not in segments:
            segments[index] = self._segment(index)
        return segments[index]

    def _segment(self, index: int) -> Segment:
        source = self.source_texts[index]
        document, paragraph, meta = (
            NO_LABEL if self.labels_by_segment is None else self.labels_by_segment[index]
        )
        return Segment(
            source,
            self.annotations.annotations(index, source),
            document,
            paragraph,
            meta,
            None if self.rewrites is None else self.rewrites.annotations(index, source),
            None if self.clusters is None else self.clusters[index],
        )

    def __len__(self) -> int:
        return len(self.source_texts)

    def __iter__(self) -> Iterator[Segment]:
        return map(self.__getitem__, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Corpus) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        place = f" from {self.origin.path}" if self.origin else ""
        return f"<Corpus of {len(self)} segments{place}>"

    # -- texts and annotators -------------------------------------------------------------------------------

    @cached_property
    def sources(self) -> list[str]:
        """The source texts."""
        return list(self.source_texts)

    @cached_property
    def annotators(self) -> tuple[int, ...]:
        """The ids of all annotators that appear somewhere, ascending."""
        return tuple(sorted(set(self.annotations.annotators.tolist())))

    @property
    def annotation_counts(self) -> Integers:
        """The number of annotators of each segment."""
        return self.annotations.counts

    @property
    def annotator_numbers(self) -> Integers:
        """The annotators of the first segment, then of the second, …"""
        return self.annotations.annotators

    def references(self, annotator: int) -> list[str | None]:
        """One annotator's corrected texts; None if the annotator is missing."""
        texts: list[str | None] = [None] * len(self)
        rows = np.flatnonzero(self.annotations.annotators == annotator)
        for index, row in zip(self.annotations.owners[rows].tolist(), rows.tolist(), strict=True):
            if texts[index] is None:
                try:
                    texts[index] = self.annotations.text(row, self.sources[index])
                except DataError:
                    with self.at(index):
                        raise
        return texts

    @property
    def reference_rows(self) -> AnnotationColumns:
        """The annotations that the reference texts belong to: the rewrites, if there are any."""
        return self.annotations if self.rewrites is None else self.rewrites

    @cached_property
    def reference_lines(self) -> Lines:
        """The corrected texts of the first segment, then of the second, …"""
        rows = self.reference_rows
        if rows.as_text.all():
            return rows.texts
        texts: list[str] = []
        for index, segment in enumerate(self):
            with self.at(index):
                texts += segment.references
        return Lines.of(texts)

    def reference_texts(self) -> list[tuple[str, ...]]:
        """Every segment's corrected texts, those of missing annotators left out."""
        texts = list(self.reference_lines)
        return [tuple(texts[start:end]) for start, end in pairwise(self.reference_rows.offsets.tolist())]

    @contextmanager
    def at(self, index: int) -> Iterator[None]:
        """Add the file and line of this segment to errors in the block that have none."""
        try:
            yield
        except DataError as error:
            if error.path is not None or self.origin is None:
                raise
            number = None if self.lines is None else int(self.lines[index])
            where = "" if number else f"segment {index + 1}: "
            raise DataError(
                where + error.message, path=self.origin.path, line=number, hint=error.hint
            ) from None

    # -- token ids ------------------------------------------------------------------------------------------

    @cached_property
    def source_ids(self) -> Ragged:
        """The sources as token ids."""
        if self._base is not None:
            base, numbers = self._base
            return base.source_ids.select(numbers)
        return self.vocabulary.encode_lines(self.source_texts)

    @cached_property
    def reference_ids(self) -> EncodedReferences:
        """The references as token ids."""
        if self._base is not None:
            base, numbers = self._base
            return base.reference_ids.select(numbers)
        rows = self.reference_rows
        if not rows.as_text.any() and rows.ascending:
            gold = encode_edits(rows, self.source_ids.lengths, self.vocabulary, matching=False)
            references = corrected_texts(gold, self.source_ids)
            if references is not None:
                return references
        return EncodedReferences(
            self.vocabulary.encode_lines(self.reference_lines), rows.offsets, rows.annotators
        )

    @cached_property
    def edit_ids(self) -> EncodedEdits:
        """The annotators' edits as token ids."""
        if self._base is not None:
            base, numbers = self._base
            return base.edit_ids.select(numbers)
        rows = self.annotations
        if rows.as_text.any():  # their edits are extracted
            edits = [annotation.edits for segment in self for annotation in segment.annotations]
            rows = replace(rows, edits=EditColumns.of(edits))
        return encode_edits(rows, self.source_ids.lengths, self.vocabulary)

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """The result of `compute`, which is called once for each key; other threads wait for the first."""
        computed = vars(self).setdefault("_computed", {})
        lock, results = computed.setdefault(key, (threading.RLock(), []))
        with lock:
            if not results:
                results.append(compute())
            result: Result = results[0]
            return result

    def __getstate__(self) -> dict[str, Any]:
        """The columns, without what was made from them: for other processes and for copies."""
        return {name: value for name, value in vars(self).items() if name not in ("_computed", "_segments")}

    # -- other corpora from this one ------------------------------------------------------------------------

    def select(self, indices: Iterable[int]) -> Corpus:
        """The corpus of these segments, in this order, with repetitions. Token ids are kept."""
        numbers = np.arange(len(self), dtype=np.int64)[np.fromiter(indices, dtype=np.int64)]
        selected = Corpus.from_columns(
            self.source_texts.select(numbers), self.annotations.select(numbers), names=self.names
        )
        if self.rewrites is not None:
            selected.rewrites = self.rewrites.select(numbers)
        if self.labels_by_segment is not None:
            selected.labels_by_segment = [self.labels_by_segment[number] for number in numbers.tolist()]
        if self.clusters is not None:
            selected.clusters = [self.clusters[number] for number in numbers.tolist()]
        selected.vocabulary = self.vocabulary
        for name in ("source_ids", "reference_ids", "edit_ids"):
            if name in vars(self):
                setattr(selected, name, getattr(self, name).select(numbers))
        return selected

    def repeat(self, numbers: Integers) -> Corpus:
        """As `select`. Results that depend on the segment alone are computed once, in this corpus."""
        if self._base is not None:
            base, own = self._base
            return base.repeat(own[numbers])
        selected = self.select(numbers)
        selected._base = self, numbers
        return selected

    @property
    def distinct(self) -> tuple[Corpus, Integers]:
        """The corpus that this one repeats segments of, or itself, and the numbers of the segments there."""
        return self._base or (self, np.arange(len(self), dtype=np.int64))

    def _changed(self, **columns: Any) -> Corpus:
        """A copy with other columns, without what was computed from the old ones."""
        changed = copy(self)
        for name in ("_computed", "annotators", "reference_lines", "reference_ids", "edit_ids"):
            vars(changed).pop(name, None)
        vars(changed).update(columns, _base=None)
        return changed

    def with_rewrites(self, texts: Corpus) -> Corpus:
        """The same corpus with the references of another as reference texts besides its own edits."""
        return self._changed(rewrites=texts.annotations)

    def with_texts(self, texts: Sequence[Lines], names: Mapping[int, str] | None = None) -> Corpus:
        """The same segments with a reference from each of these files, in place of their own."""
        annotations = AnnotationColumns.of_texts(texts, len(self))
        return self._changed(annotations=annotations, rewrites=None, clusters=None, names=dict(names or {}))

    def with_labels(self, labels: Sequence[Label]) -> Corpus:
        """The corpus with these labels in place of its own."""
        return self._changed(labels_by_segment=labels)

    def as_texts(self) -> Corpus:
        """The corpus whose annotations are the reference texts, where texts were given besides edits."""
        if self.rewrites is None:
            return self
        base, numbers = self.distinct
        if base is not self:
            return base.as_texts().repeat(numbers)
        return self._changed(annotations=self.rewrites, rewrites=None, names={})

    # -- labels ---------------------------------------------------------------------------------------------

    def labels(self, name: str) -> list[str]:
        """The document, paragraph or a meta field of every segment; `""` if it has none.

        Paragraphs are named `document#paragraph`: their own name need only be unique in the document.
        """
        if self.labels_by_segment is None:
            return [""] * len(self)
        if name == "document":
            return [document or "" for document, _, _ in self.labels_by_segment]
        if name != "paragraph":
            return [meta.get(name, "") for _, _, meta in self.labels_by_segment]
        return [
            f"{document}#{paragraph}" if document and paragraph else paragraph or ""
            for document, paragraph, _ in self.labels_by_segment
        ]

    @property
    def label_names(self) -> list[str]:
        """The names of all labels: document, paragraph, and the meta fields of any segment."""
        if self.labels_by_segment is None:
            return []
        fields = dict.fromkeys(name for _, _, meta in self.labels_by_segment for name in meta)
        return ["document", "paragraph", *fields]

    def groups(self, name: str) -> dict[str, list[int]]:
        """Segment indices by document, paragraph or a meta field, in order of first appearance."""
        groups: dict[str, list[int]] = {}
        for index, label in enumerate(self.labels(name)):
            groups.setdefault(label, []).append(index)
        return groups

    def with_meta(self, *paths: str | os.PathLike[str]) -> Corpus:
        """The corpus with documents, paragraphs, domains … from side files (see `errata.corpus.tsv`)."""
        from errata.corpus.tsv import with_meta

        return with_meta(self, *paths)

    def regrouped(self, level: str, *, missing: str = "drop") -> Corpus:
        """The corpus with the segments of each paragraph or document merged."""
        from errata.corpus.transforms import regroup

        return regroup(self, level, missing=missing)


class Outputs(dict[str, Sequence[str]]):
    """The hypotheses of several systems for the same segments, by system name."""

    def __repr__(self) -> str:
        return f"<Outputs of {', '.join(self)}>"


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some segments, or all, of a corpus in memory, with the hypotheses of every system.

    `post_edits` has, if there are any, a corrected version of every hypothesis of every system.
    """

    corpus: Corpus
    hypotheses: Mapping[str, Sequence[str]]
    post_edits: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def corpus_of(self, system: str) -> Corpus:
        """The corpus that a system is scored on: with its post-edits as references, if there are any."""
        if not self.post_edits:
            return self.corpus
        return self.corpus.with_texts([Lines.of(self.post_edits[system])])

    @property
    def count(self) -> int:
        return len(self.corpus)

    @property
    def place(self) -> str:
        return self.corpus.origin.path if self.corpus.origin else "the corpus"

    def parse(self) -> Chunk:
        """The chunk itself, as there is nothing to parse."""
        return self
