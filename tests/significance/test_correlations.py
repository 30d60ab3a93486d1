"""Correlations, Kendall's variants, Williams' test: against scipy, and against published figures."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from errata.errors import DataError
from errata.significance.correlations import (
    CORRELATIONS,
    bootstrap_correlations,
    bootstrap_interval,
    correlation,
    fisher_interval,
    kendall,
    metric_permutation_test,
    pearson,
    spearman,
    williams,
    williams_test,
)
from errata.significance.kendall import VARIANTS, PairCounts, count_comparisons, count_pairs

METRICS = ("gleu", "imeasure", "m2score")
scores = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=60)


@given(scores)
def test_coefficients_equal_scipys(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert np.isnan(correlation(x, y, "spearman"))
        return
    assert correlation(x, y) == pytest.approx(stats.pearsonr(x, y)[0], abs=1e-12)
    assert correlation(x, y, "spearman") == pytest.approx(stats.spearmanr(x, y)[0], abs=1e-12)
    assert correlation(x, y, "kendall") == pytest.approx(stats.kendalltau(x, y)[0], abs=1e-12)
    assert count_pairs(x, y).tau_c == pytest.approx(stats.kendalltau(x, y, variant="c")[0], abs=1e-12)


@given(scores)
def test_pairs_counted_in_n_log_n_are_those_of_all_comparisons(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    first, second = np.triu_indices(len(x), 1)
    counted = count_comparisons(x[first] - x[second], y[first] - y[second])
    assert count_pairs(x, y)[:5] == counted[:5]


def test_coefficients_work_on_many_samples_at_once() -> None:
    x, y = np.random.default_rng(1).integers(0, 6, (2, 20, 13)).astype(float)
    for function in (pearson, spearman, kendall):
        assert function(x, y) == pytest.approx([float(function(a, b)) for a, b in zip(x, y, strict=True)])


def test_every_variant_of_tau_is_its_definition() -> None:
    counts = PairCounts(60, 20, 8, 10, 2, items=15, levels=4)
    expected = {
        "a": 40 / 100,
        "b": 40 / np.sqrt(90 * 88),
        "c": 80 / (225 * 3 / 4),
        "noties": 40 / 90,
        "hties": 42 / 100,
        "wmt12": 30 / 90,
        "wmt13": 40 / 80,
        "wmt14": 40 / 90,
        "accuracy": 62 / 100,
    }
    assert {variant: counts.tau(variant) for variant in VARIANTS} == pytest.approx(expected)
    assert (counts + counts).hties == counts.hties
    with pytest.raises(DataError, match="variant 'd'"):
        counts.tau("d")
    with pytest.raises(DataError, match="τ-c"):
        _ = (counts + counts).tau_c


def test_comparisons_without_a_score_are_an_error() -> None:
    with pytest.raises(DataError, match="1 comparisons have no score"):
        count_comparisons([1, 0], [1, np.nan])
    with pytest.raises(DataError, match="1 item without a score"):
        count_pairs([1, 2, 3], [1, np.nan, 3])


@pytest.mark.parametrize("kind", ["pearson", "spearman", "kendall"])
def test_beside_a_missing_score_there_is_no_correlation(kind: str) -> None:
    missing = [1.0, 2.0, np.nan]
    assert np.isnan(correlation(missing, [1, 2, 3], kind))
    assert np.isnan(CORRELATIONS[kind]([missing, [1, 2, 3]], [1, 2, 3])[0])


def test_a_metric_without_a_correlation_is_not_significantly_better() -> None:
    found = metric_permutation_test([1, 2, 3], [1, 1, 1], [1, 2, 3], permutations=100)
    assert np.isnan(found.difference)
    assert np.isnan(found.p)


# -- published figures --------------------------------------------------------------------------------


def _system_scores(path: Path) -> dict[str, float]:
    with gzip.open(path, "rt") as file:
        rows = [line.split("\t") for line in file]
    return {row[3]: float(row[4]) for row in rows}


@pytest.mark.parametrize("ranking", ["expected_wins", "trueskill"])
@pytest.mark.parametrize("kind", ["pearson", "spearman"])
def test_williams_p_values_are_those_of_chollampatt_and_ng(
    data: Path, golden: Path, ranking: str, kind: str
) -> None:
    folder = data / "gecmetrics"
    human = _system_scores(folder / "system_scores_humans" / f"{ranking}.txt.gz")
    metrics = {name: _system_scores(folder / "system_scores_metrics" / f"{name}.txt.gz") for name in METRICS}
    lines = (golden / "correlations" / "williams" / f"{ranking}.{kind}.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    seen = 0
    for name, *cells in rows[1:]:
        for other, cell in zip(rows[0], cells, strict=True):
            ours, theirs = ([metrics[m][system] for system in human] for m in (name, other))
            test = williams_test(list(human.values()), ours, theirs, kind=kind)
            if cell != "-":
                assert f"{test.p:.5f}" == cell
                seen += 1
            elif name != other:
                assert test.first < test.second
    assert seen == 3


@pytest.mark.parametrize("ranking", ["expected_wins", "trueskill"])
def test_system_correlations_are_those_published(data: Path, golden: Path, ranking: str) -> None:
    folder = data / "gecmetrics"
    human = _system_scores(folder / "system_scores_humans" / f"{ranking}.txt.gz")
    lines = (golden / "correlations" / f"sys.{ranking}.txt").read_text().splitlines()[2:]
    for line in lines:
        name, published, _, published_rho = line.strip("| ").replace(" ", "").split("|")
        metric = _system_scores(folder / "system_scores_metrics" / f"{name}.txt.gz")
        pairs = [(human[system], metric[system]) for system in human]
        x, y = np.array(pairs).T
        assert f"{correlation(x, y):.3f}" == published
        assert f"{correlation(x, y, 'spearman'):.3f}" == published_rho


@pytest.fixture(scope="module")
def sentence_scores(data: Path) -> dict[str, dict[tuple[str, int], float]]:
    found: dict[str, dict[tuple[str, int], float]] = {}
    for name in METRICS:
        with gzip.open(data / "gecmetrics" / "sentence_scores_metrics" / f"{name}.txt.gz", "rt") as file:
            rows = [line.split("\t") for line in file]
        found[name] = {(row[3], int(row[4])): float(row[5]) for row in rows}
    return found


# Table 3 prints 14,584 decided pairs for the unexpanded set. The file has 14,822, and these give the
# published τ; 14,584 is what is left of them without GLEU's own ties.
@pytest.mark.parametrize(
    ("kind", "size", "decided"), [("expanded", 109098, 49981), ("unexpanded", 20516, 14822)]
)
def test_sentence_tau_is_that_of_chollampatt_and_ng(
    data: Path,
    golden: Path,
    sentence_scores: dict[str, dict[tuple[str, int], float]],
    kind: str,
    size: int,
    decided: int,
) -> None:
    with gzip.open(data / "gecmetrics" / "sentence_pairwiseranks_humans" / f"{kind}.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    human = [int(row["system2rank"]) - int(row["system1rank"]) for row in rows]  # rank 1 is the best
    places = [
        [(row[side].split(".")[1], int(row["srcIndex"])) for row in rows]
        for side in ("system1Id", "system2Id")
    ]
    published = {}
    for line in (golden / "correlations" / f"sent.{kind}.txt").read_text().splitlines()[2:]:
        name, hties, _, noties = line.strip("| ").replace(" ", "").split("|")
        published[name] = (hties, noties)
    intervals = {}
    for name, by_place in sentence_scores.items():
        first, second = (np.array([by_place[place] for place in side]) for side in places)
        counts = count_comparisons(human, first - second)
        assert (f"{counts.hties:.3f}", f"{counts.noties:.3f}") == published[name]
        assert counts.pairs == size
        assert counts.concordant + counts.discordant + counts.metric_ties == decided
        intervals[name] = counts.interval("hties")
    # Table 3 stars M² under HTies: its interval overlaps no other
    assert intervals["m2score"][0] > max(intervals["gleu"][1], intervals["imeasure"][1])


# -- tests and intervals ------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(5, 200))
def test_williams_t_equals_the_form_by_the_determinant(seed: int, items: int) -> None:
    """Steiger (1980) writes the same t with the determinant of the correlation matrix."""
    generator = np.random.default_rng(seed)
    matrix = np.corrcoef(generator.normal(size=(3, 3)) @ generator.normal(size=(3, 12)))
    r12, r13, r23 = matrix[0, 1], matrix[0, 2], matrix[1, 2]
    mean = (r12 + r13) / 2
    below = 2 * (items - 1) / (items - 3) * np.linalg.det(matrix) + mean**2 * (1 - r23) ** 3
    expected = (r12 - r13) * np.sqrt((items - 1) * (1 + r23) / below)
    t, p = williams(r12, r13, r23, items)
    assert t == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert p == pytest.approx(1 - stats.t.cdf(expected, items - 3), abs=1e-7)
    assert williams(r13, r12, r23, items)[1] == pytest.approx(1 - p)


def test_williams_of_a_metric_with_itself_decides_nothing() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 13))
    assert williams_test(x, y, y).p == 0.5
    with pytest.raises(DataError, match="at least 4"):
        williams(0.5, 0.4, 0.3, 3)


def test_fisher_intervals_cover_the_true_correlation() -> None:
    generator = np.random.default_rng(3)
    rho, items, trials = 0.6, 25, 2000
    x = generator.normal(size=(trials, items))
    y = rho * x + np.sqrt(1 - rho**2) * generator.normal(size=(trials, items))
    ends = np.array([fisher_interval(r, items) for r in pearson(x, y)])
    covered = ((ends[:, 0] <= rho) & (rho <= ends[:, 1])).mean()
    assert abs(covered - 0.95) < 4 * np.sqrt(0.95 * 0.05 / trials)
    scipys = stats.pearsonr(x[0], y[0]).confidence_interval(0.95)
    assert fisher_interval(float(pearson(x[0], y[0])), items) == pytest.approx(tuple(scipys))
    assert fisher_interval(0.5, 3) == (-1, 1)


def test_bootstrap_intervals_of_correlations_hold_the_estimate_and_repeat() -> None:
    x, y = np.random.default_rng(5).normal(size=(2, 40))
    y = x + y
    for kind in ("pearson", "spearman", "kendall"):
        low, high = bootstrap_interval(x, y, kind=kind)
        assert low < correlation(x, y, kind) < high
        assert (low, high) == bootstrap_interval(x, y, kind=kind)
        drawn = bootstrap_correlations(x, y, kind=kind)
        assert (low, high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert np.isnan(bootstrap_interval([1, 1, 1], [1, 2, 3])).all()


def test_intervals_of_kendalls_tau_are_quantiles_and_those_of_fieller() -> None:
    counts = count_comparisons(
        np.array([1, 1, 1, -1, -1, 1, -1]), np.array([2.0, 1.0, -1.0, -1.0, 3.0, 0.0, -2.0])
    )
    drawn = counts.bootstrap("noties", samples=500)
    expected = np.nanquantile(drawn, [0.05, 0.95])
    assert counts.interval("noties", level=0.9, samples=500) == pytest.approx(tuple(expected))
    low, high = fisher_interval(0.5, 40, kind="kendall")
    reach = stats.norm.ppf(0.975) * np.sqrt(0.437 / 36)
    assert (np.arctanh(low), np.arctanh(high)) == pytest.approx(
        (np.arctanh(0.5) - reach, np.arctanh(0.5) + reach)
    )


@pytest.mark.parametrize("swap", ["both", "systems", "segments"])
@pytest.mark.parametrize("average", ["segments", "correlations"])
def test_permutation_test_of_two_metrics_finds_the_better_one(swap: str, average: str) -> None:
    generator = np.random.default_rng(2)
    human = generator.normal(size=(12, 40)) + generator.normal(size=(12, 1))
    good = human + 0.3 * generator.normal(size=human.shape)
    bad = human + 8 * generator.normal(size=human.shape)
    test = metric_permutation_test(human, good, bad, swap=swap, average=average, permutations=500)
    assert test.difference > 0
    assert test.p < 0.05
    assert metric_permutation_test(human, bad, good, swap=swap, average=average, permutations=500).p > 0.9


def test_perm_both_is_uniform_when_two_metrics_are_equally_good() -> None:
    generator = np.random.default_rng(7)
    p_values = []
    for trial in range(150):
        human, first, second = generator.normal(size=(3, 8, 10))
        test = metric_permutation_test(human, human + first, human + second, permutations=199, seed=trial)
        p_values.append(test.p)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
