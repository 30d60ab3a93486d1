"""Metrics over edits or chunks that are weighted by BERTScore: PT-M2, PT-ERRANT and SimCLEME2.

The weight of an edit or chunk is |B(source with this edit alone, reference) − B(source, reference)|. B is
the F of BERTScore without rescaling, which would change all weights by the same factor, and no score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.corpus.apply_edits import apply_edits
from errata.corpus.segment import Annotation, Edit
from errata.metrics.base import Need
from errata.metrics.batch import Batch, require_references
from errata.metrics.bertscore import EncoderMetric, SegmentMeans, similarities
from errata.metrics.cleme import CLEME2, COLUMNS, Chunk, ChunkMetric, SentCLEME2
from errata.metrics.edit_matching import Matching
from errata.metrics.edit_metric import EditMetric
from errata.metrics.m2 import M2
from errata.metrics.m2_edits import view
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Statistics
from errata.metrics.totals import prf

Change = tuple[int, int, str]  # the source tokens start:end become this text
Similarities = dict[tuple[str, str], float]  # BERTScore of pairs of texts


# -- edits: PT-M2 and PT-ERRANT --------------------------------------------------------------------------


class Compared(NamedTuple):
    """One hypothesis against one annotation: the reference text, and the right, wrong and missed edits."""

    source: str
    reference: str
    right: Sequence[Change]
    wrong: Sequence[Change]
    missed: Sequence[Change]


@dataclass(frozen=True)
class WeightedEdits(SegmentMeans):
    """Base of PT-M2 and PT-ERRANT: the mean over sentences of the best annotator's weighted F_β."""

    beta: float = parameter(0.5, at_least=0)

    def weighted(self, segments: Sequence[Sequence[Compared]]) -> npt.ArrayLike:
        """F, precision and recall per segment with its best annotation (the first of equal ones), and 1."""
        weight = self._weights([one for annotators in segments for one in annotators])
        rows = []
        for annotators in segments:
            masses = [[sum(weight(one, e) for e in edits) for edits in one[2:]] for one in annotators]
            right, wrong, missed = np.array(masses, dtype=np.float64).T
            scores = np.stack(prf(right, wrong, missed, self.beta), axis=1)
            rows.append((*scores[np.argmax(scores[:, 0])], 1.0))
        return np.array(rows, dtype=np.float64).reshape(-1, 4)

    def _weights(self, compared: Sequence[Compared]) -> Callable[[Compared, Change], float]:
        """A function for the weight of an edit. All texts are encoded here, at once."""
        pairs = [(one.source, one.reference) for one in compared]
        pairs += [
            (_edited(one.source, e), one.reference) for one in compared for edits in one[2:] for e in edits
        ]
        similarity = similarities(self.encoder, pairs)

        def weight(one: Compared, edit: Change) -> float:
            changed = similarity[_edited(one.source, edit), one.reference]
            return abs(changed - similarity[one.source, one.reference])

        return weight


@dataclass(frozen=True)
class PTM2(WeightedEdits):
    """M² with edits weighted by BERTScore: the mean over sentences of the best annotator's F_β.

    Gong et al. (2022). `model` and `layer` are those of BERTScore.
    """

    max_unchanged_words: int = parameter(2, at_least=0)

    name: ClassVar[str] = "ptm2"
    title: ClassVar[str] = "PT-M²"
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    of_tokens: ClassVar[bool] = True

    def features(self, batch: Batch) -> npt.ArrayLike:
        """The best alignment with each annotation decides which edits are right."""
        require_references(batch.corpus.annotation_counts, self.name, batch.corpus.first)
        m2 = M2(self.beta, self.max_unchanged_words)
        return self.weighted(
            [
                [_by_m2(m2, hypothesis, annotation) for annotation in segment.annotations]
                for segment, hypothesis in zip(batch.corpus, batch.hypotheses, strict=True)
            ]
        )


@dataclass(frozen=True)
class PTERRANT(WeightedEdits, EditMetric):
    """ERRANT with edits weighted by BERTScore: the mean over sentences of the best annotator's F_β.

    Gong et al. (2022). `model` and `layer` are those of BERTScore.
    """

    name: ClassVar[str] = "pterrant"
    title: ClassVar[str] = "PT-ERRANT"
    of_tokens: ClassVar[bool] = True

    def features(self, batch: Batch) -> npt.ArrayLike:
        """Edits of hypothesis and reference are compared by span and correction."""
        base, numbers = batch.distinct
        require_references(batch.corpus.annotation_counts, self.name, batch.corpus.first)
        hypotheses = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        references = self.reference_edits(base)
        return self.weighted(
            [
                [
                    _by_errant(annotation, edits, gold)
                    for annotation, gold in zip(base[number].annotations, references[number], strict=True)
                ]
                for number, edits in zip(numbers.tolist(), hypotheses, strict=True)
            ]
        )


