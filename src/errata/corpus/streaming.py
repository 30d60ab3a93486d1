"""Corpora that are read in chunks: shards, blocks of lines, Parquet rows, and the outputs beside them.

A `Stream` yields chunks that are small to send: `TextChunk` has bytes, `RowGroup` the place of Parquet rows.
Workers parse them into a `Chunk`, which a corpus in memory is from the beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, NamedTuple

from errata.corpus.blocks import Block, BlockReader, check_aligned, count_lines, count_m2
from errata.corpus.files import StrPath, display, is_pipe, plain_suffix
from errata.corpus.jsonl import parse_jsonl
from errata.corpus.m2 import parse_m2
from errata.corpus.model import Chunk, Corpus, Origin
from errata.corpus.parallel import check_sources
from errata.corpus.segment import Annotation, Segment
from errata.corpus.shards import aligned_shards, open_parquet
from errata.corpus.tsv import HYPOTHESIS, Columns, parse_header, parse_rows, parse_tsv
from errata.errors import DataError

STREAMED = ("m2", "jsonl", "tsv", "text")


class Beside(NamedTuple):
    """The role of a file beside the corpus: source, reference, hypothesis or post-edit (of a system)."""

    role: str
    path: str
    system: str = ""


@dataclass(frozen=True, slots=True)
class TextChunk:
    """Some segments of a corpus as bytes, with the same number of lines of the files beside it."""

    format: str
    block: Block
    first: int  # the number of the first segment
    count: int
    header: str = ""  # of TSV
    beside: tuple[tuple[Beside, Block], ...] = ()

    @property
    def place(self) -> str:
        return f"{self.block.path}, segments {self.first}–{self.first + self.count - 1}"

    def _with_role(self, role: str) -> list[tuple[str, Block]]:
        """The systems and blocks of the files with this role."""
        return [(file.system, block) for file, block in self.beside if file.role == role]

    def parse(self) -> Chunk:
        """The texts; hypotheses that are columns of the corpus come first."""
        corpus, systems = self._corpus()
        references = [block.texts() for _, block in self._with_role("reference")]
        if references:
            texts = corpus.with_texts(references)
            corpus = texts if self.format == "text" else corpus.with_rewrites(texts)
        corpus.first = self.first
        for _, source in self._with_role("source"):
            check_sources(corpus, source.texts(), self.block.path, source.path, source.line)
        for name, block in self._with_role("hypothesis"):
            if name in systems:
                raise DataError(
                    f"a system called {name!r} is in it already", path=block.path, hint="--name it"
                )
            systems[name] = block.texts()
        return Chunk(corpus, systems, {name: block.texts() for name, block in self._with_role("post-edit")})

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
        outputs: dict[str, Sequence[str]] = {
            name: [row[column] for row in rows] for name, column in columns.items()
        }
        return parse_tsv(header, rows, block.path, block.line), outputs


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows of a Parquet file that are read together, in the process that uses them.

    They have a segment each, under the column names of TSV, or with a list column `references`.
    """

    path: str
    number: int
    row: int  # the number of its first row, from 1
    count: int
    first: int = 1  # the number of its first segment in the stream

    @property
    def place(self) -> str:
        return f"{self.path}, rows {self.row}–{self.row + self.count - 1}"

    def columns(self) -> dict[str, list[Any]]:
        """The cells of each column: texts or None, in the column `references` lists of them or None."""
        with open_parquet(self.path) as file:
            import pyarrow

            table = file.read_row_group(self.number)
            names = table.column_names
            if len(set(names)) < len(names):
                raise DataError("two columns of the same name", path=self.path, hint="rename one of them")
            if "references" in names:
                place, column = names.index("references"), table.column("references")
                try:
                    lists = column.cast(pyarrow.list_(pyarrow.string()))
                except pyarrow.ArrowException:
                    message = f"a column references of the type {column.type}"
                    raise DataError(message, path=self.path, hint="a list of texts in each row") from None
                table = table.set_column(place, "references", lists)
            columns = {name: table.column(name).to_pylist() for name in names}
            return {
                name: cells if name == "references" else [*map(_text, cells)]
                for name, cells in columns.items()
            }

    def parse(self) -> Chunk:
        """The segments of the rows, and the hypotheses beside them."""
        columns = self.columns()
        lists = columns.pop("references", None)
        for name, cells in columns.items():
            required = name == "source" or HYPOTHESIS.fullmatch(name) is not None
            if required and None in cells:
                raise DataError(f"row {self.row + cells.index(None)} has no {name}", path=self.path)
        meaning = Columns(list(columns), self.path)
        rows = zip(*columns.values(), strict=True)
        segments = [
            _with_references(meaning.segment(row), texts)
            for row, texts in zip(rows, repeat(None) if lists is None else lists, strict=lists is not None)
        ]
        origin = Origin(display(self.path), "parquet")
        corpus = Corpus(segments, origin=origin, names=meaning.names, first_line=self.row)
        corpus.first = self.first
        cells_by_place = [*columns.values()]
        return Chunk(corpus, {name: cells_by_place[place] for name, place in meaning.hypotheses.items()})


