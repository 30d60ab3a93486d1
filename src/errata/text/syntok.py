"""Tokens by the rules of `syntok`, which the MultiGEC-2025 shared task scores with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from errata.errors import needs_extra


@dataclass(frozen=True)
class SyntokTokenizer:
    """syntok with its default settings: hyphens between words are dropped, and `n't` becomes `not`."""

    name: str = "syntok"

    @cached_property
    def _tokenizer(self) -> Any:
        with needs_extra("the syntok tokenizer", "tokenize"):
            from syntok.tokenizer import Tokenizer  # type: ignore[import-untyped]
        return Tokenizer()

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        return [token.value for token in self._tokenizer.tokenize(text)]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The tokens with blanks between them; syntok has no rules for joining."""
        return " ".join(tokens)
