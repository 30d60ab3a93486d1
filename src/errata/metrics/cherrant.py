"""ChERRANT (Zhang et al. 2022): F over the edits of characters, for Chinese."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from errata.corpus.cherrant import answer_edits, answer_numbers
from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, EditedLine
from errata.edits.chinese import MOST_ALIGNMENTS, ChineseExtractor, Resources, characters
from errata.errors import DataError
from errata.metrics.base import Need
from errata.metrics.batch import Batch, require_references
from errata.metrics.edit_keys import Keys, ReferenceKeys
from errata.metrics.edit_matching import Matching
from errata.metrics.errant import RoundedFMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Statistics, cut_segments
from errata.text.vocabulary import Vocabulary

_INSTEAD = {
    "work": f"edits of the first {MOST_ALIGNMENTS:,} alignments of least cost, or of a plain alignment"
}


@dataclass(frozen=True)
class ChERRANT(RoundedFMetric):
    """F_β of edits against the answer that gives the best F of the totals.

    An answer has the edits of all its alignments of least cost. `edits="given"` compares the edits of
    ChERRANT's own files, for the gold and for the outputs. `extracted` extracts the edits of both sides from
    the texts; this is official if `resources` names the folder with ChERRANT's thesaurus and confusion sets,
    and otherwise approximate. `unit` is then the unit of the texts: `character`, or `word` for texts with
    blanks between the words, which is approximate because words have no tags.
    """

    edits: Literal["extracted", "given"] = "extracted"
    unit: Literal["character", "word"] = "character"
    resources: str = ""
    beta: float = parameter(0.5, at_least=0)

    name: ClassVar[str] = "cherrant"
    white_space = "unicode"
    title: ClassVar[str] = "ChERRANT"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})

    def settings(self) -> dict[str, object]:
        """The parameters, how texts are divided, and whether the edits are not those of the program."""
        settings = dict(super().settings())
        unit, _ = settings.pop("unit"), settings.pop("resources")
        if self.edits == "given":
            return {"segmenter": "as-given", **settings}
        settings["segmenter"] = "blanks" if unit == "word" else "characters"
        if self.resources:
            settings["resources"] = _extractor(self.resources, words=False).resources.digest
        return settings if self.is_official else {"approximate": True, **settings}

    @property
    def is_official(self) -> bool:
        """Whether the edits are those of the official program."""
        return self.edits == "given" or (bool(self.resources) and self.unit == "character")

    def label(self, part: str) -> str:
        """The name of a part in a table; `≈` marks edits that are not those of the official program."""
        name = super().label(part)
        return name if self.is_official else name.replace(self.title, f"{self.title}≈", 1)

    def counts(self, batch: Batch) -> Statistics:
        """Counts of right, wrong and missed edits for every segment and answer."""
        corpus, numbers = batch.distinct
        references = self._references(corpus)
        edits, incomplete = self._hypotheses(batch)
        values, offsets, answers = references.counts(_keys(edits, corpus.vocabulary), numbers)
        if not corpus.names:  # a file of ChERRANT may have sentences without a correction
            require_references(np.diff(offsets), self.name, batch.corpus.first)
        limits = dict.fromkeys([*incomplete, *references.exceeded(numbers)], "work")
        cuts = cut_segments(limits, batch.sources, batch.hypotheses, _INSTEAD)
        return Statistics(self.columns, values, offsets, answers, cuts)

    def _references(self, corpus: Corpus) -> ReferenceKeys:
        """The keys of the edits of every answer, computed once for all systems."""

        def compute() -> ReferenceKeys:
            incomplete: set[int] = set()
            if self.edits == "given":
                by_segment = answer_edits(corpus)
            else:
                by_segment, incomplete = self._extracted_answers(corpus)
            rows = [edits for answers in by_segment for edits in answers.values()]
            offsets = np.cumsum([0, *map(len, by_segment)], dtype=np.int64)
            answers = np.array([number for answers in by_segment for number in answers], dtype=np.int64)
            limits = dict.fromkeys(incomplete, "work")
            return ReferenceKeys(_keys(rows, corpus.vocabulary), offsets, answers, limits)

        return corpus.once((self.name, self.edits, self.unit, self.resources), compute)

    def _extracted_answers(self, corpus: Corpus) -> tuple[list[dict[int, list[Edit]]], set[int]]:
        """The edits of every answer, and the rows with too many alignments."""
        numbers, row = answer_numbers(corpus), 0
        by_segment, incomplete = [], set()
        for index, segment in enumerate(corpus):
            answers: dict[int, list[Edit]] = {}
            with corpus.at(index):
                for annotation in segment.annotations:
                    number = numbers[annotation.annotator]
                    if number not in answers:
                        answers[number], complete = self._extract(segment.source, annotation.text)
                        if not complete:
                            incomplete.add(row)
                        row += 1
            by_segment.append(answers)
        return by_segment, incomplete

    def _hypotheses(self, batch: Batch) -> tuple[list[Sequence[Edit]], set[int]]:
        """The edits of every hypothesis, and the hypotheses with too many alignments."""
        edits: list[Sequence[Edit]] = []
        incomplete: set[int] = set()
        for index, (source, line) in enumerate(zip(batch.sources, batch.hypotheses, strict=True)):
            if self.edits == "extracted":
                with batch.corpus.at(index):
                    extracted, complete = self._extract(source, line)
                edits.append(extracted)
                if not complete:
                    incomplete.add(index)
            elif isinstance(line, EditedLine):
                edits.append(line.edits)
            else:
                raise DataError(
                    f"the output for segment {batch.corpus.first + index} is a text, not edits",
                    hint="give outputs as files of ChERRANT that end in .m2, or leave out edits=given",
                )
        return edits, incomplete

    def _extract(self, source: str, text: str) -> tuple[list[Edit], bool]:
        """The edits of all alignments together, and whether there were not too many."""
        extractor = _extractor(self.resources, words=self.unit == "word")
        divide = str.split if self.unit == "word" else characters
        sequences, complete = extractor.sequences(
            divide(source), divide(extractor.resources.simplified(text))
        )
        return [edit for sequence in sequences for edit in sequence], complete


@lru_cache(maxsize=4)
def _extractor(resources: str, *, words: bool) -> ChineseExtractor:
    return ChineseExtractor(Resources.read(resources) if resources else None, words=words)


def _keys(rows: Iterable[Sequence[Edit]], vocabulary: Vocabulary) -> Keys:
    """The keys of edits by place and correction, without its blanks."""
    without_blanks = [
        [replace(edit, correction=edit.correction.replace(" ", "")) for edit in row] for row in rows
    ]
    return Keys.of_objects(Matching(), without_blanks, vocabulary)
