"""The command line as a user meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from errata import sample

EN = sample.folder("en")


def test_help_groups_the_verbs(run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "Score:" in done.stdout
    assert "Corpora:" in done.stdout


def test_an_unknown_verb_gets_a_suggestion(run) -> None:
    done = run("scor")
    assert done.returncode == 2
    assert "Did you mean 'score'" in done.stderr


def test_info_names_versions_and_kernels(run, run_process) -> None:
    done = run("setup", "info", "--format", "json")
    values = {row["what"]: row["value"] for row in json.loads(done.stdout)["rows"]}
    assert values["errata"]
    assert any(name.startswith("native module ") for name in values)
    forced = json.loads(run_process("setup", "info", "--format", "json", ERRATA_PURE="1").stdout)
    assert any("forced by ERRATA_PURE" in row["value"] for row in forced["rows"])


SIDE_BY_SIDE = (
    "m2,gleu,imeasure,bleu,chrf,ter,sari,green,emdiff,id,ibleu,length,errant:tagger=embedded,"
    "detection:tagger=embedded,peet:tagger=embedded,cleme:tagger=embedded,cleme2:tagger=embedded,"
    "gotoscorer:tagger=embedded,cherrant"
)


@pytest.mark.slow
def test_everything_works_uncompiled(run, run_process, tmp_path: Path) -> None:
    """Each kernel has a twin that is tested by itself; here, all are uncompiled at once."""
    gold = "\n\n".join((EN / "gold.m2").read_text(encoding="utf-8").split("\n\n")[:4])
    (tmp_path / "gold.m2").write_text(gold + "\n", encoding="utf-8")
    for name in ("source", "minimal"):
        lines = (EN / f"{name}.txt").read_text(encoding="utf-8").splitlines()[:4]
        (tmp_path / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    gold, source, minimal = (str(tmp_path / name) for name in ("gold.m2", "source.txt", "minimal.txt"))
    for command in (
        ("score", gold, source, minimal, "--metric", SIDE_BY_SIDE, "--format", "json"),
        ("edits", "extract", "-s", source, "-r", minimal),
        ("correct", "--model", "en", source),
    ):
        compiled, uncompiled = run(*command), run_process(*command, ERRATA_PURE="1")
        assert compiled.returncode == uncompiled.returncode == 0, uncompiled.stderr
        assert compiled.stdout == uncompiled.stdout


def test_importing_is_quick_and_lazy() -> None:
    heavy = "{'numpy', 'scipy', 'rich', 'click'} & set(sys.modules)"
    code = f"import sys; import errata; assert not {heavy}, {heavy}"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("args", [["--help"], ["score", "--help"]])
def test_help_loads_neither_numpy_nor_scipy(args: list[str]) -> None:
    code = (
        "import sys\n"
        "from errata.cli import main\n"
        f"try: main({args!r})\n"
        "except SystemExit: pass\n"
        "assert not {'numpy', 'scipy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("command", "most"), [(("-c", "import errata"), 60), (("-m", "errata", "--help"), 140)]
)
def test_start_up_loads_few_modules(command: tuple[str, ...], most: int) -> None:
    def loaded(*args: str) -> int:
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *args], check=True, capture_output=True, text=True
        )
        return sum(line.startswith("import time:") for line in done.stderr.splitlines())

    assert loaded(*command) - loaded("-c", "pass") <= most


def test_score_prints_systems_metrics_and_signatures(run) -> None:
    done = run("score", "--m2", EN / "gold.m2", "--hyp", EN / "systems/input.txt", EN / "systems/neural.txt",
               "--metric", "m2,gleu", "--ci", "--samples", 100)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "neural" in done.stdout
    assert "m2|beta:0.5" in done.stdout
    assert "95 % bootstrap interval" in done.stdout


def test_saved_statistics_give_the_same_scores(run, tmp_path) -> None:
    texts = ["--m2", EN / "gold.m2", "--hyp", EN / "systems/rules.txt", EN / "systems/fluent.txt"]
    metrics = ["--metric", "m2:beta=1,gleu,imeasure,bleu,ter"]
    first = run("score", *texts, *metrics, "--save", "stats.npz", "--format", "tsv")
    assert first.returncode == 0, first.stderr
    assert run("score", "--stats", "stats.npz", "--format", "tsv").stdout == first.stdout
    as_json = run("score", *texts, *metrics, "--format", "json-full", "--output", "scores.json")
    assert as_json.returncode == 0
    assert run("score", "--stats", "scores.json", "--format", "tsv").stdout == first.stdout


def test_saved_statistics_of_other_systems_join_in(run) -> None:
    for name in ("rules", "neural"):
        run("score", "--m2", EN / "gold.m2", "--hyp", EN / f"systems/{name}.txt", "--save", f"{name}.npz")
    joined = run("score", "rules.npz", "neural.npz", "--format", "tsv")
    assert joined.returncode == 0, joined.stderr
    both = [EN / "systems/rules.txt", EN / "systems/neural.txt"]
    together = run("score", "--m2", EN / "gold.m2", "--hyp", *both, "--format", "tsv")
    assert joined.stdout == together.stdout
    stray = run("score", "--m2", EN / "gold.m2", "--hyp", EN / "systems/rules.txt", "--ci", EN / "source.txt")
    assert stray.returncode == 2
    assert "give one or the other" in stray.stderr


def test_groups_sentences_and_stdin(run) -> None:
    hypotheses = (EN / "systems/neural.txt").read_text()
    done = run("score", "--m2", EN / "gold.m2", "--meta", EN / "meta.tsv", "--hyp", "-", "--metric", "m2",
               "--by", "domain", "--sentence", "--format", "json", input=hypotheses)  # fmt: skip
    assert done.returncode == 0, done.stderr
    whole, by_domain, sentences = json.loads(done.stdout)
    assert [row["domain"] for row in by_domain["rows"]] == ["essay", "email"]
    assert len(sentences["rows"]) == 60
    assert whole["rows"][0]["system"] == "stdin"


def test_a_file_of_the_wrong_length_names_the_line_where_it_goes_astray(run, tmp_path) -> None:
    lines = (EN / "systems/neural.txt").read_text().splitlines()
    del lines[20]
    (tmp_path / "short.txt").write_text("\n".join(lines) + "\n")
    done = run("score", "--m2", EN / "gold.m2", "--hyp", "short.txt")
    assert done.returncode == 1
    assert "short.txt:21: 59 lines" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--hyp", "x"], "give --source FILE and --ref FILE"),
        (["--m2", "g"], "nothing to score"),
        (["--stats", "s", "--m2", "g"], "--stats replaces"),
        (["--stats", "s", "--name", "A"], "leave out --name"),
        (["--m2", "g", "--hyp", "a", "b", "--name", "A", "A"], "two systems cannot have one --name"),
        (["--m2", "g", "--hyp", "a", "--metric", ","], "give --metric NAME"),
    ],
)
def test_usage_errors_exit_with_2(run, args: list[str], message: str) -> None:
    done = run("score", *args)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize(
    ("metric", "message"),
    [("nonsense", "there is no metric 'nonsense'"), ("m2:x=1", "no parameter"), ("m2:beta=q", "not a value")],
)
def test_unknown_metrics_and_parameters_are_named(run, metric: str, message: str) -> None:
    done = run("score", "--m2", EN / "gold.m2", "--hyp", EN / "source.txt", "--metric", metric)
    assert done.returncode == 2
    assert message in done.stderr


def test_demo_runs(run) -> None:
    done = run("demo")
    assert done.returncode == 0, done.stderr
    assert "neural" in done.stdout


def test_an_explanation_reads_the_references_that_the_score_reads(run, tmp_path) -> None:
    (tmp_path / "gold.m2").write_text("S a b c d\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n")
    (tmp_path / "rewritten.txt").write_text("a b c d e\n")
    files = ["--m2", "gold.m2", "--ref", "rewritten.txt", "--hyp", "rewritten.txt"]
    scored = json.loads(run("score", *files, "--metric", "gleu", "--format", "json").stdout)
    explained = json.loads(run("explain", "gleu", *files, "--format", "json").stdout)
    assert scored["rows"][0]["gleu.gleu"] == explained["score"] == 1


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("folder", None, "there is no file in this folder\n  hint: name files, or another folder"),
        ("cut.gz", b"\x1f\x8b\x08\x00", "hint: check that it is complete and has the right suffix"),
        ("plain.gz", b"a line\n", "hint: check that it is complete and has the right suffix"),
        ("gone.txt", b"", "hint: check the path"),
    ],
)
def test_files_that_cannot_be_read_come_with_a_remedy(run, tmp_path, name, content, message) -> None:
    if content is None:
        (tmp_path / name).mkdir()
    elif content:
        (tmp_path / name).write_bytes(content)
    done = run("score", "--m2", EN / "gold.m2", "--hyp", name)
    assert done.returncode == 1
    assert message in done.stderr


def test_nothing_to_score_is_no_score(run, tmp_path) -> None:
    (tmp_path / "empty.m2").write_text("")
    done = run("score", "--m2", "empty.m2", "--hyp", "empty.m2")
    assert done.returncode == 1
    assert "empty.m2: there is no sentence to score\n  hint: " in done.stderr
