"""The I-measure (Felice & Briscoe 2015): how much better or worse than the source a hypothesis is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.segment import Segment
from errata.metrics.base import Need, ScanMetric
from errata.metrics.batch import Batch, require_references
from errata.metrics.imeasure_references import Candidates, candidate_rows, count_columns
from errata.metrics.imeasure_references import candidates as segment_candidates
from errata.metrics.parameters import parameter
from errata.metrics.statistics import (
    Floats,
    Integers,
    Numbers,
    Statistics,
    cut_segments,
    limits_of_rows,
)
from errata.native import imeasure as kernel
from errata.text.tokenizers import NLTK_RELEASE

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation

_LIMITS = {1: "memory", 2: "work"}  # as marks of rows name them
_STAR = "hypothesis and reference aligned with the source, each by itself"
_INSTEAD = {"memory": _STAR, "work": _STAR}
ASPECTS = {"c": "correction", "d": "detection"}
MEASURES = ("acc", "f", "i", "p", "r", "wacc", "tp", "tn", "fp", "fn", "fpn")
MAXIMISE = tuple(aspect + measure for aspect in ASPECTS for measure in MEASURES)
_COUNTS = MEASURES[-5:]
_NAMES = [aspect + name for aspect in ASPECTS for name in (*MEASURES, "wacc_base")]  # as the kernel has them
_PARTS = [
    *(f"c{name}" for name in ("i", "wacc", "wacc_base", "p", "r", "f", "acc", "wacc_base", *_COUNTS)),
    *(f"d{name}" for name in ("i", "wacc", "p", "r", "f", "acc", *_COUNTS[:-1])),
]


@dataclass(frozen=True)
class IMeasure(ScanMetric):
    """Improvement over leaving the source as it is, from −1 to 1; 0 = as good as the source.

    `mix` combines the annotators' corrections in every way (the official default; the numbers that papers
    report are without). `weight` is that of a change in weighted accuracy, `beta` that of recall in F.
    `maximise` is what the best reference is chosen by: c or d for correction or detection and one of
    acc, f, i, p, r, wacc or a count (tp, tn, fp, fn, fpn). `optimise` is "sentence", or "corpus" to choose by
    the running totals.
    `retokenize` splits edits' corrections as in the Penn Treebank, as the official program does; texts
    given as references are never touched.
    """

    mix: bool = False
    weight: float = parameter(2.0, above=0)
    beta: float = parameter(1.0, above=0)
    maximise: str = parameter("cwacc", choices=MAXIMISE)
    optimise: str = parameter("sentence", choices=("sentence", "corpus"))
    retokenize: bool = True
    max_candidates: int = parameter(10_000, at_least=1)

    name: ClassVar[str] = "imeasure"
    white_space = "unicode"
    title: ClassVar[str] = "I-measure"
    # Detection follows: an fpn (a wrong change where one was needed) is a tp there instead of fp and fn.
    columns: ClassVar[tuple[str, ...]] = ("tp", "tn", "fp", "fn", "fpn", "base_tn", "base_fn")
    computed_by = "native"
    parts: ClassVar[tuple[str, ...]] = (
        "i", "wacc", "wacc_base", "precision", "recall", "f", "accuracy", "accuracy_base",
        "tp", "tn", "fp", "fn", "fpn",
        "d_i", "d_wacc", "d_precision", "d_recall", "d_f", "d_accuracy",
        "d_tp", "d_tn", "d_fp", "d_fn",
    )  # fmt: skip
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})
    by_reference: ClassVar[bool] = False

    @property
    def running(self) -> bool:  # type: ignore[override]
        """Whether references are chosen by running totals."""
        return self.optimise == "corpus"

    def settings(self) -> dict[str, object]:
        """The parameters, with the release of NLTK whose tokeniser is followed."""
        retokenize = f"nltk{NLTK_RELEASE}" if self.retokenize else False
        return {**super().settings(), "retokenize": retokenize}

    def prepare(self, corpus: Corpus, jobs: int | None) -> None:
        """Make the candidate references."""
        self._candidates(corpus)

    def _candidates(self, corpus: Corpus) -> Candidates:
        require_references(corpus.annotation_counts, self.name, corpus.first)
        return candidate_rows(corpus, mix=self.mix, retokenize=self.retokenize, limit=self.max_candidates)

    def counts(self, batch: Batch) -> Statistics:
        """Counts of columns for every segment and candidate reference."""
        corpus, hypotheses = batch.corpus, batch.hypotheses
        candidates, sources = self._candidates(corpus), corpus.source_ids
        texts = corpus.vocabulary.encode_lines(hypotheses)
        counts, cut = count_columns(sources, texts, candidates.ids, candidates.owner)
        values = np.concatenate([counts, candidates.baseline], axis=1)
        limits = limits_of_rows(np.maximum(cut, candidates.cut), candidates.offsets, _LIMITS)
        cuts = cut_segments(limits, sources, texts, _INSTEAD)
        listed = Statistics(self.columns, values, candidates.offsets, candidates.references, cuts)
        if not self.mix:  # otherwise the rows already have this order
            rows = self._official_order(listed, candidates, corpus)
            listed = replace(listed, values=values[rows], references=candidates.references[rows])
        if not candidates.unlisted:
            return listed
        from errata.metrics.mixed_references import with_unlisted

        return with_unlisted(listed, candidates.unlisted, corpus, hypotheses, self.max_candidates)

    def _official_order(self, statistics: Statistics, candidates: Candidates, corpus: Corpus) -> Integers:
        """The rows; where different ones tie, in the order of the official program, which takes the first."""
        values, rows = statistics.values, np.arange(len(statistics.values))
        best = np.repeat(self.chosen(statistics, running=False), statistics.counts)
        ties = np.all([key == key[best] for key in self.better(values, values)], axis=0) | self.running
        for segment in sorted({*candidates.owner[ties & (values != values[best]).any(axis=1)].tolist()}):
            begin, end = statistics.offsets[segment : segment + 2].tolist()
            texts = [corpus.vocabulary.some_tokens(ids) for ids in candidates.ids[begin:end].lists()]
            ordered = segment_candidates(corpus[segment], mix=False, retokenize=self.retokenize)
            rows[begin:end] = [begin + texts.index(tokens) for _, tokens in ordered]
        return rows

    def from_totals(self, totals: Numbers) -> Floats:
        """All measures of total counts, for correction and for detection."""
        return np.moveaxis(self.measures(totals, _PARTS), 0, -1)

    def measures(self, counts: Numbers, names: Sequence[str]) -> Floats:
        """Measures of rows of counts, by names such as `cwacc` and `di`; the names are the first axis."""
        wanted = np.array([*map(_NAMES.index, names)], dtype=np.int64)
        rows = np.ascontiguousarray(counts.reshape(-1, len(self.columns)), dtype=np.float64)
        lines: Floats = kernel.measures(rows, self.weight, self.beta**2, wanted)
        return lines.reshape(len(names), *counts.shape[:-1])

    def better(self, totals: Numbers, rows: Numbers) -> Sequence[Floats]:
        """Compare references by the measure to maximise, then by I, weighted accuracy and accuracy."""
        measures = self.maximise[1:], "i", "wacc", "acc"
        aspects = sorted(ASPECTS, reverse=self.maximise[0] == "d")
        return [*self.measures(totals, [aspect + name for aspect in aspects for name in measures])]

    def best_row(self, counts: Integers) -> int:
        """The index of the best of some rows of counts."""
        return int(np.lexsort((-np.arange(len(counts)), *reversed([*self.better(counts, counts)])))[-1])

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The alignment with the chosen reference, and the numbers of all references."""
        from errata.metrics.explainers import explain_imeasure

        return explain_imeasure(self, segment, hypothesis)
