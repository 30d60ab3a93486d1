"""What letters are to the correctors: case, diacritics, and text as arrays of code points."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

BMP = 65536  # tables cover the basic plane; what lies beyond is left as it is
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


def codes(text: str) -> npt.NDArray[np.int32]:
    """The text's code points."""
    return np.frombuffer(bytearray(text.encode("utf-32-le", "surrogatepass")), dtype=np.int32)


def flat_codes(words: Sequence[str]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """The code points of all words in one array, and where each word begins."""
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(word) for word in words], out=offsets[1:])
    return codes("".join(words)), offsets


@cache
def case_tables() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Lower and upper case of every code point of the basic plane (where it is one character)."""
    lower = np.arange(BMP, dtype=np.int32)
    upper = lower.copy()
    for code in range(BMP):
        if 0xD800 <= code < 0xE000:
            continue
        char = chr(code)
        low, up = char.lower(), char.upper()
        if low != char and len(low) == 1 and ord(low) < BMP:
            lower[code] = ord(low)
        if up != char and len(up) == 1 and ord(up) < BMP:
            upper[code] = ord(up)
    return lower, upper


@cache
def plain_table() -> npt.NDArray[np.int32]:
    """Every code point of the basic plane without its diacritics (letters of Latin, Greek, Cyrillic)."""
    plain = np.arange(BMP, dtype=np.int32)
    for code in (*range(0xC0, 0x530), *range(0x1E00, 0x2000)):
        stripped = without_marks(chr(code))
        if len(stripped) == 1:
            plain[code] = ord(stripped)
    return plain


@cache
def flag_table() -> npt.NDArray[np.uint8]:
    """Of every code point: 1 in a word, 2 upper case, 4 lower case, 8 white space."""
    flags = np.zeros(BMP, dtype=np.uint8)
    for code in range(BMP):
        char = chr(code)
        category = unicodedata.category(char)
        flags[code] = (
            (1 if category[0] in "LNM" else 0)
            | (2 if category == "Lu" else 0)
            | (4 if category == "Ll" else 0)
            | (8 if char.isspace() else 0)
        )
    return flags
