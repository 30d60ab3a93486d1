"""Documents in Markdown or plain text: the text is corrected, and markup does not change.

A document has passages, which consist of pieces of text with their places in the file. Corrections are made
at these places; a document without corrections is returned unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from errata.corpus.files import read_bytes
from errata.errors import DataError, needs_extra
from errata_correct.corrector import Suggestion
from errata_correct.tokens import Replacement, rewrite

_MARKDOWN = frozenset([".md", ".markdown"])
# Markup that would be corrected as if it were text
_UNSUPPORTED = frozenset([".docx", ".odt", ".rtf", ".pdf", ".html", ".htm", ".xhtml", ".xml", ".tex", ".srt"])
_FRONT_MATTER = re.compile(
    r"\A(?:---|\+\+\+)[^\S\n]*\n.*?\n(?:---|\+\+\+|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL
)
_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


class Piece(NamedTuple):
    """Text of a passage, and its place `start:end` in the file; `fixed` text never changes."""

    start: int
    end: int
    text: str
    fixed: bool = False


Passage = Sequence[Piece]


@dataclass(frozen=True)
class Document:
    """A text with its passages; `escape` writes new text in the document's format."""

    text: str
    passages: Sequence[Passage]
    escape: Callable[[str], str] = str

    @property
    def texts(self) -> list[str]:
        """The passages as running text."""
        return ["".join(piece.text for piece in passage) for passage in self.passages]

    def corrected(self, suggestions: Sequence[Sequence[Suggestion]]) -> str:
        """The document with the suggestions for each of its texts applied."""
        replacements: dict[Replacement, None] = {}
        for passage, some in zip(self.passages, suggestions, strict=True):
            for suggestion in some:
                for start, end, text in _replacements(passage, suggestion):
                    replacements[start, end, self.escape(text)] = None
        return rewrite(self.text, replacements)


def is_document(path: str) -> bool:
    """Whether a file is corrected as a whole; plain text is corrected line by line."""
    suffix = Path(path).suffix.lower()
    if suffix in _UNSUPPORTED:
        raise DataError(
            f"files of the format {suffix} cannot be corrected", path=path,
            hint="convert it to Markdown or plain text first, for example with pandoc",
        )  # fmt: skip
    return suffix in _MARKDOWN


def read_document(path: str) -> Document:
    """Read Markdown, or plain text line by line."""
    data = read_bytes(path)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise DataError(
            "not UTF-8", path=path, line=line, hint="save the document as UTF-8 and try again"
        ) from None
    if is_document(path):
        return _markdown(text)
    passages, start = [], 0
    for line_text in text.splitlines(keepends=True):
        content = line_text.rstrip("\r\n")
        if content.strip():
            passages.append([Piece(start, start + len(content), content)])
        start += len(line_text)
    return Document(text, passages)


def _replacements(passage: Passage, suggestion: Suggestion) -> list[Replacement]:
    """The changes of the file for a suggestion: new text goes to the first piece that it touches.

    There are none if it would change fixed text other than blanks, or only a part of an entity.
    """
    replacements: list[Replacement] = []
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
            replacements.append((piece.start + a - low, piece.start + b - low, text))
        elif (a, b) == (low, high):
            replacements.append((piece.start, piece.end, text))
        elif a == b and a in (low, high):
            place = piece.start if a == low else piece.end
            replacements.append((place, place, text))
        else:
            return []
        text = ""
    return [] if text else replacements


# -- Markdown (CommonMark with tables): paragraphs, headings and cells are passages; code and links stay -----


