"""Word documents (DOCX): the text of paragraphs, headers, footers and notes; formatting stays as it is.

The XML is not written anew: expat tells where each text stands, and only those bytes change.
"""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from xml.parsers import expat
from xml.sax.saxutils import escape

import numpy as np

from errata.errors import DataError
from errata_correct.documents import Document, Part, Piece
from errata_correct.tokens import Replacement

_PARTS = re.compile(r"word/(?:document|footnotes|endnotes|header\d*|footer\d*)\.xml")
_NAMESPACES = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main ",
    "http://purl.oclc.org/ooxml/wordprocessingml/main ",
)
_BLANKS = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-", "softHyphen": ""}
_LARGEST = 256 << 20  # bytes of all parts, unpacked
_TAG = re.compile(r"<[^\s/>]+")
_BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, RuntimeError, EOFError, OSError,
    ValueError,
)  # fmt: skip
_ENTITY = re.compile(r"&[^;]{1,12};")


def word_document(data: bytes, path: str | Path) -> Document:
    """Read a DOCX file."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(info.file_size for info in archive.infolist()) > _LARGEST:
                raise DataError(f"more than {_LARGEST >> 20} MiB when unpacked", path=path)
            infos = [(info, archive.read(info)) for info in archive.infolist()]
    except _BROKEN as error:
        raise DataError(
            f"not a DOCX file: {error}", path=path, hint="save it as .docx and try again"
        ) from None
    texts = [k for k, (info, _) in enumerate(infos) if _PARTS.fullmatch(info.filename)]
    if not texts:
        raise DataError("not a DOCX file: it has no word/document.xml", path=path)
    parts = [_part(infos[k][1], f"{path}/{infos[k][0].filename}") for k in texts]

    def assemble(found: Sequence[str]) -> bytes:
        if [part.text for part in parts] == list(found):
            return data
        new = dict(zip(texts, found, strict=True))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for k, (info, content) in enumerate(infos):
                archive.writestr(info, new[k].encode("utf-8") if k in new else content)
        return buffer.getvalue()

    return Document(parts, assemble)


def _part(data: bytes, path: str) -> Part:
    try:
        text = data.decode("utf-8")
        reader = _Reader(data, text)
        reader.read()
    except (ValueError, LookupError, expat.ExpatError) as error:
        raise DataError(f"not XML in UTF-8: {error}", path=path) from None

    def touch(piece: Piece) -> Replacement | None:
        place = reader.unspaced.get(piece.start)
        return None if place is None else (place, place, ' xml:space="preserve"')

    return Part(text, reader.passages, escape, touch)


class _Reader:
    """Collects the pieces of paragraphs with their places."""

    def __init__(self, data: bytes, text: str) -> None:
        self.data, self.text = data, text
        starts = (np.frombuffer(data, dtype=np.uint8) & 0xC0) != 0x80
        self.characters = np.concatenate([[0], np.cumsum(starts)])  # of a byte: the number of its character
        self.passages: list[list[Piece]] = []
        self.open: list[list[Piece]] = []
        self.text_tag = -1  # where the open <w:t> begins
        self.unspaced: dict[int, int] = {}  # pieces whose blanks at the ends would be lost: where to say so
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._doctype
        self.parser.XmlDeclHandler = self._declaration

    def read(self) -> None:
        self.parser.Parse(self.data, True)

    @property
    def _place(self) -> int:
        return int(self.characters[self.parser.CurrentByteIndex])

    def _doctype(self, *_: object) -> None:
        raise expat.ExpatError("it declares a document type, which DOCX never does")

    def _declaration(self, version: str, encoding: str | None, standalone: int) -> None:
        if encoding and encoding.lower() != "utf-8":
            raise expat.ExpatError(f"it declares the encoding {encoding}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        local = _local(name)
        if local == "p":
            self.open.append([])
        elif local == "t":
            self.text_tag = self._place
        elif local in _BLANKS and self.open:
            self.open[-1].append(Piece(self._place, self._place, _BLANKS[local], fixed=True))

    def _end(self, name: str) -> None:
        local = _local(name)
        if local == "t":
            self.text_tag = -1
        elif local == "p" and self.open:
            pieces = self.open.pop()
            if any(piece.text.strip() and not piece.fixed for piece in pieces):
                self.passages.append(pieces)

    def _characters(self, data: str) -> None:
        if self.text_tag < 0 or not self.open:
            return
        start = self._place
        entity = _ENTITY.match(self.text, start)
        end = entity.end() if entity else start + len(data)
        literal = entity is not None or self.text[start:end] == data
        self.open[-1].append(Piece(start, end, data, fixed=not literal))
        tag = self.text[self.text_tag : self.text.index(">", self.text_tag)]
        match = _TAG.match(self.text, self.text_tag)
        if match and "xml:space" not in tag:
            self.unspaced[start] = match.end()


def _local(name: str) -> str:
    """The name of an element of WordprocessingML without its namespace; of any other, the whole name."""
    return next((name[len(space) :] for space in _NAMESPACES if name.startswith(space)), name)
