"""A conformance check for metrics: `check_metric` tests the contract of `errata.metrics.base`."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, get_args

import numpy as np

from errata import sample
from errata.corpus.model import Chunk, Corpus
from errata.corpus.segment import Segment
from errata.metrics import METRICS
from errata.metrics.base import ComputedBy, Metric, Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.evaluate import evaluate
from errata.metrics.results import Results
from errata.metrics.statistics import Numbers, Statistics


def check_metric(metric: Metric) -> None:
    """Raise an AssertionError that says what is wrong, unless the metric fulfils the contract.

    The metric is run on the embedded sample. Its statistics, weights, chunks, threads and references are
    checked.
    """
    _check_class(metric)
    loaded = sample.load("en")
    corpus, outputs = loaded.corpus, loaded.outputs
    if not metric.needs & {"references", "edits"}:
        corpus = Corpus([Segment(segment.source) for segment in corpus])  # a metric without references
    settled = _first_pass(metric, corpus, outputs)
    for system, hypotheses in outputs.items():
        batch = Batch(corpus, hypotheses, settled=settled, system=system)
        statistics = _computed(metric, batch)
        _check_statistics(metric, statistics, len(corpus))
        again = _computed(metric, batch)
        assert np.array_equal(statistics.values, again.values, equal_nan=True), (
            "the same texts must give the same numbers: take random numbers from a generator with a seed"
        )
        _check_scores_of_sums(metric, statistics)
        _check_threads(
            metric, statistics, metric.compute(Batch(corpus, hypotheses, 1, settled, system)), system
        )
        _check_weights(metric, statistics)
        _check_scores(metric, statistics)
        _check_sums(metric, statistics)
        _check_chunks(metric, statistics)
        _check_swaps(metric, statistics)
        _check_references(metric, corpus, hypotheses)
    if not metric.first_pass:
        _check_white_space(metric, corpus, next(iter(outputs.values())))
    _check_pipeline(metric, corpus, outputs)


def _computed(metric: Metric, batch: Batch) -> Statistics:
    try:
        return metric.compute(batch)
    except Exception as error:
        what = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise AssertionError(f"the statistics cannot be computed: {what}") from error


def _first_pass(metric: Metric, corpus: Corpus, outputs: Mapping[str, Sequence[str]]) -> Mapping[str, Any]:
    if not metric.first_pass:
        return {}
    observed = metric.observe({name: Batch(corpus, lines) for name, lines in outputs.items()})
    return metric.settled([observed])


def _check_class(metric: Metric) -> None:
    cls = type(metric)
    assert hasattr(cls, "name"), f'{cls.__name__} needs a name: name: ClassVar[str] = "..."'
    assert cls.name.isidentifier(), f"the name {cls.name!r} must be one word of letters, digits and _"
    own = cls.__module__.startswith("errata.") or cls.name not in METRICS
    assert own, f"{cls.name} is the name of a metric of errata"
    assert is_dataclass(cls), f"{cls.__name__} must be a dataclass"
    assert cls.__dataclass_params__.frozen, f"{cls.__name__} must be frozen"  # type: ignore[attr-defined]
    assert isinstance(metric, SentenceMetric) or hasattr(cls, "columns"), (
        f"{cls.__name__} needs columns, the names of the numbers in a row"
    )
    assert metric == cls(**metric.parameters), "a metric must be equal to one with the same parameters"
    assert _pickled(metric) == metric, "a metric must survive pickling, since it is sent to worker processes"
    assert metric.parts, "parts must name at least the score"
    assert set(metric.shown) <= set(metric.parts), "shown must be among the parts"
    taken = {
        "metric", "refs", "kind", "data", "first", "tokens", "outputs", "prep", "benchmark", "segments",
        "cut", "limits", "version",
    }  # fmt: skip
    assert not taken & set(metric.parameters), f"parameters must not be called {', '.join(sorted(taken))}"
    assert metric.needs <= {*get_args(Need)}, (
        f"needs may contain source, references, edits and types, not {', '.join(sorted(metric.needs))}"
    )
    assert metric.computed_by in get_args(ComputedBy), "computed_by is python, native or model"
    assert metric.signature.split("|")[0] == metric.name, "the signature must begin with the metric's name"
    assert "\n" not in metric.signature, "the signature must be one line"


def _pickled(metric: Metric) -> Any:
    try:
        return pickle.loads(pickle.dumps(metric))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None  # for example, the class is defined inside a function


def _check_statistics(metric: Metric, statistics: Statistics, segments: int) -> None:
    assert statistics.columns == metric.columns, "the statistics' columns must be the metric's"
    assert len(statistics) == segments, "the statistics must cover every segment"
    problem = statistics.problem()
    assert problem is None, f"the statistics are malformed: {problem}"
    unpacked = Statistics.joined([statistics.packed()])
    assert unpacked.values.dtype == statistics.values.dtype, "packing must keep the type of the numbers"
    assert np.array_equal(unpacked.values, statistics.values, equal_nan=True), "packing must be lossless"


def _check_scores_of_sums(metric: Metric, statistics: Statistics) -> None:
    weights = np.ones((2, len(statistics)), dtype=np.int64)
    try:
        shape = np.shape(metric.aggregate(statistics, weights))
    except Exception as error:
        raise AssertionError(f"the score cannot be computed: {type(error).__name__}: {error}") from error
    assert shape == (2, len(metric.parts)), (
        f"scores of 2 samples and the parts {', '.join(metric.parts)} must have the shape "
        f"(2, {len(metric.parts)}), not {shape}: see from_sums, from_totals or aggregate"
    )


def _check_threads(metric: Metric, several: Statistics, one: Statistics, system: str) -> None:
    same = np.array_equal(several.values, one.values, equal_nan=True)
    same = same and np.array_equal(several.offsets, one.offsets)
    assert same, f"{system}: the statistics depend on the number of threads"


def _check_scores(metric: Metric, statistics: Statistics) -> None:
    scores = metric.sentence_scores(statistics)
    assert scores.shape == (len(statistics),), "sentence_scores must give one score per segment"
    assert not np.isnan(scores).any(), "a sentence score is not a number"
    parts = metric.score(statistics).parts
    assert parts == metric.score(statistics).parts, "the same statistics must give the same score"
    assert set(parts) == set(metric.parts), "there must be a number for every part"


def _check_weights(metric: Metric, statistics: Statistics) -> None:
    """A segment of weight w must count as if it occurred w times."""
    generator = np.random.default_rng(0)
    weights = generator.integers(0, 3, size=(3, len(statistics)))
    together = metric.aggregate(statistics, weights)
    assert together.shape == (3, len(metric.parts)), "aggregate gives samples × parts"
    for sample_weights, parts in zip(weights, together, strict=True):
        repeated = statistics.select(np.repeat(np.arange(len(statistics)), sample_weights))
        ones = np.ones((1, len(repeated)), dtype=np.int64)
        alone = metric.aggregate(repeated, ones)[0]
        assert np.allclose(alone, parts, rtol=1e-12, atol=1e-12, equal_nan=True), (
            f"weights {parts} and repeated segments {alone} must give the same score"
        )


def _check_references(metric: Metric, corpus: Corpus, hypotheses: Sequence[str]) -> None:
    """The row of a reference must not depend on the other references."""
    if not metric.by_reference:
        return
    some = range(min(len(corpus), 5))
    rows = metric.each_reference(corpus.select(some), [hypotheses[i] for i in some])
    counts = [len(corpus[i].annotations) for i in some]
    assert len(rows) == sum(counts), "by_reference promises one row for every reference"
    alone = Corpus([Segment(corpus[i].source, (a,)) for i in some for a in corpus[i].annotations])
    texts = [hypotheses[i] for i, count in zip(some, counts, strict=True) for _ in range(count)]
    assert np.array_equal(rows.values, metric.statistics(alone, texts).values), (
        "by_reference promises rows that do not depend on the other references"
    )


def _check_white_space(metric: Metric, corpus: Corpus, hypotheses: Sequence[str]) -> None:
    if metric.white_space == "kept":
        return
    blanks = " \xa0" if metric.white_space == "unicode" else "  "
    texts = [corpus.sources, *zip(*corpus.reference_texts(), strict=True)]

    def values(blank: str) -> Numbers:
        sources, *references = [[text.replace(" ", blank) for text in column] for column in texts]
        same = Corpus.from_lists(sources, [*zip(*references, strict=True)] if references else None)
        return metric.compute(Batch(same, hypotheses)).values

    assert np.array_equal(values(" "), values(blanks), equal_nan=True), (
        'more white space in sources and references changes the numbers: declare white_space = "kept"'
    )


def _check_sums(metric: Metric, statistics: Statistics) -> None:
    """Scores from sums of summands must be those of `aggregate`."""
    rows = metric.summands(statistics)
    if rows is None:
        return
    assert len(rows) == len(statistics), "summands has one row for every segment"
    weights = np.random.default_rng(1).integers(0, 3, size=(4, len(statistics)))
    assert np.allclose(
        metric.from_sums(weights.astype(np.float64) @ rows), metric.aggregate(statistics, weights),
        rtol=1e-9, atol=1e-9, equal_nan=True,
    ), "from_sums of the weighted sums must be what aggregate gives"  # fmt: skip


def _check_chunks(metric: Metric, statistics: Statistics) -> None:
    """The score of chunks must be that of the whole, to the last bit."""
    ones = np.ones((1, len(statistics)), dtype=np.int64)
    whole = metric.score(statistics).parts
    assert np.allclose(
        list(whole.values()), metric.aggregate(statistics, ones)[0], rtol=1e-9, atol=1e-9, equal_nan=True
    ), "an accumulated score must be what aggregate gives"
    for size in (1, 7, len(statistics)):
        accumulator = metric.accumulator()
        for start in range(0, len(statistics), size):
            accumulator.add(statistics.select(np.arange(start, min(start + size, len(statistics)))))
        parts = dict(zip(metric.parts, accumulator.parts().tolist(), strict=True))
        assert parts == whole or np.array_equal(list(parts.values()), list(whole.values()), equal_nan=True), (
            f"chunks of {size} give {parts}, the whole {whole}"
        )


def _check_swaps(metric: Metric, statistics: Statistics) -> None:
    """Swapping all segments of two systems must swap their scores."""
    other = statistics.select(np.arange(len(statistics))[::-1])
    resampled = metric.for_resampling
    swaps = np.stack([np.zeros(len(statistics)), np.ones(len(statistics))]).astype(np.uint8)
    swapped = resampled.swapper([statistics, other])(swaps, [(0, 1)])[:, 0]
    assert np.allclose(swapped[0], swapped[1][::-1], rtol=1e-9, atol=1e-9, equal_nan=True), (
        "swapping every segment must exchange the two scores"
    )


def _check_pipeline(metric: Metric, corpus: Corpus, outputs: Mapping[str, Sequence[str]]) -> None:
    """A stream of chunks that are not kept must give the same scores as the whole corpus."""
    whole = Results.compute(corpus, outputs, [metric])
    half = len(corpus) // 2
    chunks = []
    for rows in (range(half), range(half, len(corpus))):
        part = corpus.select(rows)
        part.first = rows[0] + 1
        hypotheses = {name: [lines[i] for i in rows] for name, lines in outputs.items()}
        chunks.append(Chunk(part, hypotheses))
    streamed = evaluate(chunks, [metric], keep=False)
    for system in outputs:
        parts, streamed_parts = whole.score(system).parts, streamed.score(system).parts
        assert np.array_equal([*parts.values()], [*streamed_parts.values()], equal_nan=True), (
            f"{system}: a stream of two chunks gives {streamed_parts}, the whole {parts}: "
            "a row must not depend on other segments of its batch"
        )
        assert whole.score(system).signature == streamed.score(system).signature, (
            "the signature must not depend on chunks"
        )
