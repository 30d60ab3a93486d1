"""`errata edits` as a user runs it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]
SOURCE = "This are cat .\nSame .\n\n"
REF = "This is a cat .\nSame .\n\n"
BLOCK = "S This are cat .\n"
PLAIN = ("--tagger", "none", "--language", "xx")


def _write(folder: Path) -> None:
    (folder / "s.txt").write_text(SOURCE)
    (folder / "r.txt").write_text(REF)
    (folder / "crlf.txt").write_bytes(b"\xef\xbb\xbfThat is cat .\r\nSame .\r\n\r\n")


def test_parallel_texts_become_m2_and_m2_becomes_the_text(run: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    made = run("edits", "extract", "-s", "s.txt", "-r", "r.txt", "crlf.txt", "-o", "out.m2", *PLAIN)
    assert made.returncode == 0, made.stderr
    text = (tmp_path / "out.m2").read_text()
    assert text.startswith(BLOCK)
    assert text.count("\nS ") == 2
    assert "S Same .\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n" in text
    assert "S \n" in text  # an empty line stays a segment
    assert run("edits", "apply", "out.m2").stdout == REF
    assert run("edits", "apply", "out.m2", "-a", 1).stdout == "That is cat .\nSame .\n\n"


def test_extraction_reads_stdin_and_writes_stdout(run: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    made = run("edits", "extract", "-s", "-", "-r", "r.txt", *PLAIN, input=SOURCE)
    assert made.stdout.startswith(BLOCK)


@pytest.mark.parametrize("option", [[], ["--minimal"]])
def test_classify_refuses_an_edit_that_leaves_its_sentence(
    run: Run, tmp_path: Path, option: list[str]
) -> None:
    edit = "A 0 9|||R:OTHER|||x|||REQUIRED|||-NONE-|||0"
    (tmp_path / "gold.m2").write_text(f"S a b c d\n{edit}\n\n", encoding="utf-8")
    refused = run("edits", "classify", "gold.m2", *option, *PLAIN)
    assert refused.returncode == 1
    assert "Traceback" not in refused.stderr
    assert "the edit 0 9 -> 'x' is outside the sentence 'a b c d'" in refused.stderr
    assert "errata corpus check" in refused.stderr


def test_classify_gives_types_and_diff_shows_where_two_files_differ(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.m2").write_text(
        "S praha je hezka\nA 0 1|||R:OTHER|||Praha|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||R:DIACR|||hezká|||REQUIRED|||-NONE-|||0\n\n"
    )
    made = run("edits", "classify", "a.m2", "-o", "b.m2", "-l", "cs", "-t", "none")
    assert made.returncode == 0, made.stderr
    assert "A 0 1|||R:ORTH:CASING|||Praha" in (tmp_path / "b.m2").read_text()
    shown = run("edits", "diff", "a.m2", "b.m2", "--list", "-f", "tsv").stdout
    assert "R:OTHER\tR:ORTH:CASING\t1" in shown
    assert "1.0\t0.5" in shown


def test_texts_of_different_lengths_name_the_shorter_one(run: Run, tmp_path: Path) -> None:
    _write(tmp_path)
    (tmp_path / "short.txt").write_text("One .\n")
    made = run("edits", "extract", "-s", "s.txt", "-r", "short.txt", "-o", "out.m2", *PLAIN)
    assert made.returncode == 1
    assert "short.txt:2: ends after 1 line," in made.stderr
    assert not (tmp_path / "out.m2").exists()


def test_an_annotator_who_is_not_there_is_an_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.m2").write_text("S a\n\n")
    made = run("edits", "apply", "a.m2", "-a", 3)
    assert made.returncode == 1
    assert "no annotator 3, only 0" in made.stderr


def test_strange_bytes_name_the_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_bytes(b"fine\n\xff\n")
    made = run("edits", "extract", "-s", "s.txt", "-r", "s.txt", *PLAIN)
    assert made.returncode == 1
    assert "not UTF-8" in made.stderr
    assert "Traceback" not in made.stderr


@pytest.mark.parametrize(
    ("level", "types"),
    [
        ("operation", ["R"]),
        ("category", ["DIACR", "NOUN:INFL"]),
        ("both", ["R:DIACR", "R:NOUN:INFL"]),
        ("merged", ["DIACR", "POS:INFL"]),
    ],
)
def test_scores_by_type_at_any_level(run: Run, tmp_path: Path, level: str, types: list[str]) -> None:
    gold, hypothesis = tmp_path / "gold.m2", tmp_path / "hyp.txt"
    gold.write_text(
        "S Vidím kratka ulice .\nA 1 2|||R:DIACR|||krátká|||REQUIRED|||-NONE-|||0\n"
        "A 2 3|||R:NOUN:INFL|||ulici|||REQUIRED|||-NONE-|||0\n\n",
        encoding="utf-8",
    )
    hypothesis.write_text("Vidím krátká ulice .\n", encoding="utf-8")
    done = run(
        "score", "--m2", gold, "--hyp", hypothesis, "--metric", "errant:language=cs", "--by", "type",
        "--level", level, "--format", "tsv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows if row[0] in types] == types


def test_another_language_than_that_of_the_rules_is_noted(run, tmp_path) -> None:
    (tmp_path / "a.txt").write_text(
        "Das ist nicht der Mann , den ich auf der Straße gesehen habe .\n" * 20, "utf-8"
    )
    done = run("edits", "extract", "-s", "a.txt", "-r", "a.txt", "-o", "out.m2")
    assert done.returncode == 0
    assert "the rules are for English" in done.stderr
    assert "it seems to be German" in done.stderr
