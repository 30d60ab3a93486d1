"""Outputs of systems given as M2 files: metrics over edits take the edits as they are, others the text."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from errata import ERRANT, M2, DataError, read_corpus, read_outputs
from errata.corpus.files import read_lines
from errata.corpus.segment import Edit, EditedLine, EditedLines
from errata.metrics import metric
from errata.metrics.results import Results
from errata.report.explanations import explanation_text

GOLD = """S This are a test .
A 1 2|||R:VERB:SVA|||is|||REQUIRED|||-NONE-|||0

S He go home .
A 1 2|||R:VERB:SVA|||goes|||REQUIRED|||-NONE-|||0

S Fine .

"""
# The same texts as with the gold edits, but the first is made by one edit of two tokens.
OUTPUT = GOLD.replace("A 1 2|||R:VERB:SVA|||is|||", "A 1 3|||R:OTHER|||is a|||")
OVERLAP = "A 2 4|||R:OTHER|||x|||REQUIRED|||-NONE-|||0\n"
EMBEDDED = "errant:tagger=embedded"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "gold.m2").write_text(GOLD)
    (tmp_path / "A.m2").write_text(OUTPUT)
    (tmp_path / "A.txt").write_text("This is a test .\nHe goes home .\nFine .\n")
    return tmp_path


def test_edits_are_taken_as_they_are_and_texts_are_those_they_make(files: Path) -> None:
    corpus = read_corpus(files / "gold.m2")
    outputs = read_outputs([files / "A.m2", files / "A.txt"], corpus)
    assert list(outputs) == ["A", "A-2"]
    assert list(outputs["A"]) == list(outputs["A-2"])
    assert outputs["A"][0].edits == (Edit(1, 3, "is a", "R:OTHER"),)
    results = Results.compute(corpus, outputs, [metric(EMBEDDED), M2()])
    assert [results.score("A", 0).parts[part] for part in ("tp", "fp", "fn")] == [1, 1, 1]
    assert [results.score("A-2", 0).parts[part] for part in ("tp", "fp", "fn")] == [2, 0, 0]
    assert results.score("A", 1).parts == results.score("A-2", 1).parts
    assert [int(row[1]) for row in results.score("A", 0).statistics.values] == [1, 0, 0]


def test_compressed_files_and_any_number_of_the_annotator(files: Path) -> None:
    import gzip

    corpus = read_corpus(files / "gold.m2")
    with gzip.open(files / "B.m2.gz", "wt") as file:
        file.write(OUTPUT.replace("|||0", "|||3"))
    (lines,) = read_outputs([files / "B.m2.gz"], corpus).values()
    assert [len(line.edits) for line in lines] == [1, 1, 0]
    assert lines[2] == "Fine ."


@pytest.mark.parametrize("metrics", [EMBEDDED, "detection:tagger=embedded", "senterrant:tagger=embedded"])
def test_parts_of_outputs_keep_their_edits(files: Path, metrics: str) -> None:
    """Slices, single lines and what is sent to a process score as the whole does."""
    corpus = read_corpus(files / "gold.m2")
    (lines,) = read_outputs([files / "A.m2"], corpus).values()
    scorer = metric(metrics)
    whole = scorer.score(corpus, lines)
    for same in ([*lines], lines[:], pickle.loads(pickle.dumps(lines)), pickle.loads(pickle.dumps([*lines]))):
        assert scorer.score(corpus, same).parts == whole.parts
    assert scorer.score(corpus, [str(line) for line in lines]).parts != whole.parts


def test_an_explanation_shows_the_edits_of_the_file(files: Path, run) -> None:
    done = run("explain", EMBEDDED, "--m2", files / "gold.m2", "--hyp", files / "A.m2")
    assert done.returncode == 0, done.stderr
    assert "are a → is a" in done.stdout
    corpus = read_corpus(files / "gold.m2")
    (lines,) = read_outputs([files / "A.m2"], corpus).values()
    assert "are a → is a" in explanation_text(metric(EMBEDDED).score(corpus, lines).explain(0))


def test_lines_with_and_without_edits_may_be_mixed(files: Path) -> None:
    corpus = read_corpus(files / "gold.m2")
    mixed = [EditedLine("This is a test .", [Edit(1, 3, "is a", "R:OTHER")]), "He goes home .", "Fine ."]
    assert [metric(EMBEDDED).score(corpus, mixed).parts[part] for part in ("tp", "fp", "fn")] == [1, 1, 1]


@pytest.mark.parametrize(
    ("name", "text", "place", "message"),
    [
        ("other.m2", OUTPUT.replace("S He go", "S She go"), ":4", "segment 2 has another source"),
        ("short.m2", OUTPUT.removesuffix("S Fine .\n\n"), "", "2 segments, but"),
        ("long.m2", OUTPUT + "S More .\n\n", "", "4 segments, but"),
        ("lost.m2", OUTPUT + OVERLAP, ":9", "without a sentence"),
        ("two.m2", "-NONE-|||1".join(OUTPUT.rsplit("-NONE-|||0", 1)), "", "2 annotators"),
        ("overlap.m2", OUTPUT.replace("\n\n", f"\n{OVERLAP}\n", 1), ":1", "overlap"),
    ],
)
def test_files_that_do_not_fit_are_errors_with_their_place(
    files: Path, run, name: str, text: str, place: str, message: str
) -> None:
    (files / "out").mkdir()
    path = files / "out" / name
    path.write_text(text)
    done = run("score", "--m2", files / "gold.m2", "--hyp", path, "--metric", EMBEDDED)
    assert done.returncode == 1
    assert done.stdout == ""
    assert f"{path}{place}: " in done.stderr
    assert message in done.stderr


def test_a_stream_refuses_them(files: Path, run) -> None:
    done = run("score", "--m2", files / "gold.m2", "--hyp", files / "A.m2", "--metric", EMBEDDED, "--stream")
    assert done.returncode == 1
    assert "outputs given as edits are not read in chunks" in done.stderr


def test_edited_lines_are_of_one_length() -> None:
    with pytest.raises(DataError, match="2 texts but edits of 1"):
        EditedLines(["a", "b"], [()])


@pytest.mark.parametrize("system", ["AMU", "CAMB", "NTHU"])
def test_official_files_have_the_official_score(data: Path, golden: Path, system: str) -> None:
    """errant_parallel's file of a system, against errant_m2's of the gold, as errant_compare counts."""
    corpus = read_corpus(golden / "errant" / "test.auto.m2")
    outputs = read_outputs([golden / "errant" / f"{system}.m2"], corpus)
    score = ERRANT().score(corpus, outputs[system])
    line = (golden / "errant" / f"{system}.compare.txt").read_text().splitlines()[4].split("\t")
    assert [int(score.parts[part]) for part in ("tp", "fp", "fn")] == list(map(int, line[:3]))
    assert [round(score.parts[p], 4) for p in ("precision", "recall", "f")] == list(map(float, line[3:]))
    texts = read_lines(data / "conll14" / "systems" / f"{system}.txt")
    assert [line.split() for line in outputs[system]] == [line.split() for line in texts]
