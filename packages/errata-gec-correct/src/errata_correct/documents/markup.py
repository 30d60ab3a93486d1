"""HTML: blocks are passages, inline tags may stand within them; scripts, styles and code stay."""

from __future__ import annotations

import html
import re
from html.parser import HTMLParser

from errata_correct.documents import Part, Piece

_INLINE = frozenset([
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "data", "del", "dfn", "em", "font", "i", "ins",
    "label", "mark", "q", "rp", "rt", "ruby", "s", "small", "span", "strike", "strong", "sub", "sup", "time",
    "tt", "u", "wbr",
])  # fmt: skip
_CODE = frozenset(["code", "kbd", "samp", "var"])  # inline text that is no prose
_SKIPPED = frozenset(
    ["math", "noscript", "object", "pre", "script", "select", "style", "svg", "template", "textarea"]
)
_EMPTY = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_SECTION = re.compile(r"<!\[([a-zA-Z][-_.a-zA-Z0-9]*|$)")
_SECTIONS = frozenset(["", "temp", "cdata", "ignore", "include", "rcdata", "if", "else", "endif"])
_ENTITY = re.compile(r"&(?:#[0-9]+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);?")


def html_part(text: str) -> Part:
    """The passages of an HTML page."""
    reader = _Reader(text)
    reader.feed(text)
    reader.close()
    reader.end_passage()
    return Part(text, reader.passages, lambda new: html.escape(new, quote=False))


class _Reader(HTMLParser):
    """Collects pieces with their places."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=False)
        self.text = text
        self.lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self.passages: list[list[Piece]] = []
        self.pieces: list[Piece] = []
        self.within: list[tuple[str, bool, bool]] = []  # open elements that keep text: name, skipped, fixed

    @property
    def place(self) -> int:
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def end_passage(self) -> None:
        if any(piece.text.strip() and not piece.fixed for piece in self.pieces):
            self.passages.append(self.pieces)
        self.pieces = []

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """The end of `<![…]>`; one without a known name is a comment, as in browsers."""
        name = _SECTION.match(self.rawdata, i)
        if name is None or (name[1].lower() not in _SECTIONS and name.end() < len(self.rawdata)):
            return int(self.parse_bogus_comment(i))  # type: ignore[attr-defined,unused-ignore]
        return int(super().parse_marked_section(i, report))  # type: ignore[misc,arg-type,unused-ignore]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kept = ("translate", "no") in attrs
        if tag not in _INLINE and tag not in _CODE and tag not in ("br", "img"):
            self.end_passage()
        elif tag in ("br", "img"):
            self.pieces.append(Piece(self.place, self.place, " ", fixed=True))
        if tag not in _EMPTY and (tag in _SKIPPED or tag in _CODE or kept):
            self.within.append((tag, tag in _SKIPPED, True))
        elif self.within and tag == self.within[-1][0] and tag not in _EMPTY:
            self.within.append((tag, False, True))  # of the same name: its end is not that of the outer one

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _INLINE and tag not in _CODE:
            self.end_passage()

    def handle_endtag(self, tag: str) -> None:
        if self.within and self.within[-1][0] == tag:
            self.within.pop()
        if tag not in _INLINE and tag not in _CODE and tag != "br":
            self.end_passage()

    def handle_data(self, data: str) -> None:
        start = self.place
        if any(skipped for _, skipped, _ in self.within):
            return
        literal = self.text[start : start + len(data)] == data
        self.pieces.append(Piece(start, start + len(data), data, fixed=bool(self.within) or not literal))

    def handle_entityref(self, name: str) -> None:
        self._entity()

    def handle_charref(self, name: str) -> None:
        self._entity()

    def _entity(self) -> None:
        match = _ENTITY.match(self.text, self.place)
        if match and not any(skipped for _, skipped, _ in self.within):
            self.pieces.append(Piece(*match.span(), html.unescape(match[0]), fixed=bool(self.within)))