def _by_m2(m2: M2, hypothesis: str, annotation: Annotation) -> Compared:
    compared = view(m2, annotation.source, hypothesis, annotation)
    edits = [((e.start, e.end, e.correction), bool(e.matched)) for e in compared.edits]
    missed = [(g.start, g.end, g.corrections[0]) for g in compared.gold if not (g.matched or g.outside)]
    return _compared(annotation, edits, missed)


def _by_errant(annotation: Annotation, edits: Sequence[Edit], gold: Sequence[Edit]) -> Compared:
    matching = Matching()
    edit_keys, gold_keys = matching.keys(edits), matching.keys(gold)
    changes = [(_change(edit), key in gold_keys) for edit in edits for key in matching.keys([edit])]
    missed = [_change(edit) for edit in gold for key in matching.keys([edit]) if key not in edit_keys]
    return _compared(annotation, changes, missed)


def _compared(
    annotation: Annotation, edits: Sequence[tuple[Change, bool]], missed: Sequence[Change]
) -> Compared:
    right = [edit for edit, is_right in edits if is_right]
    wrong = [edit for edit, is_right in edits if not is_right]
    return Compared(annotation.source, annotation.text, right, wrong, missed)


def _change(edit: Edit) -> Change:
    return edit.start, edit.end, edit.correction


def _edited(source: str, edit: Change) -> str:
    """The source with one edit alone."""
    return " ".join(apply_edits(source.split(), [edit]))


# -- chunks: SimCLEME2 -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class WeightedChunks(EncoderMetric, ChunkMetric):
    """Base of SimCLEME2 and SentSimCLEME2: the weights of chunks.

    A missed chunk has the weight of the reference's version. A chunk that is rightly unchanged counts 1.
    `model` and `layer` are those of BERTScore.
    """

    of_tokens: ClassVar[bool] = True
    counts_natively: ClassVar[bool] = False

    def rows(self, batch: Batch) -> Statistics:
        """Weighted counts per segment and reference; weights always differ between references."""
        compared = [
            [_ComparedChunks(chunks, number) for number in range(len(chunks[0].references))]
            for chunks in self.chunks(batch)
        ]
        pairs = [pair for references in compared for one in references for pair in one.pairs()]
        similarity = similarities(self.encoder, pairs)
        rows = [np.array([one.row(similarity) for one in refs], dtype=np.float64) for refs in compared]
        return Statistics.from_lists(COLUMNS, rows, [list(range(len(segment))) for segment in rows])


@dataclass(frozen=True)
class _ComparedChunks:
    """The chunks of a segment against one reference."""

    chunks: Sequence[Chunk]
    reference: int

    @property
    def columns(self) -> list[str]:
        """The column that each counts in: against this reference, or against all of them."""
        return [chunk.columns[self.reference if len(chunk.columns) > 1 else 0] for chunk in self.chunks]

    def pairs(self) -> list[tuple[str, str]]:
        """The pairs of texts whose similarity is needed."""
        texts = [self._alone(place) for place, column in enumerate(self.columns) if column != "tn"]
        return [(text, self._target) for text in [self._source, *texts]]

    def row(self, similarity: Similarities) -> list[float]:
        """The summed weights of every column."""
        sums = dict.fromkeys(COLUMNS, 0.0)
        for place, column in enumerate(self.columns):
            sums[column] += self._weight(place, column, similarity)
        return list(sums.values())

    def _weight(self, place: int, column: str, similarity: Similarities) -> float:
        if column == "tn":
            return 1.0
        return abs(similarity[self._alone(place), self._target] - similarity[self._source, self._target])

    @property
    def _source(self) -> str:
        return _joined([chunk.source for chunk in self.chunks])

    @property
    def _target(self) -> str:
        return _joined([chunk.references[self.reference].tokens for chunk in self.chunks])

    def _alone(self, place: int) -> str:
        """The source with one chunk as in the hypothesis (or, if that missed it, as in the reference)."""
        chunk = self.chunks[place]
        version = chunk.references[self.reference] if self.columns[place] == "fn" else chunk.hypothesis
        parts = [one.source for one in self.chunks]
        parts[place] = version.tokens
        return _joined(parts) or self._source  # as the official program does where nothing is left


def _joined(parts: Sequence[Sequence[str]]) -> str:
    return " ".join(token for part in parts for token in part)


@dataclass(frozen=True)
class SimCLEME2(WeightedChunks, CLEME2):
    """CLEME2 over the corpus (Ye et al. 2025), with chunks weighted by BERTScore."""

    name: ClassVar[str] = "simcleme2"
    title: ClassVar[str] = "SimCLEME2"


@dataclass(frozen=True)
class SentSimCLEME2(WeightedChunks, SentCLEME2):
    """The mean over sentences of CLEME2 (Ye et al. 2025), with chunks weighted by BERTScore."""

    name: ClassVar[str] = "sentsimcleme2"
    title: ClassVar[str] = "SentSimCLEME2"
