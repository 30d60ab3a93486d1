"""M2 (Dahlmeier & Ng 2012): read into columns, written to the byte.

Native code reads the usual form. A file with any other line is rewritten in the usual form first, and a line
that is not M2 is explained there. The reader accepts what the official scorer accepts, with the same result:
more blanks around offsets, blanks at the end of a line, further fields after the sixth, lines that begin with
`I `, blanks around a correction, and several `S` lines in one block. `errata corpus check` reports each of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, NamedTuple

import numpy as np

from errata.corpus.apply_edits import ELSEWHERE
from errata.corpus.columns import AnnotationColumns, EditColumns, Flags, offsets_of
from errata.corpus.files import StrPath, display, lines_of, read_bytes
from errata.corpus.model import Corpus, Origin
from errata.corpus.segment import Edit, Segment
from errata.errors import DataError
from errata.native import m2_lines
from errata.native.ragged import Integers
from errata.text.lines import Lines

NOOP = "noop"
EMPTY = "-NONE-"
_NOOP_LINE = f"A -1 -1|||{NOOP}|||{EMPTY}|||REQUIRED|||{EMPTY}|||"
_BOM = b"\xef\xbb\xbf"
_OFFSET = re.compile(r"-?[0-9]{1,9}")
_ANNOTATOR = re.compile(r"[^\S\x1c-\x1f]*[0-9]{1,9}[^\S\x1c-\x1f]*")  # with what `int` skips
# Bytes that white space may begin or end with.
_BLANK_ENDS = np.array([byte <= 0x20 or byte >= 0x80 for byte in range(256)])


def read_m2(path: StrPath) -> Corpus:
    """Read an M2 file. Every line is checked."""
    return parse_m2(read_bytes(path), path)


def parse_m2(data: bytes, path: StrPath, line: int = 1) -> Corpus:
    """A corpus from the M2 blocks of a file that begin on this line."""
    lines = lines_of(data, path, line)
    if data.startswith(_BOM):
        lines.starts[0] = len(_BOM)
    parsed = m2_lines.parse(data, lines.starts, lines.ends)
    numbers = None
    if parsed is None:
        text, sentence_lines = _in_usual_form(data, path, line)
        lines, numbers = Lines.split(text)[0], np.array(sentence_lines, dtype=np.int64)
        parsed = m2_lines.parse(text, lines.starts, lines.ends)
    sentences, edits = parsed
    closed = data.endswith((b"\n\n", b"\n\r\n")) or not len(sentences)
    return Corpus.from_columns(
        Lines(lines.data, lines.starts[sentences] + 2, lines.ends[sentences]),
        _annotations(lines, len(sentences), edits),
        lines=sentences + line if numbers is None else numbers,
        origin=Origin(display(path), "m2", final_blank_line=closed),
    )


# -- the usual form as columns ------------------------------------------------------------------------------


def _annotations(lines: Lines, sentences: int, edits: Integers) -> AnnotationColumns:
    """The columns of the edits that `errata.native.m2_lines.parse` gives: one row per sentence and annotator.

    Annotators keep the order of the file. A sentence without `A` lines has an implicit row.
    """
    sentence, annotator = edits[:, 0], edits[:, 3]
    same = sentence[1:] == sentence[:-1]
    if (same & (annotator[1:] < annotator[:-1])).any():  # annotators take turns, or do not ascend
        _, first, row = np.unique(edits[:, [0, 3]], axis=0, return_index=True, return_inverse=True)
        edits = edits[np.argsort(first[row.ravel()], kind="stable")]
        sentence, annotator = edits[:, 0], edits[:, 3]
    begins = np.ones(len(edits), dtype=np.bool_)  # which edits are the first of their row
    begins[1:] = ~same | (annotator[1:] != annotator[:-1])
    first = np.flatnonzero(begins)
    annotated = np.zeros(sentences, dtype=np.bool_)
    annotated[sentence] = True
    implicit = np.flatnonzero(~annotated)
    owners = np.concatenate([sentence[first], implicit])
    rows = np.argsort(owners, kind="stable")
    none = np.zeros(len(implicit), dtype=np.int64)
    sizes = np.concatenate([np.diff(np.append(first, len(edits))), none])[rows]
    kept = edits[:, 9] > 0  # all but noops
    columns = _edit_columns(lines.data, edits, np.flatnonzero(kept), offsets_of(kept)[offsets_of(sizes)])
    return AnnotationColumns(
        np.searchsorted(owners[rows], np.arange(sentences + 1)),
        np.concatenate([annotator[first], none])[rows],
        rows >= len(first),
        np.zeros(len(rows), dtype=np.bool_),
        Lines.blank(len(rows)),
        columns,
    )


def _edit_columns(data: bytes, edits: Integers, kept: Integers, offsets: Integers) -> EditColumns:
    def column(end: int) -> Lines:
        """A field of the edits that are kept; its end is in this column of `edits`."""
        return Lines(data, edits[kept, end - 1] + 3, edits[kept, end])

    types, corrections = column(5), column(6)
    required, comments = _shared(column(7), "REQUIRED"), _shared(column(8), EMPTY)
    counts = edits[kept, 9]
    several = np.flatnonzero(counts > 1)
    if len(several):
        corrections = _alternatives(corrections, counts, several)
    none = _equal(corrections, EMPTY)
    corrections.ends[none] = corrections.starts[none]
    _strip(corrections)
    spans = edits[kept, 1:3].astype(np.int32)
    return EditColumns(offsets, spans, offsets_of(counts), corrections, types, required, comments)


def _alternatives(fields: Lines, counts: Integers, several: Integers) -> Lines:
    """The corrections of edits, some of which have several with `||` between them."""
    starts, ends = np.repeat(fields.starts, counts), np.repeat(fields.ends, counts)
    places = offsets_of(counts)
    for edit in several.tolist():
        begin = int(fields.starts[edit])
        parts = fields.data[begin : fields.ends[edit]].split(b"||")
        for place, part in enumerate(parts, int(places[edit])):
            starts[place], ends[place] = begin, begin + len(part)
            begin += len(part) + 2
    return Lines(fields.data, starts, ends)


def _shared(lines: Lines, text: str) -> Lines:
    """The lines, stored once if all are this ASCII text."""
    return Lines.repeated(text, len(lines)) if _equal(lines, text).all() else lines


def _equal(lines: Lines, text: str) -> Flags:
    """Which lines are this ASCII text."""
    equal: Flags = lines.ends - lines.starts == len(text)
    codes = np.frombuffer(lines.data, dtype=np.uint8)
    for place, code in enumerate(text.encode()):
        equal[equal] = codes[lines.starts[equal] + place] == code
    return equal


def _strip(lines: Lines) -> None:
    """Remove white space at both ends of the lines."""
    filled = np.flatnonzero(lines.starts < lines.ends)
    codes = np.frombuffer(lines.data, dtype=np.uint8)
    blank = _BLANK_ENDS[codes[lines.starts[filled]]] | _BLANK_ENDS[codes[lines.ends[filled] - 1]]
    for number in filled[blank].tolist():
        text = lines[number]
        left = text.lstrip()
        lines.starts[number] += len(text.encode()) - len(left.encode())
        lines.ends[number] = lines.starts[number] + len(left.rstrip().encode())


# -- other forms, and lines that are not M2 -----------------------------------------------------------------


class EditLine(NamedTuple):
    """An `A` line: all its fields as texts, and some as numbers."""

    start: int
    end: int
    fields: list[str]
    annotator: int

    def __str__(self) -> str:
        return "|||".join([f"A {self.start} {self.end}", *self.fields[1:5], str(self.annotator)])


def edit_fields(line: str) -> EditLine | None:
    """The fields of an `A` line; None if the official scorer does not read it."""
    fields = line[2:].split("|||")
    offsets = fields[0].split()[:2]
    if (
        not line.startswith("A ")
        or len(fields) < 6
        or len(offsets) < 2
        or not all(map(_OFFSET.fullmatch, offsets))
        or not _ANNOTATOR.fullmatch(fields[5])
    ):
        return None
    return EditLine(int(offsets[0]), int(offsets[1]), fields, int(fields[5]))


def _in_usual_form(data: bytes, path: StrPath, line: int) -> tuple[bytes, list[int]]:
    """The file with every line in the usual form, and the line of each sentence.

    Raises an error for the first line that is not M2.
    """
    blocks: list[str] = []
    numbers: list[int] = []
    sources: list[str] = []  # of the block being read
    edits: list[EditLine] = []
    raw_lines = data.removeprefix(_BOM).split(b"\n")
    for number, raw in enumerate(raw_lines, line):
        text = raw.decode("utf-8").removesuffix("\r")
        if text.startswith(("S ", "S\r")) or text == "S":
            sources.append(text[2:])
            numbers.append(number)
        elif not text:
            blocks += _sentences(sources, edits)
            sources, edits = [], []
        elif not text.startswith("I "):
            edit = edit_fields(text) if sources else None
            if edit is None:
                raise _malformed(raw, bool(sources), path, number)
            edits.append(edit)
    blocks += _sentences(sources, edits)
    return "\n".join(blocks).encode(), numbers


def _sentences(sources: Sequence[str], edits: Sequence[EditLine]) -> Iterator[str]:
    """A block in the usual form for each of the sentences in a block."""
    for number, source in enumerate(sources):
        own = edits if len(sources) == 1 else _own_edits(sources, number, edits)
        yield f"S {source}\n" + "".join(f"{edit}\n" for edit in own)


def _own_edits(sources: Sequence[str], number: int, edits: Sequence[EditLine]) -> Iterator[EditLine]:
    """The edits that the official scorer gives to one of several sentences of a block.

    It takes those that end within the sentences so far, and compares their words in all sentences joined.
    """
    joined = [token for source in sources for token in source.split()]
    tokens = sources[number].split()
    size = sum(len(source.split()) for source in sources[: number + 1])
    for edit in edits:
        start, end, fields, annotator = edit
        if fields[1] == NOOP:
            yield edit
        elif not (0 <= start <= size and 0 <= end <= size):  # the annotator remains
            yield EditLine(-1, -1, ["", NOOP, EMPTY, *fields[3:]], annotator)
        elif max(start, end) > len(tokens) or tokens[start:end] != joined[start:end]:
            start, end = min(start, len(tokens)), min(end, len(tokens))
            yield EditLine(start, end, [*fields[:2], ELSEWHERE, *fields[3:]], annotator)
        else:
            yield edit


def broken_edit(line: str) -> str:
    """The fault of an `A` line that has no `edit_fields`."""
    fields = line.count("|||") + 1
    if fields < 6:
        return f"an edit has 6 fields separated by |||, this one {fields}"
    return "an edit begins with two offsets and ends with the annotator's number"


def _malformed(line: bytes, inside: bool, path: StrPath, number: int) -> DataError:
    shown = repr(line[:80].decode("utf-8", "replace") + ("…" if len(line) > 80 else ""))
    if not line.startswith(b"A "):
        message, hint = "neither an S nor an A line", "is this an M2 file, or are two files swapped?"
        if not line.strip():
            message, hint = "a line of nothing but blanks", "an empty line separates two sentences"
    elif not inside:
        message, hint = "an edit without a sentence before it", "its S line is missing"
    else:
        message = broken_edit(line.decode("utf-8", "replace"))
        hint = "expected: A <start> <end>|||<type>|||<correction>|||REQUIRED|||-NONE-|||<annotator>"
    return DataError(f"{message}: {shown}", path=display(path), line=number, hint=hint)


def format_block(segment: Segment) -> str:
    """A segment as its M2 lines, each with its line end; without the blank line after them."""
    annotations = [(a.annotator, a.edits) for a in segment.annotations if not a.implicit]
    return format_edits(segment.source, annotations)


def format_edits(source: str, annotations: Iterable[tuple[int, Sequence[Edit]]]) -> str:
    """A sentence and the edits of its annotators as M2 lines, each with its line end."""
    lines = ["S " + source]
    for annotator, edits in annotations:
        if not edits:
            lines.append(_NOOP_LINE + str(annotator))
        for edit in edits:
            corrections = (
                "||".join(text or EMPTY for text in edit.corrections)
                if edit.alternatives
                else edit.correction
            )
            line = (
                f"A {edit.start} {edit.end}|||{edit.type}|||{corrections}"
                f"|||{edit.required}|||{edit.comment}|||{annotator}"
            )
            lines.append(line)
            # where no field has a bar, there are those of the five separators alone
            if line.count("|") != 15 or edit.type == NOOP or edit.correction == EMPTY:
                _check_edit(edit, corrections, annotator, line)
    block = "\n".join(lines) + "\n"
    if block.count("\n") != len(lines) or "\r\n" in block:
        raise _unwritable("a line break in the text", source)
    if ELSEWHERE in block:
        raise _unwritable("an edit that belongs to another sentence of its block", source)
    return block


def _check_edit(edit: Edit, corrections: str, annotator: int, line: str) -> None:
    """Refuse an edit that would be read back as another one."""
    span = f"A {edit.start} {edit.end}"
    fields = [span, edit.type, corrections, edit.required, edit.comment, str(annotator)]
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
