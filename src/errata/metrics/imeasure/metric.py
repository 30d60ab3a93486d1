"""The I-measure (Felice & Briscoe 2015): how much better or worse than the source a hypothesis is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from errata.corpus.model import Corpus, Segment
from errata.metrics.base import Need, ScanMetric
from errata.metrics.batch import Batch
from errata.metrics.encoding import require_references
from errata.metrics.imeasure.candidates import Candidates, candidate_rows, count_columns
from errata.metrics.imeasure.limits import cut_segments
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers, Statistics
from errata.text.treebank import NLTK_RELEASE

if TYPE_CHECKING:
    from errata.metrics.imeasure.explanation import Explanation

ASPECTS = {"c": "correction", "d": "detection"}
MEASURES = ("acc", "f", "i", "p", "r", "wacc", "tp", "tn", "fp", "fn", "fpn")
MAXIMISE = tuple(aspect + measure for aspect in ASPECTS for measure in MEASURES)


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
    title: ClassVar[str] = "I-measure"
    # Detection follows: an fpn (a wrong change where one was needed) is a tp there instead of fp and fn.
    columns: ClassVar[tuple[str, ...]] = ("tp", "tn", "fp", "fn", "fpn", "base_tn", "base_fn")
    concurrent: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = (
        "i", "wacc", "wacc_base", "precision", "recall", "f", "accuracy", "accuracy_base",
        "tp", "tn", "fp", "fn", "fpn",
        "d_i", "d_wacc", "d_precision", "d_recall", "d_f", "d_accuracy",
        "d_tp", "d_tn", "d_fp", "d_fn",
    )  # fmt: skip
    needs: ClassVar[frozenset[Need]] = frozenset({"source", "edits"})

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
        self._candidates(corpus, jobs)

    def _candidates(self, corpus: Corpus, jobs: int | None) -> Candidates:
        require_references(corpus.annotation_counts, self.name, corpus.first)
        return candidate_rows(
            corpus, mix=self.mix, retokenize=self.retokenize, limit=self.max_candidates, jobs=jobs
        )

    def counts(self, batch: Batch) -> Statistics:
        """Counts of columns for every segment and candidate reference."""
        corpus, hypotheses, jobs = batch.corpus, batch.hypotheses, batch.jobs
        found = self._candidates(corpus, jobs)
        values = np.empty((len(found.owner), len(self.columns)), dtype=np.int64)
        values[:, 5:] = found.baseline
        texts = corpus.vocabulary.encode_lines(hypotheses)
        sources, cut = corpus.source_ids, np.zeros_like(found.cut)
        count_columns(sources, texts, found.ids, found.owner, values, jobs, cut)
        cut = np.maximum(cut, found.cut)
        cuts = cut_segments(sources, texts, found.ids, found.offsets, values, cut)
        listed = Statistics(self.columns, values, found.offsets, found.references, cuts)
        if not found.unlisted:
            return listed
        from errata.metrics.imeasure.mixing import with_unlisted

        return with_unlisted(listed, found.unlisted, corpus, hypotheses, self.max_candidates)

    def from_totals(self, totals: Numbers) -> Floats:
        """All measures of total counts, for correction and for detection."""
        correction, detection = self.measures(totals)
        counts = np.moveaxis(totals, -1, 0)
        tp, tn, fp, fn, fpn = counts[:5]
        return np.stack(
            [
                *(correction[name] for name in ("i", "wacc", "wacc_base", "p", "r", "f", "acc", "acc_base")),
                *counts[:5].astype(np.float64),
                *(detection[name] for name in ("i", "wacc", "p", "r", "f", "acc")),
                *(count.astype(np.float64) for count in (tp + fpn, tn, fp - fpn, fn - fpn)),
            ],
            axis=-1,
        )

    def measures(self, counts: Numbers) -> tuple[Measures, Measures]:
        """All measures of rows of counts, for correction and for detection."""
        return self._of("c", counts), self._of("d", counts)

    def _of(self, aspect: str, counts: Numbers) -> Measures:
        tp, tn, fp, fn, fpn, *base = np.moveaxis(counts, -1, 0).astype(np.float64)
        if aspect == "d":
            tp, fp, fn, fpn = tp + fpn, fp - fpn, fn - fpn, np.zeros_like(tp)
        return Measures(self, (tp, tn, fp, fn, fpn, *base))

    def better(self, totals: Numbers, rows: Numbers) -> Iterator[Floats]:
        """Compare references by the measure to maximise, then by I, weighted accuracy and accuracy."""
        chosen, measure = self.maximise[0], self.maximise[1:]
        for aspect in sorted(ASPECTS, key=lambda aspect: aspect != chosen):
            found = self._of(aspect, totals)
            yield from (found[name] for name in (measure, "i", "wacc", "acc"))

    def best_row(self, counts: Integers) -> int:
        """The index of the best of some rows of counts."""
        return int(np.lexsort((-np.arange(len(counts)), *reversed([*self.better(counts, counts)])))[-1])

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The alignment with the reference that counts, what each column is counted as, and the result."""
        from errata.metrics.imeasure.explanation import explain

        return explain(self, segment, hypothesis)


class Measures(dict[str, Floats]):
    """Counts and measures by name; a measure is computed when it is first asked for."""

    def __init__(self, metric: IMeasure, counts: Sequence[Floats]) -> None:
        super().__init__(zip(metric.columns, counts, strict=True))
        self._metric = metric

    def __missing__(self, name: str) -> Floats:
        found: Floats = getattr(self, f"_{name}")()
        self[name] = found
        return found

    def _wacc(self) -> Floats:
        w, tp, tn, fp, fn = self._metric.weight, *(self[name] for name in ("tp", "tn", "fp", "fn"))
        return _ratio(w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * self["fpn"] / 2)

    def _wacc_base(self) -> Floats:
        return _ratio(self["base_tn"], self["base_tn"] + self["base_fn"])

    _acc_base = _wacc_base

    def _i(self) -> Floats:
        wacc, base = self["wacc"], self["wacc_base"]
        with np.errstate(divide="ignore", invalid="ignore"):
            better = (wacc - base) / (1 - base)
            worse = wacc / base - 1
        return np.where(wacc == base, np.floor(wacc), np.where(wacc > base, better, worse))

    def _p(self) -> Floats:
        return _ratio(self["tp"], self["tp"] + self["fp"])

    def _r(self) -> Floats:
        return _ratio(self["tp"], self["tp"] + self["fn"])

    def _f(self) -> Floats:
        p, r, b2 = self["p"], self["r"], self._metric.beta**2
        return np.where(p + r > 0, (1 + b2) * p * r / np.where(p + r > 0, b2 * p + r, 1), 0.0)

    def _acc(self) -> Floats:
        right = self["tp"] + self["tn"]
        return _ratio(right, right + self["fp"] + self["fn"] - self["fpn"])


def _ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 1 where there is nothing."""
    return np.where(whole == 0, 1.0, part / np.where(whole == 0, 1.0, whole))
