"""Human scores with metrics as control variates: exact small cases, coverage, and errors."""

from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest

from errata.errors import DataError
from errata.human.judgments import JudgedItem, Judgments
from errata.human.scalars import Scalars
from errata.meta.prediction_powered import HumanScores, estimate, observe, warning_of
from errata.significance.confidence_sequences import growth, multiplier

OUTPUTS = {"A": ["a", "b", "c", "d"], "B": ["x", "b", "y", "z"]}  # equal on line 1


def _judged(*rankings: tuple[int, int, int]) -> Judgments:
    items = [
        JudgedItem("judge", str(line), (("A",), ("B",)), (a, b), name=str(k))
        for k, (line, a, b) in enumerate(rankings)
    ]
    return Judgments.from_items(items)


def test_without_metrics_the_score_is_the_win_rate_with_known_ties() -> None:
    # A wins line 0 and ties line 2; on one of four lines the outputs are equal: ½ + ¾ · ½ / 2
    scores = estimate(observe(_judged((0, 1, 2), (2, 1, 1)), OUTPUTS, []))
    assert scores.scores.tolist() == [0.6875, 0.3125]
    assert scores.saved == 0


def _scored(seed: int, *, noise: float, judged: int, corpus: int, judges: float = 0.0) -> HumanScores:
    """Scores of two systems (true means 1 and 2) on some of the segments, and a metric on all."""
    random = np.random.default_rng(seed)
    quality = random.normal(size=(corpus, 2)) + np.array([1, 2])
    metric = quality + noise * random.normal(size=quality.shape)
    severity = judges * random.normal(size=12)
    rows = [
        (f"judge {(line + k) % 12}", "", str(line), name, quality[line, k] + severity[(line + k) % 12])
        for line in range(judged)
        for k, name in enumerate("AB")
    ]
    outputs = {name: [f"{name}{line}" for line in range(corpus)] for name in "AB"}
    observed = observe(Scalars.from_rows(rows), outputs, [dict(zip("AB", metric.T, strict=True))])
    return estimate(observed, judges=judges > 0)


def test_a_perfect_metric_gives_the_means_of_all_segments() -> None:
    scores = _scored(1, noise=0, judged=200, corpus=1000)
    quality = np.random.default_rng(1).normal(size=(1000, 2)) + np.array([1, 2])
    assert scores.scores == pytest.approx(quality.mean(axis=0), abs=0.02)
    assert scores.errors == pytest.approx(quality.std(axis=0) / 1000**0.5, rel=0.1)
    assert scores.saved > 0.6


def test_a_useless_metric_costs_nearly_nothing() -> None:
    savings = [_scored(seed, noise=1000, judged=100, corpus=400).saved for seed in range(20)]
    assert -0.03 < np.mean(savings) < 0.03


@pytest.mark.parametrize("severity", [0.0, 0.5])
def test_intervals_cover_the_truth(severity: float) -> None:
    """With judges of random severity, intervals by segment and judge cover the means over all judges."""
    covered = []
    for seed in range(150):
        scores = _scored(seed, noise=0.7, judged=48, corpus=300, judges=severity)
        half = multiplier(scores.clusters) * scores.errors
        covered.append(np.abs(scores.scores - [1, 2]) <= half)
    assert 0.92 <= np.mean(covered) <= 0.98


def test_an_interval_for_any_time_is_wider_and_covers_all_looks() -> None:
    assert multiplier(10**9) == pytest.approx(1.96, abs=0.001)
    assert 2.5 < multiplier(400, planned=400) < 3.5
    random = np.random.default_rng(2)
    sums = random.normal(size=(1000, 2000)).cumsum(axis=1)
    counts = np.arange(1, 2001)
    bound = np.array([multiplier(n, planned=400) for n in counts[9:].tolist()])
    ever = (np.abs(sums)[:, 9:] > bound * np.sqrt(counts[9:])).any(axis=1)
    assert ever.mean() < 0.05


def test_how_much_longer_until_a_point_is_excluded() -> None:
    assert growth(100, 5, planned=400) == 1
    times = growth(100, 2, planned=400)
    assert 2 < times < 4
    assert 2 * times**0.5 == pytest.approx(multiplier(round(100 * times), planned=400), rel=0.01)
    assert growth(100, 0, planned=400) == float("inf")


