"""Corrected documents are divided into the sentences of their sources."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.corpus.formats import read_corpus
from errata.corpus.transforms import align_correction

SENTENCES = ["He go home .", "it was late and", "She sleep .", "Nobody know ."]


@pytest.mark.parametrize(
    ("corrected", "expected"),
    [
        (  # line breaks at other places, one sentence made of two, one moved within its sentence
            "He goes home. It was\nlate, and she sleeps.\n\nNobody knows it. Really.",
            ["He goes home.", "It was\nlate, and", "she sleeps.", "Nobody knows it. Really."],
        ),
        ("He goes home. Nobody knows.", ["He goes home.", "", "", "Nobody knows."]),
        ("", ["", "", "", ""]),
    ],
)
def test_texts_of_sentences(corrected: str, expected: list[str]) -> None:
    assert align_correction(SENTENCES, corrected) == expected


@given(st.lists(st.text("ab.,C \n"), max_size=5), st.text("ab.,C \n", max_size=40))
def test_nothing_is_lost(sentences: list[str], corrected: str) -> None:
    texts = align_correction(sentences, corrected)
    assert len(texts) == len(sentences)
    if sentences:
        assert "".join("".join(texts).split()) == "".join(corrected.split())


@pytest.mark.slow
def test_sentences_of_geccc_are_recovered(data: Path) -> None:
    """Documents of the test set, on which no constant was chosen; texts without line breaks."""
    corpus = read_corpus(data / "geccc" / "test" / "sentence.input")[:3000]
    right = total = 0
    for indices in corpus.groups("document").values():
        rows = [corpus[i] for i in indices]
        for annotator in range(max(len(row.references) for row in rows)):
            gold = [row.references[min(annotator, len(row.references) - 1)] for row in rows]
            aligned = align_correction([row.source for row in rows], " ".join(gold))
            right += sum(a.split() == b.split() for a, b in zip(aligned, gold, strict=True))
            total += len(gold)
    assert right / total > 0.994


def test_align_writes_a_corpus(tmp_path: Path, run: Callable[..., Any]) -> None:
    (tmp_path / "source.txt").write_text("\n".join(SENTENCES) + "\n")
    (tmp_path / "anna.txt").write_text("He goes home. It was late and she sleeps.\nNobody knows.\n")
    run("corpus", "align", tmp_path / "source.txt", tmp_path / "out.m2", "-c", tmp_path / "anna.txt")
    corpus = read_corpus(tmp_path / "out.m2")
    assert corpus.sources == SENTENCES
    assert corpus.references(0) == ["He goes home.", "It was late and", "she sleeps.", "Nobody knows."]
