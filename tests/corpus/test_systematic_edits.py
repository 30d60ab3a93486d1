"""Systematic edits: repeated changes that no reference makes are found, and can be undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata import sample
from errata.corpus.checks.systematic_edits import (
    Pattern,
    SystematicEdit,
    SystematicEdits,
    changes_between,
    patterns_of,
)

TEXTS = sample.load("en")
SOURCES = TEXTS.corpus.sources
REFERENCES = [TEXTS.corpus.references(annotator) for annotator in TEXTS.corpus.annotators]
SYSTEM = [" ".join(line.split()) for line in next(iter(TEXTS.outputs.values()))]


def systematic(lines: list[str]) -> list[SystematicEdit]:
    return SystematicEdits(SOURCES, REFERENCES).find(lines)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda line: f"- {line}", "lines begin with '-'"),
        (lambda line: f"{line} </s>", "lines end with '</s>'"),
        (lambda line: line.removesuffix(" ."), "the end of lines is missing"),
        (lambda line: line.replace(" ,", ""), "',' is deleted"),
        (lambda line: line.replace("a", "а"), "the character 'a' becomes 'а'"),
        (lambda line: line.replace(" the ", " THE "), "words are written in capitals"),
    ],
)
def test_damage_is_named_and_undone(damage: Callable[[str], str], message: str) -> None:
    edit = systematic([damage(line) for line in SOURCES])[0]
    assert str(edit.pattern) == message
    assert edit.share == len(edit.lines) / edit.examined
    for index in edit.lines:
        undone = edit.undo(SOURCES[index], damage(SOURCES[index]))
        assert undone == " ".join(SOURCES[index].split())


def test_a_planted_edit_is_undone_in_an_output() -> None:
    lines = [f"- {line}" for line in SYSTEM]
    (edit,) = systematic(lines)
    assert [edit.undo(*pair) for pair in zip(SOURCES, lines, strict=True)] == SYSTEM


def test_outputs_and_references_are_not_accused() -> None:
    for lines in TEXTS.outputs.values():
        assert systematic(list(lines)) == []
    assert SystematicEdits(SOURCES, []).find([f"- {line}" for line in SOURCES]) == []


def test_an_edit_that_references_make_is_no_damage() -> None:
    sources = ["he go ."] * 40
    corrected = ["he goes ."] * 40
    assert SystematicEdits(sources, [corrected]).find(corrected) == []
    assert len(SystematicEdits(sources, [sources]).find(corrected)) == 1


WORDS = st.lists(st.sampled_from(["a", "b", "the", ".", ",", "2", "x-y"]), max_size=8)


@given(WORDS, WORDS)
def test_changes_turn_one_text_into_the_other(tokens: list[str], words: list[str]) -> None:
    changed = list(tokens)
    for change in reversed(changes_between(tokens, words)):
        changed[change.start : change.end] = words[change.begin : change.stop]
        assert patterns_of(tokens, words, change)
    assert changed == words


@given(WORDS, st.sampled_from(["-", "•", "Answer:"]))
def test_undoing_a_planted_beginning_gives_the_original(words: list[str], bullet: str) -> None:
    edit = SystematicEdit(Pattern("begins", "", bullet), (0,), 1)
    assert edit.undo(" ".join(words), " ".join([bullet, *words])) == " ".join(words)
