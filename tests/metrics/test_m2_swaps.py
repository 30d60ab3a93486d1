"""M² in many scans: rows left out change nothing, and swapping is what it says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.corpus.formats import read_corpus, read_outputs
from errata.metrics.m2 import M2, without_dominated
from errata.metrics.statistics import Statistics
from errata.significance.permutation import permutation_test, weight_swapper
from errata.significance.permutation_pruning import never_chosen

betas = st.sampled_from([0.0, 0.18, 0.5, 1.0, 2.0])


def _statistics(generator: np.random.Generator, segments: int) -> Statistics:
    offsets = np.concatenate([[0], np.cumsum(generator.integers(1, 5, segments))])
    proposed, gold = generator.integers(0, 4, (2, offsets[-1]))
    correct = generator.integers(0, np.minimum(proposed, gold) + 1)
    references = np.arange(offsets[-1]) - np.repeat(offsets[:-1], np.diff(offsets))
    return Statistics(M2.columns, np.stack([correct, proposed, gold], axis=1), offsets, references)


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), betas)
def test_rows_that_are_never_chosen_may_be_left_out(seed: int, beta: float) -> None:
    generator = np.random.default_rng(seed)
    statistics = _statistics(generator, 12)
    fewer = without_dominated(statistics, beta)
    assert (fewer.counts > 0).all()
    weights = generator.integers(0, 3, (10, 12))
    metric = M2(beta=beta)
    assert np.array_equal(metric.aggregate(statistics, weights), metric.aggregate(fewer, weights))


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), betas, st.integers(1, 60))
def test_swapping_scores_what_weights_do(seed: int, beta: float, segments: int) -> None:
    generator = np.random.default_rng(seed)
    systems = [_statistics(generator, segments) for _ in range(3)]
    swaps = generator.integers(0, 2, (7, segments)).astype(np.uint8)
    metric, pairs = M2(beta=beta), [(0, 1), (2, 0)]
    assert np.array_equal(
        metric.swapper(systems)(swaps, pairs), weight_swapper(metric, systems)(swaps, pairs)
    )


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), betas, st.integers(1, 60))
def test_rows_that_no_permutation_chooses_are_found(seed: int, beta: float, segments: int) -> None:
    generator = np.random.default_rng(seed)
    first, second = (without_dominated(_statistics(generator, segments), beta) for _ in range(2))
    metric = M2(beta=beta)
    forms = [metric._form(one) for one in (first, second)]
    beaten = never_chosen([first, second], forms)
    for swaps in generator.integers(0, 2, (5, segments)):
        both = first.interleaved(second).select(2 * np.arange(segments) + swaps)
        systems = [(first, second)[swap] for swap in swaps]
        rows = np.concatenate(
            [
                beaten[swap][one.offsets[i] : one.offsets[i + 1]]
                for i, (swap, one) in enumerate(zip(swaps, systems, strict=True))
            ]
        )
        assert not rows[metric.chosen(both)].any()


def test_counts_with_an_f_of_their_own_decide_nothing() -> None:
    values = np.array([[1, 0, 0], [0, 1, 1]])  # correct, but neither proposed nor gold
    odd = Statistics(M2.columns, values, np.array([0, 2]), np.array([0, 1]))
    assert not never_chosen([odd], [M2()._form(odd)])[0].any()


def test_sums_that_exceed_their_field_are_divided() -> None:
    generator = np.random.default_rng(3)
    systems = []
    for _ in range(2):
        few = _statistics(generator, 40)
        systems.append(Statistics(few.columns, few.values * 150_000, few.offsets, few.references))
    swaps = generator.integers(0, 2, (7, 40)).astype(np.uint8)
    plain = weight_swapper(M2(), systems)
    assert np.array_equal(M2().swapper(systems)(swaps, [(0, 1)]), plain(swaps, [(0, 1)]))


@pytest.fixture(scope="module")
def conll(data: Path) -> dict[str, Statistics]:
    corpus = read_corpus(data / "conll14" / "test.m2")
    names = ("CAMB", "CUUI", "AMU", "POST")
    outputs = read_outputs([data / "conll14" / "systems" / f"{name}.txt" for name in names], corpus)
    return {name: M2().statistics(corpus, lines) for name, lines in outputs.items()}


def test_swapping_on_conll14_is_what_weights_do(conll: dict[str, Statistics]) -> None:
    swaps = np.random.default_rng(1).integers(0, 2, (12, 1312)).astype(np.uint8)
    for first, second in (("CAMB", "CUUI"), ("AMU", "POST")):
        pair = [conll[first], conll[second]]
        plain = weight_swapper(M2(), pair)
        assert np.array_equal(M2().swapper(pair)(swaps, [(0, 1)]), plain(swaps, [(0, 1)]))


def test_the_leaders_of_conll14_do_not_differ_and_the_fifth_does(conll: dict[str, Statistics]) -> None:
    close = permutation_test(M2(), conll["CAMB"], conll["CUUI"], permutations=10**7, risk=1e-6)
    assert close.decision == "not significant"
    assert close.difference == pytest.approx(0.3733 - 0.3679, abs=1e-4)
    clear = permutation_test(M2(), conll["CAMB"], conll["POST"], permutations=10**7, risk=1e-6)
    assert clear.decision == "significant"
    assert max(close.samples, clear.samples) < 10_000


@pytest.mark.slow
def test_the_systems_of_geccc_differ_as_its_table_7_says(data: Path) -> None:
    """Náplava et al. (2022): p < 0.001 between these systems, at a risk of at most 1e-6."""
    corpus = read_corpus(data / "geccc" / "test" / "sentence.m2")
    paths = sorted((data / "geccc" / "systems").glob("*.txt"))
    systems = [M2().statistics(corpus, lines) for lines in read_outputs(paths, corpus).values()]
    for first, second in ((0, 1), (0, 2), (1, 2)):
        test = permutation_test(
            M2(), systems[first], systems[second], permutations=10**7, alpha=0.001, risk=1e-6
        )
        assert test.decision == "significant"
        assert test.p < 0.001
