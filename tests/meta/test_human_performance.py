"""Systems and annotators scored against other annotators."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.corpus.m2 import read_m2
from errata.errors import DataError
from errata.meta.human_performance import annotator_texts, human_scores, join_annotators, without_annotator
from errata.metrics.m2 import M2

ONE = "S He go home .\nA 1 2|||V|||goes|||REQUIRED|||-NONE-|||0\n"
TWO = "S He go home .\nA 1 2|||V|||goes|||REQUIRED|||-NONE-|||0\nA 3 4|||P|||!|||REQUIRED|||-NONE-|||0\n"
NONE = "S He go home .\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("one", ONE), ("two", TWO), ("none", NONE)):
        (tmp_path / f"{name}.m2").write_text(text + "\n")
    return tmp_path


def test_each_annotator_is_scored_against_the_others(folder: Path) -> None:
    corpus = join_annotators(read_m2(folder / f"{name}.m2") for name in ("one", "two", "none"))
    assert [annotator_texts(corpus, k) for k in range(3)] == [
        ["He goes home ."],
        ["He goes home !"],
        ["He go home ."],
    ]
    assert [len(segment.annotations) for segment in without_annotator(corpus, 1)] == [2]
    # Against the better of the others: P 1 and R 1/2, P 1/2 and R 1, R 0.
    assert human_scores(corpus, M2()) == pytest.approx([5 / 6, 5 / 9, 0])


def test_corpora_with_other_sentences_are_not_joined(folder: Path) -> None:
    (folder / "other.m2").write_text("S She goes .\n\n")
    with pytest.raises(DataError, match="different sentences"):
        join_annotators([read_m2(folder / "one.m2"), read_m2(folder / "other.m2")])
    (folder / "longer.m2").write_text(ONE + "\nS She goes .\n\n")
    with pytest.raises(DataError, match="different sentences: 1, 2 of them"):
        join_annotators([read_m2(folder / "one.m2"), read_m2(folder / "longer.m2")])


def test_overlapping_edits_are_applied_once(folder: Path) -> None:
    (folder / "odd.m2").write_text(ONE + "A 1 3|||V|||went away|||REQUIRED|||-NONE-|||0\n\n")
    assert annotator_texts(read_m2(folder / "odd.m2"), 0) == ["He goes home ."]


@pytest.mark.slow
def test_camb_has_73_percent_of_human_performance(run: Callable, data: Path) -> None:
    """As in Bryant & Ng (2015), whose human score, as it is quoted elsewhere, is .7258."""
    camb = data / "conll14" / "systems" / "CAMB.txt"
    done = run(
        "score", "--benchmark", "conll14-10", "--hyp", camb, "--human", "-f", "json", ERRATA_DATA=str(data)
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)[1]["rows"]
    assert [round(value, 4) for key, value in row.items() if key != "system"] == [0.5347, 0.7252, 73.7294]


def test_annotators_must_be_the_same_for_every_sentence(run: Callable, data: Path) -> None:
    camb = data / "conll14" / "systems" / "CAMB.txt"
    done = run("score", "--benchmark", "conll14", "--hyp", camb, "--human", ERRATA_DATA=str(data))
    assert done.returncode == 1
    assert "test.m2" in done.stderr
    assert "conll14-10" in done.stderr
    assert (
        run("score", "--benchmark", "conll14-10", "--hyp", camb, "--stream", ERRATA_DATA=str(data)).returncode
        == 2
    )
