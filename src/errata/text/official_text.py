"""Text processing of official programs: the tokeniser of mteval-v13a, and lower case as in Python 2.7."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from errata.native import tokens
from errata.text.lines import Lines

_ESCAPED = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_KINDS = np.zeros(256, dtype=np.uint8)
_KINDS[[*b'!"#$%&()*+/:;<=>?@[\\]^_`{|}~']] = 1  # punctuation except for apostrophe, dash, period and comma
_KINDS[[*b".,"]] = 2
_KINDS[[*b"0123456789"]] = 3
_KINDS[[*b"-"]] = 4


def spaced_13a(lines: Iterable[str]) -> Lines:
    """Lines with white space between the tokens of mteval-v13a."""
    texts = lines if isinstance(lines, Lines) and lines.of_file else None
    if texts is None or b"&" in texts.data or b"<" in texts.data:
        texts = Lines.of([_cleaned(line) for line in lines])
    data, offsets = tokens.space_13a(texts.data, texts.starts, texts.ends, _KINDS)
    return Lines(data, offsets[:-1], offsets[1:])


def _cleaned(line: str) -> str:
    """The line without markup and escapes, as mteval-v13a prepares it."""
    if not ("&" in line or "<" in line or "\n" in line):
        return line
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for escaped, character in _ESCAPED:
        line = line.replace(escaped, character)
    return line


# Capitals that got a lower case in later versions of Unicode (up to 15.1): Cherokee, Georgian, ….
_LATER = re.compile(
    "[\u037f\u0526-\u052e\u10c7\u10cd\u13a0-\u13f5\u1c90-\u1cbf\u2c2f\u2cf2\ua660\ua698-\ua69a\ua78d"
    "\ua790-\ua792\ua796-\ua7c9\ua7d0\ua7d6-\ua7d8\ua7f5\U000104b0-\U000104d3\U00010570-\U00010595"
    "\U00010c80-\U00010cb2\U000118a0-\U000118bf\U00016e40-\U00016e5f\U0001e900-\U0001e921]"
)
_SPECIAL = re.compile(f"[İΣ]|{_LATER.pattern}")  # in lower case longer, contextual, or later


def lower_case_5_2(text: str) -> str:
    """The text in lower case, character by character, without context."""
    if text.isascii() or not _SPECIAL.search(text):
        return text.lower()
    return "".join("i" if c == "İ" else c if _LATER.match(c) else c.lower() for c in text)
