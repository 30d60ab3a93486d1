"""Grammatical corrections of English: patterns, inflection, and the shipped model."""

from __future__ import annotations

import dataclasses
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from errata.edits.taggers.embedded import EmbeddedTagger
from errata.errors import DataError
from errata_correct import native
from errata_correct.corrector import Corrector
from errata_correct.grammar.grammar import GrammarRules, split_contractions
from errata_correct.grammar.inflection import Inflection
from errata_correct.grammar.patterns import Patterns, Token, article
from errata_correct.grammar.rule_search import RuleSearch
from errata_correct.loading import load_corrector, load_model
from errata_correct.noisy_channel import NoisyChannel

VERBS = ("walk", "stop", "like", "try", "go", "make", "prefer")
NOUNS = ("dog", "city", "child", "book")
INFLECTION = Inflection(
    lambda word: word in ("preferred", "bigger", "happily", "quickly"),
    lambda word: frozenset({"VB", "VBP"} if word in VERBS else {"NN"} if word in NOUNS else {"JJ"}),
)


@pytest.fixture(scope="module")
def english() -> NoisyChannel:
    found = load_model("en")
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


@pytest.mark.slow
def test_rules_are_found_where_they_match(english: NoisyChannel, monkeypatch: pytest.MonkeyPatch) -> None:
    grammar = english.grammar
    assert grammar is not None
    rules = grammar.patterns.rules
    words = [word for rule in rules for word in rule.wrong.split()]
    draw = random.Random(3)
    sentences = [[draw.choice(words) for _ in range(draw.randrange(12))] for _ in range(60)]
    sentences += [rule.wrong.split() for rule in rules[::4] if rule.wrong]
    tagged = EmbeddedTagger("en").tag([split_contractions(tokens)[0] for tokens in sentences])
    ends = [Token(end, end, end, frozenset()) for end in ("<s>", "</s>")]
    rows = []
    for sentence in tagged:
        inner = [
            Token(form.lower(), form, tag, grammar._may(form.lower()))
            for form, tag in zip(sentence.forms, sentence.tags, strict=True)
        ]
        rows.append([ends[0], *inner, ends[1]])
    slow = []
    for tokens in rows:
        hits = []
        for at, token in enumerate(tokens):  # rules found by the word, then rules found by the tag
            by_word = [k for k, rule in enumerate(rules) if token.word in rule.found_by.words]
            by_tag = [k for k, rule in enumerate(rules) if token.tag in rule.found_by.tags]
            for number in dict.fromkeys([*by_word, *by_tag]):
                if next(rules[number].matches(tokens, at), None) is not None:
                    hits.append((at, number))
        slow.append(hits)
    assert sum(map(len, slow)) > 100
    assert list(RuleSearch(rules).hits(rows)) == slow
    monkeypatch.setattr("errata_correct.grammar.rule_search._MOST", 30)
    search = RuleSearch(rules)
    for start in range(0, len(rows), 7):
        assert list(search.hits(rows[start : start + 7])) == slow[start : start + 7]
    monkeypatch.setattr("errata_correct.grammar.rule_search.native", native.load_pure("patterns"))
    assert list(RuleSearch(rules).hits(rows)) == slow
    assert list(RuleSearch(rules).hits([])) == []
    assert list(RuleSearch([]).hits(rows[:2])) == [[], []]


def test_threads_that_see_new_forms_at_once_agree(english: NoisyChannel) -> None:
    rules = english.grammar.patterns.rules if english.grammar else ()
    sentences = [rule.wrong.split() for rule in rules if rule.wrong][:120]
    expected = english.changes(sentences)
    fresh = dataclasses.replace(english)
    fresh.prepare()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: fresh.changes(sentences), range(8)))
    assert made == [expected] * 8


def test_a_pattern_of_too_many_tokens_is_refused() -> None:
    line = "rule\tlong\t" + "*the " * 21 + "dog\t22:cat"
    with pytest.raises(DataError, match="more than 60 tokens"):
        Patterns.parse([line], INFLECTION)


def test_the_shipped_model_corrects_the_examples_of_its_rules(english: NoisyChannel) -> None:
    grammar = english.grammar
    assert grammar is not None
    examples = [rule for rule in grammar.patterns.rules if rule.wrong]
    assert len(examples) > 600
    right = 0
    for rule, tokens in zip(
        examples,
        map(str.split, Corrector(english).correct_tokenized([rule.wrong for rule in examples])),
        strict=True,
    ):
        joined = [" ".join(tokens), rule.right]
        right += len({text.replace(" n't", "n't").replace(" '", "'") for text in joined}) == 1
    assert right >= 0.85 * len(examples)


def test_errors_of_the_classroom_are_corrected_in_running_text() -> None:
    corrector = load_corrector("en")
    wrong = ["I has went  home.", "She dont like it.", "It was a old house."]
    right = ["I have gone  home.", "She doesn't like it.", "It was an old house."]
    assert corrector.correct(wrong) == right
    assert corrector.correct(right) == right
    kinds = {one.kind for suggestions in corrector.suggest(wrong) for one in suggestions}
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
