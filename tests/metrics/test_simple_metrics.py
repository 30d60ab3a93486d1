"""Exact match, unchanged rate, error rates and chrF."""

from __future__ import annotations

from pathlib import Path

import pytest

from errata import CER, WER, ChrF, DataError, ExactMatch, UnchangedRate, read_corpus
from errata.metrics import metric


def test_exact_match_is_the_share_equal_to_some_reference_but_for_blanks() -> None:
    score = ExactMatch().score(["a", "b", "c"], ["x  y ", "z", "c"], [["q", "x y"], ["y"], ["c"]])
    assert score.value == pytest.approx(2 / 3)
    assert score.sentences.tolist() == [1, 0, 1]


def test_unchanged_rate_needs_no_reference() -> None:
    assert UnchangedRate().score(["a b", "c"], ["a  b", "d"], [[], []]).value == 0.5


def test_error_rates_take_the_nearest_reference() -> None:
    sources, hypotheses = ["s", "s"], ["a b c", ""]
    references = [["x y", "a b c d"], ["a"]]
    assert WER().score(sources, hypotheses, references).value == pytest.approx(2 / 5)
    assert CER().score(sources, hypotheses, references).value == pytest.approx(3 / 8)
    assert WER().score(sources, hypotheses, references).sentences.tolist() == [0.25, 1.0]
    assert not WER().higher_is_better


def test_a_segment_without_reference_is_named() -> None:
    for one in (ExactMatch(), WER(), CER(), ChrF()):
        with pytest.raises(DataError, match=f"segment 2 .*{one.name}"):
            one.score(["a", "b"], ["a", "b"], [["a"], []])


def test_metrics_are_made_by_name_with_parameters() -> None:
    assert metric("chrf:word_order=2") == ChrF(word_order=2)
    assert "sacrebleu" not in ChrF().signature  # it is counted here
    assert metric("gleu:variant=paper,n=3").signature.startswith("gleu|n:3|variant:paper|")


@pytest.mark.parametrize("name", ["gleu", "gleu2015", "bleu", "ter", "exact", "wer", "cer", "chrf"])
def test_edits_that_cannot_be_applied_are_named_by_file_and_line(name: str, tmp_path: Path) -> None:
    gold = tmp_path / "gold.m2"
    edit = "A 0 2|||R|||x|||REQUIRED|||-NONE-|||0\n"
    gold.write_text(f"S a b\n{edit}\nS a b\n{edit}{edit}\n")
    with pytest.raises(DataError, match=r"gold\.m2:4: the edit 0 2"):
        metric(name).score(read_corpus(gold), ["a b", "a b"])
