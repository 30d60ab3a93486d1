"""Grammatical corrections of English: patterns, inflection, and the shipped model."""

from __future__ import annotations

import pytest

from errata.correct.grammar.grammar import GrammarRules, split_contractions
from errata.correct.grammar.inflection import Inflection
from errata.correct.grammar.patterns import Patterns, article
from errata.correct.loading import load_corrector, load_suggester
from errata.correct.noisy_channel import NoisyChannel
from errata.errors import DataError

VERBS = ("walk", "stop", "like", "try", "go", "make", "prefer")
NOUNS = ("dog", "city", "child", "book")
INFLECTION = Inflection(
    lambda word: word in ("preferred", "bigger", "happily", "quickly"),
    lambda word: frozenset({"VB", "VBP"} if word in VERBS else {"NN"} if word in NOUNS else {"JJ"}),
)


@pytest.fixture(scope="module")
def english() -> NoisyChannel:
    found = load_corrector("en")
    assert isinstance(found, NoisyChannel)
    return found


@pytest.mark.parametrize(
    ("word", "tag", "form"),
    [
        ("walks", "VB", "walk"),
        ("stop", "VBG", "stopping"),
        ("liked", "VBG", "liking"),
        ("tried", "VBZ", "tries"),
        ("went", "VBN", "gone"),
        ("goed", "VBD", "went"),
        ("prefer", "VBD", "preferred"),
        ("children", "NN", "child"),
        ("city", "NNS", "cities"),
        ("big", "JJR", "bigger"),
        ("good", "RB", "well"),
        ("happy", "RB", "happily"),
        ("walk", "VB", None),
    ],
)
def test_words_have_the_forms_that_grammars_give(word: str, tag: str, form: str | None) -> None:
    assert INFLECTION.form(word, tag) == form


def test_the_article_follows_the_sound() -> None:
    words = ["apple", "hour", "university", "European", "umbrella", "MP", "one", "onion", "8", "US"]
    assert [article(word) for word in words] == ["an", "an", "a", "a", "an", "an", "a", "an", "an", "a"]


def test_contractions_are_split_and_keep_their_places() -> None:
    assert split_contractions(["I", "don't", "know"]) == (["I", "do", "n't", "know"], [0, 1, 1, 2])


def test_the_shipped_model_corrects_the_examples_of_its_rules(english: NoisyChannel) -> None:
    grammar = english.grammar
    assert grammar is not None
    examples = [rule for rule in grammar.patterns.rules if rule.wrong]
    assert len(examples) > 600
    right = 0
    for rule, tokens in zip(
        examples, english.correct_tokens([rule.wrong.split() for rule in examples]), strict=True
    ):
        joined = [" ".join(tokens), rule.right]
        right += len({text.replace(" n't", "n't").replace(" '", "'") for text in joined}) == 1
    assert right >= 0.85 * len(examples)


def test_errors_of_the_classroom_are_corrected_in_running_text() -> None:
    suggester = load_suggester("en")
    wrong = ["I has went home.", "She dont like it.", "He can sings  well.", "It was a old house."]
    right = ["I have gone home.", "She doesn't like it.", "He can sing  well.", "It was an old house."]
    assert suggester.correct(wrong) == right
    assert suggester.correct(right) == right
    kinds = {one.kind for suggestions in suggester.suggest(wrong) for one in suggestions}
    assert kinds == {"grammar"}


def test_rules_survive_writing_and_wrong_ones_name_their_line() -> None:
    rules = GrammarRules("rule\tx\ta b\t1:c", {"x.1": -1.5}, 0.25, 0.75, 2.0)
    assert GrammarRules.parse(rules.text()) == rules
    for text in ("no table", "forms\t1\ntags\tnan\nother\t0\n\n", "forms\t1\n\nrule"):
        with pytest.raises((ValueError, KeyError)):
            GrammarRules.parse(text)
    for line in (
        "rule\tx\ta\t2:b",
        "rule\tx\t*a\t1:b",
        "what\tx",
        "rule\tx\t$none\t1:b",
        "rule\tx\t%odd\t1:b",
    ):
        with pytest.raises(DataError, match="2"):
            Patterns.parse(["# a comment", line], INFLECTION, "table.tsv")
