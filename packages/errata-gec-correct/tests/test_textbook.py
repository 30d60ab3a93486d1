"""Shipped correctors on sentences with textbook errors, and on clean sentences that should not change."""

from __future__ import annotations

import lzma
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest

TEXTBOOK = Path(__file__).parent / "textbook"
UD = Path(__file__).parents[2] / "shared" / "data" / "ud"
CLEAN = {"cs": "cs_pud-ud-test", "en": "en_ewt-ud-test"}


class Corrects(Protocol):
    def correct(self, lines: Sequence[str]) -> list[str]: ...


def textbook(language: str) -> list[tuple[str, str, list[str]]]:
    """Category, sentence and accepted corrections of every line."""
    lines = (TEXTBOOK / f"{language}.tsv").read_text("utf-8").splitlines()
    return [(fields[0], fields[1], fields[2:]) for fields in (line.split("\t") for line in lines)]


def clean_sentences(language: str, count: int = 1000) -> list[str]:
    """Complete sentences of a treebank that no corrector is trained on, without an error marked there."""
    path = UD / f"{CLEAN[language]}.conllu.xz"
    if not path.exists():
        pytest.skip(f"the treebank {path.name} is not at hand")
    with lzma.open(path, "rt", encoding="utf-8") as file:
        blocks = [block for block in file.read().split("\n\n") if "Typo=Yes" not in block]
    texts = [line[9:].strip() for line in "\n".join(blocks).split("\n") if line.startswith("# text = ")]
    return [text for text in texts if text[0].isupper() and text[-1] in ".?!"][:count]


def corrected_share(corrector: Corrects, language: str) -> tuple[float, Counter[str]]:
    """The share of textbook sentences that come out right, and the failures by category."""
    cases = textbook(language)
    outputs = corrector.correct([source for _, source, _ in cases])
    failed = Counter(
        case for (case, _, accepted), output in zip(cases, outputs, strict=True) if output not in accepted
    )
    return 1 - failed.total() / len(cases), failed


@pytest.mark.parametrize("language", ["cs", "en"])
def test_every_textbook_sentence_has_an_error_and_a_correction(language: str) -> None:
    cases = textbook(language)
    assert len(cases) == 200
    assert len({source for _, source, _ in cases}) == 200
    for category, source, accepted in cases:
        assert all([category, *accepted])
        assert accepted
        assert source not in accepted


def test_the_shipped_noisy_channels_correct_textbook_errors() -> None:
    from errata_correct import load
    from errata_correct.loading import load_suggester

    assert corrected_share(load("cs"), "cs")[0] >= 0.35
    assert corrected_share(load_suggester("cs"), "cs")[0] >= 0.32
    assert corrected_share(load_suggester("en"), "en")[0] >= 0.6


def test_the_english_default_changes_little_of_clean_text() -> None:
    from errata_correct.loading import load_suggester

    clean = clean_sentences("en")
    corrected = load_suggester("en").correct(clean)
    assert sum(one != two for one, two in zip(clean, corrected, strict=True)) <= 0.02 * len(clean)


def test_the_czech_default_changes_little_of_clean_text() -> None:
    from errata_correct.loading import load_suggester

    clean = clean_sentences("cs")
    corrected = load_suggester("cs").correct(clean)
    assert sum(one != two for one, two in zip(clean, corrected, strict=True)) <= 0.02 * len(clean)


@pytest.mark.parametrize(("name", "count", "most"), [("cs_right", 197, 2), ("cs_right_unseen", 121, 4)])
def test_the_czech_default_leaves_most_correct_sentences(name: str, count: int, most: int) -> None:
    from errata_correct.loading import load_suggester

    right = (TEXTBOOK / f"{name}.txt").read_text("utf-8").splitlines()
    assert len(set(right)) == count
    corrected = load_suggester("cs").correct(right)
    assert sum(one != two for one, two in zip(right, corrected, strict=True)) <= most


def test_the_english_default_leaves_correct_sentences_that_look_like_errors() -> None:
    from errata_correct.loading import load_suggester

    right = (TEXTBOOK / "en_right.txt").read_text("utf-8").splitlines()
    assert len(right) > 100
    corrected = load_suggester("en").correct(right)
    assert [*zip(right, corrected, strict=True)] == [(line, line) for line in right]
