"""Projection: detokenised text gets the tokens of its source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata import sample
from errata.corpus.files import read_lines
from errata.errors import DataError
from errata.text.projection import Projector, project
from errata.text.tokenizers import tokenizer

PENN = tokenizer("penn")
WORDS = ["He", "ca", "n't", "go", ",", ".", '"', "(", ")", "e.g.", "5", "%", "-", "co-op", "It", "'s", "'"]
TOKENS = st.lists(st.sampled_from(WORDS), max_size=12)


@pytest.mark.parametrize(
    ("source", "text", "tokens"),
    [
        ("It 's late , is n't it ?", "It's late, isn't it?", "It 's late , is n't it ?"),
        ("He go to the school .", "He goes to (the) school.", "He goes to ( the ) school ."),
        ("a well - known fact .", "a well-known facts.", "a well - known facts ."),  # as the source splits
        ("a well-known fact .", "a well-known facts.", "a well-known facts ."),
        ("I can not go .", "I cannot go.", "I can not go ."),
        ("He lives in the U.S. now .", "He lived in the U.S. now.", "He lived in the U.S. now ."),
        ("He go .", "", ""),
        ("", "He goes.", "He goes ."),
    ],
)
def test_unchanged_text_keeps_the_tokens_of_the_source(source: str, text: str, tokens: str) -> None:
    assert project([source], [text]) == [tokens]


def test_the_sources_show_how_they_were_tokenised() -> None:
    """Penn would keep `a/b`; where the sources always split it, so does the projection."""
    sources = ["x a / b y ."] * 10 + ["he go ."]
    assert project(sources, ["x a/b y."] * 10 + ["he goes and/or runs."])[-1] == "he goes and / or runs ."


def test_one_text_per_source() -> None:
    with pytest.raises(DataError, match="1 texts for 2 sources"):
        project(["a", "b"], ["a"])


@given(TOKENS)
def test_a_detokenised_source_gets_its_tokens_back(tokens: list[str]) -> None:
    source = " ".join(tokens)
    assert project([source], [PENN.detokenize(tokens)]) == [source]


@given(TOKENS, st.text(st.characters(codec="utf-8"), max_size=40))
def test_projecting_changes_nothing_but_blanks(tokens: list[str], text: str) -> None:
    (projected,) = project([" ".join(tokens)], [text])
    assert "".join(projected.split()) == "".join(text.split())


@pytest.mark.parametrize("name", ["penn", "characters"])
@given(tokens=TOKENS, words=TOKENS)
def test_projecting_with_any_tokenizer_changes_nothing_but_blanks(
    name: str, tokens: list[str], words: list[str]
) -> None:
    projector = Projector([" ".join(tokens)], tokenizer(name))
    projected = projector.project(" ".join(tokens), "".join(words))
    assert "".join(projected.split()) == "".join(words)


def test_outputs_of_the_sample_survive_the_round_trip() -> None:
    texts = sample.load("en")
    for lines in texts.outputs.values():
        written = [PENN.detokenize(line.split()) for line in lines]
        same = sum(
            a == " ".join(b.split())
            for a, b in zip(project(texts.corpus.sources, written), lines, strict=True)
        )
        assert same >= 0.98 * len(lines)


def test_published_outputs_survive_the_round_trip(data) -> None:
    sources = read_lines(data / "conll14" / "source.txt")
    for path in sorted((data / "conll14" / "systems").iterdir())[::4]:
        lines = [" ".join(line.split()) for line in read_lines(path)]
        projected = project(sources, [PENN.detokenize(line.split()) for line in lines])
        assert sum(map(str.__eq__, projected, lines)) >= 0.993 * len(lines), path.name
