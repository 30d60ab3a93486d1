"""SubRip subtitles: the lines of a cue are one passage; numbers, times and tags stay as they are."""

from __future__ import annotations

import re

from errata_correct.documents import Part, Piece

_CUE = re.compile(
    r"^[^\S\r\n]*\d+:\d+:\d+[,.]\d+[^\S\r\n]*-->[^\r\n]*\r?\n(.*?)(?=\r?\n[^\S\r\n]*\r?\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
_TEXT = re.compile(r"(?P<tag><[^<>\r\n]*>|\{[^{}\r\n]*\})|(?P<end>\r?\n)|(?P<text>[^<{\r\n]+|[<{])")


def srt_part(text: str) -> Part:
    """The cues of an SRT file."""
    passages = []
    for cue in _CUE.finditer(text):
        pieces = []
        for match in _TEXT.finditer(text, *cue.span(1)):
            if match["end"]:
                pieces.append(Piece(*match.span(), " ", fixed=True))
            elif match["text"]:
                pieces.append(Piece(*match.span(), match["text"]))
        if any(piece.text.strip() for piece in pieces):
            passages.append(pieces)
    return Part(text, passages)
