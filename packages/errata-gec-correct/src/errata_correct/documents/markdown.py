"""Markdown (CommonMark with tables): paragraphs, headings and cells are passages; code and links stay."""

from __future__ import annotations

import re
from typing import Any

from errata.errors import needs_extra
from errata_correct.documents import Part, Piece

_FRONT = re.compile(r"\A(?:---|\+\+\+)[^\S\n]*\n.*?\n(?:---|\+\+\+|\.\.\.)[^\S\n]*(?:\n|\Z)", re.DOTALL)
_SPECIAL = re.compile(r"([\\`*_\[\]<>|])")


def markdown_part(text: str) -> Part:
    """The passages of a Markdown file."""
    front = _FRONT.match(text)
    skipped = front.end() if front else 0
    blank = re.sub(r"[^\r\n]", " ", text[:skipped])  # the front matter, without its text
    lines, starts = [], []
    position = 0
    for line in re.split(r"(?<=\n)", blank + text[skipped:]):
        lines.append(line.rstrip("\r\n"))
        starts.append(position)
        position += len(line)
    passages = []
    used: dict[int, int] = {}  # how far a line has been read, where several cells stand on it
    noted: dict[str, Any] = {"places": {}}
    for token in _parser().parse("\n".join(lines), noted):
        if token.type == "inline" and token.map and token.content:
            places = _places(token.content, token.map[0], lines, starts, used)
            pieces = _pieces(token, places, noted["places"]) if places else []
            if any(piece.text.strip() and not piece.fixed for piece in pieces):
                passages.append(pieces)
    return Part(text, passages, lambda new: _SPECIAL.sub(r"\\\1", new))


def _parser() -> Any:
    with needs_extra("Markdown", "documents", "errata-gec-correct"):
        from markdown_it import MarkdownIt
    parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    parser.disable(["text_join"])
    parser.inline.ruler2.disable(["fragments_join"])
    parser.inline.ruler.before("text", "places", _note_place)
    return parser


def _note_place(state: Any, silent: bool) -> bool:
    """Remembers where in the content the text that comes next stands; it never takes any itself."""
    if not silent:
        noted = state.env["places"].setdefault(id(state.tokens), {})
        noted.setdefault(len(state.tokens), {})[len(state.pending)] = state.pos
    return False


def _places(
    content: str, first: int, lines: list[str], starts: list[int], used: dict[int, int]
) -> list[int] | None:
    """The place in the file of every character of an inline content; None where it was rewritten."""
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
    """The runs of a text that stand together in the content: where each begins, and its text."""
    marks = sorted(mark for mark in begins if mark < len(text))
    if 0 not in marks:  # its place is not known
        return [(-1, text)] if text else []
    return [
        (begins[mark], text[mark:following])
        for mark, following in zip(marks, [*marks[1:], len(text)], strict=True)
    ]
