"""Corpora that are read in chunks: shards, blocks of lines, Parquet rows, and the outputs beside them.

A `Stream` yields chunks that are light to send: `TextChunk` has bytes, `ParquetChunk` the place of rows.
Workers parse them into a `Chunk`, which a corpus in memory is from the beginning.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any, BinaryIO

import numpy as np

from errata.corpus.files import (
    BOM,
    StrPath,
    decoded_lines,
    display,
    file_system,
    is_address,
    is_pipe,
    lines_of,
    open_binary,
    plain_suffix,
    reading,
)  # fmt: skip
from errata.corpus.jsonl import parse_jsonl
from errata.corpus.m2 import parse_m2
from errata.corpus.model import Annotation, Corpus, Origin, Segment
from errata.corpus.parallel import check_sources, system_name
from errata.corpus.tsv import HYPOTHESIS, Columns, parse_header, parse_rows, parse_tsv
from errata.errors import DataError, needs_extra, plural
from errata.text.lines import Lines

STREAMED = ("m2", "jsonl", "tsv", "text")
_PATTERN = re.compile(r"[*?\[]")
BLOCK = 1 << 19  # bytes: small enough to be many, large enough that sending them costs little
_LARGEST = 1 << 28  # bytes of one line, or one M2 block: beyond, the file is something else


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some segments, or all, of a corpus in memory, with the hypotheses of every system.

    `post_edits` has, if there are any, a corrected version of every hypothesis of every system.
    """

    corpus: Corpus
    hypotheses: Mapping[str, Sequence[str]]
    post_edits: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def corpus_of(self, system: str) -> Corpus:
        """The corpus that a system is scored on: with its post-edits as references, if there are any."""
        if not self.post_edits:
            return self.corpus
        return self.corpus.with_texts([Lines.of(self.post_edits[system])])

    @property
    def count(self) -> int:
        return len(self.corpus)

    @property
    def place(self) -> str:
        return self.corpus.origin.path if self.corpus.origin else "the corpus"

    def parse(self) -> Chunk:
        """The chunk itself, as there is nothing to parse."""
        return self


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Some segments of a corpus as bytes, with as many lines of sources, references and hypotheses."""

    format: str
    block: Block
    first: int  # the number of the first segment
    count: int
    header: str = ""  # of TSV
    source: Block | None = None
    references: tuple[Block, ...] = ()
    hypotheses: dict[str, Block] = field(default_factory=dict)
    post_edits: dict[str, Block] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return f"{self.block.path}, segments {self.first}–{self.first + self.count - 1}"

    def parse(self) -> Chunk:
        """The texts; hypotheses that are columns of the corpus come first."""
        corpus, systems = self._corpus()
        if self.references:
            texts = corpus.with_texts([block.texts() for block in self.references])
            corpus = texts if self.format == "text" else corpus.with_rewrites(texts)
        corpus.first = self.first
        if self.source is not None:
            check_sources(corpus, self.source.texts(), self.block.path, self.source.path, self.source.line)
        for name, block in self.hypotheses.items():
            if name in systems:
                raise DataError(
                    f"a system called {name!r} is in it already", path=block.path, hint="--name it"
                )
            systems[name] = block.texts()
        return Chunk(corpus, systems, {name: block.texts() for name, block in self.post_edits.items()})

    def _corpus(self) -> tuple[Corpus, dict[str, Sequence[str]]]:
        block = self.block
        if self.format == "m2":
            return parse_m2(block.data, block.path, block.line), {}
        if self.format == "text":
            return Corpus.from_texts(block.texts(), path=block.path, line=block.line), {}
        lines = block.lines()
        if self.format == "jsonl":
            corpus, systems = parse_jsonl(lines, block.path, block.line, outputs=True)
            return corpus, dict(systems)
        header = parse_header(self.header, block.path)
        rows = parse_rows(header, lines, block.path, block.line)
        columns = Columns(header, block.path).hypotheses
        found: dict[str, Sequence[str]] = {
            name: [row[column] for row in rows] for name, column in columns.items()
        }
        return parse_tsv(header, rows, block.path, block.line), found


@dataclass(frozen=True, slots=True)
class ParquetChunk:
    """Some rows of a Parquet file, which the worker reads."""

    group: RowGroup
    first: int

    @property
    def count(self) -> int:
        return self.group.count

    @property
    def place(self) -> str:
        return self.group.place

    def parse(self) -> Chunk:
        """The texts, read from the file."""
        corpus, systems = self.group.corpus()
        corpus.first = self.first
        return Chunk(corpus, systems)


AnyChunk = Chunk | TextChunk | ParquetChunk


@dataclass(frozen=True)
class Stream:
    """A corpus and the files beside it, read in chunks; each may be a file, a pattern or a folder.

    `hypotheses` are pairs of a system and its file; `post_edits` are files in the same order. The shards of a
    pattern are one corpus in several files; those of different patterns belong together one by one.
    """

    corpus: str
    format: str | None = None
    source: str | None = None
    references: Sequence[str] = ()
    hypotheses: Sequence[tuple[str, str]] = ()
    post_edits: Sequence[str] = ()

    @property
    def _beside(self) -> list[str]:
        source = [self.source] if self.source is not None else []
        return [*source, *self.references, *(path for _, path in self.hypotheses), *self.post_edits]

    @property
    def rereadable(self) -> bool:
        """Whether it can be read more than once, which standard input and pipes cannot."""
        return not any(map(is_pipe, [self.corpus, *self._beside]))

    def __iter__(self) -> Iterator[TextChunk | ParquetChunk]:
        for _, path in self.hypotheses:
            if plain_suffix(path) == ".m2":
                raise DataError(
                    "outputs given as edits are not read in chunks",
                    path=path,
                    hint="leave out --stream, or make texts of them with `errata edits apply`",
                )
        first = 1
        for path, *others in aligned_shards([self.corpus, *self._beside]):
            kind = self.format or streamed_format(path)
            if kind == "parquet":
                if others:
                    raise DataError(
                        "a Parquet file has everything as columns", path=path, hint="leave out --hyp"
                    )
                for group in row_groups(path):
                    yield ParquetChunk(group, first)
                    first += group.count
                continue
            systems = [name for name, _ in self.hypotheses]
            edited = bool(self.post_edits)
            for chunk in _of_files(path, kind, first, others, self.source is not None, systems, edited):
                yield chunk
                first += chunk.count


def _of_files(
    path: str, kind: str, first: int, others: Sequence[str], sourced: bool, systems: Sequence[str],
    edited: bool,
) -> Iterator[TextChunk]:  # fmt: skip
    with ExitStack() as stack:
        reader = stack.enter_context(BlockReader(path))
        beside = [stack.enter_context(BlockReader(other)) for other in others]
        header = ""
        if kind == "tsv":
            header = next(iter(reader.take(1).lines()), "")
            if not header:
                raise DataError("empty, not even a header", path=path)
        before = 0
        while True:
            block = reader.m2_block() if kind == "m2" else reader.block()
            count = count_m2(block.data) if kind == "m2" else count_lines(block.data)
            found = [other.take(count) for other in beside]
            check_aligned(block, count, found, beside, reader, before if kind in ("m2", "tsv") else None)
            if not block.data:
                return
            if not count:  # blank lines, or what is not M2
                parse_m2(block.data, block.path, block.line)
                continue
            source = found.pop(0) if sourced else None
            post_edits = dict(zip(systems, found[len(found) - len(systems) :], strict=True)) if edited else {}
            found = found[: len(found) - len(post_edits)]
            references = tuple(found[: len(found) - len(systems)])
            outputs = dict(zip(systems, found[len(references) :], strict=True))
            yield TextChunk(
                kind, block, first + before, count, header, source, references, outputs, post_edits
            )
            before += count


def streamed_format(path: StrPath) -> str:
    """The format of a corpus that is read in chunks."""
    from errata.corpus.formats import detect_format

    if plain_suffix(path) == ".parquet":
        return "parquet"
    found = detect_format(path)
    if path == "-" and found == "text":  # nothing to compare with: say what is wrong with it as M2
        found = "m2"
    if found not in STREAMED:
        raise DataError(
            f"{found} is not read in chunks",
            path=path,
            hint=f"one of {', '.join(STREAMED)}, parquet: `errata corpus convert` makes them; or no --stream",
        )
    return found


# -- shards -------------------------------------------------------------------------------------------------


def shards(name: str) -> list[str]:
    """The files that a name stands for: itself, or those a pattern matches, or those in a folder.

    Numbers in names count as numbers: `part-2` comes before `part-10`. Hidden files and those that
    begin with `_` (marks of success) or end with `.part` (unfinished) are no shards.
    """
    if name == "-":
        return [name]
    if is_address(name):
        system, path = file_system(name)
        pattern = f"{path.rstrip('/')}/*" if not _PATTERN.search(path) and system.isdir(path) else path
        found = system.glob(pattern) if _PATTERN.search(pattern) else [path]
        found = [system.unstrip_protocol(each) for each in found if pattern == path or not system.isdir(each)]
    elif os.path.isdir(name):
        found = [each for each in glob.glob(f"{glob.escape(name)}/*") if os.path.isfile(each)]
    elif _PATTERN.search(name) and not os.path.exists(name):
        found = glob.glob(name)
    else:
        return [name]
    found = [each for each in found if _is_shard(each)]
    if not found:
        raise DataError("no file is called so", path=name, hint="quote patterns: --hyp 'out/part-*.txt'")
    return sorted(found, key=_natural)


def _is_shard(path: str) -> bool:
    name = path.rstrip("/").rpartition("/")[2]
    return not name.startswith((".", "_")) and not name.endswith(".part")


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", path)]


def aligned_shards(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The shards of several names side by side: the first ones belong together, the second ones …"""
    found = [shards(name) for name in names]
    for name, paths in zip(names, found, strict=True):
        if len(paths) != len(found[0]):
            raise DataError(
                f"{len(paths)} shards, but {names[0]} has {len(found[0])}",
                path=name,
                hint="shards belong together one by one, in the order of their names",
            )
    return list(zip(*found, strict=True))


