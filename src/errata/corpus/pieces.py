"""Texts rewritten line by line, in pieces and shard by shard: plain text, M2 sources, JSONL or Parquet.

A shard's result appears only when it is complete, so that a run that was stopped can be run again: shards
whose result is there are passed over.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar

from errata.corpus.blocks import Block, BlockReader, count_lines, count_m2
from errata.corpus.files import open_output, plain_suffix
from errata.corpus.m2 import parse_m2
from errata.corpus.parquet import RowGroup, row_groups, write_parquet
from errata.corpus.shards import exists, is_folder, output_shard, shards
from errata.engine import Engine
from errata.errors import DataError

Made = tuple[str, int, Any]  # the output file, how many lines, and their text or table
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some lines or rows of a shard, and the file that what becomes of them goes to."""

    output: str
    format: str  # text, m2, jsonl or parquet
    part: Block | RowGroup
    number: int  # of lines before it, in all shards

    @property
    def place(self) -> str:
        return self.part.place if isinstance(self.part, RowGroup) else f"{self.part.path}:{self.part.line}"


@dataclass(frozen=True)
class LineWork(ABC):
    """Makes of every line another; of a row, a further column from the one it reads."""

    reads: ClassVar[str]
    writes: ClassVar[str]

    @abstractmethod
    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        """As many lines; `number` lines came before them. M2 sources are always tokenised."""

    def __call__(self, piece: Piece) -> Made:
        if isinstance(piece.part, RowGroup):
            return self._rows(piece, piece.part)
        if piece.format == "jsonl":
            return self._records(piece, piece.part)
        block = piece.part
        tokenized = piece.format == "m2"
        lines = parse_m2(block.data, block.path, block.line).sources if tokenized else block.lines()
        made = self.lines(lines, piece.number, tokenized)
        return piece.output, len(made), "".join(f"{line}\n" for line in made)

    def _rows(self, piece: Piece, group: RowGroup) -> Made:
        table = group.table()
        if self.reads not in table.column_names:
            raise DataError(f"no column {self.reads!r}", path=group.path)
        lines = table.column(self.reads).to_pylist()
        if not all(isinstance(line, str) for line in lines):
            raise DataError(f"the column {self.reads!r} has rows without a text", path=group.path)
        if self.writes in table.column_names:
            table = table.drop_columns([self.writes])
        import pyarrow

        made = self.lines(lines, piece.number, False)
        return (
            piece.output,
            len(made),
            table.append_column(self.writes, pyarrow.array(made, pyarrow.string())),
        )

    def _records(self, piece: Piece, block: Block) -> Made:
        records, lines = [], []
        for number, line in enumerate(block.lines(), block.line):
            try:
                records.append(json.loads(line))
                lines.append(records[-1][self.reads] + "")
            except (ValueError, LookupError, TypeError):
                raise DataError(
                    f"no JSON object with a text {self.reads!r}", path=block.path, line=number
                ) from None
        made = self.lines(lines, piece.number, False)
        text = "".join(
            json.dumps({**record, self.writes: line}, ensure_ascii=False) + "\n"
            for record, line in zip(records, made, strict=True)
        )
        return piece.output, len(made), text


def rewrite(source: str, output: str, work: LineWork, engine: Engine, advance: Advance) -> None:
    """Rewrite a file, or all shards of a pattern or folder; several go to a folder, each under its name."""
    folder = is_folder(output)
    found = shards(source)
    if len(found) > 1 and not folder:
        raise DataError(
            f"{len(found)} shards need a folder to go to", path=output, hint="end its name with a slash: out/"
        )
    write(engine.map(work, _pieces(found, output, folder)), advance)


def _pieces(found: Sequence[str], output: str, folder: bool) -> Iterator[Piece]:
    number = 0
    for shard in found:
        kind = {".m2": "m2", ".jsonl": "jsonl", ".parquet": "parquet"}.get(plain_suffix(shard), "text")
        into = output_shard(shard, output, ".txt" if kind == "m2" else None) if folder else output
        finished = folder and exists(into)
        empty = True
        for part, count in _parts(shard, kind):
            if not finished:
                yield Piece(into, kind, part, number)
            number += count
            empty = False
        if empty and not finished and kind != "parquet":
            yield Piece(into, kind, Block(shard, b""), number)


def _parts(shard: str, kind: str) -> Iterator[tuple[Block | RowGroup, int]]:
    if kind == "parquet":
        for group in row_groups(shard):
            yield group, group.count
        return
    with BlockReader(shard) as reader:
        while (block := reader.m2_block() if kind == "m2" else reader.block()).data:
            yield block, count_m2(block.data) if kind == "m2" else count_lines(block.data)


def write(made: Iterable[Made], advance: Advance) -> None:
    """Write what was made, in its order; what goes to one file stands together."""
    for path, pieces in groupby(made, key=lambda piece: piece[0]):
        with ExitStack() as stack:
            put: Any = None
            for _, count, content in pieces:
                if put is None and isinstance(content, str):
                    put = stack.enter_context(open_output(path)).write
                elif put is None:
                    put = stack.enter_context(write_parquet(path))
                put(content)
                advance(count)
