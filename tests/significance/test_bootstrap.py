"""The bootstrap: weights are corpora, intervals cover, threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from errata.errors import DataError
from errata.significance.decisions import power_of_difference
from errata.significance.permutation import observed_scores
from errata.significance.resampling import (
    bca_interval,
    block_size,
    bootstrap_weights,
    cluster_numbers,
    jackknife,
    paired_bootstrap,
    percentile_interval,
)
from toy_metrics import Ratio, Running, Summed, ratio_statistics, running_statistics


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(11)


def test_a_sample_draws_as_many_segments_as_there_are() -> None:
    weights = np.concatenate(list(bootstrap_weights(37, 600, seed=1)))
    assert weights.shape == (600, 37)
    assert (weights.sum(axis=1) == 37).all()
    assert len(np.unique(weights, axis=0)) == 600


@pytest.mark.parametrize(
    ("segments", "size"),
    [(1, 250), (16777, 250), (16778, 125), (33555, 50), (1 << 21, 2), (1 << 22, 1), (1 << 40, 1)],
)
def test_blocks_of_samples_are_bounded(segments: int, size: int) -> None:
    """Each block has its own random numbers: its size decides about the samples, not about memory alone."""
    assert block_size(segments) == size


def test_clusters_are_drawn_whole() -> None:
    clusters = cluster_numbers(["a", "b", "a", "c", "c", "c"])
    weights = np.concatenate(list(bootstrap_weights(6, 300, seed=1, clusters=clusters)))
    for cluster in range(3):
        own = weights[:, clusters == cluster]
        assert (own == own[:, :1]).all()
    first_of_each = weights[:, [0, 1, 3]]
    assert (first_of_each.sum(axis=1) == 3).all()


def test_every_block_of_weights_has_a_generator_of_its_own() -> None:
    blocks = list(bootstrap_weights(6, 600, seed=5))
    assert [len(block) for block in blocks] == [250, 250, 100]
    for number, block in enumerate(blocks):
        drawn = np.random.default_rng([5, number]).integers(0, 6, size=(len(block), 6))
        assert np.array_equal(block, [np.bincount(row, minlength=6) for row in drawn])


def test_bootstrap_of_running_totals_equals_rescoring_the_drawn_corpora(generator) -> None:
    statistics = running_statistics(generator, 12)
    scores = paired_bootstrap(Running(), [statistics], samples=20, seed=3)[:, 0]
    weights = next(bootstrap_weights(12, 20, seed=3))
    for score, row in zip(scores, weights, strict=True):
        drawn = statistics.select(np.repeat(np.arange(12), row))
        assert Running().score(drawn).value == score[0]


def test_sums_and_weights_give_the_same_scores(generator) -> None:
    systems = [ratio_statistics(generator, 50, share) for share in (0.4, 0.6)]
    quick = paired_bootstrap(Ratio(), systems, samples=300)
    assert np.array_equal(quick, paired_bootstrap(Summed(), systems, samples=300))
    left_out = jackknife(Ratio(), systems)
    assert left_out.shape == (50, 2, 2)
    assert np.array_equal(left_out, jackknife(Summed(), systems))


@pytest.mark.parametrize("metric", [Ratio(), Summed()])
def test_a_seed_determines_the_samples(metric, generator) -> None:
    systems = [ratio_statistics(generator, 40) for _ in range(3)]
    scores = paired_bootstrap(metric, systems, samples=1100, seed=5)
    assert np.array_equal(scores, paired_bootstrap(metric, systems, samples=1100, seed=5))
    assert not np.array_equal(scores, paired_bootstrap(metric, systems, samples=1100, seed=6))


def test_bca_interval_equal_scipys(generator) -> None:
    sample = generator.exponential(size=40)
    official = stats.bootstrap((sample,), np.mean, method="BCa", n_resamples=2000, rng=1)
    left_out = (sample.sum() - sample) / 39
    low, high = bca_interval(official.bootstrap_distribution, np.array(sample.mean()), left_out)
    assert (float(low), float(high)) == pytest.approx(tuple(official.confidence_interval), rel=1e-9)


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_intervals_cover_the_true_score(interval, generator) -> None:
    trials, level = 500, 0.9
    covered = 0
    for trial in range(trials):
        systems = [ratio_statistics(generator, 120, 0.3)]
        scores = paired_bootstrap(Ratio(), systems, samples=400, seed=trial)[:, :, 0]
        if interval == "percentile":
            low, high = percentile_interval(scores, level)
        else:
            left_out = jackknife(Ratio(), systems)[:, :, 0]
            low, high = bca_interval(scores, observed_scores(Ratio(), systems), left_out, level)
        covered += low[0] <= 0.3 <= high[0]
    assert abs(covered / trials - level) < 4 * np.sqrt(level * (1 - level) / trials)


def test_clusters_widen_the_interval_where_documents_differ(generator) -> None:
    documents = np.repeat(np.arange(30), 10)
    right = generator.random(30)[documents] < generator.random(300)
    rows = ratio_statistics(generator, 300)
    rows.values[:, 0] = right * rows.values[:, 1]
    plain = paired_bootstrap(Ratio(), [rows])[:, 0, 0].std()
    whole = paired_bootstrap(Ratio(), [rows], clusters=documents)[:, 0, 0].std()
    assert whole > 1.2 * plain


def test_nothing_to_draw_from_is_an_error(generator) -> None:
    with pytest.raises(DataError, match="no segment"):
        paired_bootstrap(Ratio(), [ratio_statistics(generator, 0)])
    with pytest.raises(DataError, match="different numbers of segments: 3, 4"):
        paired_bootstrap(Ratio(), [ratio_statistics(generator, 3), ratio_statistics(generator, 4)])


def test_power_is_the_share_of_test_sets_that_find_the_difference(generator) -> None:
    segments, trials, shares = 400, 600, (0.5, 0.53)
    z = stats.norm.ppf(0.975)
    differences = np.array([
        np.subtract(*(float(Ratio().score(ratio_statistics(generator, segments, share))) for share in shares))
        for _ in range(trials)
    ])  # fmt: skip
    found = (np.abs(differences) > z * differences.std()).mean()
    first, second = (ratio_statistics(generator, 5000, share) for share in shares)
    scores = paired_bootstrap(Ratio(), [first, second], samples=2000)[:, :, 0]
    sampled = (scores[:, 0] - scores[:, 1]) * np.sqrt(5000 / segments)
    planned = power_of_difference(-0.03, sampled, segments, power=float(found))
    assert planned.power == pytest.approx(found, abs=0.08)
    assert planned.needed == pytest.approx(segments, rel=0.15)
    assert power_of_difference(0, sampled, segments).needed is None


def test_bca_interval_are_finite_where_every_sample_is_on_one_side() -> None:
    scores = np.linspace(1.0, 2.0, 100)[:, None]
    left_out = np.array([[0.1], [0.2], [0.4]])
    for observed in (0.5, 2.5):
        low, high = bca_interval(scores, np.array([observed]), left_out)
        assert 1.0 <= low[0] <= high[0] <= 2.0


def test_a_difference_that_never_varies_is_found_in_one_segment() -> None:
    found = power_of_difference(0.1, np.full(10, 0.1), 100)
    assert (found.power, found.needed) == (1.0, 1)
    assert power_of_difference(5.0, np.array([4.9, 5.0, 5.1]), 3).needed == 1


def test_one_segment_tells_nothing_of_the_power() -> None:
    found = power_of_difference(0.1, np.full(10, 0.1), 1)
    assert np.isnan(found.power)
    assert found.needed is None


def test_the_power_at_a_tiny_level() -> None:
    sampled = np.random.default_rng(1).normal(0.1, 0.01, 100)
    assert power_of_difference(0.1, sampled, 50, alpha=1e-18).power == pytest.approx(0.8, abs=0.2)
