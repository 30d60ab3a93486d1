"""What a corpus is made of: edits, annotations, segments, corpora, and systems' outputs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from operator import eq
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import apply_edits, levenshtein_edits
from errata.corpus.edit_ids import EncodedEdits, encode_edits
from errata.errors import DataError
from errata.native.ragged import Ragged, select_runs
from errata.text.lines import Lines
from errata.text.vocabulary import RepeatedLines, Vocabulary

# What a lazy sequence of segments may tell without parsing or making them.
LAZY = ("edit_ids", "line", "plain_edits", "reference_ids", "reference_texts", "source_lines", "sources")
_NO_META: Mapping[str, str] = {}  # shared by all segments without metadata


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the source tokens `start:end` by `correction` (`""` deletes; `start == end` inserts)."""

    start: int
    end: int
    correction: str
    type: str = "UNK"
    alternatives: tuple[str, ...] = ()  # further corrections that count as equally good
    required: str = "REQUIRED"
    comment: str = "-NONE-"

    @property
    def corrections(self) -> tuple[str, ...]:
        """The correction and its alternatives."""
        return (self.correction, *self.alternatives)

    def moved(self, tokens: int) -> Edit:
        """The same edit, `tokens` further to the right."""
        return replace(self, start=self.start + tokens, end=self.end + tokens)


