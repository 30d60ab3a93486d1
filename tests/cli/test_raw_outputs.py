"""Outputs as models write them: `corpus project`, `corpus clean`, `--retokenize` and `--normalize`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import errata
from errata import sample
from errata.corpus.formats import write_corpus
from errata.text.tokenizers import tokenizer

TEXTS = sample.load("en")
TOKENISED = [" ".join(line.split()) for line in TEXTS.outputs["neural"]]
WRITTEN = [tokenizer("penn").detokenize(line.split()) for line in TOKENISED]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_corpus(TEXTS.corpus, tmp_path / "gold.m2")
    (tmp_path / "tokens.txt").write_text("".join(f"{line}\n" for line in TOKENISED))
    (tmp_path / "written.txt").write_text("".join(f"{line}\n" for line in WRITTEN))
    curly = (line.replace("'", "’").replace(" - ", " – ") for line in WRITTEN)
    (tmp_path / "curly.txt").write_text("".join(f"{line}\n" for line in curly))
    return tmp_path


def m2_of(run, *args: object) -> tuple[float, str]:
    done = run("score", "gold.m2", *args, "--metric", "m2", "--format", "json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    (signature,) = record["signatures"].values()
    (row,) = record["rows"]
    return next(value for name, value in row.items() if name.endswith(".f")), signature


def test_project_gives_the_tokens_of_the_source(folder: Path, run) -> None:
    done = run("corpus", "project", "gold.m2", "written.txt", "-o", "out.txt", "--report", "changes.tsv")
    assert done.returncode == 0, done.stderr
    lines = (folder / "out.txt").read_text().splitlines()
    assert sum(map(str.__eq__, lines, TOKENISED)) >= 0.98 * len(lines)
    changes = (folder / "changes.tsv").read_text().splitlines()
    assert f"{len(changes) - 1} of {len(lines)} lines have other tokens now" in done.stderr
    number, change, before, after = changes[1].split("\t")
    assert (change, before, after) == ("tokens", WRITTEN[int(number) - 1], lines[int(number) - 1])


def test_clean_removes_chatter_and_reports_every_line(folder: Path, run) -> None:
    answers = [
        f'Sure, here is the correction: "{line}"' if n % 3 else line for n, line in enumerate(TOKENISED)
    ]
    text = "Here are the corrected sentences:\n\n" + "".join(f"{line}\n" for line in answers)
    done = run("corpus", "clean", "gold.m2", "-", "--report", "changes.tsv", input=text)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == TOKENISED
    chatty = [n for n in range(len(answers)) if n % 3]
    assert f"{len(chatty)} of {len(answers)} lines are changed" in done.stderr
    assert f"2 of {len(answers) + 2} lines correct no source and are left out" in done.stderr
    rows = [line.split("\t") for line in (folder / "changes.tsv").read_text().splitlines()[1:]]
    assert [int(row[0]) - 1 for row in rows] == chatty
    assert {row[1] for row in rows} == {"introduction, wrapper"}


@pytest.mark.parametrize("verb", ["project", "clean"])
def test_a_wrong_number_of_lines_writes_nothing(folder: Path, run, verb: str) -> None:
    (folder / "short.txt").write_text("one line\n")
    done = run("corpus", verb, "gold.m2", "short.txt", "-o", "out.txt", "--report", "changes.tsv")
    assert done.returncode == 1
    assert "short.txt" in done.stderr
    assert not (folder / "out.txt").exists()
    assert not (folder / "changes.tsv").exists()
    done = run("corpus", verb, "gold.m2", "written.txt", "-o", "written.txt")
    assert done.returncode == 2
    assert "give another one to write to" in done.stderr


def test_retokenize_and_normalize_change_the_score_and_the_signature(folder: Path, run) -> None:
    plain, signature = m2_of(run, "tokens.txt")
    wrong, same = m2_of(run, "curly.txt")
    mended, prepared = m2_of(run, "--retokenize", "curly.txt", "--normalize", "quotes,dashes")
    assert wrong < plain - 0.05
    assert mended == pytest.approx(plain, abs=0.005)
    assert same == signature
    assert prepared == signature.replace("|version", "|prep:quotes+dashes+project-penn|version")
    assert m2_of(run, "--retokenize=penn", "curly.txt", "--normalize", "dashes,quotes") == (mended, prepared)
    assert m2_of(run, "--retokenize", "penn", "curly.txt", "--normalize=quotes,dashes") == (mended, prepared)


def test_the_python_call_gives_the_same_score_and_signature(folder: Path, run) -> None:
    value, signature = m2_of(run, "written.txt", "--retokenize")
    score = errata.score(folder / "gold.m2", WRITTEN, retokenize="penn")
    assert (round(score.value, 4), score.signature) == (round(value, 4), signature)
    results = errata.score(folder / "gold.m2", {"a": WRITTEN}, normalize=["quotes"])
    assert "|prep:quotes|" in results["a"].signature
    with pytest.raises(errata.ErrataError, match="no normalization"):
        errata.score(folder / "gold.m2", WRITTEN, normalize=["quote"])


def test_a_benchmark_and_a_part_keep_the_field(folder: Path, run) -> None:
    results = errata.score(folder / "gold.m2", {"a": WRITTEN}, retokenize="penn")
    assert "|prep:project-penn|" in results.select([0, 2]).score("a").signature
    results.save(folder / "saved.npz")
    assert errata.Results.load(folder / "saved.npz").score("a").signature == results.score("a").signature


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--retokenize", "--stream"), "read all at once"),
        (("--normalize", "quotes", "--stream"), "read all at once"),
        (("--normalize", "quote"), "no normalization 'quote'"),
        (("--retokenize=udpipe",), "cannot split changed text by 'udpipe'"),
    ],
)
def test_what_cannot_be_done_is_refused(folder: Path, run, args: tuple[str, ...], message: str) -> None:
    done = run("score", "--m2", "gold.m2", "--hyp", "written.txt", *args)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_outputs_given_as_edits_keep_their_tokens(folder: Path, run) -> None:
    assert run("corpus", "convert", "gold.m2", "edits.m2", "--annotator", "0").returncode == 0
    done = run("score", "--m2", "gold.m2", "--hyp", "edits.m2", "--retokenize")
    assert done.returncode == 1
    assert "edits is given as edits" in done.stderr


def test_the_table_marks_systems_whose_text_is_wrong(folder: Path, run) -> None:
    (folder / "empty.txt").write_text("\n" * len(TOKENISED))
    command = ("score", "gold.m2", "empty.txt", "tokens.txt", "--metric", "m2")
    done = run(*command)
    assert " empty † " in done.stdout
    assert "† see the warning about empty: E307" in done.stdout
    assert "tokens †" not in done.stdout
    assert "†" not in run(*command, "--format", "tsv").stdout


def test_a_short_corpus_may_have_no_ngrams(tmp_path: Path, run) -> None:
    (tmp_path / "a.m2").write_text("S He go .\nA 1 2|||X|||goes|||REQUIRED|||-NONE-|||0\n\n")
    (tmp_path / "a.txt").write_text("He goes .\n")
    done = run("score", "a.m2", "a.txt")
    assert "GLEU of 1 sentence is 0" in done.stderr
    assert "(W312)" in done.stderr
