"""`errata compare` and what is behind it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from errata import sample
from errata.cli import cli
from errata.errors import DataError, MissingExtraError
from errata.metrics import METRICS
from errata.metrics.results import Results
from errata.metrics.score import Score
from errata.significance.compare import Plan, compare
from errata.significance.decisions import adjust, decide
from errata.significance.permutation import Permutations, decide_together
from toy_metrics import Ratio, Summed, ratio_statistics

EN = sample.folder("en")
SYSTEMS = ["neural", "fluent", "spellfix", "input"]


@pytest.fixture
def results() -> Results:
    generator = np.random.default_rng(4)
    shares = {"best": 0.7, "good": 0.6, "also": 0.6, "bad": 0.3}
    scores = {(n, 0): Score(Ratio(), ratio_statistics(generator, 200, share)) for n, share in shares.items()}
    labels = {"document": [f"d{i // 10}" for i in range(200)], "domain": ["news", "mail"] * 100}
    return Results(tuple(shares), (Ratio(),), scores, 200, labels)


@pytest.fixture
def errata(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setitem(METRICS, "ratio", "toy_metrics:Ratio")
    texts = ["--m2", EN / "gold.m2", "--hyp", *(EN / "systems" / f"{name}.txt" for name in SYSTEMS)]

    def run(*args: object, inputs: list[object] = texts) -> Result:
        return CliRunner().invoke(cli, ["compare", *map(str, [*inputs, "--metric", "ratio", *args])])

    return run


def test_all_pairs_are_compared_the_best_system_first(results: Results) -> None:
    (comparison,) = compare(results)
    assert comparison.systems[0] == "best"
    assert comparison.systems[-1] == "bad"
    assert len(comparison.pairs) == 6
    assert all(pair.difference >= 0 for pair in comparison.pairs)
    assert comparison.pair("bad", "best").decision == "significant"
    assert comparison.pair("good", "also").decision == "not significant"
    p_values = [pair.test.p for pair in comparison.pairs]
    assert [pair.adjusted for pair in comparison.pairs] == pytest.approx(adjust(p_values, "holm").tolist())
    for pair in comparison.pairs:
        assert pair.low <= pair.difference <= pair.high


def test_a_baseline_is_compared_with_every_other_system(results: Results) -> None:
    (comparison,) = compare(results, baseline="good")
    assert {pair.second for pair in comparison.pairs} == {"good"}
    assert len(comparison.pairs) == 3
    assert comparison.pair("bad", "good").difference < 0


@pytest.mark.parametrize(
    "plan",
    [
        Plan(test="bootstrap", interval="bca"),
        Plan(cluster="document", permutations=500),
        Plan(risk=1e-4, permutations=10**5),
        Plan(risk=1e-4, permutations=10**5, correction="none"),
        Plan(correction="bh", alpha=0.01, permutations=1000),
    ],
)
def test_every_plan_finds_the_clear_difference_and_not_the_absent_one(results: Results, plan: Plan) -> None:
    (comparison,) = compare(results, plan)
    assert comparison.pair("bad", "best").decision == "significant"
    assert comparison.pair("good", "also").decision == "not significant"


def test_tests_decided_together_decide_as_all_permutations_would() -> None:
    generator = np.random.default_rng(8)
    systems = [ratio_statistics(generator, 80, share) for share in (0.5, 0.5, 0.5, 0.5, 0.5, 0.6, 0.5, 0.7)]
    pairs = [(0, 1), (2, 3), (4, 5), (6, 7)]
    early = decide_together(
        Permutations(Ratio(), systems, pairs), correction="holm", permutations=50_000, risk=1e-3
    )
    every = Permutations(Ratio(), systems, pairs, seed=2)
    every.run(50_000)
    adjusted = adjust([every.result(number, "undecided").p for number in range(4)], "holm")
    for test, p in zip(early, adjusted, strict=True):
        if test.decision != "undecided":
            assert (test.decision == "significant") == (p <= 0.05)
    assert min(test.samples for test in early) < 50_000


def test_what_cannot_be_compared_is_named(results: Results) -> None:
    with pytest.raises(DataError, match="no system 'worst'"):
        compare(results, baseline="worst")
    with pytest.raises(DataError, match="no 'genre'"):
        compare(results, Plan(cluster="genre"))
    score = Score(Summed(), results.statistics["best", 0])
    alone = Results(("a",), (Summed(),), {("a", 0): score}, 200, {})
    with pytest.raises(DataError, match="needs two systems"):
        compare(alone)


def test_compare_prints_systems_differences_and_a_matrix(errata) -> None:
    done = errata("--permutations", 1000, "--full")
    assert done.exit_code == 0, done.output
    assert "ratio: matrix" in done.output
    assert "Holm's correction over 6 pairs" in done.output
    assert "**" in done.output
    two = ["--m2", EN / "gold.m2", "--hyp", *(EN / "systems" / f"{name}.txt" for name in SYSTEMS[:2])]
    assert "over 1 pair;" in errata("--permutations", 100, inputs=two).output


def test_compare_as_json_has_every_number(errata) -> None:
    done = errata("--baseline", "input", "--format", "json", "--risk", "1e-3", "--permutations", 20_000)
    systems, pairs = json.loads(done.output)
    assert systems["rows"][0]["system"] == "neural"
    assert {row["against"] for row in pairs["rows"]} == {"input"}
    assert {row["decision"] for row in pairs["rows"]} <= {"significant", "not significant", "undecided"}
    assert pairs["plan"]["risk"] == 1e-3
    assert all(low <= high for low, high in pairs["p_intervals"])
    assert all(row["difference"]["low"] <= row["difference"]["value"] for row in pairs["rows"])


def test_compare_by_label_compares_every_group(errata, results: Results, tmp_path: Path) -> None:
    results.save(tmp_path / "stats.npz")
    done = errata(
        "--by", "domain", "--full", "--permutations", 200, inputs=["--stats", tmp_path / "stats.npz"]
    )
    assert done.exit_code == 0, done.output
    assert "ratio, domain mail: differences" in done.output
    assert "power: chance to find a true difference of this size on 100 segments" in done.output


@pytest.mark.parametrize("suffix", ["svg", "pdf", "png"])
def test_compare_draws_a_picture(errata, tmp_path: Path, suffix: str) -> None:
    done = errata("--permutations", 200, "--plot", tmp_path / f"a.{suffix}")
    assert done.exit_code == 0, done.output
    picture = (tmp_path / f"a.{suffix}").read_bytes()
    if suffix == "svg":
        assert b"neural" in picture
        errata("--permutations", 200, "--plot", tmp_path / "b.svg")
        assert picture == (tmp_path / "b.svg").read_bytes()


def test_a_picture_of_unknown_kind_is_refused_before_the_work(errata, tmp_path: Path) -> None:
    done = errata("--plot", tmp_path / "x.gif")
    assert done.exit_code == 2
    assert ".svg, .pdf, .png" in done.output


def test_a_missing_matplotlib_is_explained(errata, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    done = errata("--permutations", 100, "--plot", tmp_path / "x.svg")
    assert isinstance(done.exception, MissingExtraError)
    assert "errata-gec[plot]" in str(done.exception)


def test_bootstrap_does_not_stop_early(errata) -> None:
    done = errata("--test", "bootstrap", "--risk", "1e-6")
    assert done.exit_code == 2
    assert "--test bootstrap has none" in done.output


def test_a_negative_seed_is_a_usage_error(errata) -> None:
    assert errata("--seed", -1).exit_code == 2


def test_a_p_value_of_alpha_is_significant() -> None:
    assert decide(0.05, 0.05) == "significant"
    assert decide(0.0501, 0.05) == "not significant"