def shard_name(name: str) -> str:
    """The name of a system after its outputs: the file's stem, or what is fixed in a pattern."""
    if not _PATTERN.search(name):
        return system_name(name.rstrip("/"))
    folder, _, last = name.rstrip("/").rpartition("/")
    fixed = _PATTERN.split(last)[0].rstrip("-_.")
    return fixed or system_name(folder) or "hypothesis"


# -- blocks of lines ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    """Some lines of a file, as bytes; `line` is the number of the first."""

    path: str
    data: bytes
    line: int = 1

    def texts(self) -> Lines:
        """The lines as bytes, of which strings are made when they are looked at."""
        return lines_of(self.data, self.path, self.line)

    def lines(self) -> list[str]:
        """The lines without their ends."""
        return decoded_lines(self.data, self.path, self.line)


class BlockReader:
    """Reads a file (plain, compressed, `-`, or at a URL) once, from front to back, in blocks."""

    def __init__(self, path: StrPath) -> None:
        self.path = display(path)
        self.line = 1  # of what comes next
        self._file: BinaryIO = open_binary(path)
        self._given = path
        self._rest = b""
        self._ended = False
        self._more()
        self._rest = self._rest.removeprefix(BOM.encode())

    def __enter__(self) -> BlockReader:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def _more(self) -> None:
        data = reading(lambda: self._file.read(BLOCK), self._given)
        self._ended = not data
        self._rest += data

    def _cut(self, end: int) -> Block:
        data, self._rest = self._rest[:end], self._rest[end:]
        block = Block(self.path, data, self.line)
        self.line += data.count(b"\n")
        return block

    def _lines_at(self, lines: int) -> int:
        """Where so many lines end in what was read; -1 where it has fewer."""
        ends = np.flatnonzero(np.frombuffer(self._rest, dtype=np.uint8) == 10)
        return int(ends[lines - 1]) + 1 if len(ends) >= lines else -1

    def block(self) -> Block:
        """The next lines, about half a megabyte of them; no data at the end."""
        while not self._ended and (len(self._rest) < BLOCK or b"\n" not in self._rest):
            self._more()
            self._bound("line")
        return self._cut(len(self._rest) if self._ended else self._rest.rfind(b"\n") + 1)

    def m2_block(self) -> Block:
        """The next M2 blocks, whole ones: up to the last sentence behind an empty line."""
        end = 0
        while not self._ended and end <= 0:
            if len(self._rest) >= BLOCK:
                end = max(self._rest.rfind(b"\n\nS") + 2, self._rest.rfind(b"\n\r\nS") + 3)
                if end > 2:
                    break
                end = 0
            self._more()
            self._bound("M2 block")
        return self._cut(len(self._rest) if self._ended else end)

    def take(self, lines: int) -> Block:
        """Exactly so many lines, or all that are left."""
        if lines == 0:
            return self._cut(0)
        while (end := self._lines_at(lines)) < 0 and not self._ended:
            self._more()
            if b"\n" not in self._rest:
                self._bound("line")
        return self._cut(len(self._rest) if end < 0 else end)

    def rest(self) -> int:
        """How many lines are left; reads them."""
        count = 0
        while block := self.block().data:
            count += count_lines(block)
        return count

    def _bound(self, what: str) -> None:
        if len(self._rest) > _LARGEST:
            raise DataError(
                f"a {what} of more than {_LARGEST >> 20} MiB",
                path=self.path,
                line=self.line,
                hint="is it the right file?",
            )


