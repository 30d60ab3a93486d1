"""The character-confusion model by expectation–maximisation."""

from __future__ import annotations

import math
import random
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata_correct.error_model import ErrorModel

sys.path.insert(0, str(Path(__file__).parents[3] / "tools" / "models"))
from confusions import confused_words, learn, word_pairs, written_words

WORDS = st.text("abcdář", min_size=1, max_size=7)


def planted(count: int = 4000) -> Counter[tuple[str, str]]:
    """Words in which `i` is written `y` in one of ten cases, `n` doubled or lost, letters swapped."""
    draw = random.Random(3)
    found: Counter[tuple[str, str]] = Counter()
    for _ in range(count):
        clean = "".join(draw.choice("aeiklmnost") for _ in range(draw.randint(3, 9)))
        written = ""
        for letter in clean:
            chance = draw.random()
            if letter == "i" and chance < 0.1:
                written += "y"
            elif letter == "n" and chance < 0.06:
                written += "nn" if chance < 0.04 else ""
            else:
                written += letter
        if draw.random() < 0.05 and written == clean:
            at = draw.randrange(len(clean) - 1)
            written = clean[:at] + clean[at + 1] + clean[at] + clean[at + 2 :]
        found[clean, written] += 1
    return found


def test_planted_confusions_are_recovered() -> None:
    model = learn(planted())
    assert model.replace["i", "y"] == pytest.approx(0.1, abs=0.02)
    assert model.delete["n"] == pytest.approx(0.02, abs=0.01)
    assert max(model.insert, key=model.insert.__getitem__) == "n"
    assert model.insert["n"] == pytest.approx(0.1 * 0.04, rel=0.4)  # of all places, not of n alone
    assert model.swap == pytest.approx(0.05 / 6, rel=0.5)
    assert all(p < 0.01 for pair, p in model.replace.items() if pair != ("i", "y"))


@settings(max_examples=40, deadline=None)
@given(st.dictionaries(st.tuples(WORDS, WORDS), st.integers(1, 9), min_size=1, max_size=12))
def test_the_likelihood_never_falls(pairs: dict[tuple[str, str], int]) -> None:
    model = learn(pairs, rounds=8, tolerance=-math.inf)
    assert all(later >= before - 1e-7 * abs(before) for before, later in pairwise(model.likelihoods))
    for probabilities in (model.replace, model.delete, model.insert):
        assert all(0 < p <= 1 + 1e-9 for p in probabilities.values())


def test_likelihoods_are_sums_over_all_ways() -> None:
    """The first value by recursion, with the probabilities that training starts from."""
    clean, written = "abca", "bacca"
    size = 3
    other, lost, kept, insert, swap = 0.03 / size, 0.01, 0.96, 0.01 / size, 0.002
    whole = kept + lost + other * (size - 1)

    def ways(i: int, j: int) -> float:
        on = 1 - size * insert
        total = on if (i, j) == (len(clean), len(written)) else 0.0
        if j < len(written):
            total += insert * ways(i, j + 1)
        if i < len(clean):
            total += on * (1 - swap) * lost / whole * ways(i + 1, j)
            if j < len(written):
                p = kept if clean[i] == written[j] else other
                total += on * (1 - swap) * p / whole * ways(i + 1, j + 1)
            if clean[i : i + 2] == written[j : j + 2][::-1] and len(set(clean[i : i + 2])) == 2:
                total += on * swap * ways(i + 2, j + 2)
        return total

    assert learn({(clean, written): 2}).likelihoods[0] == pytest.approx(2 * math.log(ways(0, 0)), rel=1e-6)


def test_pairs_come_from_corrected_sentences_and_the_model_is_a_table() -> None:
    written = written_words(
        [(["To", "byl", "Velky", "dúm", "."], ["To", "byl", "velký", "dům", "."]), (["kočka"], ["pes"])] * 3
    )
    assert written["velký", "velky"] == 3
    pairs = word_pairs(written)
    assert pairs == {("to", "to"): 3, ("byl", "byl"): 3, ("velký", "velky"): 3, ("dům", "dúm"): 3}
    letters = learn(pairs)
    model = ErrorModel(letters.replace, letters.delete, letters.insert, words={("pes", "kočka"): 0.1})
    assert model.replace["ý", "y"] == pytest.approx(1.0, abs=0.01)
    again = ErrorModel.parse(model.lines())
    assert again.replace["ů", "ú"] == pytest.approx(model.replace["ů", "ú"], rel=1e-4)
    assert again.words == model.words


def test_words_are_confused_less_often_than_a_few_examples_say() -> None:
    """Three of four are (3 - 1) / (4 + 10); what is rarer, or mostly right as written, does not count."""
    counts = {("mně", "mě"): 3, ("mně", "mně"): 1, ("se", "si"): 2, ("dnes", "dneska"): 3, ("a", "a"): 9}
    assert confused_words(counts) == {("mně", "mě"): 2 / 14, ("dnes", "dneska"): 2 / 13}
    assert confused_words({**counts, ("dneska", "dneska"): 57}) == {
        ("mně", "mě"): 2 / 14, ("dnes", "dneska"): 2 / 13,
    }  # fmt: skip
    assert confused_words({**counts, ("dneska", "dneska"): 58}) == {("mně", "mě"): 2 / 14}


def test_nothing_is_learned_from_nothing() -> None:
    model = learn({})
    assert model.replace == model.insert == model.delete == {}
