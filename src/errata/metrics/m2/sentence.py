"""M² of single sentences in a loop: what does not change is encoded once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from errata.corpus.columns import AnnotationColumns, EditColumns, encode_edits
from errata.corpus.model import Annotation, Segment
from errata.metrics.m2.alignment import Span, count_edits, too_long
from errata.metrics.m2.limits import plain_counts, plain_spans
from errata.metrics.statistics import Integers
from errata.text.vocabulary import SentenceVocabulary

if TYPE_CHECKING:
    from errata.metrics.m2 import M2, M2Sentence

_MOST_TOKENS = 1 << 20  # a scorer that has seen more distinct tokens forgets those of hypotheses


class M2Scorer:
    """Scores one hypothesis after another of the same source against the same references."""

    def __init__(self, metric: M2, source: str, annotations: Sequence[Annotation]) -> None:
        self.metric = metric
        self._segment = Segment(source, tuple(annotations))
        self._words = source.split()
        self._prepare()

    def _prepare(self) -> None:
        self._vocabulary = SentenceVocabulary()
        self._source = self._vocabulary.encode([self._words])
        rows = AnnotationColumns.of([self._segment.annotations])
        rows = replace(rows, edits=EditColumns.of([a.edits for a in self._segment.annotations]))
        self._gold = encode_edits(rows, self._source.lengths, self._vocabulary)
        self._unchanged = [[0, 0, gold] for gold in np.diff(self._gold.edits).tolist()]

    def __call__(self, hypothesis: str) -> M2Sentence:
        """F of the best annotator (or the last one, if the metric says so), with its counts."""
        metric = self.metric
        words = hypothesis.split()
        counts = self._unchanged if words == self._words else self._count(words)[0].tolist()
        rows = [metric.sentence_score(a, *row) for a, row in enumerate(counts)]
        if metric.sentence == "last" or len(rows) == 1:
            return rows[-1]
        return max(rows, key=lambda row: (row.f, row.correct, -row.proposed - metric.beta**2 * row.gold))

    def align(self, hypothesis: str) -> tuple[Integers, list[Span]]:
        """Counts for every annotator, and the edits for the last of them."""
        values, edits = self._count(hypothesis.split())
        return values, [(a, b, c, d) for a, b, c, d in edits.tolist()]

    def _count(self, words: list[str]) -> tuple[Integers, npt.NDArray[np.int32]]:
        if len(self._vocabulary) > _MOST_TOKENS:
            self._prepare()
        text = self._vocabulary.encode([words])
        gold, unchanged = self._gold, self.metric.max_unchanged_words
        long = too_long(self._source, text, gold, unchanged)
        if long[0]:
            annotations = self._segment.annotations
            counts = plain_counts(self.metric, self._segment.source, " ".join(words), annotations)
            return np.array(counts, dtype=np.int64).reshape(-1, 3), plain_spans(self._words, words)
        letters = self.metric.letters(self._vocabulary)
        values, _, edits = count_edits(self._source, text, gold, letters, unchanged, long)
        return values, edits
