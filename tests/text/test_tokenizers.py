"""Tokenizers: what they split and join, and that a line stays a line."""

from __future__ import annotations

import gzip
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.errors import DataError, ErrataError, MissingExtraError
from errata.text.tokenizers import TOKENIZERS, PennTokenizer, UDPipeTokenizer, tokenizer

PENN = tokenizer("penn")
CHARACTERS = tokenizer("characters")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("It's late, isn't it?", "It 's late , is n't it ?"),
        ("They cannot pay $5.50 (or 10%).", "They can not pay $ 5.50 ( or 10 % ) ."),
        ('He said, "No."', 'He said , " No . "'),
        ("The cats' food", "The cats ' food"),
        ("e.g. the U.S. and 1,000 others", "e.g. the U.S. and 1,000 others"),
        ("", ""),
    ],
)
def test_penn_splits_as_the_treebank_does_and_keeps_the_double_quote(text: str, tokens: str) -> None:
    assert " ".join(PENN.tokenize(text)) == tokens
    assert PENN.detokenize(tokens.split()) == text


def test_penn_quotes_on_request() -> None:
    penn = PennTokenizer("penn")
    assert penn.tokenize('"Yes," he said.') == ["``", "Yes", ",", "''", "he", "said", "."]
    assert penn.detokenize(["``", "Yes", ",", "''", "he", "said", "."]) == '"Yes," he said.'


def test_penn_equals_nltk(data) -> None:
    from nltk.tokenize import TreebankWordTokenizer

    treebank = TreebankWordTokenizer()
    penn = PennTokenizer("penn")
    for line in (data / "jfleg" / "test" / "test.src").read_text().splitlines():
        text = PENN.detokenize(line.split())
        assert penn.tokenize(text) == treebank.tokenize(text)


@pytest.mark.parametrize(
    ("name", "quotes", "least"),
    [("conll14/source.txt", "keep", 0.99), ("jfleg/test/test.src", "penn", 0.995)],
)
def test_penn_gets_nearly_every_published_sentence_back(data, name: str, quotes: str, least: float) -> None:
    penn = PennTokenizer(quotes)
    lines = [line.split() for line in (data / name).read_text().splitlines()]
    same = sum(penn.tokenize(penn.detokenize(tokens)) == tokens for tokens in lines)
    assert same / len(lines) >= least


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("我有3.14個apple。", "我 有 3.14 個 apple 。"),
        ("これはペンです", "こ れ は ペ ン で す"),
        ("Hello, 世界! It's iPhone 15", "Hello , 世 界 ! It's iPhone 15"),
        ("か\u3099っこう", "か\u3099 っ こ う"),
        ("\U00020000字", "\U00020000 字"),
    ],
)
def test_characters_are_tokens_and_latin_words_stay_whole(text: str, tokens: str) -> None:
    assert " ".join(CHARACTERS.tokenize(text)) == tokens


@given(st.text(alphabet="我你字あア。、，ab1 .,-'!?(", max_size=30))
def test_characters_come_back_as_the_same_tokens(text: str) -> None:
    tokens = CHARACTERS.tokenize(text)
    assert CHARACTERS.tokenize(CHARACTERS.detokenize(tokens)) == tokens


@given(st.text(max_size=60))
def test_no_letter_is_lost_or_invented(text: str) -> None:
    letters = "".join(text.split())
    assert "".join(CHARACTERS.tokenize(text)) == letters
    assert "".join("".join(PENN.tokenize(text)).split()) == letters


def test_moses_follows_the_language_and_escapes_nothing() -> None:
    moses = tokenizer("moses", lang="cs")
    tokens = moses.tokenize("Přišel v 5 hod. & řekl: „Ano.“")
    assert "&" in tokens
    assert moses.detokenize(["Přišel", ",", "ale", "pozdě", "."]) == "Přišel, ale pozdě."


