"""M2 (Dahlmeier & Ng 2012): read lazily from the file's bytes, written to the byte.

The reader takes what the official scorer takes, with the same result: more blanks around offsets, blanks at
the end of a line, further fields behind the sixth, lines that begin with `I `, blanks around a correction,
and several `S` lines in one block. `errata corpus check` reports each of them.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import IO, Any, overload

from errata.corpus.apply_edits import ELSEWHERE
from errata.corpus.edit_ids import EncodedEdits
from errata.corpus.files import StrPath, display, lines_of, read_bytes
from errata.corpus.m2_arrays import PlainM2, corrected_texts, encoded_edits, plain_m2
from errata.corpus.model import Annotation, Corpus, Edit, EncodedReferences, Origin, Segment
from errata.errors import DataError
from errata.native.ragged import Ragged
from errata.text.vocabulary import Vocabulary

NOOP = "noop"
EMPTY = "-NONE-"
_NOOP_LINE = f"A -1 -1|||{NOOP}|||{EMPTY}|||REQUIRED|||{EMPTY}|||"
_BOM = b"\xef\xbb\xbf"
# The usual form, which is quicker to tell; that there are six fields is counted apart.
_EDIT = re.compile(rb"A -?\d{1,9} -?\d{1,9}\|\|\|.*[^|]\|\|\|\d{1,9}\r?")
_OFFSET = re.compile(r"-?[0-9]{1,9}")
_ANNOTATOR = re.compile(r"[^\S\x1c-\x1f]*[0-9]{1,9}[^\S\x1c-\x1f]*")  # with what `int` skips


def read_m2(path: StrPath) -> Corpus:
    """Read an M2 file; blocks are parsed when they are looked at, and every line is checked now."""
    return parse_m2(read_bytes(path), path)


def parse_m2(data: bytes, path: StrPath, line: int = 1) -> Corpus:
    """A corpus from the M2 blocks of a file that begin on this line."""
    plain = plain_m2(data, lines_of(data, path, line))
    blocks = _index(data, path, line) if plain is None else plain.blocks
    closed = data.endswith((b"\n\n", b"\n\r\n")) or not len(blocks)
    segments = M2Segments(data, blocks, line, plain)
    return Corpus(segments, origin=Origin(display(path), "m2", final_blank_line=closed))


class M2Segments(Sequence[Segment]):
    """The sentences of an M2 file as segments: keeps the file's bytes and where each one's block lies."""

    def __init__(self, data: bytes, blocks: array[int], line: int = 1, plain: PlainM2 | None = None) -> None:
        self._data = data
        self._parsed = plain  # until it is first used: it is larger than the file
        self.source_lines = None if plain is None else plain.sources  # where the file is of the usual form
        self._line = line  # of the file, where the data begin
        self._blocks = blocks  # start and end of the block and start of the S line, of each sentence in turn

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_parsed": None}

    def __len__(self) -> int:
        return len(self._blocks) // 3

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> list[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | list[Segment]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        place = 3 * range(len(self))[index]
        return _segment(*self._split(*self._blocks[place : place + 3]))

    def __iter__(self) -> Iterator[Segment]:
        for bounds in self._bounds():
            yield _segment(*self._split(*bounds))

    def _bounds(self) -> Iterator[tuple[int, int, int]]:
        numbers = iter(self._blocks)
        return zip(numbers, numbers, numbers, strict=True)

    def _split(self, start: int, end: int, sentence: int) -> tuple[str, Edits]:
        """The source that begins at `sentence`, and its edits."""
        before = self._data[start:sentence]
        skipped = before.count(b"\nS") + before.startswith(b"S")
        return split_block(self._data[start:end].decode("utf-8"), skipped)

    def sources(self) -> list[str]:
        """The sources alone: quicker than parsing the edits too."""
        if self.source_lines is not None:
            return list(self.source_lines)
        found = []
        for _, end, sentence in self._bounds():
            stop = self._data.find(b"\n", sentence, end)
            line = self._data[sentence + 2 : end if stop < 0 else stop]
            found.append(line.decode("utf-8").removesuffix("\r"))
        return found

    def edit_ids(self, sources: Ragged, vocabulary: Vocabulary) -> EncodedEdits | None:
        """The edits as token ids; None where the file is not of the usual form."""
        plain = self._plain()
        return None if plain is None else encoded_edits(plain, sources, vocabulary)

    def reference_ids(self, sources: Ragged, vocabulary: Vocabulary) -> EncodedReferences | None:
        """The corrected texts as token ids; None where the edits do not make them."""
        plain = self._plain()
        if plain is None:
            return None
        return corrected_texts(encoded_edits(plain, sources, vocabulary, matching=False), sources)

    def _plain(self) -> PlainM2 | None:
        """The file as arrays."""
        plain, self._parsed = self._parsed, None
        return plain_m2(self._data) if plain is None and self.source_lines is not None else plain

    def plain_edits(self) -> Iterator[list[tuple[int, list[Any]]]]:
        """Every segment's edits by annotator, as tuples: quicker than making objects that nobody keeps."""
        for bounds in self._bounds():
            _, edits = self._split(*bounds)
            yield sorted(edits.items()) if len(edits) > 1 else list(edits.items()) or [(0, [])]

    def line(self, index: int) -> int:
        """The number of the line on which a segment begins."""
        sentence = self._blocks[3 * range(len(self))[index] + 2]
        return self._data.count(b"\n", 0, sentence) + self._line


