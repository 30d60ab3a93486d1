"""Whole documents: the text between the markup is corrected, and everything else stays as it is.

A format's module finds the passages of a document, which are texts in pieces, and where each piece stands.
Corrections go to those places; a document without corrections is returned byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from errata.corpus.files import read_bytes
from errata.errors import DataError
from errata_correct.suggestions import Suggestion
from errata_correct.tokens import Replacement, rewrite

SUFFIXES = {
    ".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html", ".xhtml": "html",
    ".srt": "srt", ".docx": "docx",
}  # fmt: skip


class Piece(NamedTuple):
    """Text of a passage, and its place `start:end` in the file; `fixed` text never changes."""

    start: int
    end: int
    text: str
    fixed: bool = False


Passage = Sequence[Piece]


@dataclass(frozen=True)
class Part:
    """One text of a document with its passages; `escape` writes new text as the format wants it."""

    text: str
    passages: Sequence[Passage]
    escape: Callable[[str], str] = str
    touch: Callable[[Piece], Replacement | None] = lambda piece: None  # what else changes where a piece does

    def corrected(self, suggestions: Sequence[Sequence[Suggestion]]) -> str:
        """The text with the suggestions of every passage followed."""
        replacements: dict[Replacement, None] = {}
        for passage, found in zip(self.passages, suggestions, strict=True):
            for suggestion in found:
                for piece, (start, end, text) in _places(passage, suggestion):
                    replacements[start, end, self.escape(text)] = None
                    touched = self.touch(piece)
                    if touched:
                        replacements[touched] = None
        return rewrite(self.text, replacements)


@dataclass(frozen=True)
class Document:
    """A document's parts, and how they become a file again."""

    parts: Sequence[Part]
    assemble: Callable[[Sequence[str]], bytes]

    @property
    def texts(self) -> list[str]:
        """The passages as running text."""
        return ["".join(piece.text for piece in passage) for part in self.parts for passage in part.passages]

    def corrected(self, suggestions: Sequence[Sequence[Suggestion]]) -> bytes:
        """The file with the suggestions of every text of `texts` followed."""
        done, texts = 0, []
        for part in self.parts:
            texts.append(part.corrected(suggestions[done : done + len(part.passages)]))
            done += len(part.passages)
        return self.assemble(texts)


def format_of(path: str | Path) -> str | None:
    """The format of a document by its name; None is plain text."""
    return SUFFIXES.get(Path(path).suffix.lower())


def read_document(path: str | Path) -> Document:
    """Read a document; its format follows from its name, and any other is plain text, line by line."""
    data, kind = read_bytes(path), format_of(path)
    if kind == "docx":
        from errata_correct.documents.word import word_document

        return word_document(data, path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            "not UTF-8", path=path, line=line, hint="save the document as UTF-8 and try again"
        ) from None
    return Document([_part(text, kind)], lambda texts: texts[0].encode("utf-8"))


def _part(text: str, kind: str | None) -> Part:
    if kind == "markdown":
        from errata_correct.documents.markdown import markdown_part

        return markdown_part(text)
    if kind == "html":
        from errata_correct.documents.markup import html_part

        return html_part(text)
    if kind == "srt":
        from errata_correct.documents.subtitles import srt_part

        return srt_part(text)
    passages, start = [], 0
    for line in text.splitlines(keepends=True):
        content = line.rstrip("\r\n")
        if content.strip():
            passages.append([Piece(start, start + len(content), content)])
        start += len(line)
    return Part(text, passages)


def _places(passage: Passage, suggestion: Suggestion) -> list[tuple[Piece, Replacement]]:
    """Where a suggestion goes in the file: what it adds to its first piece, what it removes from each.

    There is none where it would change fixed text other than blanks, or only a part of an entity.
    """
    found: list[tuple[Piece, Replacement]] = []
    text, position = suggestion.text, 0
    before = suggestion.text.endswith(" ")  # a word put before another belongs to the piece of that one
    for piece in passage:
        low, high = position, position + len(piece.text)
        position = high
        a, b = max(low, suggestion.start), min(high, suggestion.end)
        inserted = suggestion.start == suggestion.end and (
            low <= suggestion.start < high if before else low < suggestion.start <= high
        )
        if not (a < b or inserted):
            continue
        if piece.fixed:
            if a < b and piece.text[a - low : b - low].strip():
                return []
            continue
        if inserted:
            a = b = suggestion.start
        if piece.end - piece.start == len(piece.text):
            found.append((piece, (piece.start + a - low, piece.start + b - low, text)))
        elif (a, b) == (low, high):
            found.append((piece, (piece.start, piece.end, text)))
        elif a == b and a in (low, high):
            place = piece.start if a == low else piece.end
            found.append((piece, (place, place, text)))
        else:
            return []
        text = ""
    return [] if text else found
