"""The columns of a corpus: annotations and edits as arrays and bytes, and the same as token ids.

Columns are nested. A segment has rows, one for each annotation. A row is a text, or it has edits. An edit has
a correction and perhaps alternatives. Offsets say where the items of one level begin in the next level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import apply_edits
from errata.corpus.segment import Annotation, Edit
from errata.errors import DataError
from errata.native.ragged import Integers, Ragged, check_array, check_offsets, select_runs
from errata.text.lines import Lines
from errata.text.vocabulary import SentenceVocabulary, Vocabulary

Flags = npt.NDArray[np.bool_]
Spans = npt.NDArray[np.int32]
NEVER = -1  # the id of a token that no text has


def offsets_of(sizes: Sequence[int] | Integers | Flags) -> Integers:
    """The offsets of runs of these sizes."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets


@dataclass(frozen=True, slots=True)
class EditColumns:
    """The edits of many annotations, as they were given.

    The edits of row i are `offsets[i]:offsets[i + 1]`, the corrections of edit k are the texts
    `corrections[k]:corrections[k + 1]`.
    """

    offsets: Integers
    spans: Spans
    corrections: Integers
    texts: Lines
    types: Lines
    required: Lines
    comments: Lines

    @classmethod
    def of(cls, rows: Sequence[Sequence[Edit]]) -> EditColumns:
        """The columns of edits that are objects."""
        edits = [edit for row in rows for edit in row]
        try:
            spans = np.array([(edit.start, edit.end) for edit in edits], dtype=np.int32).reshape(-1, 2)
        except OverflowError:
            raise DataError("an edit has an offset beyond 2³¹") from None
        return cls(
            offsets_of([*map(len, rows)]),
            spans,
            offsets_of([1 + len(edit.alternatives) for edit in edits]),
            Lines.of([text for edit in edits for text in edit.corrections]),
            Lines.of([edit.type for edit in edits]),
            Lines.of([edit.required for edit in edits]),
            Lines.of([edit.comment for edit in edits]),
        )

    @property
    def owners(self) -> Integers:
        """The row of every edit."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))

    def edits(self, row: int) -> list[Edit]:
        """The edits of a row as objects."""
        begin, end = self.offsets[row : row + 2].tolist()
        return [self._edit(number) for number in range(begin, end)]

    def _edit(self, number: int) -> Edit:
        start, end = self.spans[number].tolist()
        first, last = self.corrections[number : number + 2].tolist()
        correction, *alternatives = [self.texts[place] for place in range(first, last)]
        return Edit(
            start,
            end,
            correction,
            self.types[number],
            tuple(alternatives),
            self.required[number],
            self.comments[number],
        )

    def select(self, rows: Integers) -> EditColumns:
        """The edits of these rows, in this order, with repetitions."""
        return self._with_edits(*select_runs(self.offsets, rows))

    def where(self, kept: Flags) -> EditColumns:
        """The edits of all rows, without those that are not kept."""
        return self._with_edits(offsets_of(kept)[self.offsets], np.flatnonzero(kept))

    def _with_edits(self, offsets: Integers, edits: Integers) -> EditColumns:
        corrections, texts = select_runs(self.corrections, edits)
        return EditColumns(
            offsets,
            self.spans[edits],
            corrections,
            self.texts.select(texts),
            self.types.select(edits),
            self.required.select(edits),
            self.comments.select(edits),
        )


@dataclass(frozen=True, slots=True)
class AnnotationColumns:
    """The annotations of all segments: those of segment i are the rows `offsets[i]:offsets[i + 1]`.

    A row was given as a text or as edits; the other column is empty there.
    """

    offsets: Integers
    annotators: Integers
    implicit: Flags  # the file has no line for this annotation
    as_text: Flags
    texts: Lines
    edits: EditColumns

    @classmethod
    def of(cls, segments: Sequence[Sequence[Annotation]]) -> AnnotationColumns:
        """The columns of annotations that are objects."""
        annotations = [annotation for row in segments for annotation in row]
        return cls(
            offsets_of([*map(len, segments)]),
            np.array([annotation.annotator for annotation in annotations], dtype=np.int64),
            np.array([annotation.implicit for annotation in annotations], dtype=np.bool_),
            np.array([annotation.given_as_text for annotation in annotations], dtype=np.bool_),
            Lines.of([a.text if a.given_as_text else "" for a in annotations]),
            EditColumns.of([() if a.given_as_text else a.edits for a in annotations]),
        )

    @classmethod
    def of_texts(cls, references: Sequence[Lines], segments: int) -> AnnotationColumns:
        """One annotation per segment and file, annotators numbered in the order of the files."""
        files = len(references)
        rows = segments * files
        order = np.arange(rows, dtype=np.int64).reshape(files, segments).T.ravel()
        return cls(
            np.arange(segments + 1, dtype=np.int64) * files,
            np.tile(np.arange(files, dtype=np.int64), segments),
            np.zeros(rows, dtype=np.bool_),
            np.ones(rows, dtype=np.bool_),
            references[0] if files == 1 else Lines.concatenated(references).select(order),
            EditColumns.of([()] * rows),
        )

    @property
    def counts(self) -> Integers:
        """The number of annotations of every segment."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Integers:
        """The segment of every row."""
        return np.repeat(np.arange(len(self.offsets) - 1, dtype=np.int64), np.diff(self.offsets))

    @property
    def ascending(self) -> bool:
        """Whether the annotators of every segment ascend."""
        owners = self.owners
        falling = (owners[1:] == owners[:-1]) & (self.annotators[1:] < self.annotators[:-1])
        return not falling.any()

    def annotations(self, segment: int, source: str) -> tuple[Annotation, ...]:
        """The annotations of a segment as objects; `source` is its text."""
        begin, end = self.offsets[segment : segment + 2].tolist()
        return tuple([self._annotation(row, source) for row in range(begin, end)])

    def _annotation(self, row: int, source: str) -> Annotation:
        annotator = int(self.annotators[row])
        if self.as_text[row]:
            return Annotation(source, text=self.texts[row], annotator=annotator)
        implicit = bool(self.implicit[row])
        return Annotation(source, edits=self.edits.edits(row), annotator=annotator, implicit=implicit)

    def text(self, row: int, source: str) -> str:
        """The corrected text of a row; `source` is that of its segment."""
        if self.as_text[row]:
            return self.texts[row]
        begin, end = self.edits.offsets[row : row + 2].tolist()
        spans = self.edits.spans[begin:end].tolist()
        corrections = [self.edits.texts[place] for place in self.edits.corrections[begin:end].tolist()]
        edits = [(*span, text) for span, text in zip(spans, corrections, strict=True)]
        return " ".join(apply_edits(source.split(), edits))

    def select(self, segments: Integers) -> AnnotationColumns:
        """The annotations of these segments, in this order, with repetitions."""
        return self._with_rows(*select_runs(self.offsets, segments))

    def by_annotator(self) -> AnnotationColumns:
        """The same annotations, those of each segment in the order of the annotators."""
        if self.ascending:
            return self
        return self._with_rows(self.offsets, np.lexsort((self.annotators, self.owners)))

    def _with_rows(self, offsets: Integers, rows: Integers) -> AnnotationColumns:
        return AnnotationColumns(
            offsets,
            self.annotators[rows],
            self.implicit[rows],
            self.as_text[rows],
            self.texts.select(rows),
            self.edits.select(rows),
        )


