"""Corpus scores from chunks of statistics equal those of the whole, to the last bit."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.corpus.model import Corpus
from errata.metrics import metric
from errata.metrics.base import Metric
from errata.metrics.statistics import Statistics
from errata.metrics.totals import _ONE, ExactSums
from errata.native import load_pure, scans
from metric_names import READY

SETTINGS = [
    *READY,
    "m2:beta=1",
    "errant:tagger=embedded,beta=1",
    "gleu:sampling=all",
    "gleu:iterations=3",
    "gleu2015:lambda_=0.1",
    "imeasure:optimise=corpus",
    "imeasure:weight=3",
]


@cache
def has_several_rows(metric: Metric) -> bool:
    """Whether the metric has a row per reference."""
    corpus = Corpus.from_lists(["a b"], [["a c", "b"]])
    return len(metric.statistics(corpus, ["a c"]).values) > 1


@st.composite
def statistics(draw: st.DrawFn, metric: Metric) -> Statistics:
    """Statistics as a metric could make them, of segments with one to three references, or mostly one."""
    counts = draw(st.lists(st.sampled_from([1, 1, 1, 2, 3]), min_size=1, max_size=60))
    if not has_several_rows(metric):
        counts = [1] * len(counts)
    rows, columns = sum(counts), len(metric.columns)
    values = np.random.default_rng(draw(st.integers(0, 2**32))).integers(0, 9, (rows, columns))
    if metric.name == "imeasure":
        values[:, 4] = np.minimum(values[:, 2], values[:, 3])  # fpn is counted among fp and fn
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    if metric.name == "gleu":  # only numerators and the reference's length depend on the reference
        shared = range(4, 9)
        values[:, shared] = values[np.repeat(offsets[:-1], counts)][:, shared]
    return Statistics(metric.columns, values, offsets, np.zeros(rows, dtype=np.int64))


@pytest.mark.parametrize("name", SETTINGS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_chunks_of_any_size_give_the_score_of_the_whole(name: str, data: st.DataObject) -> None:
    scored = metric(name)
    whole = data.draw(statistics(scored))
    cuts = sorted(data.draw(st.sets(st.integers(0, len(whole)), max_size=6)))
    running = scored.accumulator()
    for start, stop in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        running.add(whole.select(np.arange(start, stop)))
    assert running.parts().tolist() == list(scored.score(whole).parts.values())
    ones = np.ones((1, len(whole)), dtype=np.int64)
    np.testing.assert_allclose(running.parts(), scored.aggregate(whole, ones)[0], rtol=0, atol=1e-9)


def test_the_official_draws_go_on_behind_segments_without_a_choice() -> None:
    gleu = metric("gleu")
    counts = np.array([1] * 5000 + [3, 1, 2] * 30)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    values = np.random.default_rng(3).integers(1, 30, (offsets[-1], 10))
    values[:, 4:9] = values[np.repeat(offsets[:-1], counts)][:, 4:9]
    whole = Statistics(gleu.columns, values, offsets, np.zeros(len(values), dtype=np.int64))
    running = gleu.accumulator()
    for start in range(0, len(whole), 1000):
        running.add(whole.select(np.arange(start, min(start + 1000, len(whole)))))
    assert running.parts().tolist() == list(gleu.score(whole).parts.values())


numbers = st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e300, max_value=1e300)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=40), st.integers(1, 9))
def test_sums_are_exact(rows: list[tuple[float, float]], size: int) -> None:
    sums = ExactSums()
    for start in range(0, len(rows), size):
        sums.add(np.array(rows[start : start + size]))
    assert sums.value().tolist() == [float(sum(map(Fraction, column))) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.float32])
def test_rows_of_other_types_are_added_up(kind: type[np.generic]) -> None:
    sums = ExactSums()
    sums.add(np.array([[1, 2], [3, -5]], dtype=kind))
    sums.add(np.empty((0, 2), dtype=kind))
    assert sums.value().tolist() == [4.0, -3.0]


@pytest.mark.parametrize("odd", [5e-324, -1e300, 2.0**60])
def test_many_rows_with_an_odd_number_are_added_up_exactly(odd: float) -> None:
    rows = np.random.default_rng(1).normal(size=(10_000, 2))
    rows[7_000, 1] = odd
    sums = ExactSums()
    sums.add(rows)
    assert sums.value().tolist() == [float(sum(map(Fraction, column))) for column in rows.T.tolist()]
    assert sums._totals[1] == sum(map(Fraction, rows[:, 1].tolist())) * (1 << _ONE)


def test_sums_of_what_is_no_number_are_none() -> None:
    sums = ExactSums()
    sums.add(np.array([[1.0, np.inf], [np.nan, 0.5]]))
    assert np.isnan(sums.value()[0])
    assert sums.value()[1] == np.inf


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=20))
def test_packed_statistics_come_back(numbers: list[int]) -> None:
    whole = Statistics.one_row_each(("a",), np.array(numbers).reshape(-1, 1))
    pieces = [whole.select([i]).packed() for i in range(len(whole))]
    back = Statistics.joined(pieces)
    assert back.values.tolist() == whole.values.tolist()
    assert back.offsets.tolist() == whole.offsets.tolist()
    assert back.values.dtype == back.offsets.dtype == back.references.dtype == np.int64


@pytest.mark.parametrize("rule", [(scans.M2, 0.5), (scans.ROUNDED_F, 0.25)])
def test_scans_go_on_from_totals_compiled_or_not(rule: tuple[int, float]) -> None:
    generator = np.random.default_rng(5)
    counts = generator.integers(1, 4, 40)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    values = generator.integers(0, 5, (offsets[-1], 3))
    weights = np.ones((1, 40), dtype=np.int64)
    found = []
    for module in (load_pure("scans"), scans):
        whole, pieces = np.zeros((1, 3), dtype=np.int64), np.zeros((1, 3), dtype=np.int64)
        module.scan(values, offsets, weights, whole, *rule)
        module.scan(values, offsets[:14], weights[:, :13].copy(), pieces, *rule)
        module.scan(values, offsets[13:], weights[:, 13:].copy(), pieces, *rule)
        found += [whole.tolist(), pieces.tolist()]
    assert all(totals == found[0] for totals in found)
