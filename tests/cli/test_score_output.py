"""How scores are printed: percent, digits, keys of JSON, folders of outputs, limits, summaries."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from errata import sample

Run = Callable[..., subprocess.CompletedProcess[str]]

GOLD = sample.folder("en") / "gold.m2"
SYSTEMS = sample.folder("en") / "systems"


def test_percent_and_digits(run: Run) -> None:
    words = ("score", GOLD, SYSTEMS / "rules.txt", "--metric", "m2")
    assert " rules   0.7590  0.3818   0.6338\n" in run(*words).stdout
    assert " rules   75.90  38.18    63.38\n" in run(*words, "--percent").stdout
    assert " rules   0.76  0.38     0.63\n" in run(*words, "--digits", 2).stdout
    assert " rules     76    38       63\n" in run(*words, "--percent", "--digits", 0).stdout
    compared = run("compare", GOLD, SYSTEMS / "rules.txt", SYSTEMS / "neural.txt", "-m", "m2", "--percent")
    assert "92.39 [" in compared.stdout
    assert "29.01 [" in compared.stdout  # their difference


def test_json_has_keys_for_programs(run: Run) -> None:
    words = ("score", GOLD, SYSTEMS / "rules.txt", "--metric", "m2:beta=1,m2,gleu", "--format", "json")
    (row,) = json.loads(run(*words).stdout)["rows"]
    assert row["gleu.gleu"] == pytest.approx(0.39, abs=0.01)
    assert {key.rpartition(".")[2] for key in row} == {"system", "f", "precision", "recall", "gleu"}
    (row,) = json.loads(run(*words[:4], "m2", "--format", "json").stdout)["rows"]
    assert list(row) == ["system", "m2.precision", "m2.recall", "m2.f"]


def test_the_number_alone_is_bold_in_latex(run: Run) -> None:
    text = run("score", GOLD, "--hyp", SYSTEMS, "--ci", "--samples", 10, "-m", "m2", "-f", "latex").stdout
    assert r"neural & 0.9329 & 0.8895 & \textbf{0.9239} [0." in text
    assert text.count(r"\textbf") == 1


def test_a_folder_stands_for_its_files(run: Run, tmp_path: Path) -> None:
    files = sorted(SYSTEMS.glob("*.txt"))
    folder, single = (run("score", GOLD, "--hyp", *each).stdout for each in ([SYSTEMS], files))
    assert folder == single
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / ".hidden").touch()
    done = run("score", GOLD, "--hyp", "empty")
    assert done.returncode == 1
    assert "empty: there is no file in this folder" in done.stderr


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("m2=37", "did you mean m2=0.37?"),
        ("gleu=0.3", "gleu is not computed\n  hint: add --metric gleu"),
    ],
)
def test_limits_that_cannot_be_meant(run: Run, limit: str, message: str) -> None:
    done = run("score", "missing.m2", "A.txt", "--metric", "m2", "--fail-under", limit)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_limit_above_one_is_right_for_an_error_rate(run: Run) -> None:
    words = ("score", GOLD, SYSTEMS / "rules.txt", "--metric", "wer", "--fail-under", "wer=1.5")
    assert run(*words).returncode == 0


def test_a_comparison_is_a_summary_unless_full(run: Run) -> None:
    short = run("compare", GOLD, "--hyp", SYSTEMS, "-m", "m2")
    full = run("compare", GOLD, "--hyp", SYSTEMS, "-m", "m2", "--full")
    assert "of 15 pairs differ significantly; --full lists" in short.stdout
    assert len(short.stdout.splitlines()) < 25 < len(full.stdout.splitlines())
    assert "differences" not in short.stdout
    for option in ([], ["--baseline", "input"]):
        files = [SYSTEMS / "rules.txt", SYSTEMS / "input.txt"]
        assert "differences" in run("compare", GOLD, *files, "-m", "m2", *option).stdout
