"""Builds that fail: limits of scores, systems worse than a baseline, JUnit and Markdown."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from errata import sample
from errata.metrics import metric
from errata.metrics.results import Results
from errata.report.gates import comparison_checks, junit, score_checks, verdict
from errata.significance.compare import Plan, compare

EN = sample.folder("en")
GOLD, RULES, NEURAL = EN / "gold.m2", EN / "systems/rules.txt", EN / "systems/neural.txt"


@pytest.fixture(scope="module")
def results() -> Results:
    texts = sample.load("en")
    outputs = {name: texts.outputs[name] for name in ("neural", "rules")}
    return Results.compute(texts.corpus, outputs, [metric("m2"), metric("ter")])


def test_a_score_fails_where_it_is_worse_than_its_limit(results: Results) -> None:
    value = results["rules", "m2"].value
    assert not verdict(score_checks(results, {"m2": value}))
    above = float(np.nextafter(value, 1))
    assert verdict(score_checks(results, {"m2": above})).startswith(f"m2 of rules is {value!r}, under")
    assert verdict(score_checks(results, {"m2": 0.7})) == "m2 of rules is 0.6338, under 0.7"


def test_of_error_rates_the_higher_is_the_worse(results: Results) -> None:
    assert not verdict(score_checks(results, {"ter": 0.9}))
    assert "ter of neural" in verdict(score_checks(results, {"ter": 0.001}))
    assert "over 0.001" in verdict(score_checks(results, {"ter": 0.001}))


def test_a_system_fails_where_it_is_significantly_worse(results: Results) -> None:
    plan = Plan(permutations=200, samples=100)
    worse = compare(results, plan, baseline="neural")
    assert "rules is worse than neural by m2" in verdict(comparison_checks(worse, 0.05))
    assert "rules is worse than neural by ter" in verdict(comparison_checks(worse, 0.05))
    assert not verdict(comparison_checks(worse, 0.001))  # 1/201 is the smallest p
    assert not verdict(comparison_checks(compare(results, plan, baseline="rules"), 1))
    assert plan.smallest_p(1) == pytest.approx(1 / 201)
    assert plan.smallest_p(10) == pytest.approx(10 / 201)


def test_junit_has_a_case_per_score(results: Results) -> None:
    checks = score_checks(results, {"m2": 0.7})
    root = ElementTree.fromstring(junit(checks, "errata score"))
    assert root.attrib == {"tests": "4", "failures": "1", "errors": "0"}
    failed = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert [(case.get("classname"), case.get("name")) for case in failed] == [("errata score.m2", "rules")]
    assert float(root.findtext(".//system-out") or 0) == results["neural", "m2"].value


def test_score_as_a_gate(run, tmp_path: Path) -> None:
    (tmp_path / "summary.md").write_text("before\n")
    done = run("score", GOLD, RULES, "--fail-under", "m2=0.62", "--junit", "a.xml", "--summary", "summary.md")
    assert done.returncode == 0, done.stderr
    done = run("score", "--fail-under", "m2=0.64", GOLD, RULES, "--junit", "b.xml", "--summary", "summary.md")
    assert done.returncode == 1
    assert done.stderr == "failed: m2 of rules is 0.6338, under 0.64\n"
    assert "0.6338" in done.stdout
    passed, failed = (
        ElementTree.parse(tmp_path / name).getroot().get("failures") for name in ("a.xml", "b.xml")
    )
    assert (passed, failed) == ("0", "1")
    summary = (tmp_path / "summary.md").read_text()
    assert summary.startswith("before\n| system | M² P |")
    assert summary.index("all checks passed") < summary.index("under 0.64")


def test_compare_as_a_gate(run) -> None:
    options = ["--fail-if-worse", "--permutations", "200", "--samples", "100", "-m", "m2"]
    done = run("compare", GOLD, NEURAL, RULES, *options)
    assert done.returncode == 1
    assert done.stderr.startswith("failed: rules is worse than neural by m2 (-0.2901, p = 0.0")
    close = [GOLD, RULES, EN / "systems/overcorrect.txt"]
    assert run("compare", *close, *options).returncode == 0
    assert run("compare", *close, *options, "--p", "1").returncode == 1
    assert run("compare", GOLD, RULES, NEURAL, *options).returncode == 0
    assert run("compare", GOLD, RULES, NEURAL, *options, "--baseline", "neural").returncode == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["score", GOLD, RULES, "--fail-under", "m2"], "expected METRIC=VALUE, as in m2=0.62"),
        (["score", GOLD, RULES, "--fail-under", "m2=nan"], "expected METRIC=VALUE, as in m2=0.62"),
        (["compare", GOLD, RULES, NEURAL, "--p", "0.01"], "go with --fail-if-worse"),
        (["compare", GOLD, RULES, NEURAL, "--fail-if-worse", "--p", "1e-6"], "nothing could fail"),
    ],
)
def test_a_gate_that_says_nothing_is_refused(run, args: list[object], message: str) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert message in done.stderr
