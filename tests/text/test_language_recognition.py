"""Whether a text is in a language: running text of 21 languages."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from errata.text.languages import misfit

FILES = {
    "bg": "Bulgarian-BTB-dev", "da": "Danish-DDT-dev", "de": "German-PUD-test", "el": "Greek-GUD-test",
    "es": "Spanish-PUD-test", "et": "Estonian-EDT-dev", "fi": "Finnish-PUD-test", "fr": "French-PUD-test",
    "hu": "Hungarian-Szeged-dev", "is": "Icelandic-PUD-test", "it": "Italian-PUD-test",
    "lv": "Latvian-LVTB-dev",
    "nl": "Dutch-Alpino-dev", "pl": "Polish-PUD-test", "pt": "Portuguese-PUD-test", "ro": "Romanian-RRT-dev",
    "ru": "Russian-PUD-test", "sl": "Slovenian-SSJ-dev", "sv": "Swedish-PUD-test", "tr": "Turkish-PUD-test",
    "uk": "Ukrainian-IU-dev",
}  # fmt: skip


def sentences(data: Path, code: str) -> list[str]:
    path = data / "ud_packs" / code / f"{FILES[code]}.conllu.xz"
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        return [line[8:].strip() for line in lines if line.startswith("# text = ")][:300]


def test_texts_fit_their_languages_and_few_others(data: Path) -> None:
    """Of wrong languages 95 % are noticed; the others are mostly close, such as Danish and Swedish."""
    texts = {code: sentences(data, code) for code in FILES}
    assert [code for code in FILES if misfit(code, texts[code])] == []
    wrong = [(code, other) for code in FILES for other in FILES if code != other]
    noticed = [pair for pair in wrong if misfit(pair[1], texts[pair[0]])]
    assert len(noticed) > 0.95 * len(wrong)
