"""Parquet: a row a segment, under the column names of TSV, or with a list column `references`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any

from errata.corpus.files import StrPath, display, open_binary, open_binary_output
from errata.corpus.model import Annotation, Corpus, Origin, Segment
from errata.corpus.tsv import HYPOTHESIS, Columns
from errata.errors import DataError, needs_extra

GROUP = 8192  # rows that are written, and later read, together


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a file that are read together, by whoever works on them."""

    path: str
    number: int
    first: int  # the number of its first row, from 1
    count: int

    @property
    def place(self) -> str:
        return f"{self.path}, rows {self.first}–{self.first + self.count - 1}"

    def table(self) -> Any:
        """The rows as an Arrow table."""
        with _opened(self.path) as file:
            return file.read_row_group(self.number)

    def corpus(self) -> tuple[Corpus, dict[str, list[str]]]:
        """The segments of the rows, and what systems made of them."""
        table = self.table()
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        lists = columns.pop("references", None)
        for name, cells in columns.items():
            columns[name] = [_text(cell) for cell in cells]
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
        origin = Origin(display(self.path), "parquet", first_line=self.first)
        return Corpus(segments, origin=origin, names=meaning.names), systems


def _text(cell: object) -> str | None:
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
    with _opened(path) as file:
        found, first = [], 1
        for number in range(file.num_row_groups):
            count = file.metadata.row_group(number).num_rows
            if not count:
                continue
            found.append(RowGroup(display(path), number, first, count))
            first += count
        return found


@contextmanager
def write_parquet(path: StrPath) -> Iterator[Any]:
    """Yields a function that writes an Arrow table behind those before; the file appears when complete."""
    parquet = _parquet()
    with open_binary_output(path) as file:
        writer: Any = None

        def write(table: Any) -> None:
            nonlocal writer
            if writer is None:
                writer = parquet.ParquetWriter(file, table.schema)
            writer.write_table(table, row_group_size=GROUP)

        yield write
        if writer is not None:
            writer.close()


@contextmanager
def _opened(path: StrPath) -> Iterator[Any]:
    parquet = _parquet()
    with open_binary(path) as file:
        try:
            yield parquet.ParquetFile(file)
        except OSError as error:  # Arrow's errors are OSErrors and ValueErrors
            raise DataError(f"cannot read it as Parquet: {error}", path=display(path)) from None
        except ValueError as error:
            raise DataError(f"not Parquet: {error}", path=display(path)) from None


def _parquet() -> Any:
    with needs_extra("reading and writing Parquet", "cloud"):
        import pyarrow.parquet
    return pyarrow.parquet
