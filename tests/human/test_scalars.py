"""Rankings by scores, and EASL: the distribution of the quality of each item."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from errata.errors import DataError
from errata.human.scalars import Easl, Scalars, easl_table, rank_scalars
from simulated_scores import scores


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_scores_add_up_in_a_beta_distribution(scores: list[float]) -> None:
    model = Easl.fresh(2)
    for score in scores:
        model.update([0], [score])
    assert model.modes[0] == pytest.approx(np.mean(scores))
    assert model.variances[0] == pytest.approx(beta(1 + sum(scores), 1 + len(scores) - sum(scores)).var())
    assert (model.modes[1], model.variances[1]) == (0.5, pytest.approx(1 / 12))


def test_scores_outside_of_the_unit_interval_are_errors() -> None:
    for wrong in (1.5, -0.5, float("nan")):
        with pytest.raises(DataError, match="outside"):
            Easl.fresh(2).update([0], [wrong])


@pytest.mark.parametrize("method", ["mean", "z", "easl"])
def test_scores_rank_systems(method: str) -> None:
    ranking = rank_scalars(scores(), method, runs=200)
    assert ranking.systems == ("D", "C", "B", "A")
    assert ranking.clusters.tolist() == [1, 2, 3, 4]
    assert (ranking.low <= ranking.scores).all()
    assert (ranking.scores <= ranking.high).all()


def test_standardised_scores_make_a_strict_judge_as_good_as_a_mild_one() -> None:
    rows = [("mild", "d", "1", "A", 9.0), ("mild", "d", "1", "B", 7.0), ("mild", "d", "2", "A", 9.0),
            ("strict", "d", "2", "B", 3.0), ("strict", "d", "3", "A", 1.0)]  # fmt: skip
    scalars = Scalars.from_rows(rows).standardised()
    for judge in range(2):
        mine = scalars.score[scalars.judge == judge]
        assert (mine.mean(), mine.std()) == pytest.approx((0, 1))


def test_easl_scores_an_output_by_the_mode() -> None:
    scalars = Scalars.from_rows(
        [("a", "", "1", "A", 10.0), ("b", "", "1", "A", 5.0), ("a", "", "1", "B", 0.0)]
    )
    assert easl_table(scalars).tolist() == [[0.75, 0.0]]


def test_easl_has_no_score_for_an_output_that_nobody_judged() -> None:
    scalars = Scalars.from_rows(
        [("a", "", "1", "A", 10.0), ("a", "", "1", "B", 0.0), ("a", "", "2", "A", 5.0)]
    )
    np.testing.assert_array_equal(easl_table(scalars), [[1.0, 0.0], [0.5, np.nan]])
    higher = replace(scalars, score=scalars.score + 10)
    np.testing.assert_array_equal(easl_table(higher), easl_table(scalars))