class Annotation:
    """One annotator's correction of a segment, given as edits or as text; the other is derived on demand.

    An annotation without edits says "nothing to correct". `implicit` marks one that the file did not
    write down (an M2 block without any `A` line).
    """

    __slots__ = ("_edits", "_text", "annotator", "given_as_text", "implicit", "source")

    def __init__(
        self,
        source: str,
        *,
        edits: Iterable[Edit] | None = None,
        text: str | None = None,
        annotator: int = 0,
        implicit: bool = False,
    ) -> None:
        if (edits is None) == (text is None):
            raise TypeError("an annotation is given either as edits or as text")
        self.source = source
        self.annotator = annotator
        self.implicit = implicit
        self.given_as_text = edits is None  # a rewritten text, whose edits can only be extracted
        self._edits = None if edits is None else tuple(edits)
        self._text = text

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits; extracted by Levenshtein distance over tokens where only a text was given."""
        if self._edits is None:
            assert self._text is not None
            spans = levenshtein_edits(self.source.split(), self._text.split())
            self._edits = tuple(Edit(start, end, correction) for start, end, correction in spans)
        return self._edits

    @property
    def text(self) -> str:
        """The corrected text; made by applying the edits where only those were given."""
        if self._text is None:
            assert self._edits is not None
            spans = [(edit.start, edit.end, edit.correction) for edit in self._edits]
            self._text = " ".join(apply_edits(self.source.split(), spans))
        return self._text

    def _key(self) -> tuple[object, ...]:
        return (self.source, self.annotator, self.implicit, self.edits, self.text)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annotation) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.source, self.annotator))

    def __repr__(self) -> str:
        what = f"text={self._text!r}" if self.given_as_text else f"edits={self._edits!r}"
        return f"Annotation({self.source!r}, {what}, annotator={self.annotator})"


@dataclass(frozen=True, slots=True)
class Segment:
    """A source sentence (or paragraph, or document) with its annotations and where it belongs.

    An annotator who is missing from `annotations` said nothing about this segment; one who found
    nothing to correct is there with an annotation that has no edits.
    """

    source: str
    annotations: tuple[Annotation, ...] = ()
    document: str | None = None
    paragraph: str | None = None
    meta: Mapping[str, str] = field(default_factory=lambda: _NO_META)  # domain, age, …; shared by a document
    rewrites: tuple[Annotation, ...] | None = None  # reference texts that were given besides gold edits

    @property
    def tokens(self) -> list[str]:
        """The source, split at white space."""
        return self.source.split()

    @property
    def references(self) -> tuple[str, ...]:
        """The corrected texts, in the order of the annotators; those who are missing left out."""
        return tuple([annotation.text for annotation in self.rewritten])

    @property
    def rewritten(self) -> tuple[Annotation, ...]:
        """The annotations that the reference texts belong to: the rewrites, where there are any."""
        return self.annotations if self.rewrites is None else self.rewrites

    def annotation(self, annotator: int) -> Annotation | None:
        """What this annotator said, or None."""
        return next((a for a in self.annotations if a.annotator == annotator), None)

    def label(self, name: str) -> str:
        """Its document, paragraph or any meta field (`domain`, …) by name; `""` when it has none."""
        if name == "document":
            return self.document or ""
        if name == "paragraph":
            return self.paragraph or ""
        return self.meta.get(name, "")


Reference = str | Sequence[Edit] | None  # a text, the edits that make one, or missing
References = Sequence[Sequence[Reference] | str]  # of every source


def annotated(source: str, references: Sequence[Reference] | str, number: int = 1) -> Segment:
    """A source with its references, numbered in their order; `number` is that of the source in errors."""
    given = [references] if isinstance(references, str) else references
    annotations = [
        Annotation(source, text=reference, annotator=i)
        if isinstance(reference, str)
        else Annotation(source, edits=_edits(reference, i, number), annotator=i)
        for i, reference in enumerate(given)
        if reference is not None
    ]
    return Segment(source, tuple(annotations))


def _edits(reference: Sequence[Edit], index: int, number: int) -> Sequence[Edit]:
    """A reference that is not a text, which must then be edits."""
    if isinstance(reference, _NOT_TEXT) or any(not isinstance(edit, Edit) for edit in reference):
        raise DataError(
            f"reference {index} of source {number} is {_shown(reference)}, "
            "neither a text nor a list of edits",
            hint="give a string, a list of Edit, or None where the reference is missing",
        )
    return reference


def _all_texts(items: Sequence[object]) -> bool:
    return set(map(type, items)) <= {str}


def _columns(references: References) -> list[list[str]] | None:
    """The first reference of every source, the second, …; None unless all have as many texts."""
    if _all_texts(references):
        return [[*map(str, references)]]
    if set(map(type, references)) <= {list, tuple} and len(set(map(len, references))) == 1:
        columns: list[list[Any]] = [[*column] for column in zip(*references, strict=True)]
        return columns if all(map(_all_texts, columns)) else None
    return None


def check_list(lines: object, what: str) -> None:
    """Refuse what is not a list of texts (or of lists): a text, a mapping, or a list with None in it."""
    if isinstance(lines, str | bytes):
        raise DataError(
            f"{what} are one string, {lines[:40]!r}, and not a list of strings",
            hint="a single sentence goes into a list: [text]",
        )
    if isinstance(lines, RepeatedLines):
        lines = lines.lines
    if isinstance(lines, Lines):
        return
    if isinstance(lines, Mapping) or not isinstance(lines, Iterable):
        raise DataError(
            f"{what} are {_shown(lines)}, and not a list",
            hint="`errata.score` takes a mapping from systems to lists of hypotheses",
        )
    if any(issubclass(kind, _NOT_TEXT) for kind in set(map(type, lines))):  # few types, however many texts
        index, wrong = next((i, item) for i, item in enumerate(lines) if isinstance(item, _NOT_TEXT))
        hint = 'give a string for every entry ("" is an empty text), and [] where there are no references'
        if isinstance(wrong, bytes):
            hint = "decode bytes first: text.decode('utf-8')"
        raise DataError(
            f"{what}: entry {index}, counted from 0, is {_shown(wrong)}, not a text",
            hint=hint,
        )


_NOT_TEXT = (type(None), bytes, bytearray, int, float)


def _shown(item: object) -> str:
    return "None" if item is None else f"{type(item).__name__} {repr(item)[:40]}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a corpus was read from, and what must be kept to write it back to the byte."""

    path: str
    format: str
    final_blank_line: bool = True
    first_line: int | None = None  # the line of the first segment, where every segment is one line


