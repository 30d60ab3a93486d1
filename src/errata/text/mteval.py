"""The tokeniser `13a` of mteval-v13a, which BLEU scripts and SARI use."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from errata.kernels import tokens as kernel
from errata.text.lines import Lines

_ESCAPED = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))
_KINDS = np.zeros(256, dtype=np.uint8)
_KINDS[[*b'!"#$%&()*+/:;<=>?@[\\]^_`{|}~']] = 1  # punctuation except for apostrophe, dash, period and comma
_KINDS[[*b".,"]] = 2
_KINDS[[*b"0123456789"]] = 3
_KINDS[[*b"-"]] = 4


def spaced_13a(lines: Iterable[str]) -> Lines:
    """Lines with white space between the tokens of mteval-v13a."""
    given = lines if isinstance(lines, Lines) and lines.of_file else None
    if given is None or b"&" in given.data or b"<" in given.data:
        texts = [_cleaned(line) if "&" in line or "<" in line or "\n" in line else line for line in lines]
        given = Lines.of(texts)
    out = np.empty(2 * int((given.ends - given.starts).sum()) + 3 * len(given), dtype=np.uint8)
    offsets = np.empty(len(given) + 1, dtype=np.int64)
    data = np.frombuffer(given.data, dtype=np.uint8)
    kernel.space_13a(data, given.starts, given.ends, _KINDS, out, offsets)
    return Lines(out[: offsets[-1]].tobytes(), offsets[:-1], offsets[1:])


def _cleaned(line: str) -> str:
    """What mteval-v13a takes out before its rules."""
    line = line.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for escaped, character in _ESCAPED:
        line = line.replace(escaped, character)
    return line
