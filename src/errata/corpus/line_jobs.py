"""Texts rewritten line by line, in jobs and shard by shard: plain text, M2 sources, JSONL or Parquet.

A shard's result appears only when it is complete, so that a run that was stopped can be run again: shards
whose result is there are passed over.
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any, ClassVar, NamedTuple

from errata import __version__
from errata.corpus.decompression import COMPRESSED
from errata.corpus.files import (
    StrPath,
    file_system,
    is_address,
    open_binary_output,
    open_output,
    plain_suffix,
    read_lines,
)  # fmt: skip
from errata.corpus.jsonl import UnfitError, loads
from errata.corpus.m2 import parse_m2
from errata.corpus.streaming import (
    Block,
    BlockReader,
    RowGroup,
    count_lines,
    count_m2,
    pyarrow_parquet,
    row_groups,
    shards,
)  # fmt: skip
from errata.engine import map_ordered, without_threads
from errata.errors import DataError

_PARQUET_ROWS = 8192  # that are written, and later read, together
_RECORD = "_made_by.txt"  # no shard, since its name begins with a low line
Advance = Callable[[int], None]
Note = Callable[[str], None]


class PieceResult(NamedTuple):
    """What became of a piece: its file, how many lines, their text or table, and words to the user.

    `left` are the places of lines that the work could not do as it should.
    """

    output: str
    lines: int
    content: Any
    notes: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


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

    def place_of(self, index: int) -> str:
        """Where its line of this number is, counted from 0; M2 and rows are numbered over all shards."""
        if isinstance(self.part, RowGroup) or self.format == "m2":
            return f"{self.part.path}, segment {self.number + index + 1}"
        return f"{self.part.path}:{self.part.line + index}"


@dataclass(frozen=True)
class LineWork(ABC):
    """Makes of every line another; of a row, a further column from the one it reads."""

    reads: ClassVar[str]
    writes: ClassVar[str]

    @abstractmethod
    def described(self) -> str:
        """All that decides about the result, in one line or several."""

    @abstractmethod
    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        """As many lines; `number` lines came before them. M2 sources are always tokenised."""

    def __call__(self, piece: Piece) -> PieceResult:
        if isinstance(piece.part, RowGroup):
            return self._rows(piece, piece.part)
        if piece.format == "jsonl":
            return self._records(piece, piece.part)
        block = piece.part
        tokenized = piece.format == "m2"
        lines = parse_m2(block.data, block.path, block.line).sources if tokenized else block.lines()
        made = self.lines(lines, piece.number, tokenized)
        return PieceResult(piece.output, len(made), "".join(f"{line}\n" for line in made))

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

        made = self.lines(lines, piece.number, False)
        column = pyarrow.array(made, pyarrow.string())
        return PieceResult(piece.output, len(made), table.append_column(self.writes, column))

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
        made = self.lines(lines, piece.number, False)
        text = "".join(
            json.dumps({**record, self.writes: line}, ensure_ascii=False) + "\n"
            for record, line in zip(records, made, strict=True)
        )
        return PieceResult(piece.output, len(made), text)


def rewrite(
    source: str, output: str, work: LineWork, executor: Executor | None, advance: Advance, note: Note
) -> list[str]:
    """Rewrite a file, or all shards of a pattern or folder; several go to a folder, each under its name.

    Returns the places of lines that the work could not do as it should.
    """
    folder = is_folder(output)
    found = shards(source)
    if len(found) > 1 and not folder:
        raise DataError(
            f"{len(found)} shards need a folder to go to", path=output, hint="end its name with a slash: out/"
        )
    into = dict.fromkeys(found, output)
    if folder:
        to_text = {shard: ".txt" for shard in found if _kind(shard) == "m2"}
        into = output_shards(found, output, to_text.get, work.described(), note)
    executor = without_threads(executor, work)
    return write(map_ordered(executor, work, _pieces(found, into)), advance, note)


def _kind(shard: str) -> str:
    return {".m2": "m2", ".jsonl": "jsonl", ".parquet": "parquet"}.get(plain_suffix(shard), "text")


def _pieces(found: Sequence[str], into: Mapping[str, str]) -> Iterator[Piece]:
    """The pieces of the shards that are to be rewritten; the lines of the others count all the same."""
    number = 0
    for shard in found:
        kind = _kind(shard)
        empty = True
        for part, count in _parts(shard, kind):
            if shard in into:
                yield Piece(into[shard], kind, part, number)
            number += count
            empty = False
        if empty and shard in into and kind != "parquet":
            yield Piece(into[shard], kind, Block(shard, b""), number)


def _parts(shard: str, kind: str) -> Iterator[tuple[Block | RowGroup, int]]:
    if kind == "parquet":
        for group in row_groups(shard):
            yield group, group.count
        return
    with BlockReader(shard) as reader:
        while (block := reader.m2_block() if kind == "m2" else reader.block()).data:
            yield block, count_m2(block.data) if kind == "m2" else count_lines(block.data)


def write(made: Iterable[PieceResult], advance: Advance, note: Note) -> list[str]:
    """Write what was made, in its order; what goes to one file stands together. Returns the places left."""
    places: list[str] = []
    for path, pieces in groupby(made, key=lambda piece: piece.output):
        with ExitStack() as stack:
            put: Any = None
            for _, count, content, notes, left in pieces:
                for text in notes:
                    note(text)
                places += left
                if put is None and isinstance(content, str):
                    put = stack.enter_context(open_output(path)).write
                elif put is None:
                    put = stack.enter_context(write_parquet(path))
                put(content)
                advance(count)
    return places


# -- output shards ------------------------------------------------------------------------------------------


def is_folder(output: str) -> bool:
    """Whether results go to a folder, a shard a file."""
    return output.endswith("/") or (not is_address(output) and os.path.isdir(output))


def output_shard(shard: str, folder: str, suffix: str | None = None) -> str:
    """The file in a folder that a shard's result goes to: named as the shard, perhaps with another suffix."""
    name = "stdin.txt" if shard == "-" else shard.rpartition("/")[2]
    if suffix is not None:
        packed = next((end for end in COMPRESSED if name.endswith(end)), "")
        name = os.path.splitext(name.removesuffix(packed))[0] + suffix + packed
    if folder and not is_address(folder):
        os.makedirs(folder, exist_ok=True)
    return f"{folder.rstrip('/')}/{name}"


