"""A corpus and systems' outputs in chunks: read as they are needed, aligned, and light to send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from errata.corpus.blocks import Block, BlockReader, check_aligned, count_lines, count_m2
from errata.corpus.files import StrPath, is_pipe, plain_suffix
from errata.corpus.jsonl import parse_jsonl
from errata.corpus.m2 import parse_m2
from errata.corpus.model import Corpus, Origin
from errata.corpus.parallel import check_sources
from errata.corpus.parquet import RowGroup, row_groups
from errata.corpus.segments import ParallelSegments, with_texts
from errata.corpus.shards import aligned_shards
from errata.corpus.tsv import Columns, parse_header, parse_rows, parse_tsv
from errata.errors import DataError
from errata.text.lines import Lines

STREAMED = ("m2", "jsonl", "tsv", "text")


@dataclass(frozen=True, slots=True)
class Texts:
    """Segments with what belongs to them, parsed by whoever works on them.

    `post_edits` has, if there are any, a corrected version of every hypothesis of every system.
    """

    corpus: Corpus
    hypotheses: Mapping[str, Sequence[str]]
    post_edits: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def corpus_of(self, system: str) -> Corpus:
        """The corpus that a system is scored on: with its post-edits as references, if there are any."""
        if not self.post_edits:
            return self.corpus
        found = with_texts(self.corpus, [Lines.of(self.post_edits[system])])
        found.first = self.corpus.first
        return found


@dataclass(frozen=True, slots=True)
class Chunk:
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

    def parse(self) -> Texts:
        """The texts; hypotheses that are columns of the corpus come first."""
        corpus, systems = self._corpus()
        if self.references:
            texts = with_texts(corpus, [block.texts() for block in self.references])
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
        return Texts(corpus, systems, {name: block.texts() for name, block in self.post_edits.items()})

    def _corpus(self) -> tuple[Corpus, dict[str, Sequence[str]]]:
        block = self.block
        if self.format == "m2":
            return parse_m2(block.data, block.path, block.line), {}
        if self.format == "text":
            origin = Origin(block.path, "text", first_line=block.line)
            return Corpus(ParallelSegments(block.texts()), origin=origin), {}
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


class LoadedChunk(Texts):
    """A whole corpus and its outputs in memory: the stream that consists of one chunk."""

    @property
    def count(self) -> int:
        return len(self.corpus)

    @property
    def place(self) -> str:
        return self.corpus.origin.path if self.corpus.origin else "the corpus"

    def parse(self) -> Texts:
        """The texts, which are there already."""
        return Texts(self.corpus, dict(self.hypotheses), self.post_edits)


@dataclass(frozen=True, slots=True)
class RowChunk:
    """Some rows of a Parquet file, read where they are worked on."""

    group: RowGroup
    first: int

    @property
    def count(self) -> int:
        return self.group.count

    @property
    def place(self) -> str:
        return self.group.place

    def parse(self) -> Texts:
        """The texts, opened and read here."""
        corpus, systems = self.group.corpus()
        corpus.first = self.first
        return Texts(corpus, systems)


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

    def __iter__(self) -> Iterator[Chunk | RowChunk]:
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
                    yield RowChunk(group, first)
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
) -> Iterator[Chunk]:  # fmt: skip
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
            yield Chunk(kind, block, first + before, count, header, source, references, outputs, post_edits)
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
