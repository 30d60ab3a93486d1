"""Tokens by the rules of the Moses toolkit, through `sacremoses`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from errata.errors import needs_extra


def _sacremoses() -> Any:
    with needs_extra("the Moses tokenizer", "tokenize"):
        import sacremoses
    return sacremoses


@dataclass(frozen=True)
class MosesTokenizer:
    """Moses rules with a language's list of abbreviations; nothing is escaped (`'`, not `&apos;`)."""

    lang: str = "en"
    name: str = "moses"

    @cached_property
    def _tokenizer(self) -> Any:
        return _sacremoses().MosesTokenizer(lang=self.lang)

    @cached_property
    def _detokenizer(self) -> Any:
        return _sacremoses().MosesDetokenizer(lang=self.lang)

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        tokens: list[str] = self._tokenizer.tokenize(text, escape=False)
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Readable text."""
        text: str = self._detokenizer.detokenize(list(tokens), unescape=False)
        return text