Edits = dict[int, list[Any]]  # by annotator: start, end, corrections, type, required, comment


def _segment(source: str, edits: Edits) -> Segment:
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


def split_block(block: str, number: int = 0) -> tuple[str, Edits]:
    """One of the sources of a block of M2 lines, and the fields of every annotator's edits."""
    lines = block.split("\n")
    if "\r" in block:
        lines = [line.removesuffix("\r") for line in lines]
    sources: list[str] = []
    edits: Edits = {}
    for line in lines:
        if line.startswith("A"):
            span, kind, correction, required, comment, annotator = line[2:].split("|||")[:6]
            found = edits.setdefault(int(annotator), [])
            if kind == NOOP:
                continue
            start, end = span.split()[:2]
            found.append((int(start), int(end), _corrections(correction), kind, required, comment))
        elif line.startswith("S"):
            sources.append(line[2:])
    if len(sources) > 1:
        edits = _shared(edits, sources, number)
    return sources[number], edits


def _corrections(field: str) -> tuple[str, ...]:
    if "||" in field:
        return tuple("" if text == EMPTY else text.strip() for text in field.split("||"))
    return ("" if field == EMPTY else field.strip(),)


def _shared(edits: Edits, sources: Sequence[str], number: int) -> Edits:
    """The edits that the official scorer gives to one of several sentences of a block.

    It takes those that end within the sentences so far, and compares their words in all sentences joined.
    """
    joined = [token for source in sources for token in source.split()]
    own = sources[number].split()
    size = sum(len(source.split()) for source in sources[: number + 1])
    shared: Edits = {}
    for annotator, found in edits.items():
        shared[annotator] = []
        for start, end, corrections, *rest in found:
            if not (0 <= start <= size and 0 <= end <= size):
                continue
            if max(start, end) > len(own) or own[start:end] != joined[start:end]:
                start, end, corrections = min(start, len(own)), min(end, len(own)), (ELSEWHERE,)
            shared[annotator].append((start, end, corrections, *rest))
    return shared


def edit_fields(line: str) -> tuple[int, int, list[str], int] | None:
    """Start, end, the fields and the annotator of an `A` line; None where the official scorer has none."""
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
    return int(offsets[0]), int(offsets[1]), fields, int(fields[5])


def _index(data: bytes, path: StrPath, line_number: int = 1) -> array[int]:
    """Byte ranges of the blocks and of their sentences; raises for the first line that is not M2."""
    blocks = array("q")
    begin = -1  # of the block being read; -1 between blocks
    sentences: list[int] = []  # of that block
    position = len(_BOM) if data.startswith(_BOM) else 0
    number = line_number - 1
    size = len(data)
    while position < size:
        number += 1
        end = data.find(b"\n", position)
        if end < 0:
            end = size
        line = data[position:end]
        if sentences and line.count(b"|||") == 5 and _EDIT.fullmatch(line):
            pass
        elif line.startswith((b"S ", b"S\r")) or line == b"S":
            sentences.append(position)
            begin = position if begin < 0 else begin
        elif not line or line == b"\r":
            for sentence in sentences:
                blocks.extend((begin, position - 1, sentence))
            begin = -1
            sentences = []
        elif line.startswith(b"I "):
            begin = position if begin < 0 else begin
        elif not sentences or edit_fields(line.decode("utf-8").removesuffix("\r")) is None:
            raise _malformed(line, bool(sentences), path, number)
        position = end + 1
    for sentence in sentences:
        blocks.extend((begin, size - 1 if data.endswith(b"\n") else size, sentence))
    return blocks


def broken_edit(line: str) -> str:
    """What is wrong with an `A` line that has no `edit_fields`."""
    fields = line.count("|||") + 1
    if fields < 6:
        return f"an edit has 6 fields separated by |||, this one {fields}"
    return "an edit begins with two offsets and ends with the annotator's number"


def _malformed(line: bytes, inside: bool, path: StrPath, number: int) -> DataError:
    shown = repr(line[:80].decode("utf-8", "replace") + ("…" if len(line) > 80 else ""))
    if not line.startswith(b"A "):
        message, hint = "neither an S nor an A line", "is this an M2 file?"
        if not line.strip():
            message, hint = "a line of nothing but blanks", "an empty line separates two sentences"
    elif not inside:
        message, hint = "an edit without a sentence before it", "its S line is missing"
    else:
        message = broken_edit(line.decode("utf-8", "replace"))
        hint = "expected: A <start> <end>|||<type>|||<correction>|||REQUIRED|||-NONE-|||<annotator>"
    return DataError(f"{message}: {shown}", path=display(path), line=number, hint=hint)


def format_block(segment: Segment) -> str:
    """A segment as its M2 lines, each with its line end; without the blank line behind."""
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
    return block


def _check_edit(edit: Edit, corrections: str, annotator: int, line: str) -> None:
    """Refuse what the format would read back as something else."""
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
