"""Agreement and severity of judges over time."""

import numpy as np
import pytest

from errata.human.drift import drift
from errata.human.judgments import JudgedItem, Judgments
from errata.human.scalars import Scalars


def _rankings(tired_from: int) -> Judgments:
    """Two judges prefer A in 40 items; a third one prefers B from some item on."""
    items = [
        JudgedItem(judge, str(n), (("A",), ("B",)), (2, 1) if judge == "c" and n >= tired_from else (1, 2))
        for judge in "abc"
        for n in range(40)
    ]
    return Judgments.from_items(items)


def test_a_judge_who_changes_sides_has_a_significant_change() -> None:
    drifts = drift(_rankings(20))
    assert drifts.judges == ("a", "b", "c")
    assert drifts.parts().tolist() == [[1] * 4, [1] * 4, [1, 1, 0, 0]]
    assert drifts.changes()[2, 0] == pytest.approx(-1.5, abs=0.05)  # the slope of a step from 1 to 0
    assert [p < 0.01 for p in drifts.changes()[:, 2]] == [False, False, True]


def test_a_judge_alone_has_nothing_to_agree_with() -> None:
    assert drift(_rankings(40).filtered(judges=["a"])).judges == ()


def test_severity_is_the_deviation_from_other_judges_and_is_shrunk() -> None:
    random = np.random.default_rng(1)
    bias = {"strict": -10.0, "fair": 0.0, "kind": 10.0}
    rows = [
        (judge, "", str(n), system, 50 + 10 * (system == "A") + shift + random.normal())
        for judge, shift in bias.items()
        for n in range(30)
        for system in "AB"
    ]
    drifts = drift(Scalars.from_rows(rows))
    assert drifts.what == "severity"
    severities, errors = drifts.severities()
    assert severities == pytest.approx([-10, 0, 10], abs=0.5)
    assert (errors < 0.3).all()
    assert (drifts.changes()[:, 2] > 0.05).all()


def test_the_change_is_found_by_chance_as_often_as_its_p_says() -> None:
    random = np.random.default_rng(2)
    hits = 0
    for _ in range(100):
        rows = [(judge, "", str(n), "A", random.normal()) for judge in "ab" for n in range(20)]
        hits += int((drift(Scalars.from_rows(rows)).changes()[:, 2] < 0.05).sum())
    assert hits <= 20  # 10 of 200 are expected
