"""The I-measure (Felice & Briscoe 2015): how much better or worse than the source a hypothesis is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from errata.corpus.model import Corpus, Segment
from errata.errors import ErrataError
from errata.metrics.base import Floats, Integers, Metric, Statistics, check_lengths
from errata.metrics.encoding import require_references
from errata.metrics.imeasure_candidates import candidate_rows, count_columns
from errata.metrics.imeasure_limits import cut_segments
from errata.metrics.running import Running, Scanned, Summed

if TYPE_CHECKING:
    from errata.metrics.imeasure_explanation import Explanation

ASPECTS = {"c": "correction", "d": "detection"}
MEASURES = ("acc", "f", "i", "p", "r", "wacc")
MAXIMISE = tuple(aspect + measure for aspect in ASPECTS for measure in MEASURES)


@dataclass(frozen=True)
class IMeasure(Metric):
    """Improvement over leaving the source as it is, from −1 to 1; 0 = as good as the source.

    `mix` combines the annotators' corrections in every way (the official default; the numbers that papers
    report are without). `weight` is that of a change in weighted accuracy, `beta` that of recall in F.
    `maximise` is what the best reference is chosen by: c or d for correction or detection and one of
    acc, f, i, p, r, wacc. `optimise` is "sentence", or "corpus" to choose by the running totals.
    `retokenize` splits edits' corrections as in the Penn Treebank, as the official program does; texts
    given as references are never touched.
    """

    mix: bool = False
    weight: float = 2.0
    beta: float = 1.0
    maximise: str = "cwacc"
    optimise: str = "sentence"
    retokenize: bool = True
    max_candidates: int = 10_000

    name: ClassVar[str] = "imeasure"
    title: ClassVar[str] = "I-measure"
    # Detection follows: an fpn (a wrong change where one was needed) is a tp there instead of fp and fn.
    columns: ClassVar[tuple[str, ...]] = ("tp", "tn", "fp", "fn", "fpn", "base_tn", "base_fn")
    parts: ClassVar[tuple[str, ...]] = (
        "i", "wacc", "wacc_base", "precision", "recall", "f", "accuracy", "accuracy_base",
        "tp", "tn", "fp", "fn", "fpn",
        "d_i", "d_wacc", "d_precision", "d_recall", "d_f", "d_accuracy",
        "d_tp", "d_tn", "d_fp", "d_fn",
    )  # fmt: skip
    reads: ClassVar[Literal["edits", "texts"]] = "edits"

    def __post_init__(self) -> None:
        if self.maximise not in MAXIMISE:
            raise ErrataError(
                f"the I-measure cannot maximise {self.maximise!r}\n  hint: one of {', '.join(MAXIMISE)}"
            )
        if self.optimise not in ("sentence", "corpus"):
            raise ErrataError(f"the I-measure cannot optimise {self.optimise!r}\n  hint: sentence or corpus")
        if not (self.weight > 0 and self.beta > 0):
            raise ErrataError("the I-measure's weight and beta have to be greater than 0")

    def statistics(self, corpus: Corpus, hypotheses: Sequence[str], *, jobs: int | None = None) -> Statistics:
        check_lengths(corpus, hypotheses)
        require_references([len(segment.annotations) for segment in corpus], self.name, corpus.first)
        found = candidate_rows(
            corpus, mix=self.mix, retokenize=self.retokenize, limit=self.max_candidates, jobs=jobs
        )
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
        from errata.metrics.imeasure_mixing import with_unlisted

        return with_unlisted(listed, found.unlisted, corpus, hypotheses, self.max_candidates)

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        if self.optimise == "sentence":
            return self._parts(weights @ statistics.values[self.chosen(statistics)])
        totals = np.zeros((len(weights), len(self.columns)), dtype=np.int64)
        self._scan(statistics, weights, totals)
        return self._parts(totals)

    def features(self, statistics: Statistics) -> Floats | None:
        """The counts against the best reference, where each segment chooses it by itself."""
        if self.optimise != "sentence":
            return None
        return statistics.values[self._best_rows(statistics)].astype(np.float64)

    def from_sums(self, sums: Floats) -> Floats:
        return self._parts(sums)

    def running(self) -> Running:
        """Sums of the counts, or the running totals that the references are chosen by."""
        if self.optimise == "sentence":
            return Summed(self)
        return Scanned(len(self.columns), self._scan, self._parts)

    def _parts(self, totals: Integers | Floats) -> Floats:
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

    def sentence_scores(self, statistics: Statistics) -> Floats:
        rows = statistics.values[self._best_rows(statistics)]
        return self.measures(rows)[0]["i"]

    def measures(self, counts: Integers | Floats) -> tuple[dict[str, Floats], dict[str, Floats]]:
        """All measures of rows of counts, for correction and for detection."""
        tp, tn, fp, fn, fpn, base_tn, base_fn = np.moveaxis(counts, -1, 0).astype(np.float64)
        zero = np.zeros_like(tp)
        return (
            self._measures(tp, tn, fp, fn, fpn, base_tn, base_fn),
            self._measures(tp + fpn, tn, fp - fpn, fn - fpn, zero, base_tn, base_fn),
        )

    def _measures(
        self, tp: Floats, tn: Floats, fp: Floats, fn: Floats, fpn: Floats, base_tn: Floats, base_fn: Floats
    ) -> dict[str, Floats]:
        w, b2 = self.weight, self.beta**2
        wacc = _ratio(w * tp + tn, w * (tp + fp) + tn + fn - (w + 1) * fpn / 2)
        base = _ratio(base_tn, base_tn + base_fn)
        with np.errstate(divide="ignore", invalid="ignore"):
            better = (wacc - base) / (1 - base)
            worse = wacc / base - 1
        i = np.where(wacc == base, np.floor(wacc), np.where(wacc > base, better, worse))
        p, r = _ratio(tp, tp + fp), _ratio(tp, tp + fn)
        f = np.where(p + r > 0, (1 + b2) * p * r / np.where(p + r > 0, b2 * p + r, 1), 0.0)
        acc = _ratio(tp + tn, tp + tn + fp + fn - fpn)
        return {
            "acc": acc, "f": f, "i": i, "p": p, "r": r, "wacc": wacc, "acc_base": base, "wacc_base": base
        }  # fmt: skip

    def chosen(self, statistics: Statistics) -> Integers:
        """The row of the reference that counts, for every segment."""
        if self.optimise == "sentence":
            return self._best_rows(statistics)
        totals = np.zeros((1, len(self.columns)), dtype=np.int64)
        return self._scan(statistics, np.ones((1, len(statistics)), dtype=np.int64), totals)

    def _keys(self, counts: Integers) -> list[Floats]:
        """What references are compared by, the most important first."""
        correction, detection = self.measures(counts)
        measure = self.maximise[1:]
        order = (correction, detection) if self.maximise[0] == "c" else (detection, correction)
        return [aspect[name] for aspect in order for name in (measure, "i", "wacc", "acc")]

    def best_row(self, counts: Integers) -> int:
        """The index of the best of some rows of counts."""
        return int(np.lexsort((-np.arange(len(counts)), *reversed(self._keys(counts))))[-1])

    def _best_rows(self, statistics: Statistics) -> Integers:
        owner = np.repeat(np.arange(len(statistics)), statistics.counts)
        rows = np.arange(len(owner))
        order = np.lexsort((-rows, *reversed(self._keys(statistics.values)), owner))
        return order[statistics.offsets[1:] - 1]

    def _scan(self, statistics: Statistics, weights: Integers, totals: Integers) -> Integers:
        """Adds to every sample's totals; the rows chosen in the first: each is best with those before it."""
        found: Integers = statistics.offsets[:-1].copy()
        for segment in range(len(statistics)):
            rows = statistics.values[statistics.offsets[segment] : statistics.offsets[segment + 1]]
            weight = weights[:, segment]
            if len(rows) == 1:
                totals += weight[:, None] * rows[0]
                continue
            order = -np.arange(len(rows))  # of equal ones the first wins
            for times in range(int(weight.max(initial=0))):  # a segment drawn twice is chosen for twice
                samples = np.flatnonzero(weight > times)
                options = totals[samples, None] + rows
                first = np.broadcast_to(order, options.shape[:2])
                best = np.lexsort((first, *reversed(self._keys(options))), axis=-1)[:, -1]
                totals[samples] = options[np.arange(len(samples)), best]
                if times == 0 and len(samples) and samples[0] == 0:
                    found[segment] += best[0]
        return found

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The alignment with the reference that counts, what each column is counted as, and the result."""
        from errata.metrics.imeasure_explanation import explain

        return explain(self, segment, hypothesis)


def _ratio(part: Floats, whole: Floats) -> Floats:
    """part / whole, and 1 where there is nothing."""
    return np.where(whole == 0, 1.0, part / np.where(whole == 0, 1.0, whole))
