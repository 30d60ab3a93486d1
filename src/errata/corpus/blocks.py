"""Text files in blocks of lines, for files larger than memory and for pipes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, NamedTuple

import numpy as np

from errata.corpus.files import (
    BOM,
    StrPath,
    decoded_lines,
    display,
    lines_of,
    open_binary,
    open_output,
    plain_suffix,
    reading,
)
from errata.engine import map_ordered, without_threads
from errata.errors import DataError, plural
from errata.text.lines import Lines

BLOCK = 1 << 19  # bytes: small enough to be many, large enough that sending them costs little
_LARGEST = 1 << 28  # bytes of one line, or one M2 block: beyond, the file is something else


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file, as bytes; `line` is the number of the first."""

    path: str
    data: bytes
    line: int = 1

    def texts(self) -> Lines:
        """The lines as bytes; strings are made on demand."""
        return lines_of(self.data, self.path, self.line)

    def lines(self) -> list[str]:
        """The lines without their ends."""
        return decoded_lines(self.data, self.path, self.line)


class BlockReader:
    """Reads a file (plain, compressed, `-`, or at a URL) once, from front to back, in blocks."""

    def __init__(self, path: StrPath) -> None:
        self.path = display(path)
        self.line = 1  # of the next block
        self._file: BinaryIO = open_binary(path)
        self._rest = b""  # read and not yet returned
        self._ended = False
        self._read_more()
        self._rest = self._rest.removeprefix(BOM.encode())

    def __enter__(self) -> BlockReader:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _read_more(self, unit: str = "") -> None:
        """Read more bytes, unless a line or M2 block is too long already."""
        if unit and len(self._rest) > _LARGEST:
            raise DataError(
                f"a {unit} of more than {_LARGEST >> 20} MiB",
                path=self.path,
                line=self.line,
                hint="is it the right file?",
            )
        data = reading(lambda: self._file.read(BLOCK), self.path)
        self._ended = not data
        self._rest += data

    def _cut(self, end: int) -> Block:
        data, self._rest = self._rest[:end], self._rest[end:]
        block = Block(self.path, data, self.line)
        self.line += data.count(b"\n")
        return block

    def block(self) -> Block:
        """The next lines, about half a megabyte of them; no data at the end."""
        while not self._ended and (len(self._rest) < BLOCK or b"\n" not in self._rest):
            self._read_more("line")
        return self._cut(len(self._rest) if self._ended else self._rest.rfind(b"\n") + 1)

    def m2_block(self) -> Block:
        """The next M2 blocks, complete ones: up to the last sentence after an empty line."""
        end = 0
        while not self._ended and not end:
            if len(self._rest) >= BLOCK:
                end = max(self._rest.rfind(b"\n\nS") + 2, self._rest.rfind(b"\n\r\nS") + 3)
                end = end if end > 2 else 0
            if not end:
                self._read_more("M2 block")
        return self._cut(len(self._rest) if self._ended else end)

    def take(self, lines: int) -> Block:
        """Exactly this number of lines, or all that are left."""
        if lines == 0:
            return self._cut(0)
        while (end := self._end_of(lines)) < 0 and not self._ended:
            self._read_more("" if b"\n" in self._rest else "line")
        return self._cut(len(self._rest) if end < 0 else end)

    def _end_of(self, lines: int) -> int:
        """The place where this number of lines ends in the bytes read so far; -1 if there are fewer."""
        ends = np.flatnonzero(np.frombuffer(self._rest, dtype=np.uint8) == 10)
        return int(ends[lines - 1]) + 1 if len(ends) >= lines else -1

    def count_rest(self) -> int:
        """The number of lines that are left; reads them."""
        count = 0
        while block := self.block().data:
            count += count_lines(block)
        return count


def count_lines(data: bytes) -> int:
    """The number of lines in these bytes; the last one may lack its end."""
    return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))


def count_m2(data: bytes) -> int:
    """The number of sentences in these bytes of an M2 file, in which no other line begins with an S."""
    return data.count(b"\nS") + data.startswith(b"S")


