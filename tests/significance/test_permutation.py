"""Paired tests, early stopping and corrections."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats import multitest

from errata.errors import DataError
from errata.metrics.statistics import Statistics
from errata.significance.decisions import (
    adjust,
    benjamini_hochberg,
    hit_interval,
    holm,
    look_schedule,
    stopping_boundaries,
)
from errata.significance.permutation import (
    PairedTest,
    Permutations,
    bootstrap_test,
    observed_scores,
    permutation_test,
)
from errata.significance.resampling import paired_bootstrap
from toy_metrics import Ratio, Running, Summed, ratio_statistics, running_statistics


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(12)


def _swapped(first: Statistics, second: Statistics, swaps: np.ndarray) -> tuple[Statistics, Statistics]:
    """Two corpora put together row by row, the slow way."""

    def together(choices: np.ndarray) -> Statistics:
        parts = [(first, second)[choice].select([i]) for i, choice in enumerate(choices)]
        return Statistics(
            first.columns,
            np.concatenate([part.values for part in parts]),
            np.concatenate([[0], np.cumsum([len(part.values) for part in parts])]),
            np.concatenate([part.references for part in parts]),
        )

    return together(swaps), together(1 - swaps)


@pytest.mark.parametrize(
    ("metric", "make"),
    [(Ratio(), ratio_statistics), (Summed(), ratio_statistics), (Running(), running_statistics)],
)
def test_a_permutation_scores_the_corpora_with_segments_swapped(metric, make, generator) -> None:
    first, second = make(generator, 15), make(generator, 15)
    swaps = generator.integers(0, 2, (12, 15)).astype(np.uint8)
    differences = -np.diff(metric.swapper([first, second])(swaps, [(0, 1)])[:, 0])[:, 0]
    for row, difference in zip(swaps, differences, strict=True):
        ours, theirs = _swapped(first, second, row)
        assert difference == pytest.approx(metric.score(ours).value - metric.score(theirs).value, abs=1e-15)


@pytest.mark.parametrize(("metric", "make"), [(Ratio(), ratio_statistics), (Running(), running_statistics)])
def test_p_values_approach_that_of_all_permutations(metric, make, generator) -> None:
    first, second = make(generator, 9), make(generator, 9)
    every = np.array(list(itertools.product([0, 1], repeat=9)), dtype=np.uint8)
    differences = np.abs(np.diff(metric.swapper([first, second])(every, [(0, 1)])[:, 0])[:, 0])
    exact = (differences >= differences[0] - 1e-12).mean()
    test = permutation_test(metric, first, second, permutations=4000)
    assert test.low <= exact <= test.high
    assert test.p == pytest.approx(exact, abs=0.04)


def sampled_test(metric, *pair, samples: int = 10_000, seed: int = 1) -> PairedTest:
    """The paired bootstrap of two systems as a comparison makes it."""
    drawn = paired_bootstrap(metric, pair, samples=samples, seed=seed)[:, :, 0]
    return bootstrap_test(drawn[:, 0] - drawn[:, 1], -float(np.diff(observed_scores(metric, pair))[0]), 0.05)


@pytest.mark.parametrize("test", [permutation_test, sampled_test])
def test_p_values_are_uniform_under_the_null(test, generator) -> None:
    p_values = []
    for trial in range(300):
        first, second = (ratio_statistics(generator, 60) for _ in range(2))
        size = {"permutations" if test is permutation_test else "samples": 499}
        p_values.append(test(Ratio(), first, second, seed=trial, **size).p)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_whole_documents_are_swapped(generator) -> None:
    first, second = (ratio_statistics(generator, 40, share) for share in (0.3, 0.7))
    documents = np.repeat([0, 1], 20)
    # with two documents half of the four swaps leave the difference as large as it is
    assert permutation_test(Ratio(), first, second, clusters=documents).p == pytest.approx(0.5, abs=0.03)
    assert permutation_test(Ratio(), first, second).p < 0.001


def test_equal_systems_never_differ(generator) -> None:
    same = ratio_statistics(generator, 30)
    test = permutation_test(Ratio(), same, same, permutations=100_000, risk=1e-6)
    assert (test.p, test.difference, test.decision) == (1.0, 0.0, "not significant")
    assert test.samples == 1000
    assert sampled_test(Ratio(), same, same).p == 1.0
    with pytest.raises(DataError, match="different numbers"):
        permutation_test(Ratio(), same, ratio_statistics(generator, 31))


def test_a_score_that_is_not_a_number_is_never_significant(generator) -> None:
    class Nothing(Summed):
        def aggregate(self, statistics, weights):
            return np.full((len(weights), 2), np.nan)

    first, second = (ratio_statistics(generator, 20) for _ in range(2))
    assert permutation_test(Nothing(), first, second, permutations=100).p == 1
    assert sampled_test(Nothing(), first, second, samples=100).p == 1


# -- sequential stopping ------------------------------------------------------------------------------


def test_clear_cases_stop_early_and_close_ones_go_on(generator) -> None:
    first, second = (ratio_statistics(generator, 200, share) for share in (0.3, 0.7))
    clear = permutation_test(Ratio(), first, second, permutations=10**7, risk=1e-6)
    assert clear.decision == "significant"
    assert clear.samples <= 3000
    base = ratio_statistics(generator, 200)
    close = permutation_test(Ratio(), base, ratio_statistics(generator, 200), permutations=3000, alpha=0.5,
                             risk=1e-6)  # fmt: skip
    fixed = permutation_test(Ratio(), first, second, permutations=5000)
    assert fixed.samples == 5000
    assert close.samples <= 3000


def test_boundaries_are_the_narrowest_that_the_spending_sequence_allows() -> None:
    """Against the definition: a walk of single steps, its probabilities kept in a plain list."""
    alpha, risk = 0.05, 1e-3
    distribution = {0: 1.0}
    spent_above = spent_below = 0.0
    before = 0
    for look in itertools.islice(stopping_boundaries(alpha, risk, 10**6), 3):
        cells = np.zeros(max(distribution) + 1 + look.samples - before)
        for hits, probability in distribution.items():
            cells[hits] = probability
        for _ in range(look.samples - before):
            cells[1:] = cells[1:] * (1 - alpha) + cells[:-1] * alpha
            cells[0] *= 1 - alpha
        allowed = risk * look.samples / (1000 + look.samples)
        assert spent_above + cells[look.upper :].sum() <= allowed * (1 + 1e-9)
        assert spent_above + cells[look.upper - 1 :].sum() > allowed
        assert spent_below + cells[: look.lower + 1].sum() <= allowed * (1 + 1e-9)
        assert spent_below + cells[: look.lower + 2].sum() > allowed
        spent_above += cells[look.upper :].sum()
        spent_below += cells[: look.lower + 1].sum()
        distribution = {hits: cells[hits] for hits in range(look.lower + 1, look.upper)}
        before = look.samples


@pytest.mark.parametrize("p", [0.03, 0.045, 0.055, 0.08])
def test_wrong_decisions_are_rarer_than_the_risk(p: float, generator) -> None:
    walks, alpha, risk = 20_000, 0.05, 0.01
    hits = np.zeros(walks, dtype=np.int64)
    open_ = np.ones(walks, dtype=bool)
    wrong = before = 0
    for look in stopping_boundaries(alpha, risk, 100_000):
        hits += generator.binomial(look.samples - before, p, size=walks)
        over = hits >= look.upper if p <= alpha else hits <= look.lower
        right = hits <= look.lower if p <= alpha else hits >= look.upper
        wrong += int((over & open_).sum())
        open_ &= ~(over | right)
        before = look.samples
    assert wrong / walks <= risk + 4 * np.sqrt(risk / walks)
    assert open_.mean() < 0.6


def test_ten_million_samples_have_few_looks_and_narrow_boundaries() -> None:
    every = list(stopping_boundaries(0.05, 1e-6, 10**7))
    assert len(every) < 150
    assert [look.samples for look in every] == list(look_schedule(10**7))
    last = every[-1]
    assert last.samples == 10**7
    assert 0.0490 < last.lower / 10**7 < 0.05 < last.upper / 10**7 < 0.0510
    assert all(look.lower < 0.05 * look.samples < look.upper for look in every)


def test_hit_intervals_hold_whenever_one_stops(generator) -> None:
    p, missed, trials = 0.05, 0, 300
    for _ in range(trials):
        hits = np.cumsum(generator.binomial(200, p, size=12))
        ends = [hit_interval(int(h), 200 * (i + 1), level=0.9) for i, h in enumerate(hits)]
        missed += any(not low <= p <= high for low, high in ends)
    assert missed / trials <= 0.1 + 4 * np.sqrt(0.09 / trials)
    assert hit_interval(0, 1000)[0] == 0
    assert hit_interval(1000, 1000)[1] == 1


# -- corrections --------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=20, deadline=None)  # statsmodels takes its time
@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_corrections_equal_statsmodels(p_values: list[float]) -> None:
    for ours, method in ((holm, "holm"), (benjamini_hochberg, "fdr_bh")):
        official = multitest.multipletests(p_values, method=method)[1]
        assert ours(p_values) == pytest.approx(official, abs=1e-12)
    assert adjust(p_values, "none").tolist() == p_values
    assert adjust(p_values, "bh") == pytest.approx(stats.false_discovery_control(p_values))


def test_an_unknown_correction_is_refused() -> None:
    with pytest.raises(ValueError, match="one of none, holm, bh"):
        adjust([0.1], "tukey")


@pytest.mark.parametrize(("segments", "block"), [(300, 250), (9000, 125)])
def test_swaps_are_drawn_in_blocks_whose_size_depends_on_the_segments_alone(
    generator, segments: int, block: int
) -> None:
    """Each block has its own random numbers, so that p is the same on every machine."""
    first, second = (ratio_statistics(generator, segments, share) for share in (0.5, 0.502))
    rows = [one.values.astype(float) for one in (first, second)]

    def difference(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.subtract(*(part[:, 0].sum() / part[:, 1].sum() for part in (a, b))))

    observed, hits = difference(*rows), 0
    for number in range(4):
        random = np.random.default_rng([7, number])
        octets = -(-segments // 8)
        drawn = np.frombuffer(random.bytes(block * octets), dtype=np.uint8).reshape(block, octets)
        for swaps in np.unpackbits(drawn, axis=1, count=segments).astype(bool):
            swapped = (np.where(swaps[:, None], y, x) for x, y in (rows, rows[::-1]))
            hits += abs(difference(*swapped)) >= abs(observed) - 1e-12
    found = permutation_test(Ratio(), first, second, permutations=4 * block, seed=7)
    assert (found.samples, found.hits) == (4 * block, hits)
    assert 0 < hits < 4 * block


@pytest.mark.parametrize("permutations", [1, 999, 7_999, 8_000, 8_001, 16_500])
def test_every_number_of_permutations_is_made_once(generator, permutations: int) -> None:
    first, second = (ratio_statistics(generator, 7, share) for share in (0.4, 0.5))
    found = permutation_test(Ratio(), first, second, permutations=permutations)
    walk = Permutations(Ratio(), [first, second], [(0, 1)])
    walk.run(permutations)
    assert (found.samples, found.hits) == (permutations, int(walk.hits[0]))