def _text(cell: Any) -> str | None:
    if isinstance(cell, bytes):
        return cell.decode()
    return cell if cell is None or isinstance(cell, str) else str(cell)


def _with_references(segment: Segment, texts: Sequence[str | None] | None) -> Segment:
    if texts is None:
        return segment
    before = 1 + max((annotation.annotator for annotation in segment.annotations), default=-1)
    annotations = tuple(
        Annotation(segment.source, text=text, annotator=annotator)
        for annotator, text in enumerate(texts, before)
        if text is not None
    )
    return replace(segment, annotations=segment.annotations + annotations)


def row_groups(path: StrPath, first: int = 1) -> Iterator[RowGroup]:
    """The row groups of a file that are not empty; `first` is the number of the first segment."""
    with open_parquet(path) as file:
        counts = [file.metadata.row_group(number).num_rows for number in range(file.num_row_groups)]
    row = 1
    for number, count in enumerate(counts):
        if count:
            yield RowGroup(display(path), number, row, count, first + row - 1)
        row += count


AnyChunk = Chunk | TextChunk | RowGroup


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
    def _beside(self) -> list[Beside]:
        systems = [name for name, _ in self.hypotheses] if self.post_edits else []
        return [
            *([Beside("source", self.source)] if self.source is not None else []),
            *(Beside("reference", path) for path in self.references),
            *(Beside("hypothesis", path, name) for name, path in self.hypotheses),
            *(Beside("post-edit", *pair) for pair in zip(self.post_edits, systems, strict=True)),
        ]

    @property
    def rereadable(self) -> bool:
        """Whether it can be read more than once, which standard input and pipes cannot."""
        return not any(map(is_pipe, [self.corpus, *(file.path for file in self._beside)]))

    def __iter__(self) -> Iterator[TextChunk | RowGroup]:
        for _, path in self.hypotheses:
            if plain_suffix(path) == ".m2":
                raise DataError(
                    "outputs given as edits are not read in chunks",
                    path=path,
                    hint="leave out --stream, or make texts of them with `errata edits apply`",
                )
        first = 1
        beside = self._beside
        for path, *others in aligned_shards([self.corpus, *(file.path for file in beside)]):
            kind = self.format or streamed_format(path)
            if kind == "parquet" and others:
                raise DataError("a Parquet file has everything as columns", path=path, hint="leave out --hyp")
            files = [file._replace(path=other) for file, other in zip(beside, others, strict=True)]
            chunk: TextChunk | RowGroup
            for chunk in row_groups(path, first) if kind == "parquet" else _chunks(path, kind, first, files):
                yield chunk
                first = chunk.first + chunk.count


def _chunks(path: str, kind: str, first: int, beside: Sequence[Beside]) -> Iterator[TextChunk]:
    """The chunks of a file and of the files beside it."""
    with ExitStack() as stack:
        reader = stack.enter_context(BlockReader(path))
        readers = [stack.enter_context(BlockReader(file.path)) for file in beside]
        header = ""
        if kind == "tsv":
            header = next(iter(reader.take(1).lines()), "")
            if not header:
                raise DataError("empty, not even a header", path=path)
        before = 0
        while True:
            block = reader.m2_block() if kind == "m2" else reader.block()
            count = count_m2(block.data) if kind == "m2" else count_lines(block.data)
            blocks = [other.take(count) for other in readers]
            check_aligned(block, count, blocks, readers, before if kind in ("m2", "tsv") else None)
            if not block.data:
                return
            if not count:  # blank lines, or not M2
                parse_m2(block.data, block.path, block.line)
                continue
            files = tuple(zip(beside, blocks, strict=True))
            yield TextChunk(kind, block, first + before, count, header, files)
            before += count


def streamed_format(path: StrPath) -> str:
    """The format of a corpus that is read in chunks."""
    from errata.corpus.formats import detect_format

    if plain_suffix(path) == ".parquet":
        return "parquet"
    format = detect_format(path)
    if path == "-" and format == "text":  # there is nothing to compare with: explain it as broken M2
        format = "m2"
    if format not in STREAMED:
        raise DataError(
            f"{format} is not read in chunks",
            path=path,
            hint=f"one of {', '.join(STREAMED)}, parquet: `errata corpus convert` makes them; or no --stream",
        )
    return format
