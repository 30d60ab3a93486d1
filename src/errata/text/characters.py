"""A token a character for Chinese and Japanese; Latin words and numbers stay whole."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

# Radicals to ideographs with kana and their punctuation, compatibility forms, full-width signs, planes 2-3.
_CJK = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff"
_WORD = rf"[^\W{_CJK}]+(?:[.,:'’_-][^\W{_CJK}]+)*"
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef"  # belong to the character before
_TOKEN = re.compile(rf"{_WORD}|\S[{_MARKS}]*")
_IS_WORD = re.compile(_WORD)
_BEFORE_WORD = frozenset(".,;:!?'’_-%")  # signs after which a Latin word is set apart


@dataclass(frozen=True)
class CharacterTokenizer:
    """Every Chinese or Japanese character is a token, and so is every Latin word, number and sign."""

    name: str = "characters"

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        return _TOKEN.findall(text)

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The characters joined; blanks between Latin words only."""
        text = ""
        previous = ""
        for token in tokens:
            apart = bool(previous) and _IS_WORD.fullmatch(token) is not None
            apart = apart and (previous in _BEFORE_WORD or _IS_WORD.fullmatch(previous) is not None)
            text += " " + token if apart else token
            previous = token
        return text
