"""Lower case as in Python 2.7 (Unicode 5.2)."""

from __future__ import annotations

import re

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
