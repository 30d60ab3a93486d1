"""ERRANT (Bryant, Felice & Briscoe 2017): F over automatically extracted and typed edits.

Edits are extracted from source and hypothesis, and compared with those of every annotator. Each sentence has
the annotator that gives the best F of the totals up to there. With spaCy and errant's word list the numbers
are those of the official `errant_compare`. SentERRANT is a mean over sentences instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.segment import Edit, Segment
from errata.metrics.base import NativeScanMetric, SentenceMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.edit_matching import MODES, Matching, TypedMetric, TypeScores, at_level, count_types
from errata.metrics.edit_metric import EditMetric
from errata.metrics.explanation import Explanation
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Numbers, Statistics, cut_segments
from errata.metrics.totals import prf
from errata.native import scans

if TYPE_CHECKING:
    from errata.significance.permutation import Swapper


class RoundedFMetric(NativeScanMetric):
    """Base of F of right, wrong and missed edits, whose annotators are compared by F of four digits."""

    beta: float

    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn")

    @property
    def scan_rule(self) -> tuple[int, float]:
        """Annotators are compared by F of the totals, rounded to four digits."""
        return scans.ROUNDED_F, self.beta**2

    def from_totals(self, totals: Numbers) -> Floats:
        """F, P and R of total counts, and the counts."""
        return np.concatenate([self._prf(totals), totals], axis=1)

    def swapper(self, systems: Sequence[Statistics]) -> Swapper:
        """Scores of pairs with segments swapped; most segments have the same row in every permutation."""
        from errata.significance.permutation_pruning import never_chosen_by_f, running_swapper

        unused = never_chosen_by_f(systems, [statistics.values for statistics in systems], self.beta)
        return running_swapper(systems, unused, self.scan_rule, lambda totals: self._prf(totals)[:, 0])

    def _prf(self, counts: Numbers) -> Floats:
        """F, P and R, unrounded, of rows of counts."""
        tp, fp, fn = counts.T.astype(np.float64)
        return np.stack(prf(tp, fp, fn, self.beta), axis=1)


_INSTEAD = dict.fromkeys(("memory", "work"), "edits of a Levenshtein alignment, without categories")


@dataclass(frozen=True)
class ERRANT(RoundedFMetric, EditMetric, TypedMetric):
    """F of the edits between source and hypothesis against those of the references.

    `mode` compares corrections, or spans and tokens for detection; with `types`, types must agree as well.
    `length` restricts it to edits of one token (`single`) or of more (`multi`), and `exclude` leaves out
    types (separated by +). An edit that an annotator has twice counts twice, as officially, or with `once`
    a single time.
    """

    mode: str = parameter("correction", choices=MODES)
    types: bool = False
    length: str = parameter("", choices=("", "single", "multi"))
    exclude: str = ""
    once: bool = False
    beta: float = parameter(0.5, at_least=0)

    name: ClassVar[str] = "errant"
    title: ClassVar[str] = "ERRANT"
    counts_natively: ClassVar[bool] = True

    def settings(self) -> dict[str, object]:
        """The settings of the extractor, and those parameters that are not at their defaults."""
        usual = {"types": False, "length": "", "exclude": "", "once": False}
        return {k: v for k, v in super().settings().items() if k not in usual or usual[k] != v}

    @property
    def matching(self) -> Matching:
        excluded = frozenset(filter(None, self.exclude.split("+")))
        return Matching(self.mode, self.types, self.length, excluded, self.once)

    # -- statistics --------------------------------------------------------------------------------

    def counts(self, batch: Batch) -> Statistics:
        """Counts of right, wrong and missed edits for every segment and annotator."""
        base, numbers = batch.distinct
        references = self.reference_keys(base, self.matching, batch.jobs)
        keys, exceeded = self.hypothesis_keys(batch, self.matching)
        values, offsets, annotators = references.counts(keys, numbers)
        require_references(np.diff(offsets), self.name, batch.corpus.first)
        limits = {**references.exceeded(numbers), **exceeded}
        texts = batch.corpus.vocabulary.encode_lines(batch.hypotheses)
        cuts = cut_segments(limits, batch.corpus.source_ids, texts, _INSTEAD)
        return Statistics(self.columns, values, offsets, annotators, cuts)

    # -- types -------------------------------------------------------------------------------------

    def by_type(
        self, corpus: Corpus, hypotheses: Sequence[str], level: int = 2, *, jobs: int | None = None
    ) -> TypeScores:
        """Counts and scores of every error type, against the annotators the corpus score chose."""
        counts: dict[str, list[int]] = {}
        for _, edits, gold in self.compared(corpus, hypotheses, jobs=jobs):
            count_types(self.matching.keys(edits), self.matching.keys(gold), counts)
        return TypeScores({name: (a, b, c) for name, (a, b, c) in at_level(counts, level).items()}, self.beta)

    def compared(
        self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None
    ) -> Iterator[tuple[Segment, tuple[Edit, ...], tuple[Edit, ...]]]:
        """Segments with the hypothesis's edits and those of the annotator the corpus score chose."""
        statistics = self.statistics(corpus, hypotheses, jobs=jobs)
        edits = self.hypothesis_edits(corpus, hypotheses, jobs)
        references = self.reference_edits(corpus)
        for i, row in enumerate(self.chosen(statistics).tolist()):
            if row >= 0:
                yield corpus[i], edits[i], references[i][row - int(statistics.offsets[i])]

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The edits of a hypothesis, each right or wrong, and those that it misses."""
        from errata.metrics.explainers import explain_errant

        return explain_errant(self, segment, hypothesis)


@dataclass(frozen=True)
class SentERRANT(EditMetric, SentenceMetric):
    """The mean over sentences of ERRANT's F_β, each sentence against its best annotator.

    A sentence without gold edits that was left alone has 1.
    """

    beta: float = parameter(0.5, at_least=0)

    name: ClassVar[str] = "senterrant"
    title: ClassVar[str] = "SentERRANT"
    parts: ClassVar[tuple[str, ...]] = ("f",)
    counts_natively: ClassVar[bool] = True

    @property
    def errant(self) -> ERRANT:
        """The metric that scores the sentences."""
        return ERRANT(self.language, self.tagger, self.words, self.merge, self.references, beta=self.beta)

    def scores(self, batch: Batch) -> Floats:
        """F of every sentence."""
        return self.errant.sentence_scores(self.errant.counts(batch))

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The explanation of ERRANT."""
        return self.errant.explain(segment, hypothesis)
