"""What a budget of screens can find out in a ranking campaign."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from errata.errors import DataError
from errata.human.judgment_files import read_judgments
from errata.human.judgments import JudgedItem, Judgments
from errata.human.planning import Plan, ScreenVariance, default_variance, pairs_table, pilot_variance
from errata.meta.prediction_powered import estimate, observe


def pilot(wins: int, losses: int) -> Judgments:
    """A against B, once on each segment."""
    ranks = [(1, 2)] * wins + [(2, 1)] * losses
    items = [JudgedItem("j", str(k), (("A",), ("B",)), rank, duration=30.0) for k, rank in enumerate(ranks)]
    return Judgments.from_items(items)


def test_two_systems_by_hand() -> None:
    variance, rates, between = pilot_variance(pilot(15, 5), 2)
    assert rates == pytest.approx([0.75, 0.25])
    # The outcome is 1 or −1 with the mean .5: its variance is .75, and a win rate moves by half of it.
    assert variance.score == pytest.approx(0.75 / 4)
    assert between[0, 1] == variance.pair == pytest.approx(0.75)
    assert (variance.shown, variance.seconds) == (2, 30)
    plan = Plan(2, 100, cards=2, overlap=0, repeats=0, variance=variance)
    assert plan.items == 100
    assert plan.error(variance.pair) == pytest.approx(np.sqrt(0.75 / 100))
    # 1.984 + .842 standard errors
    assert plan.smallest(variance.pair) == pytest.approx(2.826 * 0.0866, abs=1e-3)
    (row,) = pairs_table(plan, ("A", "B"), rates, between).rows
    assert [row[0], row[1], row[4]] == ["A", "B", "yes"]


def test_a_second_judgment_of_a_segment_says_less() -> None:
    variance = ScreenVariance(0.1, 0.2, 2.0, repeated=0.5)
    plain = Plan(2, 440, overlap=0, repeats=0, variance=variance)
    shared = Plan(2, 440, overlap=0.25, repeats=0, variance=variance)
    assert (plain.items, shared.items, shared.second) == (440, 352, 88)
    assert shared.error(0.1) == pytest.approx(plain.error(0.1) * np.sqrt(1 + 2 * 88 / 440 * 0.5))


def test_the_default_for_other_designs() -> None:
    twelve = default_variance(12, 5)
    assert (twelve.score, twelve.pair, twelve.shown) == (0.084, 0.184, 9.0)
    assert default_variance(3, 2).shown == 3  # two texts of three systems
    assert default_variance(24, 5).score > twelve.score
    assert default_variance(12, 9).shown == 12


def test_the_plan_of_a_pilots_own_size_has_the_error_of_its_estimate() -> None:
    sample = Path(__file__).parents[2] / "src/errata/sample/en"
    judged = read_judgments(sample / "rankings.xml").filtered()
    outputs = {
        name: (sample / "systems" / f"{name}.txt").read_text("utf-8").splitlines() for name in judged.systems
    }
    scores = estimate(observe(judged, outputs, []))
    variance, rates, _ = pilot_variance(judged, 5)
    count = np.bincount(judged.segment)
    again = 1 + ((count**2).sum() / count.sum() - 1) * variance.repeated
    assert rates == pytest.approx(scores.plain, abs=0.02)
    assert np.sqrt(variance.score * again / len(judged)) == pytest.approx(scores.errors.mean(), rel=0.1)


def test_a_thinned_pilot_is_weighted() -> None:
    """A wins where two texts are on a screen and loses where four are; half of the screens have four."""
    two, four = (("A",), ("B",)), (("A",), ("B",), ("C",), ("D",))
    items = [
        JudgedItem("j", str(k), two if k % 2 else four, (1, 2) if k % 2 else (4, 1, 2, 3))
        for k in range(4000)
    ]
    _, rates, _ = pilot_variance(Judgments.from_items(items), 4)
    _, thinned, _ = pilot_variance(Judgments.from_items(items), 2)
    assert thinned == pytest.approx(rates, abs=0.02)


def test_what_cannot_be_planned() -> None:
    with pytest.raises(DataError, match="19 screens"):
        pilot_variance(pilot(19, 0), 5)
    with pytest.raises(DataError, match="5 screens"):
        Plan(3, 5)