def parallel_rows(paths: Sequence[StrPath]) -> Iterator[tuple[str, ...]]:
    """The lines of several files side by side; all must have the same number of lines."""
    with ExitStack() as stack:
        first, *others = [stack.enter_context(BlockReader(path)) for path in paths]
        while True:
            block = first.block()
            lines = count_lines(block.data)
            beside = [reader.take(lines) for reader in others]
            check_aligned(block, lines, beside, others)
            if not block.data:
                return
            yield from zip(*(each.lines() for each in (block, *beside)), strict=True)


def check_aligned(
    block: Block, count: int, beside: Sequence[Block], readers: Sequence[BlockReader],
    segments: int | None = None,
) -> None:  # fmt: skip
    """Raise unless every file has `count` lines beside a block, and none is left at the end.

    `segments` is the number of segments before the block, where these are not lines.
    """
    before = block.line - 1 if segments is None else segments
    for other, reader in zip(beside, readers, strict=True):
        lines = count_lines(other.data)
        left = 0 if block.data else reader.count_rest()
        if lines == count and not left:
            continue
        unit = "lines" if segments is None else "segments"
        if left:
            ended = f"{before} {plural(before, 'line')}, where {block.path} ends"
            message = f"goes on after {ended}: {before + left} {plural(before + left, 'line')}"
        else:
            ended = f"{before + lines} {plural(before + lines, 'line')}"
            message = f"ends after {ended}, but {block.path} has more {unit}"
        raise DataError(
            message,
            path=reader.path,
            line=before + lines + 1,
            hint="every segment needs a line, in the same order",
        )


# -- rewriting ----------------------------------------------------------------------------------------------

Advance = Callable[[int], None]
Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Lines of a text, or sentences of M2, after `number` others in the files before."""

    block: Block
    is_m2: bool
    number: int

    @property
    def place(self) -> str:
        return f"{self.block.path}:{self.block.line}"

    def lines(self) -> list[str]:
        """The lines, or the sources of the M2 sentences."""
        from errata.corpus.m2 import parse_m2

        block = self.block
        return list(parse_m2(block.data, block.path, block.line).sources) if self.is_m2 else block.lines()

    def place_of(self, index: int) -> str:
        """The place of a line, whose index counts from 0."""
        if self.is_m2:
            return f"{self.block.path}, segment {self.number + index + 1}"
        return f"{self.block.path}:{self.block.line + index}"


class NewText(NamedTuple):
    """The text that replaces a block, the number of its segments, and notes to the user.

    `left` are the places of lines that could not be processed completely; `hidden` counts changes that were
    not made because they are uncertain.
    """

    text: str
    segments: int
    notes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    hidden: int = 0


def join_lines(lines: Iterable[str]) -> str:
    """The lines as text, each with its end."""
    return "".join(f"{line}\n" for line in lines)


class Written(NamedTuple):
    """What the user is told at the end; see `NewText`."""

    left: list[str]
    hidden: int


def rewrite(
    source: str,
    output: str,
    work: Callable[[LineBlock], NewText],
    executor: Executor | None,
    advance: Advance,
    note: Note,
) -> Written:
    """Replace every line of a text, or of the sources of M2; the files of a pattern or folder are joined."""
    return write(map_ordered(without_threads(executor, work), work, _blocks(source)), output, advance, note)


def _blocks(source: str) -> Iterator[LineBlock]:
    from errata.corpus.shards import shards

    number = 0
    for path in shards(source):
        suffix = plain_suffix(path)
        if suffix in (".jsonl", ".parquet"):
            raise DataError(
                f"{suffix[1:]} is not plain text", path=path, hint="write its texts to a .txt file"
            )
        is_m2 = suffix == ".m2"
        with BlockReader(path) as reader:
            while (block := reader.m2_block() if is_m2 else reader.block()).data:
                yield LineBlock(block, is_m2, number)
                number += count_m2(block.data) if is_m2 else count_lines(block.data)


def write(results: Iterable[NewText], output: str, advance: Advance, note: Note) -> Written:
    """Write results in their order; a file appears when it is complete."""
    places: list[str] = []
    all_hidden = 0
    # The output is opened after the first result, so that mistakes in the input do not touch it.
    results = iter(results)
    first = next(results, NewText("", 0))
    with open_output(output) as file:
        for text, segments, notes, left, hidden in chain([first], results):
            for message in notes:
                note(message)
            places += left
            all_hidden += hidden
            file.write(text)
            advance(segments)
    return Written(places, all_hidden)
