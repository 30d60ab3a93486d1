"""The tokenizers by name: `tokenizer("penn").tokenize("It's late.")`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from errata.errors import ErrataError, one_of
from errata.text.characters import CharacterTokenizer
from errata.text.moses import MosesTokenizer
from errata.text.penn import PennTokenizer
from errata.text.syntok import SyntokTokenizer
from errata.text.udpipe import UDPipeTokenizer

TOKENIZERS = ("penn", "moses", "udpipe", "syntok", "characters")


class Tokenizer(Protocol):
    """Splits a line of text into tokens, and joins tokens to a line."""

    @property
    def name(self) -> str: ...
    def tokenize(self, text: str) -> list[str]: ...
    def detokenize(self, tokens: Sequence[str]) -> str: ...


def tokenizer(name: str, *, lang: str = "en", model: str | None = None, quotes: str = "keep") -> Tokenizer:
    """The tokenizer of this name; `lang` is for Moses, `model` for UDPipe, `quotes` for Penn."""
    if name == "penn":
        return PennTokenizer(quotes)
    if name == "moses":
        return MosesTokenizer(lang)
    if name == "characters":
        return CharacterTokenizer()
    if name == "syntok":
        return SyntokTokenizer()
    if name == "udpipe":
        if model is None:
            raise ErrataError("the UDPipe tokenizer needs a model\n  hint: --model czech-pdt-ud-2.5.udpipe")
        return UDPipeTokenizer(model)
    raise ErrataError(f"there is no tokenizer {name!r}\n  hint: {one_of(name, TOKENIZERS)}")
