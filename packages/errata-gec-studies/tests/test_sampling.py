"""How far chance reaches: bands hold what they promise, and impossible ranges are told from possible ones."""

from __future__ import annotations

import numpy as np
import pytest

from errata.human.rankings import rank_systems
from errata_studies.replicate.exhibits import EQUAL, NAMED, cells, cut_off, range_text
from errata_studies.replicate.sampling import (
    band,
    means,
    place_causes,
    possible_ranges,
    share_as_far,
)


@pytest.fixture(scope="module")
def draws() -> np.ndarray:
    """Six figures that move together in pairs, of different spread."""
    generator = np.random.default_rng(1)
    base = generator.normal(size=(4000, 6))
    base[:, 1::2] = 0.8 * base[:, ::2] + 0.6 * base[:, 1::2]
    return base * np.array([0.1, 0.2, 0.1, 0.3, 0.1, 0.2]) + 0.5


def test_a_band_holds_95_percent_of_draws_in_all_figures_at_once(draws: np.ndarray) -> None:
    first, second = draws[:2000], draws[2000:]
    width = band(first)
    inside = (np.abs(second - first.mean(axis=0)) <= width).all(axis=1).mean()
    assert inside == pytest.approx(0.95, abs=0.02)
    assert np.allclose(width / first.std(axis=0), width[0] / first[:, 0].std())  # as wide in sd everywhere


def test_one_more_draw_is_as_far_as_any_and_a_broken_pattern_is_not(draws: np.ndarray) -> None:
    shares = [share_as_far(draws[:2000], each) for each in draws[2000:2400]]
    assert np.mean(shares) == pytest.approx(0.5, abs=0.05)
    assert np.mean(np.array(shares) < 0.05) == pytest.approx(0.05, abs=0.03)
    # Each figure within its own band, but a pair that always moves together does not.
    odd = draws.mean(axis=0) + band(draws) * np.array([0.9, -0.9, 0, 0, 0, 0])
    assert share_as_far(draws, odd) < 0.001


def test_means_of_runs_have_their_chance_and_ours() -> None:
    runs = np.random.default_rng(2).normal(size=(1000, 3))
    found = means(runs, 100)
    assert found.mean(axis=0) == pytest.approx(runs.mean(axis=0), abs=0.02)
    assert found.std(axis=0) == pytest.approx([(1 / 100 + 1 / 1000) ** 0.5] * 3, rel=0.1)


def test_ranges_of_another_bootstrap_are_possible_and_others_are_not() -> None:
    generator = np.random.default_rng(3)
    true = np.array([3.0, 2.6, 2.5, 1.0])
    ours, theirs = (generator.normal(true, 0.3, (1000, 4)) for _ in range(2))
    ranking = rank_systems(tuple("ABCD"), theirs)
    ends = {s: (int(b), int(w)) for s, b, w in zip(ranking.systems, ranking.best, ranking.worst, strict=True)}
    possible = possible_ranges(ours)
    assert all(range_text(*ends[system]) in texts for system, texts in zip("ABCD", possible, strict=True))
    assert "2–3" not in possible[0]
    assert possible[3] == {"4"}
    causes = place_causes("drawn", "score", "ABCD", ours)
    found = [causes[f"place {place}", "score"].outcomes for place in range(1, 5)]
    assert found[3] == {"D"}
    assert not any("D" in some for some in found[:3])
    assert "B" in found[1]


def test_a_figure_is_cut_off_only_if_cutting_gives_it() -> None:
    printed = {("a", "x"): "0.30", ("b", "x"): "0.31", ("c", "x"): "-0.29", ("d", "x"): "word"}
    found = {("a", "x"): 0.3075, ("b", "x"): 0.3075, ("c", "x"): -0.2999, ("d", "x"): "word"}
    verdicts = [cell.verdict for cell in cells(printed, found, causes=cut_off(printed, found))]
    assert verdicts == [NAMED, EQUAL, NAMED, EQUAL]