# -- token ids ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EncodedReferences:
    """All references as token ids: those of segment i are the rows `offsets[i]:offsets[i + 1]`."""

    ids: Ragged
    offsets: Integers
    annotators: Integers

    def select(self, segments: Integers) -> EncodedReferences:
        """The references of these segments, in this order, with repetitions."""
        offsets, rows = select_runs(self.offsets, segments)
        return EncodedReferences(self.ids.select(rows), offsets, self.annotators[rows])


@dataclass(frozen=True, slots=True)
class EncodedEdits:
    """All annotators' edits, nested: segment → row (annotator) → edit → correction → tokens.

    The rows of segment i are `rows[i]:rows[i + 1]`, their edits `edits[row]:edits[row + 1]`, an edit's
    corrections `corrections[edit]:corrections[edit + 1]`; `tokens` has one row a correction. `type_names` has
    the type of every edit; it is None unless all annotations are edits and all edits are inside their
    sentences. The arrays are validated here, once; native functions rely on it.
    """

    rows: Integers
    annotators: Integers
    edits: Integers
    spans: Spans
    corrections: Integers
    tokens: Ragged
    type_names: Lines | None = None

    def __post_init__(self) -> None:
        check_array("annotators", self.annotators, np.int64)
        check_array("spans", self.spans, np.int32, 2)
        check_offsets("rows", self.rows, len(self.annotators))
        check_offsets("edits", self.edits, len(self.spans))
        check_offsets("corrections", self.corrections, len(self.tokens))
        if len(self.edits) != len(self.annotators) + 1 or len(self.corrections) != len(self.spans) + 1:
            raise ValueError("every annotator and every edit needs its offsets")

    @property
    def types(self) -> tuple[list[str], npt.NDArray[np.int32]] | None:
        """The names of all types, and the number of the type of each edit; None if there are no types."""
        if self.type_names is None:
            return None
        names = Vocabulary()
        numbers = names.encode_whole(self.type_names)
        return names.tokens, numbers

    @property
    def owners(self) -> Integers:
        """The row of every edit."""
        return np.repeat(np.arange(len(self.annotators), dtype=np.int64), np.diff(self.edits))

    @property
    def ascending(self) -> Integers:
        """The edits by row, start and end."""
        owners, (start, end), wide = self.owners, self.spans.T, 1 + int(self.spans.max(initial=0))
        if len(self.annotators) * wide**2 >= 1 << 63:
            return np.lexsort((end, start, owners))
        return np.argsort((owners * wide + start) * wide + end, kind="stable")  # they ascend nearly always

    def select(self, segments: Integers) -> EncodedEdits:
        """The edits of these segments, in this order, with repetitions."""
        return self._of_rows(*select_runs(self.rows, segments))

    def select_rows(self, rows: Integers) -> EncodedEdits:
        """The edits of these rows, as those of segments with a single annotator."""
        return self._of_rows(np.arange(len(rows) + 1, dtype=np.int64), rows)

    def _of_rows(self, rows: Integers, old_rows: Integers) -> EncodedEdits:
        edits, old_edits = select_runs(self.edits, old_rows)
        corrections, old_corrections = select_runs(self.corrections, old_edits)
        return EncodedEdits(
            rows,
            self.annotators[old_rows],
            edits,
            self.spans[old_edits],
            corrections,
            self.tokens.select(old_corrections),
            None if self.type_names is None else self.type_names.select(old_edits),
        )