def _markdown(text: str) -> Document:
    front = _FRONT_MATTER.match(text)
    skipped = front.end() if front else 0
    blank = re.sub(r"[^\r\n]", " ", text[:skipped])
    lines, starts = [], []
    position = 0
    for line in re.split(r"(?<=\n)", blank + text[skipped:]):
        lines.append(line.rstrip("\r\n"))
        starts.append(position)
        position += len(line)
    passages = []
    used: dict[int, int] = {}  # the end of the last cell on each line
    noted: dict[str, Any] = {"places": {}}
    for token in _parser().parse("\n".join(lines), noted):
        if token.type == "inline" and token.map and token.content:
            places = _places(token.content, token.map[0], lines, starts, used)
            pieces = _pieces(token, places, noted["places"]) if places else []
            if any(piece.text.strip() and not piece.fixed for piece in pieces):
                passages.append(pieces)
    return Document(text, passages, lambda new: _SPECIAL.sub(r"\\\1", new))


def _parser() -> Any:
    with needs_extra("Markdown", "documents", "errata-gec-correct"):
        from markdown_it import MarkdownIt
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.disable(["text_join"])
    parser.inline.ruler2.disable(["fragments_join"])
    parser.inline.ruler.before("text", "places", _note_place)
    return parser


def _note_place(state: Any, silent: bool) -> bool:
    """Note the place of the next text in the content; this rule never matches."""
    if not silent:
        noted = state.env["places"].setdefault(id(state.tokens), {})
        noted.setdefault(len(state.tokens), {})[len(state.pending)] = state.pos
    return False


def _places(
    content: str, first: int, lines: list[str], starts: list[int], used: dict[int, int]
) -> list[int] | None:
    """The place in the file of every character of an inline content; None if it was rewritten."""
    places: list[int] = []
    for number, part in enumerate(content.split("\n"), first):
        if number >= len(lines):
            return None
        line = lines[number]
        column = line.find(part, used.get(number, 0))
        tail = len(line.rstrip()) - len(part)
        if tail >= column and tail >= 0 and line[tail : tail + len(part)] == part:
            column = tail if "|" not in line else column
        if column < 0:
            return None
        used[number] = column + len(part)
        places += range(starts[number] + column, starts[number] + column + len(part) + 1)
    return places


def _pieces(token: Any, places: list[int], noted: dict[int, dict[int, dict[int, int]]]) -> list[Piece]:
    """The text of an inline token in pieces; `noted` says where the text of each child begins."""
    of_children = noted.get(id(token.children), {})
    stops = sorted({place for child in of_children.values() for place in child.values()})
    pieces: list[Piece] = []
    end, automatic = 0, False
    for number, child in enumerate(token.children):
        if child.type == "text" and not automatic:
            for offset, piece in _runs(child.content, of_children.get(number, {0: end})):
                literal = offset >= 0 and token.content.startswith(piece, offset)
                end = offset + len(piece) if literal else end
                at = (places[offset], places[offset] + len(piece)) if literal else (0, 0)
                pieces.append(Piece(*at, piece, fixed=not literal))
        elif child.type == "text_special":  # an escaped sign or an entity
            start = next((p for p in stops if p >= end and token.content.startswith(child.markup, p)), -1)
            end = max(end, start + len(child.markup))
            at = (places[start], places[start] + len(child.markup)) if start >= 0 else (0, 0)
            pieces.append(Piece(*at, child.content, fixed=start < 0))
        elif child.type in ("softbreak", "hardbreak", "image"):
            pieces.append(Piece(0, 0, " ", fixed=True))
        elif child.type in ("code_inline", "text"):
            pieces.append(Piece(0, 0, child.content, fixed=True))
        elif child.type in ("link_open", "link_close"):
            automatic = child.type == "link_open" and child.info == "auto"
    return pieces


def _runs(text: str, begins: dict[int, int]) -> list[tuple[int, str]]:
    """The runs of a text that are contiguous in the content: the start of each, and its text."""
    marks = sorted(mark for mark in begins if mark < len(text))
    if 0 not in marks:  # its place is unknown
        return [(-1, text)] if text else []
    return [
        (begins[mark], text[mark:following])
        for mark, following in zip(marks, [*marks[1:], len(text)], strict=True)
    ]
