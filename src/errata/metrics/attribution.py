"""The contribution of each edit to the score of a hypothesis, by any metric (Goto et al. 2025)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Any, Literal

import numpy as np

from errata.corpus.apply_edits import Span, apply_edits, levenshtein_edits
from errata.corpus.model import Corpus
from errata.corpus.segment import Segment
from errata.errors import DataError
from errata.metrics.base import Metric
from errata.metrics.edit_metric import EditMetric
from errata.metrics.explanation import Comparison, ExplainedEdit, Explanation
from errata.metrics.statistics import Floats

Method = Literal["add", "sub", "shapley"]
METHODS: tuple[Method, ...] = ("add", "sub", "shapley")
EXACT = 12  # edits up to which all subsets are scored


@dataclass(frozen=True, slots=True)
class Attribution:
    """The contribution of every edit to the difference between the scores of hypothesis and source.

    `scaled` is False if the values of `add` or `sub` sum to 0 and cannot be scaled to that difference.
    """

    metric: str
    method: Method
    source: str
    hypothesis: str
    score: float
    unchanged: float  # the score of the source itself
    edits: tuple[ExplainedEdit, ...]
    sampled: int | None = None  # number of random orders
    scaled: bool = True

    def explanation(self) -> Explanation:
        """For printing: every edit with its value."""
        numbers = {"source": self.unchanged, "hypothesis": self.score}
        comparison = Comparison(self._method_in_words(), numbers, edits=self.edits)
        return Explanation(self.metric, self.source, self.hypothesis, self.score, (comparison,))

    def _method_in_words(self) -> str:
        words = {
            "add": "gain of applying each edit alone",
            "sub": "loss of leaving each edit out",
            "shapley": "Shapley values",
        }[self.method]
        if self.sampled is not None:
            return f"{words}, mean over {self.sampled} random orders ± standard error"
        if self.method == "shapley":
            return words
        return f"{words}, " + ("scaled to the difference" if self.scaled else "not scaled: the sum is 0")


def attribute(
    metric: Metric,
    segment: Segment,
    hypothesis: str,
    method: Method = "shapley",
    *,
    edits: Sequence[Span] | None = None,
    exact: int = EXACT,
    samples: int = 200,
    seed: int = 1,
    jobs: int | None = None,
) -> Attribution:
    """Compute the contribution of each edit of a hypothesis to its score.

    `edits` are (start, end, correction) that turn the source into the hypothesis; by default those that the
    metric extracts, or else the runs of changed tokens. Up to `exact` edits Shapley values are exact; beyond,
    they are means over `samples` random orders, drawn with `seed`. The values sum to the difference between
    the scores of the hypothesis and of the source.
    """
    if method not in METHODS:
        raise DataError(f"there is no attribution {method!r}", hint=f"one of {', '.join(METHODS)}")
    spans = _edits(metric, segment, hypothesis) if edits is None else list(edits)
    tokens, n = segment.tokens, len(spans)
    corpus = Corpus([segment])

    def scores(masks: Sequence[int]) -> Floats:
        """The score of the source with the edits whose bits are set; the same text is scored once."""
        texts = [" ".join(apply_edits(tokens, [e for i, e in enumerate(spans) if m >> i & 1])) for m in masks]
        return metric.score_batch(corpus, [texts], jobs=jobs)[0]

    everything = (1 << n) - 1
    errors: Sequence[float | None] = [None] * n
    sampled, scaled = None, True
    if method == "shapley" and n <= exact:
        of_subsets = scores(range(1 << n))
        values, ends = _shapley(of_subsets, n), (of_subsets[0], of_subsets[-1])
    elif method == "shapley":
        values, errors, ends = _sampled(scores, n, samples, seed)
        sampled = samples
    else:
        single = [1 << i if method == "add" else everything ^ 1 << i for i in range(n)]
        none, whole, *others = scores([0, everything, *single])
        gains = np.array(others) - none if method == "add" else whole - np.array(others)
        ends = none, whole
        values, scaled = _scaled(gains, ends[1] - ends[0])
    attributed = tuple(
        ExplainedEdit(start, end, " ".join(tokens[start:end]), text, value=float(value), error=error)
        for (start, end, text), value, error in zip(spans, values, errors, strict=True)
    )
    return Attribution(
        metric.signature, method, segment.source, hypothesis, float(ends[1]), float(ends[0]), attributed,
        sampled, scaled,
    )  # fmt: skip


def _edits(metric: Metric, segment: Segment, hypothesis: str) -> list[Span]:
    if isinstance(metric, EditMetric) and metric.edits_from_source:
        edits = metric.extractor.extract(segment.source, hypothesis)
        return [(edit.start, edit.end, edit.correction) for edit in edits]
    return levenshtein_edits(segment.tokens, hypothesis.split())


def _shapley(scores: Floats, n: int) -> Floats:
    """Σ over subsets without the edit of |S|!(n−|S|−1)!/n! · gain; subsets are numbered by their bits."""
    masks = np.arange(1 << n)
    sizes = sum((masks >> i & 1 for i in range(n)), np.zeros_like(masks))
    weights = np.array([factorial(k) * factorial(n - k - 1) / factorial(n) for k in range(n)] or [0.0])
    values = np.empty(n)
    for i in range(n):
        without = masks[masks >> i & 1 == 0]
        values[i] = (weights[sizes[without]] * (scores[without | 1 << i] - scores[without])).sum()
    return values


def _sampled(
    scores: Any, n: int, samples: int, seed: int
) -> tuple[Floats, list[float | None], tuple[Any, Any]]:
    """Mean gains along random orders, a fresh one each time, with their standard errors."""
    if samples < 2:
        raise DataError("a standard error needs at least two random orders", hint="give more samples")
    generator = np.random.default_rng(seed)
    orders = np.array([generator.permutation(n) for _ in range(samples)])
    masks: dict[int, int] = {}
    paths = np.empty((samples, n + 1), dtype=np.int64)
    for row, order in enumerate(orders.tolist()):
        mask = 0
        paths[row, 0] = masks.setdefault(mask, len(masks))
        for step, edit in enumerate(order, 1):
            mask |= 1 << edit
            paths[row, step] = masks.setdefault(mask, len(masks))
    along = scores(list(masks))[paths]
    gains = np.empty((samples, n))
    np.put_along_axis(gains, orders, np.diff(along, axis=1), axis=1)
    errors = gains.std(axis=0, ddof=1) / np.sqrt(samples)
    return gains.mean(axis=0), errors.tolist(), (along[0, 0], along[0, -1])


def _scaled(gains: Floats, difference: float) -> tuple[Floats, bool]:
    total = gains.sum()
    if abs(total) < 1e-12:
        return gains, abs(difference) < 1e-12
    return gains * (difference / total), True
