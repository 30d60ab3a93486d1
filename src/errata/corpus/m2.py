"""M2 (Dahlmeier & Ng 2012): read lazily from the file's bytes, written to the byte."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from typing import IO, Any, overload

from errata.corpus.files import StrPath, check_utf8, display, read_bytes
from errata.corpus.model import Annotation, Corpus, Edit, Origin, Segment
from errata.errors import DataError

NOOP = "noop"
EMPTY = "-NONE-"
_NOOP_LINE = f"A -1 -1|||{NOOP}|||{EMPTY}|||REQUIRED|||{EMPTY}|||"
_BOM = b"\xef\xbb\xbf"
# That there are six fields is counted apart, which is quicker.
_EDIT = re.compile(rb"A -?\d{1,9} -?\d{1,9}\|\|\|.*\|\|\|\d{1,9}\r?")


def read_m2(path: StrPath) -> Corpus:
    """Read an M2 file; blocks are parsed when they are looked at, and every line is checked now."""
    return parse_m2(read_bytes(path), path)


def parse_m2(data: bytes, path: StrPath, line: int = 1) -> Corpus:
    """A corpus from the M2 blocks of a file that begin on this line."""
    check_utf8(data, path, line)
    blocks = _index(data, path, line)
    closed = data.endswith((b"\n\n", b"\n\r\n")) or not len(blocks)
    segments = M2Segments(data, blocks, line)
    return Corpus(segments, origin=Origin(display(path), "m2", final_blank_line=closed))


class M2Segments(Sequence[Segment]):
    """The blocks of an M2 file as segments: keeps the file's bytes and where each block begins and ends."""

    def __init__(self, data: bytes, blocks: array[int], line: int = 1) -> None:
        self._data = data
        self._line = line  # of the file, where the data begin
        self._blocks = blocks  # start and end of each block in turn

    def __len__(self) -> int:
        return len(self._blocks) // 2

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        start, end = self._range(index)
        return parse_block(self._data[start:end].decode("utf-8"))

    def __iter__(self) -> Iterator[Segment]:
        data = self._data
        bounds = iter(self._blocks)
        for start, end in zip(bounds, bounds, strict=True):
            yield parse_block(data[start:end].decode("utf-8"))

    def _range(self, index: int) -> tuple[int, int]:
        place = range(len(self))[index]
        return self._blocks[2 * place], self._blocks[2 * place + 1]

    def sources(self) -> list[str]:
        """The sources alone: quicker than parsing the edits too."""
        found = []
        bounds = iter(self._blocks)
        for start, end in zip(bounds, bounds, strict=True):
            stop = self._data.find(b"\n", start, end)
            line = self._data[start + 2 : end if stop < 0 else stop]
            found.append(line.decode("utf-8").removesuffix("\r"))
        return found

    def plain_edits(self) -> Iterator[list[tuple[int, list[Any]]]]:
        """Every segment's edits by annotator, as tuples: quicker than making objects that nobody keeps."""
        bounds = iter(self._blocks)
        for start, end in zip(bounds, bounds, strict=True):
            _, edits = _split_block(self._data[start:end].decode("utf-8"))
            yield sorted(edits.items()) if len(edits) > 1 else list(edits.items()) or [(0, [])]

    def line(self, index: int) -> int:
        """The number of the line on which a segment begins."""
        return self._data.count(b"\n", 0, self._range(index)[0]) + self._line


def parse_block(block: str) -> Segment:
    """One block of well-formed M2 lines as a segment."""
    source, edits = _split_block(block)
    if not edits:
        return Segment(source, (Annotation(source, edits=(), implicit=True),))
    return Segment(
        source,
        tuple(
            Annotation(
                source,
                edits=[
                    Edit(start, end, corrections[0], kind, corrections[1:], required, comment)
                    for start, end, corrections, kind, required, comment in edits[annotator]
                ],
                annotator=annotator,
            )
            for annotator in sorted(edits)
        ),
    )


