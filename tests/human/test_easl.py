"""EASL: the distribution of the quality of each item."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from errata.errors import DataError
from errata.human.scalars import Easl


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