def count_lines(data: bytes) -> int:
    """How many lines these bytes are; the last may lack its end."""
    return data.count(b"\n") + (data != b"" and not data.endswith(b"\n"))


def count_m2(data: bytes) -> int:
    """How many M2 blocks these bytes hold; if they are M2, only sentences begin with an S."""
    return data.count(b"\nS") + data.startswith(b"S")


def parallel_rows(paths: Sequence[StrPath]) -> Iterator[tuple[str, ...]]:
    """The lines of several files side by side; all must have as many."""
    with ExitStack() as stack:
        first, *others = [stack.enter_context(BlockReader(path)) for path in paths]
        while True:
            block = first.block()
            lines = count_lines(block.data)
            beside = [reader.take(lines) for reader in others]
            check_aligned(block, lines, beside, others, first)
            if not block.data:
                return
            yield from zip(*(each.lines() for each in (block, *beside)), strict=True)


def check_aligned(
    block: Block, count: int, beside: Sequence[Block], readers: Sequence[BlockReader], first: BlockReader,
    segments: int | None = None,
) -> None:  # fmt: skip
    """Raise unless every file has a line for every segment: `count` now, and none where all have ended.

    `segments` are those of the first file before this block, where they are not its lines.
    """
    before = block.line - 1 if segments is None else segments
    for found, reader in zip(beside, readers, strict=True):
        lines = count_lines(found.data)
        left = 0 if block.data else reader.rest()
        if lines == count and not left:
            continue
        what = "lines" if segments is None else "segments"
        if left:
            ended = f"{before} {plural(before, 'line')}, where {first.path} ends"
            message = f"goes on after {ended}: {before + left} {plural(before + left, 'line')}"
        else:
            ended = f"{before + lines} {plural(before + lines, 'line')}"
            message = f"ends after {ended}, but {first.path} has more {what}"
        raise DataError(
            message,
            path=reader.path,
            line=before + lines + 1,
            hint="every segment needs a line, in the same order",
        )