def _split_block(block: str) -> tuple[str, dict[int, list[Any]]]:
    """The source, and the fields of every annotator's edits: start, end, corrections, type and the rest."""
    lines = block.split("\n")
    if "\r" in block:
        lines = [line.removesuffix("\r") for line in lines]
    edits: dict[int, list[Any]] = {}
    for line in lines[1:]:
        span, kind, correction, required, comment, annotator = line[2:].split("|||")
        found = edits.setdefault(int(annotator), [])
        if kind == NOOP:
            continue
        start, _, end = span.partition(" ")
        if "||" in correction:
            corrections = tuple("" if text == EMPTY else text for text in correction.split("||"))
        else:
            corrections = ("" if correction == EMPTY else correction,)
        found.append((int(start), int(end), corrections, kind, required, comment))
    return lines[0][2:], edits


def _index(data: bytes, path: StrPath, line_number: int = 1) -> array[int]:
    """Byte ranges of the blocks; raises for the first line that is not M2."""
    blocks = array("q")
    begin = -1  # of the block being read; -1 between blocks
    position = len(_BOM) if data.startswith(_BOM) else 0
    number = line_number - 1
    size = len(data)
    while position < size:
        number += 1
        end = data.find(b"\n", position)
        if end < 0:
            end = size
        line = data[position:end]
        if begin >= 0 and line.count(b"|||") == 5 and _EDIT.fullmatch(line):
            pass
        elif line.startswith((b"S ", b"S\r")) or line == b"S":
            if begin >= 0:
                blocks.extend((begin, position - 1))
            begin = position
        elif not line or line == b"\r":
            if begin >= 0:
                blocks.extend((begin, position - 1))
            begin = -1
        else:
            raise _malformed(line, begin >= 0, path, number)
        position = end + 1
    if begin >= 0:
        blocks.extend((begin, size - 1 if data.endswith(b"\n") else size))
    return blocks


def _malformed(line: bytes, inside: bool, path: StrPath, number: int) -> DataError:
    shown = repr(line[:80].decode("utf-8", "replace") + ("…" if len(line) > 80 else ""))
    fields = line.count(b"|||") + 1
    if not line.startswith(b"A "):
        message, hint = "neither an S nor an A line", "is this an M2 file?"
    elif not inside:
        message, hint = "an edit without a sentence before it", "its S line is missing"
    else:
        message = (
            f"an edit has 6 fields separated by |||, this one {fields}"
            if fields != 6
            else "an edit begins with two offsets and ends with the annotator's number"
        )
        hint = "expected: A <start> <end>|||<type>|||<correction>|||REQUIRED|||-NONE-|||<annotator>"
    return DataError(f"{message}: {shown}", path=display(path), line=number, hint=hint)


def format_block(segment: Segment) -> str:
    """A segment as its M2 lines, each with its line end; without the blank line behind."""
    lines = ["S " + segment.source]
    for annotation in segment.annotations:
        if annotation.implicit:
            continue
        if not annotation.edits:
            lines.append(_NOOP_LINE + str(annotation.annotator))
        for edit in annotation.edits:
            corrections = (
                "||".join(text or EMPTY for text in edit.corrections)
                if edit.alternatives
                else edit.correction
            )
            span = f"A {edit.start} {edit.end}"
            fields = [span, edit.type, corrections, edit.required, edit.comment, str(annotation.annotator)]
            lines.append("|||".join(fields))
            _check_edit(edit, fields, lines[-1])
    block = "\n".join(lines) + "\n"
    if block.count("\n") != len(lines) or "\r\n" in block:
        raise _unwritable("a line break in the text", segment.source)
    return block


def _check_edit(edit: Edit, fields: list[str], line: str) -> None:
    """Refuse what the format would read back as something else."""
    if line.split("|||") != fields or fields[2].count("||") != len(edit.alternatives):
        raise _unwritable("a field of an edit that contains ||", line)
    if edit.type == NOOP or EMPTY in edit.corrections:
        raise _unwritable(f"an edit of type {NOOP} or a correction {EMPTY}", line)


def _unwritable(what: str, shown: str) -> DataError:
    return DataError(f"M2 cannot hold {what}: {shown[:80]!r}", hint="JSONL can: --to jsonl")


def write_m2(corpus: Corpus, file: IO[str]) -> None:
    """Write a corpus as M2; one read from M2 comes out as it was."""
    for index, segment in enumerate(corpus):
        if index:
            file.write("\n")
        with corpus.at(index):
            file.write(format_block(segment))
    if len(corpus) and (corpus.origin is None or corpus.origin.final_blank_line):
        file.write("\n")
