"""The tokeniser `13a` of mteval-v13a, which BLEU scripts and SARI use."""

from __future__ import annotations

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