def test_a_missing_package_names_the_extra(monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sacremoses", None)
    with pytest.raises(MissingExtraError, match=r"errata-gec\[tokenize\]"):
        tokenizer("moses").tokenize("a")
    monkeypatch.setitem(__import__("sys").modules, "ufal", None)
    with pytest.raises(MissingExtraError, match=r"errata-gec\[tokenize\]"):
        tokenizer("udpipe", model="m").tokenize("a")


def test_unknown_names_and_missing_models_are_explained(tmp_path) -> None:
    with pytest.raises(ErrataError, match="penn, moses, udpipe, syntok, characters"):
        tokenizer("nix")
    with pytest.raises(ErrataError, match="needs a model"):
        tokenizer("udpipe")
    with pytest.raises(ErrataError, match="penn has no model"):
        tokenizer("penn", model="nix")
    with pytest.raises(DataError, match="no such model"):
        tokenizer("udpipe", model="nix").tokenize("a")
    (tmp_path / "model").write_bytes(b"junk")
    with pytest.raises(DataError, match="not a UDPipe 1 model"):
        tokenizer("udpipe", model=str(tmp_path / "model")).tokenize("a")
    with pytest.raises(ErrataError, match="cannot detokenise"):
        UDPipeTokenizer("m").detokenize(["a"])


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> str:
    """A UDPipe model that has learned to split full stops and commas off, in a second."""
    from ufal import udpipe

    sentences = udpipe.Sentences()
    for text in ["The cat sat .", "It slept , then left !", "We saw a cat , a dog ."] * 10:
        sentence = udpipe.Sentence()
        tokens = text.split()
        for token, following in zip(tokens, [*tokens[1:], ""], strict=True):
            sentence.addWord(token).setSpaceAfter(following not in (".", ",", "!"))
        sentences.append(sentence)
    error = udpipe.ProcessingError()
    settings = "dimension=16;epochs=1;segment_size=10;learning_rate=0.02;dropout=0;early_stopping=0"
    trained = udpipe.Trainer.train(
        "morphodita_parsito", sentences, udpipe.Sentences(), settings, "none", "none", error
    )
    assert not error.occurred(), error.message
    path = tmp_path_factory.mktemp("udpipe") / "tiny.udpipe"
    path.write_bytes(trained)
    return str(path)


def test_udpipe_tokenises_with_the_users_model(model) -> None:
    assert tokenizer("udpipe", model=model).tokenize("The dog sat, then left!") == [
        "The",
        "dog",
        "sat",
        ",",
        "then",
        "left",
        "!",
    ]
    assert tokenizer("udpipe", model=model).tokenize("") == []


def test_the_commands_keep_every_line(run, tmp_path) -> None:
    text = 'It\'s late.\r\n\n"Yes," he said.\n\u2028odd'
    done = run("corpus", "tokenize", "-", input=text)
    assert done.stdout == 'It \'s late .\n\n" Yes , " he said .\nodd\n'
    assert (
        run("corpus", "detokenize", "-", input=done.stdout).stdout == 'It\'s late.\n\n"Yes," he said.\nodd\n'
    )
    (tmp_path / "a.txt").write_text("a.\n")
    (tmp_path / "b.txt").write_text("b.")
    assert run("corpus", "tokenize", "a.txt", "b.txt").stdout == "a .\nb .\n"
    assert run("corpus", "tokenize", "a.txt", "b.txt", "--suffix", ".tok").returncode == 0
    assert (tmp_path / "b.txt.tok").read_text() == "b .\n"
    assert run("corpus", "tokenize", "-", "--suffix", ".tok", input="").returncode == 2


def test_a_broken_archive_is_an_error_not_a_traceback(run, tmp_path) -> None:
    whole = bytearray(gzip.compress(os.urandom(5000).hex().encode()))
    whole[500:520] = bytes(20)
    (tmp_path / "f.txt.gz").write_bytes(whole)
    done = run("corpus", "tokenize", "f.txt.gz")
    assert done.returncode == 1
    assert done.stderr.startswith("error: f.txt.gz: cannot read it")


def test_the_commands_refuse_what_they_cannot_do(run, tmp_path) -> None:
    done = run("corpus", "tokenize", "-o", "out.txt", tmp_path / "none.txt")
    assert done.returncode == 1
    assert not (tmp_path / "out.txt").exists()
    (tmp_path / "bad.txt").write_bytes(b"fine\nbad \xff\n")
    done = run("corpus", "tokenize", "bad.txt")
    assert "bad.txt:2: not UTF-8" in done.stderr
    (tmp_path / "f.m2").write_text("S a\n")
    assert "its edits count them" in run("corpus", "tokenize", "f.m2").stderr
    assert set(TOKENIZERS) == {"penn", "moses", "syntok", "udpipe", "characters"}
