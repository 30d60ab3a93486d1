"""Agreement coefficients against scikit-learn, statsmodels, krippendorff and textbook values."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from statsmodels.stats import inter_rater

from errata.errors import DataError
from errata.significance.agreement_coefficients import (
    cohen_kappa,
    confusion,
    fleiss_kappa,
    krippendorff_alpha,
    scott_pi,
)

labels = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=50)


@given(labels, st.sampled_from(["plain", "linear", "quadratic"]))
def test_cohens_kappa_equals_scikit_learns(pairs: list[tuple[int, int]], weights: str) -> None:
    first, second = zip(*pairs, strict=True)
    if len({*first, *second}) < 2:
        assert np.isnan(cohen_kappa(first, second, weights=weights))
        return
    official = metrics.cohen_kappa_score(
        first, second, weights=None if weights == "plain" else weights, labels=[0, 1, 2, 3]
    )
    assert cohen_kappa(first, second, weights=weights, labels=[0, 1, 2, 3]) == pytest.approx(official)


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=2, max_size=30))
def test_fleiss_kappa_equals_statsmodels(rows: list[list[int]]) -> None:
    counts = np.array([np.bincount(row, minlength=3) for row in rows])
    if (counts.sum(axis=0) > 0).sum() < 2:
        assert np.isnan(fleiss_kappa(counts))
        return
    assert fleiss_kappa(counts) == pytest.approx(inter_rater.fleiss_kappa(counts))


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=6, max_size=6), min_size=2, max_size=5
    ),
    st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
)
def test_krippendorffs_alpha_equals_the_krippendorff_package(
    rows: list[list[int | None]], level: str
) -> None:
    table = np.array(rows, dtype=float)
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        assert np.isnan(krippendorff_alpha(table, level=level))
        return
    official = krippendorff.alpha(table, level_of_measurement=level)
    assert krippendorff_alpha(table, level=level) == pytest.approx(official)


def test_krippendorffs_alpha_of_his_own_example() -> None:
    """Krippendorff (2011), C: four observers, missing data: α = 0.743, 0.815, 0.849, 0.797."""
    nan = np.nan
    table = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
    found = [krippendorff_alpha(table, level=level) for level in ("nominal", "ordinal", "interval", "ratio")]
    assert found == pytest.approx([0.743, 0.815, 0.849, 0.797], abs=5e-4)


def test_pooled_chance_differs_from_cohens_where_judges_differ() -> None:
    first, second = "aaabbbccca", "aabbbbccaa"
    agreed = 8 / 10
    pooled = {"a": 8 / 20, "b": 7 / 20, "c": 5 / 20}
    chance = sum(share**2 for share in pooled.values())
    assert scott_pi(list(first), list(second)) == pytest.approx((agreed - chance) / (1 - chance))
    assert scott_pi(list(first), list(second)) <= cohen_kappa(list(first), list(second))


def test_unusable_judgments_are_named() -> None:
    with pytest.raises(DataError, match="2 labels of the first judge but 1"):
        confusion([1, 2], [1])
    with pytest.raises(DataError, match=r"not among those expected: \['7'\]"):
        confusion([7], [1], labels=[1])
    with pytest.raises(DataError, match="same number of judges"):
        fleiss_kappa([[1, 1], [1, 0]])
    assert np.isnan(cohen_kappa([], []))
    assert np.isnan(krippendorff_alpha(np.full((2, 3), np.nan)))