def output_shards(
    found: Sequence[str],
    folder: str,
    suffix: Callable[[str], str | None],
    made_by: str,
    note: Callable[[str], None],
) -> dict[str, str]:
    """Where the result of each shard goes; those whose result is there already are left out, with a note.

    `made_by` says all that decides about the results. It is kept in the folder, and results that were made
    otherwise are not completed.
    """
    into = {shard: output_shard(shard, folder, suffix(shard)) for shard in found}
    path, times = Counter(into.values()).most_common(1)[0]
    if times > 1:
        raise DataError(
            f"{times} shards would go to this file",
            path=path,
            hint="run their folders one by one",
        )
    left = {shard: path for shard, path in into.items() if not _exists(path)}
    record = f"{made_by}|version:{__version__}"
    _check_record(f"{folder.rstrip('/')}/{_RECORD}", record, resumed=len(left) < len(into))
    if len(left) < len(into):
        finished = f"{len(into) - len(left)} of {len(into)} shards were in {folder} already"
        note(f"{finished} and stay as they are; remove them to make them anew")
    return left


def _check_record(path: str, made_by: str, *, resumed: bool) -> None:
    """Write down how results are made, or raise an error if those in the folder were made otherwise."""
    if resumed:
        before = read_lines(path) if _exists(path) else None
        if before == made_by.splitlines():
            return
        how = "it is not known how" if before is None else "with other options, or by another version"
        raise DataError(
            f"some shards were made before, {how}",
            path=path.rpartition("/")[0] + "/",
            hint="name another folder, or remove this one to make all shards anew",
        )
    with open_output(path) as file:
        file.write(made_by + "\n")


def _exists(path: str) -> bool:
    """Whether a shard was finished before: shards appear only when complete."""
    if is_address(path):
        system, place = file_system(path)
        return bool(system.exists(place))
    return os.path.exists(path)


@contextmanager
def write_parquet(path: StrPath) -> Iterator[Any]:
    """Yields a function that writes an Arrow table behind those before; the file appears when complete."""
    parquet = pyarrow_parquet()
    with open_binary_output(path) as file:
        writer: Any = None

        def write(table: Any) -> None:
            nonlocal writer
            if writer is None:
                writer = parquet.ParquetWriter(file, table.schema)
            writer.write_table(table, row_group_size=_PARQUET_ROWS)

        yield write
        if writer is not None:
            writer.close()
