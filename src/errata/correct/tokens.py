"""Tokens for correctors, and corrected tokens back in the spacing of the text they came from."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Numbers with their separators, words with inner apostrophes, single signs. A hyphen stands alone.
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_][^\W_]*(?:['’][^\W_]+)*|[^\W_]+|\S")
_SENTENCE = re.compile(
    r"(?<=[.!?…])([\"”“»’')]*)\s+(?=[\"„“«‚(–-]*\s?[A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĖĘĚĞĢĪĮİĶĹĽŁŃŅŇŌŐŔŘŚŞŠŢŤŪŮŰŲŹŻŽ])"
)
_NEGATION = re.compile(r"(?i)\b(\w+)(n['’]t)\b")
_CLITIC = re.compile(r"(?i)(\w)(['’](?:s|m|re|ve|ll|d))\b")
_NO_SPACE_BEFORE = frozenset(".,;:!?…)]}”“’»%")
_NO_SPACE_AFTER = frozenset("([{„‚«")


def tokenize(text: str) -> list[str]:
    """Words, numbers and single signs."""
    return _TOKEN.findall(text)


def tokenize_english(text: str) -> list[str]:
    """The same with contractions split (`do n't`, `it 's`) and plain quotes, as English corpora are."""
    joined = _CLITIC.sub(r"\1 \2", _NEGATION.sub(r"\1 \2", " ".join(tokenize(text))))
    return joined.replace("’", "'").replace("“", '"').replace("”", '"').split()


def sentences(text: str) -> list[str]:
    """A paragraph as sentences, by their final signs and the capital that follows."""
    return [part.strip() for part in _SENTENCE.sub(r"\1\n", text).split("\n") if part.strip()]


def rejoin(source: str, tokens: Sequence[str]) -> str:
    """Corrected tokens as running text: spaces as in the source where its tokens stand unchanged."""
    from rapidfuzz.distance import Levenshtein

    before = tokenize(source)
    spaced: list[bool] = []
    position = 0
    for token in before:
        found = source.index(token, position)
        spaced.append(found > position)
        position = found + len(token)
    space: list[bool | None] = [None] * len(tokens)
    for step in Levenshtein.opcodes(before, list(tokens)):
        width = step.dest_end - step.dest_start
        if step.tag == "equal" or (step.tag == "replace" and step.src_end - step.src_start == width):
            for k in range(width):
                known = step.src_start + k
                if (
                    step.tag == "equal"
                    or before[known][:1].isalnum() == tokens[step.dest_start + k][:1].isalnum()
                ):
                    space[step.dest_start + k] = spaced[known]
    text = ""
    for index, token in enumerate(tokens):
        apart = space[index]
        if apart is None or (not apart and index and space[index - 1] is None):
            previous = tokens[index - 1] if index else ""
            apart = token not in _NO_SPACE_BEFORE and previous not in _NO_SPACE_AFTER
        text += (" " if apart and index else "") + token
    return text
