"""Edits, annotations and segments as objects, and hypotheses with their edits."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, overload

from errata.corpus.apply_edits import apply_edits, levenshtein_edits
from errata.errors import DataError
from errata.text.lines import NOT_TEXT, Lines, shown

if TYPE_CHECKING:
    from errata.corpus.edit_clusters import Cluster
    from errata.corpus.model import Corpus

NO_META: Mapping[str, str] = {}  # shared by all segments without metadata


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
    """One annotator's correction of a segment, as edits or as text; the other is derived on demand.

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
        content = f"text={self._text!r}" if self.given_as_text else f"edits={self._edits!r}"
        return f"Annotation({self.source!r}, {content}, annotator={self.annotator})"


@dataclass(frozen=True, slots=True)
class Segment:
    """A source sentence (or paragraph, or document) with its annotations and where it belongs.

    An annotator who did not annotate the segment is missing from `annotations`. One who found nothing to
    correct has an annotation without edits.
    """

    source: str
    annotations: tuple[Annotation, ...] = ()
    document: str | None = None
    paragraph: str | None = None
    meta: Mapping[str, str] = field(default_factory=lambda: NO_META)  # domain, age, …; shared by a document
    rewrites: tuple[Annotation, ...] | None = None  # reference texts that were given besides gold edits
    clusters: tuple[Cluster, ...] | None = field(default=None, compare=False)  # where the file has them

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
        """The annotations that the reference texts belong to: the rewrites, if there are any."""
        return self.annotations if self.rewrites is None else self.rewrites

    def annotation(self, annotator: int) -> Annotation | None:
        """The annotation of this annotator, or None."""
        return next((a for a in self.annotations if a.annotator == annotator), None)

    def label(self, name: str) -> str:
        """Its document, paragraph or any meta field (`domain`, …) by name; `""` when it has none."""
        if name == "document":
            return self.document or ""
        if name == "paragraph":
            return self.paragraph or ""
        return self.meta.get(name, "")


Reference = str | Sequence[Edit] | None  # a text, the edits that make one, or missing
References = Sequence[Sequence[Reference] | str]  # one item per source


def annotated(source: str, references: Sequence[Reference] | str, number: int = 1) -> Segment:
    """A source with its references, numbered in their order; `number` is that of the source in errors."""
    listed = [references] if isinstance(references, str) else references
    annotations = [
        Annotation(source, text=reference, annotator=i)
        if isinstance(reference, str)
        else Annotation(source, edits=_checked_edits(reference, i, number), annotator=i)
        for i, reference in enumerate(listed)
        if reference is not None
    ]
    return Segment(source, tuple(annotations))


def _checked_edits(reference: Sequence[Edit], index: int, number: int) -> Sequence[Edit]:
    """The reference; raises an error unless it is a sequence of edits."""
    if isinstance(reference, NOT_TEXT) or any(not isinstance(edit, Edit) for edit in reference):
        raise DataError(
            f"reference {index} of source {number} is {shown(reference)}, neither a text nor a list of edits",
            hint="give a string, a list of Edit, or None if the reference is missing",
        )
    return reference


class EditedLine(str):
    """A hypothesis that was given as edits of its source: the text, with the edits that made it."""

    edits: tuple[Edit, ...]

    def __new__(cls, text: str, edits: Iterable[Edit] = ()) -> EditedLine:
        line = super().__new__(cls, text)
        line.edits = tuple(edits)
        return line


def are_edited(lines: Sequence[str]) -> bool:
    """Whether some hypotheses were given as edits."""
    if isinstance(lines, EditedLines) or (isinstance(lines, Lines) and lines.of_file):
        return isinstance(lines, EditedLines)
    return any(isinstance(line, EditedLine) for line in lines)


class EditedLines(Sequence[str]):
    """Hypotheses that were given as edits of their sources; every item is an `EditedLine`."""

    def __init__(self, lines: Sequence[str], edits: Sequence[Sequence[Edit]]) -> None:
        if len(lines) != len(edits):
            raise DataError(f"{len(lines)} texts but edits of {len(edits)}")
        self.lines, self.edits = lines, edits

    @classmethod
    def of(cls, corpus: Corpus, annotator: int = 0) -> EditedLines:
        """One annotator's corrections in a corpus, such as an M2 file of a system's edits."""
        annotations = [segment.annotation(annotator) for segment in corpus]
        lines = []
        for index, annotation in enumerate(annotations):
            with corpus.at(index):
                lines.append(corpus.sources[index] if annotation is None else annotation.text)
        return cls(lines, [() if a is None else a.edits for a in annotations])

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
