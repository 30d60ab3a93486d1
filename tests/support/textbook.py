"""Sentences with textbook errors and clean sentences, for the tests of correctors."""

from __future__ import annotations

import lzma
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pytest

ROOT = Path(__file__).parents[2]
TEXTBOOK = ROOT / "packages" / "errata-gec-correct" / "tests" / "textbook"
UD = Path(os.environ.get("ERRATA_SHARED", ROOT.parent / "shared")) / "data" / "ud"
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
