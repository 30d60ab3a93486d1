"""Letters without their diacritics, and words as code points."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from errata.native.ragged import Ragged

# Letters whose mark is part of the letter, so that decomposition does not show it.
_STROKED = {"ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ı": "i", "ħ": "h", "Ħ": "H"}


@lru_cache(maxsize=1 << 16)
def without_marks(text: str) -> str:
    """The text without diacritics."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    stripped = "".join(c for c in decomposed if not unicodedata.combining(c))
    return "".join(_STROKED.get(c, c) for c in unicodedata.normalize("NFC", stripped))


def code_points(words: Sequence[str]) -> Ragged:
    """The code points of words."""
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(word) for word in words], out=offsets[1:])
    return Ragged(
        np.frombuffer(bytearray("".join(words).encode("utf-32-le", "surrogatepass")), np.int32), offsets
    )