# -- Parquet: a row a segment, under the column names of TSV, or with a list column `references` -------------


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a Parquet file that are read together, in the process that uses them."""

    path: str
    number: int
    first: int  # the number of its first row, from 1
    count: int

    @property
    def place(self) -> str:
        return f"{self.path}, rows {self.first}–{self.first + self.count - 1}"

    def table(self) -> Any:
        """The rows as an Arrow table."""
        with _opened_parquet(self.path) as file:
            return file.read_row_group(self.number)

    def corpus(self) -> tuple[Corpus, dict[str, list[str]]]:
        """The segments of the rows, and what systems made of them."""
        table = self.table()
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        lists = columns.pop("references", None)
        for name, cells in columns.items():
            columns[name] = [_cell_text(cell) for cell in cells]
        for name, cells in columns.items():
            required = name == "source" or HYPOTHESIS.fullmatch(name) is not None
            if required and None in cells:
                raise DataError(f"row {self.first + cells.index(None)} has no {name}", path=self.path)
        meaning = Columns(list(columns), self.path)
        rows = zip(*columns.values(), strict=True)
        segments = [
            _with_references(meaning.segment(row), texts)
            for row, texts in zip(rows, repeat(None) if lists is None else lists, strict=lists is not None)
        ]
        names = list(columns)
        systems = {name: columns[names[place]] for name, place in meaning.hypotheses.items()}
        origin = Origin(display(self.path), "parquet")
        return Corpus(segments, origin=origin, names=meaning.names, first_line=self.first), systems


def _cell_text(cell: object) -> str | None:
    return cell if cell is None or isinstance(cell, str) else str(cell)


def _with_references(segment: Segment, texts: Sequence[str | None] | None) -> Segment:
    if texts is None:
        return segment
    before = 1 + max((annotation.annotator for annotation in segment.annotations), default=-1)
    annotations = tuple(
        Annotation(segment.source, text=text, annotator=a)
        for a, text in enumerate(texts, before)
        if text is not None
    )
    return replace(segment, annotations=segment.annotations + annotations)


def row_groups(path: StrPath) -> list[RowGroup]:
    """The pieces in which a file can be read."""
    with _opened_parquet(path) as file:
        found, first = [], 1
        for number in range(file.num_row_groups):
            count = file.metadata.row_group(number).num_rows
            if not count:
                continue
            found.append(RowGroup(display(path), number, first, count))
            first += count
        return found


@contextmanager
def _opened_parquet(path: StrPath) -> Iterator[Any]:
    parquet = pyarrow_parquet()
    with open_binary(path) as file:
        try:
            yield parquet.ParquetFile(file)
        except OSError as error:  # Arrow's errors are OSErrors and ValueErrors
            raise DataError(f"cannot read it as Parquet: {error}", path=display(path)) from None
        except ValueError as error:
            raise DataError(f"not Parquet: {error}", path=display(path)) from None


def pyarrow_parquet() -> Any:
    with needs_extra("reading and writing Parquet", "cloud"):
        import pyarrow.parquet
    return pyarrow.parquet
