"""Text and dictionaries as in Python 2.7 with Unicode 5.2, which the official programs run on."""

from __future__ import annotations

import re
from collections.abc import Sequence

# A blank until Unicode 6.3, at which Python 2.7 splits texts.
VOWEL_SEPARATOR = "\u180e"

# Capitals that later versions of Unicode (up to 15.1) have or give a lower case: Cherokee, Georgian, ….
_LATER = re.compile(
    "[\u037f\u0526-\u052e\u10c7\u10cd\u13a0-\u13f5\u1c90-\u1cbf\u2c2f\u2cf2\ua660\ua698-\ua69a\ua78d"
    "\ua790-\ua792\ua796-\ua7c9\ua7d0\ua7d6-\ua7d8\ua7f5\U000104b0-\U000104d3\U00010570-\U00010595"
    "\U00010c80-\U00010cb2\U000118a0-\U000118bf\U00016e40-\U00016e5f\U0001e900-\U0001e921]"
)
_SPECIAL = re.compile(f"[İΣ]|{_LATER.pattern}")  # in lower case longer, contextual, or later


def lower_case_5_2(text: str) -> str:
    """The text in lower case, character by character, without regard to the context."""
    if text.isascii() or not _SPECIAL.search(text):
        return text.lower()
    return "".join("i" if c == "İ" else c if _LATER.match(c) else c.lower() for c in text)


def dictionary_order(hashes: Sequence[int]) -> list[int]:
    """The places of keys in the order in which a dictionary yields them; they are inserted in this order."""
    size = 8
    slots: dict[int, int] = {}

    def insert(place: int) -> None:
        slot = perturb = hashes[place] % (1 << 64)
        while slot % size in slots:
            slot = 5 * slot + perturb + 1
            perturb >>= 5
        slots[slot % size] = place

    for place in range(len(hashes)):
        insert(place)
        if 3 * len(slots) >= 2 * size:
            size = max(8, 1 << (4 * len(slots)).bit_length())
            old = [slots[slot] for slot in sorted(slots)]
            slots.clear()
            for other in old:
                insert(other)
    return [slots[slot] for slot in sorted(slots)]


def string_hash(text: str) -> int:
    """The hash of a string, in 64 bits."""
    if not text:
        return 0
    value = ord(text[0]) << 7
    for character in text:
        value = (1000003 * value ^ ord(character)) % (1 << 64)
    return value ^ len(text)


def string_order(texts: Sequence[str]) -> list[int]:
    """The places of texts in the order in which a dictionary yields them."""
    return dictionary_order([string_hash(text) for text in texts])