def test_systems_with_equal_judgments_are_not_separated() -> None:
    covariance = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]]) * 1e-4
    scores = np.array([0.5, 0.5, 0.6])
    found = HumanScores(scores, covariance, scores, covariance, 100, 0.0)
    table = found.separations(("a", "b", "c"), 100, planned=400)
    assert [(row[0], row[1], row[3]) for row in table.rows] == [
        ("c", "a", "separated"), ("c", "b", "separated"), ("a", "b", "over 1,000,000"),
    ]  # fmt: skip
    alone = HumanScores(scores[:1], covariance[:1, :1], scores[:1], covariance[:1, :1], 100, 0.0)
    assert not alone.separations(("a",), 100, planned=400).rows


def test_a_row_counts_by_the_inverse_of_its_chance() -> None:
    """A wins on half of the lines; those where it loses are judged four times as rarely."""
    random = np.random.default_rng(3)
    lost = np.arange(4000) % 2 == 1
    chosen = np.flatnonzero(random.random(4000) < np.where(lost, 0.1, 0.4))
    judged = _judged(*((int(line), *((2, 1) if lost[line] else (1, 2))) for line in chosen))
    outputs = {"A": ["a"] * 4000, "B": ["b"] * 4000}
    chances = {name: {("A", "B"): 0.1 if lost[line] else 0.4}
               for name, line in zip(judged.names, chosen, strict=True)}  # fmt: skip
    biased = estimate(observe(judged, outputs, [])).scores[0]
    scores = estimate(observe(judged, outputs, [], chances=chances))
    assert biased > 0.75
    assert abs(scores.scores[0] - 0.5) < 2 * scores.errors[0]


def test_judged_segments_unlike_the_corpus_give_a_warning() -> None:
    metric = {"A": np.arange(200.0), "B": np.zeros(200)}
    outputs = {"A": ["a"] * 200, "B": ["b"] * 200}
    random = np.random.default_rng(1)
    fair, biased = random.permutation(200)[:40], np.arange(40)
    for lines, warned in ((fair, False), (biased, True)):
        judged = _judged(*((int(line), *random.permutation(2).tolist()) for line in lines))
        assert (warning_of(estimate(observe(judged, outputs, [metric]))) is not None) == warned


def test_too_few_judgments_or_missing_outputs_are_errors() -> None:
    with pytest.raises(DataError, match="fewer than two judged"):
        observe(_judged((0, 1, 2)), OUTPUTS, [])
    with pytest.raises(DataError, match="no outputs of B"):
        observe(_judged((0, 1, 2)), {"A": OUTPUTS["A"]}, [])
    with pytest.raises(DataError, match="differently on line 2, where their outputs are equal"):
        observe(_judged((0, 1, 2), (1, 1, 2), (2, 1, 2)), OUTPUTS, [])
    with pytest.raises(DataError, match="outside the corpus"):
        observe(_judged((0, 1, 2), (2, 1, 2), (9, 1, 2)), OUTPUTS, [])


def test_rank_with_metric(run: Callable[..., CompletedProcess[str]], tmp_path: Path) -> None:
    references = ["he goes home .", "I like it .", "she runs ."]
    texts = {
        "src": ["he go home .", "I likes it .", "she run ."],
        "ref": references,
        "good": references,
        "bad": ["he go .", "I likes .", "run ."],
    }
    for name, lines in texts.items():
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n")
    rows = [f"j\t\t{line}\tgood\t{90 - line}\nj\t\t{line}\tbad\t20" for line in range(3)]
    scores = tmp_path / "scores.tsv"
    scores.write_text("\n".join(["judge\tdocument\tsegment\tsystem\tscore", *rows]) + "\n")
    options = ["--source", tmp_path / "src.txt", "--ref", tmp_path / "ref.txt", "--format", "json"]
    options += ["--hyp", tmp_path / "good.txt", tmp_path / "bad.txt", "--method", "mean", "--anytime"]
    done = run("rank", scores, "--with-metric", "gleu", *options)
    assert done.returncode == 0, done.stderr
    assert "valid at any time" in done.stdout
    assert "89.0" in done.stdout
    done = run("rank", scores, "--anytime")
    assert done.returncode == 2
    assert "--anytime goes with --with-metric" in done.stderr
