"""The two sentences that begin a comparison."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from errata.meta.levels import SystemLevel
from errata.significance.decisions import Ranked, data_in_words, headline

DATA = data_in_words("test.m2", 1312, 4)


def ranked(criterion: str, items: str, tied: str = "") -> Ranked:
    """Items of one letter; the pairs in `tied` (`AB AC`) do not differ."""
    pairs = {frozenset(pair) for pair in combinations(items, 2)}
    return Ranked(criterion, tuple(items), frozenset(pairs - {frozenset(pair) for pair in tied.split()}))


def test_it_names_the_leader_and_the_data() -> None:
    expected = "A leads by M². The data are 1,312 sentences of test.m2 and 4 systems."
    assert headline([ranked("M²", "ABCD")], DATA) == expected


def test_leaders_that_do_not_differ_from_each_other() -> None:
    text = headline([ranked("M²", "ABCD", "AB AC BC")], DATA)
    assert text.startswith("A, B and C lead by M² and cannot be told apart.")


def test_leaders_that_differ_from_each_other_but_not_from_the_best() -> None:
    text = headline([ranked("M²", "ABCD", "AB AC")], DATA)
    assert text.startswith("A leads by M² and cannot be told from B and C.")


def test_criteria_that_separate_hardly_anything_come_last() -> None:
    items = "ABCDE"
    all_but_one = " ".join(a + b for a, b in combinations(items, 2) if a + b != "AE")
    text = headline([ranked("GLEU", items, all_but_one), ranked("M²", items), ranked("BLEU", items)], DATA)
    assert text.startswith(
        "A leads by M² and BLEU; GLEU separates hardly anything (1 of 10 pairs). The data are"
    )


def test_nothing_differs() -> None:
    text = headline([ranked("M²", "AB", "AB"), ranked("GLEU", "BA", "AB")], DATA)
    assert text.startswith("M² and GLEU separate nothing (0 of 1 pair).")


def test_long_lists_are_counted_and_braces_are_text() -> None:
    items = "ABCDEF{H"
    tied = " ".join(a + b for a, b in combinations("ABCDEF{", 2))
    assert headline([ranked("M²", items, tied)], DATA).startswith(
        "A, B, C, D and 3 others lead by M² and cannot be told apart."
    )
    assert headline([ranked("{by}", "{}")], DATA).startswith("{ leads by {by}.")


def test_metrics_are_ranked_by_their_correlation_with_people() -> None:
    human = np.arange(12.0)
    noise = np.random.default_rng(1).normal(0, 1, 12)
    scores = np.array([human + 9 * noise, human + 0.1 * noise, np.ones(12)])
    level = SystemLevel(tuple("abcdefghijkl"), human, ("poor", "good", "constant"), scores)
    result = level.ranked()
    assert result.items == ("good", "poor", "constant")
    assert result.different == {frozenset(("good", "poor"))}
    assert result.criterion == "Pearson’s r"
