"""Every registered metric keeps the contract; the check notices those that do not."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata import ErrataError
from errata.corpus.model import NO_LABEL, Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.metrics import METRICS, metric
from errata.metrics.base import Metric, SentenceMetric, SumMetric
from errata.metrics.batch import Batch
from errata.metrics.gleu import GLEU
from errata.metrics.m2 import M2
from errata.metrics.statistics import Floats, Integers, Statistics
from errata.metrics.totals import Accumulator, Sums, choose_alone, choose_running
from errata.testing import check_metric
from metric_names import READY
from toy_metrics import Brevity, Centred, Closeness, Ratio, WeightedOverlap

# Alignments of the characters of English sentences take long.
SLOW = {"cherrant": pytest.mark.slow}


@pytest.mark.parametrize("name", [pytest.param(name, marks=SLOW.get(name, ())) for name in READY])
def test_registered_metrics_keep_the_contract(name: str) -> None:
    check_metric(metric(name))


@pytest.mark.parametrize("own", [Ratio(), Closeness(), Brevity(), WeightedOverlap(), Centred()])
def test_metrics_of_ones_own_keep_the_contract(own: Metric) -> None:
    check_metric(own)


@dataclass(frozen=True)
class Longer(SumMetric):
    """The share of hypotheses longer than their source."""

    name: ClassVar[str] = "longer"
    columns: ClassVar[tuple[str, ...]] = ("longer", "segments")
    parts: ClassVar[tuple[str, ...]] = ("share",)

    def features(self, batch: Batch) -> list[list[int]]:
        return [[len(hypothesis) > len(source), 1] for source, hypothesis, _ in batch]

    def from_sums(self, sums: Floats) -> Floats:
        return sums[:, :1] / np.maximum(sums[:, 1:], 1)


def test_a_metric_of_ones_own_is_a_dozen_lines() -> None:
    check_metric(Longer())
    score = Longer().score(["a b", "a"], ["a b c", "a"], [["a"], ["a"]])
    assert score.value == 0.5
    assert score.statistics.values.dtype == np.int64
    low, high = score.interval(samples=50)
    assert 0 <= low <= high <= 1


# -- what the check notices -------------------------------------------------------------------------


@dataclass(frozen=True)
class Deaf(Longer):
    """Ignores the weights."""

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return np.full((len(weights), 1), statistics.values[:, 0].mean())


@dataclass(frozen=True)
class WrongSums(Longer):
    """Has sums that are not those of its aggregate."""

    def aggregate(self, statistics: Statistics, weights: Integers) -> Floats:
        return (weights @ statistics.values)[:, :1] * 2.0


class RoundedSums(Sums):
    """Rounds after every chunk."""

    def __init__(self, metric: Metric) -> None:
        super().__init__(metric)
        self.last: Floats = np.zeros((1, 2))

    def add(self, statistics: Statistics) -> None:
        self.last = self.last + statistics.values.sum(axis=0, keepdims=True)

    def parts(self) -> Floats:
        return self._metric.from_sums(self.last)[0]


@dataclass(frozen=True)
class ChunkDependent(Closeness):
    """Adds up floating-point numbers chunk by chunk."""

    def accumulator(self) -> Accumulator:
        return RoundedSums(self)


@dataclass(frozen=True)
class BatchDependent(Closeness):
    """Divides by the largest of the batch, whatever that is."""

    def features(self, batch: Batch) -> list[list[float]]:
        most = max(map(len, batch.hypotheses))
        return [[len(text) / most, 1.0] for text in batch.hypotheses]


class PackedToSingle(Statistics):
    """Statistics that lose half of the digits when they are packed."""

    __slots__ = ()

    def packed(self) -> Statistics:
        return Statistics(self.columns, self.values.astype(np.float32), self.offsets, self.references)


@dataclass(frozen=True)
class Imprecise(Closeness):
    """Its statistics do not survive packing."""

    def compute(self, batch: Batch) -> Statistics:
        made = super().compute(batch)
        return PackedToSingle(made.columns, made.values, made.offsets, made.references)


@dataclass(frozen=True)
class Singles(Closeness):
    """Its statistics are float32."""

    def compute(self, batch: Batch) -> Statistics:
        made = super().compute(batch)
        return Statistics(made.columns, made.values.astype(np.float32), made.offsets, made.references)


@dataclass(frozen=True)
class TooFewRows(Longer):
    """Leaves out a segment."""

    def features(self, batch: Batch) -> list[list[int]]:
        return super().features(batch)[1:]


@dataclass(frozen=True)
class TooManyParts(Longer):
    """Gives two numbers, and names one."""

    def from_sums(self, sums: Floats) -> Floats:
        return sums


@dataclass(frozen=True)
class NotANumber(Longer):
    """Divides by nothing."""

    def sentence_scores(self, statistics: Statistics) -> Floats:
        return np.full(len(statistics), np.nan)


@dataclass(frozen=True)
class Shown(Longer):
    """Shows a part that it does not have."""

    @property
    def shown(self) -> tuple[str, ...]:
        return ("recall",)


@dataclass(frozen=True)
class Needy(Longer):
    """Needs what there is not."""

    needs: ClassVar[frozenset[str]] = frozenset({"images"})  # type: ignore[assignment]


@dataclass
class Thawed:
    """What a dataclass that is not frozen looks like to the check."""

    name: ClassVar[str] = "thawed"
    needs: ClassVar[frozenset[str]] = frozenset({"source"})


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Deaf(), "must give the same score"),
        (WrongSums(), "from_sums of the weighted sums must be what aggregate gives"),
        (ChunkDependent(), "chunks of 7 give"),
        (BatchDependent(), "a stream of two chunks gives"),
        (Imprecise(), "packing must be lossless"),
        (Singles(), "malformed: the values are float32, not int64 or float64"),
        (TooFewRows(), "longer: features has the shape"),
        (TooManyParts(), "scores of 2 samples and the parts"),
        (NotANumber(), "a sentence score is not a number"),
        (Shown(), "shown must be among the parts"),
        (Needy(), "needs may contain source, references, edits and types"),
        (Thawed(), "Thawed must be frozen"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_a_broken_metric_is_caught(broken: Metric, message: str) -> None:
    with pytest.raises(AssertionError) as raised:
        check_metric(broken)
    assert message in str(raised.value)


def test_a_metric_that_cannot_be_pickled_is_caught() -> None:
    @dataclass(frozen=True)
    class Local(Longer):
        pass

    with pytest.raises(AssertionError, match="must survive pickling"):
        check_metric(Local())


# -- rows -------------------------------------------------------------------------------------------


def test_rows_of_the_wrong_shape_are_an_error_that_names_the_metric() -> None:
    class Wide(Longer):
        def features(self, batch: Batch) -> list[list[int]]:
            return [[1, 2, 3] for _ in batch]

    class Flat(Longer):
        def features(self, batch: Batch) -> list[list[int]]:
            return [[1, 2]] * 3

    class Short(Brevity):
        def scores(self, batch: Batch) -> list[float]:
            return [1.0]

    class Single(WeightedOverlap):
        def counts(self, batch: Batch) -> list[list[list[float]]]:
            return [rows[:1] for rows in super().counts(batch)]

    references = [["a", "b"], ["b", "c"]]
    with pytest.raises(
        ValueError, match=r"longer: features has the shape \(2, 3\), and should have \(2, 2\)"
    ):
        Wide().score(["a", "b"], ["a", "b"], references)
    with pytest.raises(
        ValueError, match=r"longer: features has the shape \(3, 2\), and should have \(2, 2\)"
    ):
        Flat().score(["a", "b"], ["a", "b"], references)
    with pytest.raises(ValueError, match=r"overlap: counts of segment 0 has the shape \(1, 2\).*\(2, 2\)"):
        Single().score(["a", "b"], ["a", "b"], references)
    with pytest.raises(ValueError, match=r"brevity: scores has the shape \(1,\), and should have \(2,\)"):
        Short().score(["a", "b"], ["a", "b"])


def test_large_whole_numbers_stay_exact_in_lists_of_rows() -> None:
    made = Statistics.from_lists(("a",), [[[2**60 + 1]], []], [[0], []])
    assert made.values.tolist() == [[2**60 + 1]]
    assert made.values.dtype == np.int64


def test_rows_by_text_belong_to_the_texts_where_edits_are_there_too() -> None:
    gold = Annotation("a b", edits=[Edit(0, 1, "x")])
    texts = tuple(Annotation("a b", text=text, annotator=n) for n, text in enumerate(("a c", "c b", "a b")))
    corpus = Corpus([Segment("a b", (gold,), rewrites=texts)])
    made = WeightedOverlap().statistics(corpus, ["a b"])
    assert made.problem() is None
    assert made.references.tolist() == [0, 1, 2]


def test_texts_besides_edits_stay_with_their_segments() -> None:
    gold = Annotation("a b", edits=[Edit(0, 1, "x")])
    segments = [
        Segment("a b", (gold,), rewrites=(Annotation("a b", text=text),)) for text in ("c b", "a c", "d d")
    ]
    corpus = Corpus(segments)
    texts = [("c b",), ("a c",), ("d d",)]
    assert corpus.with_labels([NO_LABEL] * 3).reference_texts() == texts
    assert corpus[1:].reference_texts() == texts[1:]
    assert corpus.select([2, 0, 2]).reference_texts() == [texts[2], texts[0], texts[2]]
    assert pickle.loads(pickle.dumps(corpus)).reference_texts() == texts
    scores = metric("wer").score_batch(corpus, [["c b"], ["a c"], ["d d"]])
    assert [row.tolist() for row in scores] == [[0.0]] * 3


floats = st.floats(-1e6, 1e6, allow_nan=False)


@settings(max_examples=100, deadline=None)
@given(
    rows=st.lists(st.tuples(floats, st.floats(0.5, 9)), min_size=1, max_size=40),
    cuts=st.sets(st.integers(0, 40), max_size=8),
    several=st.booleans(),
)
def test_floating_point_scores_are_the_same_for_any_chunks(
    rows: list[tuple[float, float]], cuts: set[int], several: bool
) -> None:
    own: Metric = WeightedOverlap() if several else Closeness()
    whole = Statistics.one_row_each(own.columns, rows)
    if several:  # two rows per segment
        whole = Statistics(
            own.columns,
            whole.values.repeat(2, axis=0),
            whole.offsets * 2,
            np.zeros(2 * len(rows), dtype=np.int64),
        )
        whole.values[::2] *= 0.7
    places = sorted(cut for cut in cuts if cut <= len(rows))
    accumulator = own.accumulator()
    for start, stop in zip([0, *places], [*places, len(rows)], strict=True):
        accumulator.add(whole.select(np.arange(start, stop)))
    assert accumulator.parts().tolist() == list(own.score(whole).parts.values())


# -- parameters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: M2(beta="x"), r"m2: beta='x' has the wrong type\n  hint: give a number"),
        (lambda: M2(beta=True), r"m2: beta=True has the wrong type\n  hint: give a number"),
        (lambda: M2(beta=float("nan")), r"m2: beta=nan is not a number"),
        (lambda: M2(beta=-1), r"m2: beta=-1 is too small\n  hint: it must be at least 0"),
        (lambda: M2(beta=float("inf")), r"m2: beta=inf is not finite"),
        (lambda: M2(beta=1e200), r"m2: beta=1e\+200 is too large\n  hint: it must be at most 2147483647"),
        (lambda: M2(max_unchanged_words=10**20), r"max_unchanged_words=10+ is too large"),
        (lambda: GLEU(n=10**9), r"gleu: n=10+ is too large\n  hint: it must be at most 32"),
        (lambda: M2(max_unchanged_words=1.5), r"m2: max_unchanged_words=1.5 .*\n  hint: give a whole number"),
        (lambda: M2(ignore_whitespace_casing=1), r"m2: ignore_whitespace_casing=1 .*\n  hint: give yes"),
        (lambda: M2(sentence="first"), r"m2: sentence='first' is unknown\n  hint: .*best, last"),
        (lambda: GLEU(n=0), r"gleu: n=0 is too small\n  hint: it must be at least 1"),
        (lambda: Brevity(weight=0), r"brevity: weight=0 is too small\n  hint: it must be greater than 0"),
        (lambda: metric("m2:beta=x"), r"m2:beta='x' is not a value of type float"),
        (lambda: metric("m2:gamma=1"), r"m2 has no parameter 'gamma'?.*\n  hint: .*beta"),
    ],
)  # fmt: skip
def test_a_parameter_that_is_not_permitted_is_named(make, message: str) -> None:
    with pytest.raises(ErrataError, match=message):
        make()


def test_a_parameter_that_cannot_change_the_score_is_not_in_the_signature() -> None:
    from toy_metrics import Logged

    assert Logged(log="a").signature == Logged(log="b").signature
    assert "weight:1" in Logged().signature
    assert Logged(weight=2).signature != Logged().signature


@given(st.lists(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=4), max_size=6))
def test_the_best_row_of_every_segment(segments: list[list[tuple[int, int]]]) -> None:
    offsets = np.cumsum([0, *map(len, segments)])
    wanted = [
        offsets[i] + max(range(len(rows)), key=lambda j, rows=rows: (rows[j], -j)) if rows else -1
        for i, rows in enumerate(segments)
    ]
    rows = Statistics.from_lists(("n", "m"), segments, [range(len(some)) for some in segments])
    asked: list[int] = []

    def better(totals: np.ndarray, rows: np.ndarray) -> Iterator[np.ndarray]:
        for column in rows.T:
            asked.append(len(rows))
            yield column

    assert choose_alone(rows, better).tolist() == wanted
    tied = any(
        len({row for row in some if row[0] == max(first for first, _ in some)}) > 1 for some in segments
    )
    assert len(asked) == bool(sum(map(len, segments))) + tied  # the second key only for ties in the first


def test_what_is_not_a_number_is_never_the_best_reference() -> None:
    rows = Statistics.from_lists(("n",), [[[0.0], [1.0]], [[2.0], [0.0]]], [[0, 1], [0, 1]])

    def better(totals: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
        with np.errstate(invalid="ignore"):
            return [rows[..., 0] / rows[..., 0]]  # 0 / 0 where a row is 0

    assert choose_alone(rows, better).tolist() == [1, 2]
    assert choose_running(rows, better).tolist() == [1, 2]


def test_a_parameter_must_not_take_the_name_of_a_field_of_the_signature() -> None:
    @dataclass(frozen=True)
    class Named(SentenceMetric):
        data: int = 1
        name: ClassVar[str] = "named"
        parts: ClassVar[tuple[str, ...]] = ("named",)

        def scores(self, batch: Batch) -> list[float]:
            return [float(self.data)] * len(batch)

    globals()["Named"] = Named
    Named.__qualname__ = "Named"
    with pytest.raises(AssertionError, match="must not be called"):
        check_metric(Named())


def test_metrics_that_need_no_tokens_are_these() -> None:
    free = {name for name in METRICS if not metric(name).of_tokens}
    assert free == {"bertscore", "cer", "chrf", "impara", "length", "scribendi", "some"}


def test_a_parameter_may_be_a_list_of_a_kind() -> None:
    @dataclass(frozen=True)
    class Weighted(Closeness):
        weights: tuple[float, ...] = (1.0,)

    assert Weighted(weights=(0.5, 2.0)).weights == (0.5, 2.0)
    with pytest.raises(ErrataError, match="weights"):
        Weighted(weights=0.5)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Wide(Closeness):
    """Reads white space, and says that it does not."""

    white_space = "unicode"


def test_white_space_that_is_read_but_not_declared_is_noticed() -> None:
    with pytest.raises(AssertionError, match="white_space"):
        check_metric(Wide())
