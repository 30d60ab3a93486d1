"""Agreement and severity of judges over time."""

import numpy as np
import pytest

from errata.human.drift import drift, judge_effects
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
    assert drifts.effects is not None
    assert drifts.effects[:, 0] == pytest.approx([-10, 0, 10], abs=0.5)
    assert (drifts.effects[:, 1] < 0.3).all()
    assert (drifts.changes()[:, 2] > 0.05).all()


@pytest.mark.needs("statsmodels")
@pytest.mark.filterwarnings("ignore::statsmodels.tools.sm_exceptions.ConvergenceWarning")
@pytest.mark.parametrize("severity", [0.0, 0.5, 3.0])
def test_judge_effects_are_those_of_statsmodels(severity: float) -> None:
    """REML with a random effect of judges, from unbalanced data."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    random = np.random.default_rng(4)
    effect = severity * random.standard_normal(8)
    judge = random.choice(8, 300, p=np.arange(1, 9) / 36)
    system = random.integers(0, 3, 300)
    score = 5 + system + effect[judge] + random.standard_normal(300)
    rows = [
        (f"j{j}", "", str(n), f"s{s}", x)
        for n, (j, s, x) in enumerate(zip(judge, system, score, strict=True))
    ]
    scores = Scalars.from_rows(rows)
    fit = MixedLM(scores.score, np.eye(3)[scores.system], groups=scores.judge).fit(reml=True)
    expected = [
        [float(fit.random_effects[k].iloc[0]), float(fit.random_effects_cov[k].iloc[0, 0]) ** 0.5]
        for k in range(len(scores.judges))
    ]
    assert judge_effects(scores) == pytest.approx(np.array(expected), abs=1e-3 if severity == 0 else 1e-4)


def test_effects_without_anything_to_estimate() -> None:
    same = Scalars.from_rows([(judge, "", str(n), "A", 3.0) for judge in "ab" for n in range(20)])
    assert not judge_effects(same).any()
    alone = Scalars.from_rows([("a", "", str(n), "A", float(n)) for n in range(20)])
    assert not judge_effects(alone).any()


def test_the_change_is_found_by_chance_as_often_as_its_p_says() -> None:
    random = np.random.default_rng(2)
    hits = 0
    for _ in range(100):
        rows = [(judge, "", str(n), "A", random.normal()) for judge in "ab" for n in range(20)]
        hits += int((drift(Scalars.from_rows(rows)).changes()[:, 2] < 0.05).sum())
    assert hits <= 20  # 10 of 200 are expected
