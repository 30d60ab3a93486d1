"""ChERRANT (Zhang et al. 2022): F over the edits of characters, for Chinese."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from errata import limits
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, EditedLine
from errata.edits.edit_arrays import EditArrays
from errata.edits.pipeline import Extractor
from errata.errors import DataError
from errata.metrics.base import Need, ScanMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.edit_keys import Keys, ReferenceKeys, keys_of
from errata.metrics.edit_metric import extractor
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.metrics.totals import prf
from errata.native.ragged import Ragged
from errata.text.vocabulary import Vocabulary, spelled


@dataclass(frozen=True)
class ChERRANT(ScanMetric):
    """F_β of edits, each sentence against the answer and the sequence of edits that give it the best F.

    `edits="given"` compares the edits of ChERRANT's own files, for the gold and for the outputs, and gives
    the official numbers. `extracted` extracts the edits of both sides from the texts, which is approximate:
    neighbouring changes are one edit. `unit` is then the unit of the texts: `character`, or `word` for texts
    with blanks between the words.
    """

    edits: Literal["extracted", "given"] = "extracted"
    unit: Literal["character", "word"] = "character"
    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "cherrant"
    title: ClassVar[str] = "ChERRANT"
    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn")
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    running: ClassVar[bool] = False
    computed_by = "native"

    def settings(self) -> dict[str, object]:
        """The parameters, and whether the edits are not those of the official program."""
        settings = dict(super().settings())
        if self.edits == "given":
            settings.pop("unit")
            return settings
        return {"approximate": True, **settings}

    def label(self, part: str) -> str:
        """The name of a part in a table; `≈` marks edits that are not those of the official program."""
        name = super().label(part)
        return name if self.edits == "given" else name.replace(self.title, f"{self.title}≈", 1)

    def counts(self, batch: Batch) -> Statistics:
        """Counts of right, wrong and missed edits for every segment and sequence."""
        corpus, numbers = batch.distinct
        references = self._references(corpus, batch.jobs)
        require_references(np.diff(references.rows)[numbers], self.name, batch.corpus.first)
        return Statistics(self.columns, *references.counts(self._hypotheses(batch), numbers))

    def _references(self, corpus: Corpus, jobs: int | None) -> ReferenceKeys:
        """The keys of the edits of every sequence, computed once for all systems."""
        key = self.name, self.edits, self.unit, str(limits.current())

        def extract() -> tuple[EditArrays, Ragged]:
            rows = np.repeat(np.arange(len(corpus)), corpus.annotation_counts)
            if corpus.rewrites is None:
                texts = corpus.reference_ids.ids
            else:
                lines: list[str] = []
                for index, segment in enumerate(corpus):
                    with corpus.at(index):
                        lines += [annotation.text for annotation in segment.annotations]
                texts = corpus.vocabulary.encode_lines(lines)
            vocabulary, sources = self._sources(corpus)
            targets = self._units(corpus, texts)[1]
            return _extractor(jobs).arrays(vocabulary, sources.select(rows), targets), targets

        def compute() -> ReferenceKeys:
            if self.edits == "given":
                edits = [annotation.edits for segment in corpus for annotation in segment.annotations]
                keys = _keys_of_given(edits, corpus.vocabulary)
            else:
                keys = Keys.of_arrays(extracted, targets)
            return ReferenceKeys(keys, corpus.annotations.offsets, corpus.annotator_numbers, {})

        if self.edits == "extracted":
            extracted, targets = corpus.once((*key, "extracted"), extract)
        return corpus.once(key, compute)

    def _hypotheses(self, batch: Batch) -> Keys:
        corpus = batch.corpus
        if self.edits == "extracted":
            base, numbers = batch.distinct
            vocabulary, sources = self._sources(base)
            if base is not corpus:
                sources = sources.select(numbers)
            targets = self._units(base, corpus.vocabulary.encode_lines(batch.hypotheses))[1]
            return Keys.of_arrays(_extractor(batch.jobs).arrays(vocabulary, sources, targets), targets)
        edits_of_lines = [line.edits if isinstance(line, EditedLine) else None for line in batch.hypotheses]
        if None in edits_of_lines:
            raise DataError(
                f"the output for segment {corpus.first + edits_of_lines.index(None)} is a text, not edits",
                hint="give outputs as files of ChERRANT that end in .m2, or leave out edits=given",
            )
        return _keys_of_given([edits or () for edits in edits_of_lines], corpus.vocabulary)

    def _sources(self, corpus: Corpus) -> tuple[Vocabulary, Ragged]:
        key = self.name, self.unit, "sources"
        return corpus.once(key, lambda: self._units(corpus, corpus.source_ids))

    def _units(self, corpus: Corpus, texts: Ragged) -> tuple[Vocabulary, Ragged]:
        """The units of texts that are given as the token ids of a corpus, and their vocabulary."""
        if self.unit == "word":
            return corpus.vocabulary, texts
        characters = corpus.once((self.name, "characters"), _Characters)
        return characters.vocabulary, characters.of(spelled(texts, corpus.vocabulary.code_points(), -1))

    def better(self, totals: Numbers, rows: Numbers) -> Sequence[Floats]:
        """Compare sequences by F, then by more right, fewer wrong and fewer missed edits."""
        tp, fp, fn = np.moveaxis(rows, -1, 0).astype(np.float64)
        return [self._f(totals)[0], tp, -fp, -fn]

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision and recall of total counts, and the counts."""
        return np.stack([*self._f(totals), *np.moveaxis(totals, -1, 0).astype(np.float64)], axis=-1)

    def _f(self, totals: Numbers) -> tuple[Floats, Floats, Floats]:
        tp, fp, fn = np.moveaxis(totals, -1, 0).astype(np.float64)
        return prf(tp, fp, fn, self.beta)


class _Characters:
    """A vocabulary of characters that several threads may use."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self._numbers = np.full(0x110000, -1, dtype=np.int32)  # by code point
        self._adding = threading.Lock()

    def of(self, points: Ragged) -> Ragged:
        """The ids of texts that are given as code points."""
        ids = self._numbers[points.values]
        if ids.min(initial=0) < 0:
            with self._adding:
                new = np.unique(points.values[self._numbers[points.values] < 0])
                self._numbers[new] = self.vocabulary.encode([[chr(point) for point in new.tolist()]]).values
            ids = self._numbers[points.values]
        return Ragged(ids, points.offsets)


def _extractor(jobs: int | None) -> Extractor:
    extract = extractor("zh", "none", "", "all-merge")
    extract.jobs = jobs
    return extract


def _keys_of_given(rows: Iterable[Iterable[Edit]], vocabulary: Vocabulary) -> Keys:
    """The keys of given edits by place and correction, each once."""
    different = [{(edit.start, edit.end, edit.correction): edit for edit in row}.values() for row in rows]
    ascending = [sorted(row, key=lambda edit: edit.start) for row in different]
    return keys_of(ascending, vocabulary, exact=True)
