"""Treebank tokenisation is NLTK's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.tokenize import treebank as nltk_treebank

from errata import read_corpus
from errata.text.tokenizers import treebank_tokenize, word_tokenize

oracle = nltk_treebank.TreebankWordTokenizer().tokenize

WORDS = ["a", "B", "don't", "cannot", "Gonna", "wanna", "'tis", "d'ye", "n't", "more'n", "é", "中", "3"]
SIGNS = ["'s", "'", "''", '"', "``", ".", "...", ",", ":", "-", "--", "(", "]", "<", "%", "?", "_", "/", "\t"]
PIECES = st.sampled_from([*WORDS, *SIGNS, " ", "  "])


@given(st.lists(PIECES, max_size=8).map("".join))
@example('"a"')
@example("the U.S. cannot.")
def test_any_text_is_tokenised_as_nltk_does(text: str) -> None:
    assert list(treebank_tokenize(text)) == oracle(text)


@given(st.text(max_size=20))
def test_any_characters_are_tokenised_as_nltk_does(text: str) -> None:
    assert list(treebank_tokenize(text)) == oracle(text)


def test_all_corrections_of_a_real_corpus_are_tokenised_as_nltk_does(data: Path) -> None:
    corpus = read_corpus(data / "conll14" / "test.m2")
    for correction in {e.correction for s in corpus for a in s.annotations for e in a.edits}:
        assert list(treebank_tokenize(correction)) == oracle(correction)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("geht`s", "geht ` s"),
        ("don't cannot.", "do n't can not ."),
        ("‘quoted’ „text“", "‘ quoted ’ „ text “"),
        ("«a»", "« a »"),
        ('a "b" c.', "a `` b '' c ."),
        ("He said 'x'", "He said ' x '"),
        ("rock 'n' roll", "rock ' n ' roll"),
        ("mor'n wanna 'tis", "mor ' n wan na 't is"),
        ("x''y", "x '' y"),
        ("U.S.", "U.S ."),
        ("-NONE-", "-NONE-"),
        ("écannot", "é can not"),  # a letter beyond ASCII is none to Python 2
    ],
)
def test_corrections_are_tokenised_as_nltk_3_4_5_does_under_python_2_7(text: str, tokens: str) -> None:
    """What that release printed."""
    assert word_tokenize(text) == tuple(tokens.split())