class Corpus(Sequence[Segment]):
    """A sequence of segments. Reading may be lazy: a segment is made when it is looked at."""

    def __init__(
        self,
        segments: Sequence[Segment],
        *,
        origin: Origin | None = None,
        names: Mapping[int, str] | None = None,
    ) -> None:
        self.segments = segments
        self.rewrites: Sequence[tuple[Annotation, ...]] | None = None  # texts given besides the edits
        self.origin = origin
        self.names = dict(names or {})  # of annotators, where they have one
        self.first = 1  # the number of its first segment, in the whole of which it may be a chunk
        self.vocabulary = Vocabulary()  # token ids that its texts, and the outputs scored on it, share

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
            return cls([*map(annotated, sources, references, count(1))])
        from errata.corpus.segments import ParallelSegments

        return cls(ParallelSegments(Lines.of([*sources]), [*map(Lines.of, columns)]))

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> Corpus: ...
    def __getitem__(self, index: int | slice) -> Segment | Corpus:
        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        segment = self.segments[index]
        return segment if self.rewrites is None else replace(segment, rewrites=self.rewrites[index])

    def __len__(self) -> int:
        return len(self.segments)

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.segments) if self.rewrites is None else (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Corpus) and len(self) == len(other) and all(map(eq, self, other))

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        place = f" from {self.origin.path}" if self.origin else ""
        return f"<Corpus of {len(self)} segments{place}>"

    @cached_property
    def sources(self) -> list[str]:
        """The source texts."""
        quick = getattr(self.segments, "sources", None)  # lazy sequences know them without parsing the edits
        return quick() if quick else [segment.source for segment in self]

    @property
    def source_texts(self) -> Sequence[str]:
        """The source texts, as lines of bytes where they were read so."""
        lines: Lines | None = getattr(self.segments, "source_lines", None)
        return self.sources if lines is None else lines

    @cached_property
    def annotators(self) -> tuple[int, ...]:
        """The ids of all annotators that appear somewhere, ascending."""
        return tuple(sorted({a.annotator for segment in self for a in segment.annotations}))

    @cached_property
    def annotation_counts(self) -> npt.NDArray[np.int64]:
        """How many annotators there are for each segment."""
        if hasattr(self.segments, "plain_edits"):  # an M2 file, which need not be parsed for this
            counts: npt.NDArray[np.int64] = np.diff(self.edit_ids.rows)
            return counts
        return np.array([len(segment.annotations) for segment in self], dtype=np.int64)

    @property
    def annotator_numbers(self) -> npt.NDArray[np.int64]:
        """The annotators of each segment, behind each other."""
        if hasattr(self.segments, "plain_edits"):
            return self.edit_ids.annotators
        return np.array([a.annotator for segment in self for a in segment.annotations], dtype=np.int64)

    def references(self, annotator: int) -> list[str | None]:
        """One annotator's corrected texts; None where the annotator is missing."""
        found = []
        for index, segment in enumerate(self):
            annotation = segment.annotation(annotator)
            with self.at(index):
                found.append(None if annotation is None else annotation.text)
        return found

    def reference_texts(self) -> list[tuple[str, ...]]:
        """Every segment's corrected texts, those of missing annotators left out."""
        quick = getattr(self.segments, "reference_texts", None) if self.rewrites is None else None
        if quick is not None:
            given: list[tuple[str, ...]] = quick()
            return given
        try:
            return [segment.references for segment in self]
        except DataError:
            for index, segment in enumerate(self):
                with self.at(index):  # says where
                    _ = segment.references
            raise

    @contextmanager
    def at(self, index: int) -> Iterator[None]:
        """Errors inside the block that name no place get that of this segment: file and line."""
        try:
            yield
        except DataError as error:
            if error.path is not None or self.origin is None:
                raise
            line = getattr(self.segments, "line", None)
            number = line(index) if line else None
            if number is None and self.origin.first_line is not None:
                number = self.origin.first_line + index
            where = "" if number else f"segment {index + 1}: "
            raise DataError(
                where + error.message, path=self.origin.path, line=number, hint=error.hint
            ) from None

    @cached_property
    def source_ids(self) -> Ragged:
        """The sources as token ids."""
        return self.vocabulary.encode_lines(self.source_texts)

    @cached_property
    def reference_ids(self) -> EncodedReferences:
        """The references as token ids."""
        quick = getattr(self.segments, "reference_ids", None) if self.rewrites is None else None
        found: EncodedReferences | None = quick(self.source_ids, self.vocabulary) if quick else None
        if found is not None:
            return found
        texts = self.reference_texts()
        offsets = np.cumsum([0, *map(len, texts)], dtype=np.int64)
        annotators = [a.annotator for segment in self for a in segment.rewritten]
        ids = self.vocabulary.encode_lines(text for row in texts for text in row)
        return EncodedReferences(ids, offsets, np.array(annotators, dtype=np.int64))

    @cached_property
    def edit_ids(self) -> EncodedEdits:
        """The annotators' edits as token ids."""
        quick = getattr(self.segments, "edit_ids", None)
        found: EncodedEdits | None = quick(self.source_ids, self.vocabulary) if quick else None
        if found is not None:
            return found
        return encode_edits(self.segments, self.source_ids.lengths.tolist(), self.vocabulary)

    def select(self, indices: Iterable[int]) -> Corpus:
        """The corpus of these segments, in this order."""
        return Corpus([self[i] for i in indices], names=self.names)

    def with_rewrites(self, texts: Corpus) -> Corpus:
        """The same corpus with the references of another as reference texts besides its own edits."""
        found = Corpus(self.segments, origin=self.origin, names=self.names)
        found.rewrites = [segment.annotations for segment in texts]
        found.first, found.vocabulary = self.first, self.vocabulary
        return found

    def as_texts(self) -> Corpus:
        """The corpus whose annotations are the reference texts, where texts were given besides edits."""
        listed = self.segments if isinstance(self.segments, list) else ()
        if self.rewrites is None and all(segment.rewrites is None for segment in listed):
            return self
        found = Corpus(
            [replace(segment, annotations=segment.rewritten, rewrites=None) for segment in self],
            origin=self.origin,
        )
        found.first = self.first
        return found

    def labels(self, name: str) -> list[str]:
        """The document, paragraph or a meta field of every segment; `""` where it has none.

        Paragraphs are named `document#paragraph`: their own name need only be unique in the document.
        """
        without_text = getattr(self.segments, "without_text", None)
        segments: Iterable[Segment] = self if without_text is None else without_text()
        if name != "paragraph":
            return [segment.label(name) for segment in segments]
        return [
            f"{s.document}#{s.paragraph}" if s.document and s.paragraph else s.paragraph or ""
            for s in segments
        ]

    def groups(self, name: str) -> dict[str, list[int]]:
        """Segment indices by document, paragraph or a meta field, in order of first appearance."""
        found: dict[str, list[int]] = {}
        for index, label in enumerate(self.labels(name)):
            found.setdefault(label, []).append(index)
        return found

    def with_meta(self, *paths: str | os.PathLike[str]) -> Corpus:
        """The corpus with documents, paragraphs, domains … from side files (see `errata.corpus.metadata`)."""
        from errata.corpus.metadata import with_meta

        return with_meta(self, *paths)

    def regrouped(self, level: str, *, missing: str = "drop") -> Corpus:
        """The corpus with the segments of each paragraph or document merged."""
        from errata.corpus.segmentation import regroup

        return regroup(self, level, missing=missing)


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """All references as token ids: those of segment i are the rows `offsets[i]:offsets[i + 1]`."""

    ids: Ragged
    offsets: npt.NDArray[np.int64]
    annotators: npt.NDArray[np.int64]

    def select(self, segments: npt.NDArray[np.int64]) -> EncodedReferences:
        """The references of these segments, in this order; one may come several times."""
        offsets, rows = select_runs(self.offsets, segments)
        return EncodedReferences(self.ids.select(rows), offsets, self.annotators[rows])


