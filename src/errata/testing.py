"""A conformance check for metrics: whether a class of one's own keeps the contract all else relies on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import is_dataclass
from itertools import pairwise

import numpy as np

from errata import sample
from errata.corpus.model import Corpus, Segment
from errata.metrics.base import Metric, Statistics


def check_metric(metric: Metric) -> None:
    """Raise AssertionError, with a sentence that says what is wrong, unless the metric keeps the contract."""
    corpus, outputs = (made := sample.load("en")).corpus, made.outputs
    _check_class(metric)
    for system, hypotheses in outputs.items():
        statistics = metric.statistics(corpus, hypotheses)
        _check_statistics(metric, statistics, len(corpus))
        _check_threads(metric, statistics, metric.statistics(corpus, hypotheses, jobs=1), system)
        _check_scores(metric, statistics)
        _check_weights(metric, statistics)
        _check_features(metric, statistics)
        _check_chunks(metric, statistics)
        _check_references(metric, corpus, hypotheses, statistics)


def _check_class(metric: Metric) -> None:
    cls = type(metric)
    assert is_dataclass(cls), f"{cls.__name__} must be a dataclass"
    assert cls.__dataclass_params__.frozen, f"{cls.__name__} must be frozen"  # type: ignore[attr-defined]
    assert metric == cls(**metric.parameters), "a metric must be equal to one with the same parameters"
    assert metric.parts, "parts must name at least the score"
    assert set(metric.shown) <= set(metric.parts), "shown must be among the parts"
    assert metric.name in metric.signature, "the signature must name the metric"
    assert "\n" not in metric.signature, "the signature must be one line"


def _check_statistics(metric: Metric, statistics: Statistics, segments: int) -> None:
    assert statistics.columns == metric.columns, "the statistics' columns must be the metric's"
    assert statistics.values.dtype == np.int64, "statistics are int64"
    assert statistics.values.shape == (len(statistics.references), len(metric.columns)), "one value a column"
    assert len(statistics) == segments, "the statistics must cover every segment"
    assert statistics.offsets[0] == 0, "offsets begin at 0"
    assert statistics.offsets[-1] == len(statistics.values), "offsets end at the number of rows"
    assert all(a <= b for a, b in pairwise(statistics.offsets.tolist())), "offsets must not fall"


def _check_threads(metric: Metric, several: Statistics, one: Statistics, system: str) -> None:
    same = np.array_equal(several.values, one.values) and np.array_equal(several.offsets, one.offsets)
    assert same, f"{system}: the statistics depend on the number of threads"


def _check_scores(metric: Metric, statistics: Statistics) -> None:
    scores = metric.sentence_scores(statistics)
    assert scores.shape == (len(statistics),), "sentence_scores must give a score a segment"
    assert not np.isnan(scores).any(), "a sentence score is not a number"
    again = metric.score(statistics).parts
    assert again == metric.score(statistics).parts, "the same statistics must give the same score"
    assert set(again) == set(metric.parts), "aggregate must give every part"


def _check_weights(metric: Metric, statistics: Statistics) -> None:
    """A segment of weight w must count as one that stands there w times; weight 0 as one left out."""
    generator = np.random.default_rng(0)
    weights = generator.integers(0, 3, size=(3, len(statistics)))
    together = metric.aggregate(statistics, weights)
    assert together.shape == (3, len(metric.parts)), "aggregate gives samples × parts"
    for sample_weights, parts in zip(weights, together, strict=True):
        repeated = statistics.select(np.repeat(np.arange(len(statistics)), sample_weights))
        ones = np.ones((1, len(repeated)), dtype=np.int64)
        alone = metric.aggregate(repeated, ones)[0]
        assert np.allclose(alone, parts, rtol=0, atol=1e-12, equal_nan=True), (
            f"weights {parts} and repeated segments {alone} must give the same score"
        )


def _check_references(
    metric: Metric, corpus: Corpus, hypotheses: Sequence[str], statistics: Statistics
) -> None:
    """Rows by reference must be those of the reference alone."""
    if not metric.by_reference:
        return
    some = range(min(len(corpus), 5))
    rows = metric.each_reference(corpus.select(some), [hypotheses[i] for i in some])
    counts = [len(corpus[i].annotations) for i in some]
    assert len(rows) == sum(counts), "by_reference promises a row for every reference"
    alone = Corpus([Segment(corpus[i].source, (a,)) for i in some for a in corpus[i].annotations])
    texts = [hypotheses[i] for i, count in zip(some, counts, strict=True) for _ in range(count)]
    assert np.array_equal(rows.values, metric.statistics(alone, texts).values), (
        "by_reference promises rows that do not depend on the other references"
    )


def _check_features(metric: Metric, statistics: Statistics) -> None:
    """Scores from sums of features must be those of `aggregate`; none where there are none."""
    features = metric.features(statistics)
    if features is None:
        return
    assert len(features) == len(statistics), "features has a row for every segment"
    weights = np.random.default_rng(1).integers(0, 3, size=(4, len(statistics)))
    assert np.allclose(
        metric.from_sums(weights @ features), metric.aggregate(statistics, weights), rtol=0, atol=1e-9,
        equal_nan=True,
    ), "from_sums of the features' weighted sums must be what aggregate gives"  # fmt: skip


def _check_chunks(metric: Metric, statistics: Statistics) -> None:
    """A score made of chunks must be the score of the whole, to the last bit."""
    ones = np.ones((1, len(statistics)), dtype=np.int64)
    whole = metric.score(statistics).parts
    assert np.allclose(
        list(whole.values()), metric.aggregate(statistics, ones)[0], rtol=0, atol=1e-9, equal_nan=True
    ), "a running score must be what aggregate gives"
    for size in (1, 7, len(statistics)):
        running = metric.running()
        for start in range(0, len(statistics), size):
            running.add(statistics.select(np.arange(start, min(start + size, len(statistics)))))
        parts = dict(zip(metric.parts, running.parts().tolist(), strict=True))
        assert parts == whole or np.array_equal(list(parts.values()), list(whole.values()), equal_nan=True), (
            f"chunks of {size} give {parts}, the whole {whole}"
        )
