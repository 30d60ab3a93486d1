"""Penn-Treebank tokens as the CoNLL shared tasks use them, and back to readable text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from errata.text.treebank import treebank_tokenize

_QUOTES = re.compile(r"\"|''|``")
_CLITIC = re.compile(r"(?i)(?:'(?:s|m|d|ll|re|ve)|n't)")
_LEFT = frozenset((*",.;:?!)]}%…’'”»", "...", "''"))  # attached to the word before
_RIGHT = frozenset((*"([{$#£€`“‘«", "``"))  # attached to the word behind
_CONTRACTIONS = {
    ("can", "not"), ("gim", "me"), ("gon", "na"), ("got", "ta"), ("lem", "me"), ("wan", "na"),
    ("d", "'ye"), ("more", "'n"), ("'t", "is"), ("'t", "was"),
}  # fmt: skip
_PLURAL = re.compile(r"\w[sS]")  # "the cats ' food": a possessive, not a closing quote


@dataclass(frozen=True)
class PennTokenizer:
    """Splits off punctuation, clitics (`'s`, `n't`) and contractions (`can not`); one sentence a line.

    A full stop is split off at the end of the line only, so give it sentences. CoNLL's files keep the
    double quote as it was written; `quotes="penn"` turns it into `` and '' as the Treebank does.
    """

    quotes: str = "keep"
    name: str = "penn"

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a sentence."""
        tokens = list(treebank_tokenize(text))
        if self.quotes == "keep" and '"' in text:
            written = iter(_QUOTES.findall(text))
            tokens = [next(written, token) if token in ("``", "''") else token for token in tokens]
        return tokens

    def detokenize(self, tokens: Sequence[str]) -> str:
        """Readable text: punctuation and clitics attached, quotes paired."""
        text = ""
        attach = True  # the next token, to the text so far
        inside = {'"': False, "'": False}  # between these quotes
        previous = ""
        for token in tokens:
            quote = token if token in inside else ""
            possessive = quote == "'" and not inside["'"] and _PLURAL.fullmatch(previous[-2:]) is not None
            opening = bool(quote) and not inside[quote] and not possessive
            left = (
                (quote and not opening)
                or (token in _LEFT and not quote)
                or (_CLITIC.fullmatch(token) and previous[-1:].isalnum())
                or (previous.lower(), token.lower()) in _CONTRACTIONS
            )
            text += token if attach or left else " " + token
            if quote and not possessive:
                inside[quote] = opening
            elif token[0] == "'" and token[-1] != "'" and not left:
                inside["'"] = True  # Penn leaves an opening quote at its word: 'allowed '
            attach = opening or token in _RIGHT
            previous = token
        return text.replace("``", '"').replace("''", '"') if self.quotes == "penn" else text
