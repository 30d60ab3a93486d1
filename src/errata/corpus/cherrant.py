"""ChERRANT (Zhang et al. 2022): M2 blocks in which every correction has its text and edits of its own.

A line `T0-A1` begins the second sequence of edits of the first answer, with the corrected text, and its `A`
lines follow; `T0` alone is an answer without edits. The tokens are characters, or words. Every sequence
becomes an annotation, numbered from 0 within its sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from errata.corpus.files import StrPath, display, read_lines
from errata.corpus.m2 import EMPTY, NOOP, edit_fields
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError

_ANSWER = re.compile(r"T([0-9]{1,6})(?:-A([0-9]{1,6}))?(?: (.*))?")
_HINT = "expected: S <tokens>, then for every correction T0-A0 <tokens> and its A lines"


def starts_like_cherrant(path: StrPath, text: str) -> bool:
    """Whether a file begins with a sentence and an answer."""
    lines = text.split("\n", 2)
    return lines[0].startswith("S ") and len(lines) > 1 and _ANSWER.fullmatch(lines[1].rstrip()) is not None


def read_cherrant(path: StrPath) -> Corpus:
    """Read a file of ChERRANT; the edits of every sequence must make its text."""
    reader = _Reader(display(path))
    segments = list(reader.segments(read_lines(path)))
    return Corpus(segments, origin=Origin(display(path), "cherrant"))


class _Reader:
    """Collects the lines of a block."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.source: str | None = None
        self.texts: list[tuple[int, str | None]] = []  # of the corrections: the line, and the text if given
        self.edits: list[list[Edit]] = []

    def error(self, message: str, line: int, hint: str = _HINT) -> DataError:
        return DataError(message, path=self.path, line=line, hint=hint)

    def segments(self, lines: list[str]) -> Iterator[Segment]:
        """The sentences, each when its block ends."""
        for number, line in enumerate([*lines, ""], 1):
            answer = _ANSWER.fullmatch(line)
            if not line.strip():
                if self.source is not None:
                    yield self.segment()
            elif line.startswith("S "):
                if self.source is not None:
                    raise self.error(
                        "a second S line in a block", number, "an empty line separates sentences"
                    )
                self.source = line[2:]
            elif self.source is None:
                raise self.error(f"a block begins with an S line, this one with {line[:60]!r}", number)
            elif answer is not None:
                # `T0` without a sequence has a remark in place of a text: there is nothing to correct.
                self.texts.append((number, answer[3] if answer[2] is not None else None))
                self.edits.append([])
            else:
                self.add(line, number)

    def add(self, line: str, number: int) -> None:
        """An edit of the last correction."""
        fields = edit_fields(line)
        if fields is None:
            raise self.error(f"neither an S, a T nor an A line: {line[:60]!r}", number)
        if not self.edits:
            raise self.error("an edit without a correction before it", number, "its T line is missing")
        start, end, values, _ = fields
        if values[1] != NOOP:
            text = "" if values[2] == EMPTY else values[2].strip()
            self.edits[-1].append(Edit(start, end, text, values[1]))

    def segment(self) -> Segment:
        """The sentence that has been read."""
        source, self.source = self.source or "", None
        annotations = []
        for place, ((line, text), edits) in enumerate(zip(self.texts, self.edits, strict=True)):
            annotation = Annotation(source, edits=edits, annotator=place)
            if text is not None and annotation.text.split() != text.split():
                raise self.error(
                    f"the edits make {annotation.text[:60]!r} of the source, not the text beside them", line,
                    "was the file changed by hand?",
                )  # fmt: skip
            annotations.append(annotation)
        self.texts, self.edits = [], []
        return Segment(source, tuple(annotations) or (Annotation(source, edits=(), implicit=True),))
