"""A score behaves like a number: it converts, compares, formats, prints and pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import errata
from errata import M2, WER, DataError, sample
from errata.metrics.evaluate import evaluate
from errata.metrics.score import Score
from errata.metrics.statistics import Statistics
from toy_metrics import Closeness

MADE = sample.load("en")


@pytest.fixture
def half() -> Score:
    return M2().score(["a b c d"], ["x b y d"], [["x b c d"]])


def test_a_score_is_a_number(half: Score) -> None:
    precision, recall = 0.5, 1.0
    expected = 1.25 * precision * recall / (0.25 * precision + recall)
    assert float(half) == half.value == pytest.approx(expected)
    assert half == half.value
    assert half > 0.5
    assert half >= half.value
    assert half < 1
    assert half != 0
    assert half.__eq__("x") is NotImplemented
    with pytest.raises(TypeError):
        assert half < "x"
    better = M2().score(["a b c d"], ["x b c d"], [["x b c d"]])
    assert max(half, better) is better
    assert sorted([better, half]) == [half, better]
    assert hash(half) == hash(half.value)


def test_a_score_prints_its_parts(half: Score) -> None:
    assert repr(half) == "<m2 0.5556>"
    assert repr(WER().score(["a"], ["b"], [["a"]])) == "<wer 1.0000>"
    assert str(half) == f"{half}"
    assert str(half).startswith("m2: f 0.5556, precision 0.5000, recall 1.0000")
    assert f"{half:.2f}" == "0.56"
    assert f"{half:8.3f}" == "   0.556"
    assert half.signature in half.table().render("markdown")
    assert "<table" in half._repr_html_()


def test_a_score_is_pickled_with_its_sentences() -> None:
    score = M2().score(MADE.corpus, MADE.outputs["neural"])
    again = pickle.loads(pickle.dumps(score))
    assert again.parts == score.parts
    assert again.signature == score.signature
    assert again.sentences.tolist() == score.sentences.tolist()
    assert again.interval(samples=50) == score.interval(samples=50)


def test_statistics_are_pickled_in_small_types_and_come_back() -> None:
    made = M2().statistics(MADE.corpus, MADE.outputs["neural"])
    data = pickle.dumps(made)
    assert len(data) < made.values.nbytes
    for whole in (made, Closeness().statistics(MADE.corpus, MADE.outputs["neural"])):
        again = pickle.loads(pickle.dumps(whole))
        assert isinstance(again, Statistics)
        for name in ("values", "offsets", "references"):
            ours, theirs = getattr(whole, name), getattr(again, name)
            assert ours.dtype == theirs.dtype
            assert np.array_equal(ours, theirs)
        assert (again.columns, again.cuts) == (whole.columns, whole.cuts)


def test_a_score_without_statistics_says_so() -> None:
    from errata.corpus.model import Chunk

    chunk = Chunk(MADE.corpus, {"neural": MADE.outputs["neural"]})
    score = evaluate([chunk], [M2()], keep=False)["neural"]
    assert score == M2().score(MADE.corpus, MADE.outputs["neural"])
    with pytest.raises(DataError, match="the statistics of single sentences were not kept"):
        score.interval()
    alone = Score(M2(), M2().statistics(MADE.corpus, MADE.outputs["neural"]))
    with pytest.raises(DataError, match="an explanation needs the texts"):
        alone.explain(0)


def test_several_systems_or_metrics_give_results() -> None:
    sources, references = ["He go .", "She sing ."], [["He goes ."], ["She sings ."]]
    outputs = {"A": ["He goes .", "She sing ."], "B": ["He goes .", "She sings ."]}
    results = errata.score(sources, outputs, references, metric="wer")
    assert results.systems == ("A", "B")
    assert results["B"].value == 0.0 < results["A"].value
    several = errata.score(sources, outputs["A"], references, metric=["wer", "bleu"])
    assert several["system", "wer"].value == results["A"].value
    assert errata.score(sources, outputs["A"], references, metric="wer").value == results["A"].value


@pytest.mark.parametrize(
    "edge", [0, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 2**31 - 1, 2**31, -(2**31), -(2**31) - 1]
)
def test_numbers_at_the_edges_of_small_types_come_back(edge: int) -> None:
    values = np.array([[edge], [1]], dtype=np.int64)
    rows = np.arange(3, dtype=np.int64)
    again = pickle.loads(pickle.dumps(Statistics(("count",), values, rows, rows[:2])))
    assert again.values.tolist() == values.tolist()


def test_results_know_whether_they_keep_statistics() -> None:
    from errata.corpus.model import Chunk

    chunk = Chunk(MADE.corpus, dict(MADE.outputs))
    assert evaluate([chunk], [WER()]).keeps_statistics
    assert not evaluate([chunk], [WER()], keep=False).keeps_statistics
