"""Extraction from streams: chunks of parallel texts become M2, on any engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from itertools import pairwise

from errata import limits
from errata.corpus.blocks import Advance, NewText, Note, write
from errata.corpus.m2 import format_edits
from errata.corpus.shards import aligned_shards
from errata.corpus.streaming import RowGroup, Stream, TextChunk, streamed_format
from errata.edits.edit_arrays import PlainEdits
from errata.edits.pipeline import Extractor
from errata.engine import map_ordered, without_threads
from errata.errors import DataError
from errata.limits import Limits
from errata.text.languages import language_name, misfit


@dataclass(frozen=True)
class Extract:
    """Turns a chunk of parallel texts into M2."""

    extractor: Extractor
    limits: Limits = field(default_factory=limits.current)  # of the sending process

    @property
    def concurrent(self) -> bool:
        """Whether several threads may process chunks at once."""
        return self.extractor.concurrent

    def __call__(self, chunk: TextChunk | RowGroup) -> NewText:
        with limits.limited(self.limits):
            return self._extract(chunk)

    def _extract(self, chunk: TextChunk | RowGroup) -> NewText:
        corpus = chunk.parse().corpus
        rows, texts = corpus.annotations, corpus.reference_lines
        targets = corpus.vocabulary.encode_lines(texts)
        sources = corpus.source_ids.select(rows.owners)
        edits = self.extractor.arrays(corpus.vocabulary, sources, targets).edits(texts)
        annotators = rows.annotators.tolist()
        blocks, notes = [], []
        bounds = pairwise(rows.offsets.tolist())
        for number, (source, (begin, end)) in enumerate(
            zip(corpus.sources, bounds, strict=True), chunk.first
        ):
            annotations = []
            for annotator in annotators[begin:end]:
                pair_edits = next(edits)
                if isinstance(pair_edits, PlainEdits):
                    notes.append(f"segment {number} ({chunk.place}): {pair_edits.warning}")
                annotations.append((annotator, pair_edits))
            blocks.append(format_edits(" ".join(source.split()), annotations) + "\n")
        return NewText("".join(blocks), len(blocks), tuple(notes))


def extract_to(
    extractor: Extractor,
    source: str,
    references: Sequence[str],
    output: str,
    executor: Executor | None,
    advance: Advance,
    note: Note,
) -> None:
    """Write the edits of parallel texts, or of rows with references, as M2; shards are joined."""

    def chunks() -> Iterator[TextChunk | RowGroup]:
        for path, *texts in aligned_shards([source, *references]):
            kind = "text" if references else streamed_format(path)
            if kind in ("text", "m2") and not references:
                raise DataError("there are no corrected texts for it", path=path, hint="give --ref FILE…")
            for number, chunk in enumerate(Stream(path, format=kind, references=texts)):
                if number == 0:
                    note_wrong_language(extractor, chunk, path, note)
                yield chunk

    work = Extract(extractor)
    write(map_ordered(without_threads(executor, work), work, chunks()), output, advance, note)


def note_wrong_language(extractor: Extractor, chunk: TextChunk | RowGroup, path: str, note: Note) -> None:
    """Say so if the first sentences of a file do not seem to be in the language of the rules."""
    wrong = misfit(extractor.language, chunk.parse().corpus.sources)
    if wrong is not None:
        likely = f"; it seems to be {language_name(wrong.found)}" if wrong.found else ""
        note(f"{path}: the rules are for {language_name(wrong.expected)}, but {wrong.reason}{likely}")
