"""`errata rank`, `errata agree` and `errata corpus agreement` as a user runs them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

Run = Callable[..., CompletedProcess[str]]

CSV = "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n"


@pytest.fixture
def judgments(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    rows = []
    for n in range(60):
        for judge in ("ann", "ben"):
            rows.append(f"{n},{judge},A,1,B,{2 if n % 5 else 1}")
            rows.append(f"{n},{judge},B,{1 if n % 4 else 3},C,2")
            rows.append(f"{n},{judge},A,{1 if n % 6 else 3},C,2")
    path.write_text(CSV + "\n".join(rows) + "\n")
    return path


def test_rank_prints_score_range_and_cluster(run: Run, judgments: Path) -> None:
    done = run("rank", judgments, "--method", "ew,trueskill,bt", "--runs", "100", "--head-to-head")
    assert done.returncode == 0, done.stderr
    for title in ("Expected Wins", "TrueSkill", "Bradley–Terry", "Head to head"):
        assert title in done.stdout
    assert "360 pairs (expanded)" in done.stdout
    assert "resampled: 60 segments" in done.stdout
    rows = [line.split() for line in done.stdout.splitlines()]
    assert [row[-1] for row in rows if row and row[-1] in ("A", "B", "C")][:3] == ["A", "B", "C"]


def test_rank_as_json_has_intervals_and_the_same_numbers_for_any_number_of_threads(
    run: Run, judgments: Path
) -> None:
    texts = [
        run("rank", judgments, "-m", "trueskill", "--runs", "20", "-f", "json", "-j", j).stdout
        for j in (1, 2)
    ]
    assert texts[0] == texts[1]
    table = json.loads(texts[0])
    assert [row["system"] for row in table["rows"]] == ["A", "B", "C"]
    assert len(table["intervals"]) == 3


def test_rank_draws_a_picture(run: Run, judgments: Path, tmp_path: Path) -> None:
    done = run("rank", judgments, "-m", "ew,bt", "--runs", "50", "--plot", "ranks.svg")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "ranks.svg").read_text().startswith("<?xml")
    done = run("rank", judgments, "--plot", "ranks.doc")
    assert done.returncode == 2
    assert "ranks.doc" in done.stderr


def test_agree_prints_judges_kappa_and_correlations(run: Run, judgments: Path) -> None:
    done = run("agree", judgments, "--against", judgments)
    assert done.returncode == 0, done.stderr
    for text in ("Judges", "ann", "Krippendorff's α", "all, inter", "Correlation of judges", "between them"):
        assert text in done.stdout


def test_one_judge_alone_agrees_with_nobody_and_the_json_is_valid(run: Run, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text(CSV + "1,ann,A,1,B,2\n")
    done = run("agree", "one.csv", "-f", "json")
    assert done.returncode == 0, done.stderr
    tables = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    assert tables[1]["alpha"] is None
    assert "α (nominal): –" in run("agree", "one.csv").stdout


def test_filters_reach_the_ranking(run: Run, judgments: Path) -> None:
    done = run("rank", judgments, "--judge", "ann", "--without-system", "C", "--runs", "20")
    assert "60 pairs" in done.stdout
    done = run("rank", judgments, "--judge", "eve")
    assert done.returncode == 1
    assert "no judge 'eve'" in done.stderr


def test_scores_are_ranked_and_compared(run: Run, tmp_path: Path) -> None:
    rows = ["judge\tdocument\tsegment\tsystem\tscore"]
    for segment in range(10):
        for judge in range(2):
            rows += [
                f"j{judge}\td\t{segment}\t{s}\t{k * 3 + (segment + judge) % 2}" for k, s in enumerate("AB")
            ]
    (tmp_path / "scores.tsv").write_text("\n".join(rows) + "\n")
    done = run("rank", "scores.tsv", "-m", "mean,z,easl", "--runs", "50")
    assert done.returncode == 0, done.stderr
    assert "EASL" in done.stdout
    assert "Agreement on scores" in run("agree", "scores.tsv").stdout
    done = run("rank", "scores.tsv", "-m", "ew")
    assert done.returncode == 2
    assert "mean, z, easl" in done.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [("", "cannot tell"), ("\0\0\0", "cannot tell"), (CSV, "no judgments"), (CSV + "1,a,A,x,B,1\n", ":2:"),
     (CSV + '1,a,"A,1,B,1\n', ":2:"), ("<a>\n</b>", ":2:"), (CSV + "1,a,Ä,1,字,1\n" * 2, None)],
)  # fmt: skip
def test_bad_files_give_no_traceback(run: Run, tmp_path: Path, content: str, message: str | None) -> None:
    (tmp_path / "file").write_text(content)
    done = run("rank", "file", "--runs", "5")
    assert "Traceback" not in done.stderr
    if message is None:
        assert done.returncode == 0
    else:
        assert done.returncode == 1
        assert message in done.stderr
    assert run("rank", "nowhere").returncode == 1


def test_corrections_are_compared(run: Run, tmp_path: Path) -> None:
    (tmp_path / "source").write_text("a b c\nd e\nx\n")
    (tmp_path / "one").write_text("a b c .\nd e\ny\n")
    (tmp_path / "two").write_text("a b c .\nd f\ny\n")
    (tmp_path / "three").write_text("a b c\nd e\nz\n")
    (tmp_path / "skip").write_text("3\n")
    done = run(
        "corpus", "agreement", "-s", "source", "E=one,two", "N=three", "--leave-out", "skip", "-f", "json"
    )
    assert done.returncode == 0, done.stderr
    changed, agreed = json.loads(done.stdout)
    assert [(row["annotators"], row["changed %"]) for row in changed["rows"]] == [("E", 75.0), ("N", 0.0)]
    assert [(row["annotators"], row["and"], row["identical %"]) for row in agreed["rows"]] == [
        ("E", "E", 50.0),
        ("E", "N", 25.0),
    ]
    (tmp_path / "short").write_text("a\n")
    done = run("corpus", "agreement", "one", "short")
    assert done.returncode == 1
    assert "1 and 3 lines" in done.stderr


def test_annotators_of_an_m2_file_are_compared(run: Run, tmp_path: Path) -> None:
    block = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\nA 1 2|||X|||d|||REQUIRED|||-NONE-|||1\n\n"
    only = "S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "gold.m2").write_text(block + only)
    for missing, sentences, identical in (("leave-out", 1, 0.0), ("other", 2, 50.0), ("source", 2, 0.0)):
        done = run("corpus", "agreement", "gold.m2", "--missing", missing, "-f", "json")
        (row,) = json.loads(done.stdout)["rows"]
        assert (row["sentences"], row["identical %"]) == (sentences, identical)


def test_second_pass_acceptance_is_a_matrix(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pass.tsv").write_text("first\tsecond\taccepted\nA\tB\t1\nA\tB\t0\nB\tA\t1\n")
    done = run("corpus", "agreement", "--second-pass", "pass.tsv")
    assert "50.00" in done.stdout
    assert "mean 75.00" in done.stdout
    (tmp_path / "pass.tsv").write_text("first\tsecond\taccepted\nA\tB\tyes\n")
    done = run("corpus", "agreement", "--second-pass", "pass.tsv")
    assert done.returncode == 1
    assert "pass.tsv:2" in done.stderr