def encode_edits(
    annotations: AnnotationColumns,
    lengths: Integers,
    vocabulary: Vocabulary | SentenceVocabulary,
    *,
    matching: bool = True,
) -> EncodedEdits:
    """Edits to ids, annotators ascending. Edits that reach outside their sentence are left out.

    `lengths` are those of the sentences in tokens. With `matching`, a correction with irregular white space
    becomes a token that matches nothing.
    """
    annotations = annotations.by_annotator()
    edits = annotations.edits
    sizes = lengths[annotations.owners][edits.owners]
    starts, ends = edits.spans.T
    inside: Flags = (starts >= 0) & (starts <= sizes) & (ends >= 0) & (ends <= sizes)
    complete = inside.all() and not annotations.as_text.any()
    if not inside.all():
        edits = edits.where(inside)
    tokens, irregular = vocabulary.encode_regular(edits.texts)
    if matching and irregular.any():
        never = Ragged(np.array([NEVER], dtype=np.int32), np.array([0, 1], dtype=np.int64))
        places = np.where(irregular, len(tokens), np.arange(len(tokens), dtype=np.int64))
        tokens = Ragged.concatenated([tokens, never]).select(places)
    return EncodedEdits(
        annotations.offsets, annotations.annotators, edits.offsets, edits.spans, edits.corrections, tokens,
        edits.types if complete else None,
    )  # fmt: skip


def corrected_texts(gold: EncodedEdits, sources: Ragged) -> EncodedReferences | None:
    """The texts that edits make of the sources; None if edits overlap or leave their sentence."""
    if gold.type_names is None:
        return None
    order = gold.ascending
    words = gold.tokens.select(gold.corrections[order])
    sentences = np.repeat(np.arange(len(sources), dtype=np.int64), np.diff(gold.rows))
    texts = apply_encoded(sources.select(sentences), gold.edits, gold.spans[order], words)
    return None if texts is None else EncodedReferences(texts, gold.rows, gold.annotators)


def apply_encoded(sources: Ragged, offsets: Integers, spans: Spans, corrections: Ragged) -> Ragged | None:
    """The texts that edits make of sources; None if edits overlap or leave their sentence.

    Source i has the edits `offsets[i]:offsets[i + 1]`, in ascending order.
    """
    starts, ends = spans[:, 0].astype(np.int64), spans[:, 1].astype(np.int64)
    first, last = offsets[:-1], offsets[1:]
    # the tokens that stay: one run before each edit, and one after the last edit of a source
    run_starts, run_ends = np.insert(ends, first, 0), np.insert(starts, last, sources.lengths)
    if (run_starts > run_ends).any() or (starts > ends).any():
        return None
    begins = np.repeat(sources.offsets[:-1], 1 + np.diff(offsets))
    kept = np.stack([begins + run_starts, begins + run_ends], axis=1)
    places = np.stack([corrections.offsets[:-1], corrections.offsets[1:]], axis=1) + len(sources.values)
    added = np.insert(places, last, 0, axis=0)  # after each run the correction, or nothing
    runs = np.hstack([kept, added]).ravel()
    run_offsets, tokens = select_runs(runs, np.arange(0, len(runs), 2))
    values = np.concatenate([sources.values, corrections.values])[tokens]
    return Ragged(values, run_offsets[2 * (offsets + np.arange(len(offsets)))])
