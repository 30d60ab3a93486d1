"""Shipped correctors on sentences with textbook errors, and on clean sentences that should not change."""

from __future__ import annotations

import pytest

from textbook import TEXTBOOK, clean_sentences, corrected_share, textbook


@pytest.mark.parametrize("language", ["cs", "en"])
def test_every_textbook_sentence_has_an_error_and_a_correction(language: str) -> None:
    cases = textbook(language)
    assert len(cases) == 200
    assert len({source for _, source, _ in cases}) == 200
    for category, source, accepted in cases:
        assert all([category, *accepted])
        assert accepted
        assert source not in accepted


@pytest.mark.slow
def test_the_shipped_noisy_channels_correct_textbook_errors() -> None:
    from errata_correct import load

    assert corrected_share(load("cs", threshold=0), "cs")[0] >= 0.35
    assert corrected_share(load("cs"), "cs")[0] >= 0.32
    assert corrected_share(load("en"), "en")[0] >= 0.6


@pytest.mark.slow
def test_the_english_default_changes_little_of_clean_text() -> None:
    from errata_correct.loading import load_corrector

    clean = clean_sentences("en")
    corrected = load_corrector("en").correct(clean)
    assert sum(one != two for one, two in zip(clean, corrected, strict=True)) <= 0.02 * len(clean)


def test_the_czech_default_changes_little_of_clean_text() -> None:
    from errata_correct.loading import load_corrector

    clean = clean_sentences("cs")
    corrected = load_corrector("cs").correct(clean)
    assert sum(one != two for one, two in zip(clean, corrected, strict=True)) <= 0.02 * len(clean)


@pytest.mark.parametrize(("name", "count", "most"), [("cs_right", 197, 2), ("cs_right_unseen", 121, 4)])
def test_the_czech_default_leaves_most_correct_sentences(name: str, count: int, most: int) -> None:
    from errata_correct.loading import load_corrector

    right = (TEXTBOOK / f"{name}.txt").read_text("utf-8").splitlines()
    assert len(set(right)) == count
    corrected = load_corrector("cs").correct(right)
    assert sum(one != two for one, two in zip(right, corrected, strict=True)) <= most


def test_the_english_default_leaves_correct_sentences_that_look_like_errors() -> None:
    from errata_correct.loading import load_corrector

    right = (TEXTBOOK / "en_right.txt").read_text("utf-8").splitlines()
    assert len(right) > 100
    corrected = load_corrector("en").correct(right)
    assert [*zip(right, corrected, strict=True)] == [(line, line) for line in right]
