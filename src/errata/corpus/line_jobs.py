"""Texts rewritten line by line, in parallel and shard by shard: plain text, M2 sources, JSONL or Parquet.

A shard's result appears only when it is complete. A run that was stopped can be run again: shards that have a
result are skipped.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from errata.corpus.blocks import Block, BlockReader, count_lines, count_m2
from errata.corpus.files import open_output, plain_suffix
from errata.corpus.jsonl import UnfitError, loads
from errata.corpus.m2 import parse_m2
from errata.corpus.shards import is_folder, output_shards, shards, write_parquet
from errata.corpus.streaming import RowGroup, row_groups
from errata.engine import map_ordered, without_threads
from errata.errors import DataError

Advance = Callable[[int], None]
Note = Callable[[str], None]


class PieceResult(NamedTuple):
    """The result of a piece: its file, the number of lines, their text or table, and notes to the user.

    `left` are the places of lines that could not be processed completely; `hidden` counts changes that were
    not made because they are uncertain.
    """

    output: str
    lines: int
    content: Any
    notes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    hidden: int = 0


class Written(NamedTuple):
    """What is to be told about results that were written; see `PieceResult`."""

    left: list[str]
    hidden: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines or rows of a shard, and the output file."""

    output: str
    format: str  # text, m2, jsonl or parquet
    part: Block | RowGroup
    number: int  # of lines before it, in all shards

    @property
    def place(self) -> str:
        return self.part.place if isinstance(self.part, RowGroup) else f"{self.part.path}:{self.part.line}"

    def place_of(self, index: int) -> str:
        """The place of a line, whose index counts from 0; M2 and rows are numbered over all shards."""
        if isinstance(self.part, RowGroup) or self.format == "m2":
            return f"{self.part.path}, segment {self.number + index + 1}"
        return f"{self.part.path}:{self.part.line + index}"


@dataclass(frozen=True)
class LineWork(ABC):
    """Turns every line into another one; in rows, it reads one column and writes another."""

    reads: ClassVar[str]
    writes: ClassVar[str]

    @abstractmethod
    def described(self) -> str:
        """Everything that affects the result, as text."""

    @abstractmethod
    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        """As many new lines; `number` is the number of lines before them. M2 sources are always tokenised."""

    def __call__(self, piece: Piece) -> PieceResult:
        if isinstance(piece.part, RowGroup):
            return self._rows(piece, piece.part)
        if piece.format == "jsonl":
            return self._records(piece, piece.part)
        block = piece.part
        tokenized = piece.format == "m2"
        lines = parse_m2(block.data, block.path, block.line).sources if tokenized else block.lines()
        results = self.lines(lines, piece.number, tokenized)
        return PieceResult(piece.output, len(results), "".join(f"{line}\n" for line in results))

    def _rows(self, piece: Piece, group: RowGroup) -> PieceResult:
        table = group.table()
        if self.reads not in table.column_names:
            raise DataError(f"no column {self.reads!r}", path=group.path)
        lines = table.column(self.reads).to_pylist()
        if not all(isinstance(line, str) for line in lines):
            raise DataError(f"the column {self.reads!r} has rows without a text", path=group.path)
        if self.writes in table.column_names:
            table = table.drop_columns([self.writes])
        import pyarrow

        results = self.lines(lines, piece.number, False)
        column = pyarrow.array(results, pyarrow.string())
        return PieceResult(piece.output, len(results), table.append_column(self.writes, column))

    def _records(self, piece: Piece, block: Block) -> PieceResult:
        records, lines = [], []
        for number, line in enumerate(block.lines(), block.line):
            try:
                records.append(loads(line))
                lines.append(records[-1][self.reads] + "")
            except (UnfitError, LookupError, TypeError):
                raise DataError(
                    f"no JSON object with a text {self.reads!r}", path=block.path, line=number
                ) from None
        results = self.lines(lines, piece.number, False)
        text = "".join(
            json.dumps({**record, self.writes: line}, ensure_ascii=False) + "\n"
            for record, line in zip(records, results, strict=True)
        )
        return PieceResult(piece.output, len(results), text)


def rewrite(
    source: str, output: str, work: LineWork, executor: Executor | None, advance: Advance, note: Note
) -> Written:
    """Rewrite a file, or all shards of a pattern or folder; several go to a folder, each under its name."""
    folder = is_folder(output)
    paths = shards(source)
    if len(paths) > 1 and not folder:
        raise DataError(
            f"{len(paths)} shards need a folder to go to", path=output, hint="end its name with a slash: out/"
        )
    outputs = dict.fromkeys(paths, output)
    if folder:
        to_text = {shard: ".txt" for shard in paths if _kind(shard) == "m2"}
        outputs = output_shards(paths, output, to_text.get, work.described(), note)
    executor = without_threads(executor, work)
    return write(map_ordered(executor, work, _pieces(paths, outputs)), advance, note)


def _kind(shard: str) -> str:
    return {".m2": "m2", ".jsonl": "jsonl", ".parquet": "parquet"}.get(plain_suffix(shard), "text")


def _pieces(paths: Sequence[str], outputs: Mapping[str, str]) -> Iterator[Piece]:
    """The pieces of the shards that have an output; the lines of the others count as well."""
    number = 0
    for shard in paths:
        kind = _kind(shard)
        empty = True
        for part, count in _parts(shard, kind):
            if shard in outputs:
                yield Piece(outputs[shard], kind, part, number)
            number += count
            empty = False
        if empty and shard in outputs and kind != "parquet":
            yield Piece(outputs[shard], kind, Block(shard, b""), number)


def _parts(shard: str, kind: str) -> Iterator[tuple[Block | RowGroup, int]]:
    if kind == "parquet":
        for group in row_groups(shard):
            yield group, group.count
        return
    with BlockReader(shard) as reader:
        while (block := reader.m2_block() if kind == "m2" else reader.block()).data:
            yield block, count_m2(block.data) if kind == "m2" else count_lines(block.data)


def write(results: Iterable[PieceResult], advance: Advance, note: Note) -> Written:
    """Write results in their order; those of one file are consecutive."""
    places: list[str] = []
    all_hidden = 0
    for path, pieces in groupby(results, key=lambda piece: piece.output):
        with ExitStack() as stack:
            put: Any = None
            for _, count, content, notes, left, hidden in pieces:
                for text in notes:
                    note(text)
                places += left
                all_hidden += hidden
                if put is None and isinstance(content, str):
                    put = stack.enter_context(open_output(path)).write
                elif put is None:
                    put = stack.enter_context(write_parquet(path))
                put(content)
                advance(count)
    return Written(places, all_hidden)