class EditedLine(str):
    """A hypothesis that was given as edits of its source: the text, with the edits that made it."""

    edits: tuple[Edit, ...]

    def __new__(cls, text: str, edits: Iterable[Edit] = ()) -> EditedLine:
        made = super().__new__(cls, text)
        made.edits = tuple(edits)
        return made


class EditedLines(Sequence[str]):
    """Hypotheses that were given as edits of their sources; every item is an `EditedLine`."""

    def __init__(self, lines: Sequence[str], edits: Sequence[Sequence[Edit]]) -> None:
        if len(lines) != len(edits):
            raise DataError(f"{len(lines)} texts but edits of {len(edits)}")
        self.lines, self.edits = lines, edits

    @classmethod
    def of(cls, corpus: Corpus, annotator: int = 0) -> EditedLines:
        """One annotator's corrections in a corpus, such as an M2 file of a system's edits."""
        given = [segment.annotation(annotator) for segment in corpus]
        lines = []
        for index, annotation in enumerate(given):
            with corpus.at(index):
                lines.append(corpus.sources[index] if annotation is None else annotation.text)
        return cls(lines, [() if a is None else a.edits for a in given])

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> EditedLines: ...
    def __getitem__(self, index: int | slice) -> str | EditedLines:
        if isinstance(index, slice):
            return EditedLines(self.lines[index], self.edits[index])
        return EditedLine(self.lines[index], self.edits[index])


class Outputs(dict[str, Sequence[str]]):
    """What several systems made of the same segments: hypotheses by system name."""

    def __repr__(self) -> str:
        return f"<Outputs of {', '.join(self)}>"
