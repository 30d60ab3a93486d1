"""Edits to text and back."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.corpus.apply_edits import apply_edits, levenshtein_edits
from errata.corpus.segment import Annotation, Edit
from errata.corpus.uagec import _TOKEN, Change, parse_annotated, token_edits
from errata.edits.reannotation import EditDifference
from errata.errors import DataError

TOKENS = st.lists(st.sampled_from(["a", "b", "c", "d"]), max_size=12)


@given(TOKENS, TOKENS)
def test_extracted_edits_make_the_target(source: list[str], target: list[str]) -> None:
    assert apply_edits(source, levenshtein_edits(source, target)) == target


@given(TOKENS, TOKENS)
def test_extracted_edits_are_in_order_apart_and_change_something(
    source: list[str], target: list[str]
) -> None:
    edits = levenshtein_edits(source, target)
    for (_, end, _), (start, _, _) in pairwise(edits):
        assert end < start
    for start, end, correction in edits:
        assert " ".join(source[start:end]) != correction


@given(TOKENS)
def test_equal_texts_have_no_edits(tokens: list[str]) -> None:
    assert levenshtein_edits(tokens, tokens) == []


def test_insertions_at_one_place_keep_their_order() -> None:
    annotation = Annotation("x", edits=[Edit(0, 0, "a"), Edit(0, 0, "b"), Edit(0, 1, "y")])
    assert annotation.text == "a b y"


@pytest.mark.parametrize("edit", [Edit(0, 3, "x"), Edit(2, 1, "x"), Edit(-1, 0, "x")])
def test_edits_outside_the_sentence_are_an_error(edit: Edit) -> None:
    with pytest.raises(DataError, match="is outside the sentence"):
        _ = Annotation("a b", edits=[edit]).text


def test_an_annotation_given_as_text_stays_so_after_its_edits_were_looked_at() -> None:
    annotation = Annotation("a  b", text="a  c")
    assert annotation.edits == (Edit(1, 2, "c"),)
    assert annotation.given_as_text
    assert annotation.text == "a  c"


CHARACTERS = st.text(alphabet="ab ,.'-\n", max_size=30)


@given(CHARACTERS, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.text("ab ,", max_size=4))))
def test_changes_of_characters_become_edits_that_make_the_tokenised_correction(
    source: str, drawn: list[tuple[int, int, str]]
) -> None:
    changes: list[Change] = []
    target = ""
    position = 0
    for a, b, correction in sorted((min(a, b), max(a, b), text) for a, b, text in drawn):
        if position <= a and b <= len(source) and not (changes and a == b == position):
            changes.append(Change(a, b, correction, "X"))
            target += source[position:a] + correction
            position = b
    target += source[position:]
    tokens, edits = token_edits(source, changes)
    assert tokens == _TOKEN.findall(source)
    made = apply_edits(tokens, [(edit.start, edit.end, edit.correction) for edit in edits])
    assert made == _TOKEN.findall(target)


def test_in_line_annotations_are_parsed() -> None:
    text = "Я {бачу=>бачив:::error_type=G/Tense} дім{=>::::error_type=Q} {\\n=> :::error_type=P}так {x}."
    source, changes = parse_annotated(text)
    assert source == "Я бачу дім \nтак {x}."
    assert changes == [
        Change(2, 6, "бачив", "G/Tense"),
        Change(10, 10, ":", "Q"),
        Change(11, 12, " ", "P"),
    ]


def test_annotations_that_share_a_word_become_one_edit() -> None:
    tokens, edits = token_edits(*parse_annotated("{м=>М:::error_type=A}ам{о=>а:::error_type=B} є"))
    assert tokens == ["мамо", "є"]
    assert edits == [Edit(0, 1, "Мама", "A+B")]


def test_an_annotation_that_changes_nothing_is_no_edit() -> None:
    tokens, edits = token_edits(*parse_annotated("мам{а=>а:::error_type=A} є {т=>т:::error_type=B}ут"))
    assert (tokens, edits) == (["мама", "є", "тут"], [])


def test_the_difference_of_two_annotations_counts_spans_and_types() -> None:
    difference = EditDifference()
    difference.add([Edit(0, 1, "x", "A"), Edit(1, 2, "y", "B"), Edit(3, 3, "z", "C")], [Edit(1, 2, "y", "B")])
    difference.add([Edit(0, 1, "x", "A")], [Edit(0, 1, "x", "D"), Edit(2, 3, "", "C")])
    assert (difference.one, difference.other, difference.spans, difference.types) == (4, 3, 2, 1)
    assert difference.span_f1 == pytest.approx(4 / 7)
    assert difference.type_f1 == pytest.approx(2 / 7)
    assert dict(difference.confusions) == {("A", "D"): 1}
    assert EditDifference().span_f1 == EditDifference().type_f1 == 1.0
