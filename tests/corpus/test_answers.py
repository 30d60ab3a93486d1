"""Answers of language models: additions are removed, corrections are kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata import sample
from errata.corpus.answers import clean_answer, clean_answers
from errata.errors import DataError

SOURCE = "He go to school every day ."
ANSWER = "He goes to school every day ."


@pytest.mark.parametrize(
    ("answer", "removed"),
    [
        (ANSWER, ()),
        (f"Sure, here is the corrected sentence: {ANSWER}", ("introduction",)),
        (f'"{ANSWER}"', ("wrapper",)),
        (f"“{ANSWER}”", ("wrapper",)),
        (f"**{ANSWER}**", ("wrapper",)),
        (f"`{ANSWER}`", ("wrapper",)),
        (f"3. {ANSWER}", ("marker",)),
        (f"3\t{ANSWER}", ("marker",)),
        (f"- {ANSWER}", ("marker",)),
        (f"> {ANSWER}", ("marker",)),
        (f"{SOURCE} → {ANSWER}", ("source",)),
        (f"{SOURCE}\t{ANSWER}", ("source",)),
        (f"{SOURCE} {ANSWER}", ("source",)),
        (f"{ANSWER} Explanation: the verb must agree with its subject .", ("explanation",)),
        (f'{{"corrected": "{ANSWER}"}}', ("wrapper",)),
        (f"{ANSWER} {ANSWER}", ("repetition",)),
        (f"{ANSWER} {ANSWER} {ANSWER}", ("repetition",)),
        (f'Corrected: "{ANSWER}"', ("introduction", "wrapper")),
    ],
)
def test_additions_are_removed(answer: str, removed: tuple[str, ...]) -> None:
    cleaned = clean_answer(SOURCE, answer)
    assert (cleaned.text, set(cleaned.removed)) == (ANSWER, set(removed))


@pytest.mark.parametrize(
    "answer", ["I'm sorry, but I can't help with that.", "Please provide the text you want me to correct."]
)
def test_a_refusal_becomes_the_source(answer: str) -> None:
    cleaned = clean_answer(SOURCE, answer)
    assert (cleaned.text, cleaned.removed) == (SOURCE, ("refusal",))


@pytest.mark.parametrize(
    ("source", "answer"),
    [
        ("I am sorry that I go .", "I am sorry that I went ."),
        ('" No " , he say , " never "', '" No " , he said , " never "'),
        ("1. First thing", "1. The first thing"),
        ("16. 4 2010", "16.4 2010"),
        ("„ He go . “", '" He goes . "'),
        ("Note that he go .", "Note that he goes ."),
        ("He say : go away .", "He said : go away ."),
        ("- go", "- gone"),
    ],
)
def test_corrections_that_resemble_additions_stay(source: str, answer: str) -> None:
    assert clean_answer(source, answer).removed == ()


def test_surplus_lines_are_matched_with_their_sources() -> None:
    sources = [SOURCE, "I likes it ."]
    answers = ["Sure! Here they are:", ANSWER, "", "I like it .", "Anything else?"]
    assert [cleaned.text for cleaned in clean_answers(sources, answers)] == [ANSWER, "I like it ."]


def test_missing_answers_are_refused() -> None:
    with pytest.raises(DataError, match="1 answer for 2 sources"):
        clean_answers(["a", "b"], ["a"])


def test_outputs_of_the_sample_are_clean() -> None:
    for language in sample.LANGUAGES:
        texts = sample.load(language)
        for lines in texts.outputs.values():
            cleaned = clean_answers(texts.corpus.sources, list(lines))
            assert [answer for answer in cleaned if answer.removed] == []


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_answer_is_cleaned_to_a_part_of_it_or_to_the_source(source: str, answer: str) -> None:
    text = clean_answer(source, answer).text
    assert text in answer or text == source


def test_marks_around_a_quotation_are_removed_alone() -> None:
    assert clean_answer("„ He go . “", '"„ He goes . “"').text == "„ He goes . “"
    assert clean_answer('" Yes , " he say .', '**" Yes , " he said .**').text == '" Yes , " he said .'


def test_a_repeated_correction_that_begins_like_its_source_is_kept_whole() -> None:
    assert clean_answer("Good day", "Good day . Good day .").text == "Good day ."
