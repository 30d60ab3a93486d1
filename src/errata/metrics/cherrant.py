"""ChERRANT (Zhang et al. 2022): F over the edits of characters, for Chinese."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from errata import limits
from errata.corpus.model import Corpus, Edit, EditedLine
from errata.edits.pipeline import Extractor
from errata.errors import DataError
from errata.metrics.base import Need, ScanMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.errant.extraction import once
from errata.metrics.fractions import prf
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Numbers, Statistics

Key = tuple[int, int, str]


@dataclass(frozen=True)
class ChERRANT(ScanMetric):
    """F_β of edits, each sentence against the answer and the sequence of edits that give it the best F.

    `edits="given"` compares the edits of ChERRANT's own files, both of the gold and of the outputs, and gives
    its official numbers. `extracted` takes the texts alone and finds the edits of both sides itself, which is
    approximate: neighbouring changes are one edit. `unit` is what texts are then divided into: `character`,
    or `word` for texts with blanks between the words.
    """

    edits: Literal["extracted", "given"] = "extracted"
    unit: Literal["character", "word"] = "character"
    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "cherrant"
    title: ClassVar[str] = "ChERRANT"
    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn")
    shown: ClassVar[tuple[str, ...]] = ("precision", "recall")
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    by_reference: ClassVar[bool] = True
    running: ClassVar[bool] = False

    def settings(self) -> dict[str, object]:
        """The parameters, and whether the edits are not those of the official program."""
        found = dict(super().settings())
        if self.edits == "given":
            found.pop("unit")
            return found
        return {"approximate": True, **found}

    def label(self, part: str) -> str:
        """How a table names a part; `≈` marks edits that are not those of the official program."""
        name = super().label(part)
        return name if self.edits == "given" else name.replace(self.title, f"{self.title}≈", 1)

    def counts(self, batch: Batch) -> Statistics:
        """Counts of right, wrong and missed edits for every segment and sequence."""
        corpus, numbers = batch.distinct
        key = self.name, self.edits, self.unit, str(limits.current())
        theirs = once(corpus, key, lambda: self._references(corpus, batch.jobs))
        require_references([len(theirs[i]) for i in numbers], self.name, batch.corpus.first)
        ours = self._hypotheses(batch)
        rows = [
            np.array([_count(mine, wanted) for _, wanted in theirs[i]], dtype=np.int64).reshape(-1, 3)
            for mine, i in zip(ours, numbers, strict=True)
        ]
        names = [[annotator for annotator, _ in theirs[i]] for i in numbers]
        return Statistics.from_lists(self.columns, rows, names)

    def _references(self, corpus: Corpus, jobs: int | None) -> list[list[tuple[int, frozenset[Key]]]]:
        """The annotators of every segment, and what is compared of their edits."""
        annotations = [segment.annotations for segment in corpus]
        texts = [(a.source, a.text, a.edits) for some in annotations for a in some]
        keys = iter(self._keys(texts, jobs))
        return [[(a.annotator, next(keys)) for a in some] for some in annotations]

    def _hypotheses(self, batch: Batch) -> list[frozenset[Key]]:
        given = [line.edits if isinstance(line, EditedLine) else None for line in batch.hypotheses]
        if self.edits == "given" and None in given:
            raise DataError(
                f"the output for segment {batch.corpus.first + given.index(None)} is a text, not edits",
                hint="give outputs as files of ChERRANT that end in .m2, or leave out edits=given",
            )
        texts = zip(batch.sources, batch.hypotheses, given, strict=True)
        return self._keys([(source, text, edits or ()) for source, text, edits in texts], batch.jobs)

    def _keys(
        self, texts: Sequence[tuple[str, str, Sequence[Edit]]], jobs: int | None
    ) -> list[frozenset[Key]]:
        """What is compared of each text's edits: place and correction."""
        if self.edits == "given":
            return [frozenset(map(_key, edits)) for _, _, edits in texts]
        extract = _extractor()
        extract.jobs = jobs
        pairs = [(self._tokens(source), self._tokens(text)) for source, text, _ in texts]
        return [frozenset(map(_key, edits)) for edits in extract.extract_all(pairs)]

    def _tokens(self, text: str) -> str:
        """The units of a text with blanks between them."""
        return " ".join("".join(text.split()) if self.unit == "character" else text.split())

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


@lru_cache(maxsize=1)
def _extractor() -> Extractor:
    return Extractor("zh", "none", merge="all-merge")


def _key(edit: Edit) -> Key:
    return edit.start, edit.end, edit.correction


def _count(ours: frozenset[Key], theirs: frozenset[Key]) -> tuple[int, int, int]:
    return len(ours & theirs), len(ours - theirs), len(theirs - ours)
