"""Typographic variants that a text has and its source does not: quotes, dashes, spaces, other encodings.

Language models and editors replace similar characters, and every replacement counts as a wrong edit.
`Typography` counts the characters of sources and references, finds the others in an output, and replaces them
by those that sources and references use.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from typing import Literal

import numpy as np

from errata.errors import ErrataError, one_of

NORMALIZATIONS = ("quotes", "dashes", "spaces", "unicode")

_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")
_DOUBLE_QUOTES = '"“”„‟«»〝〞″＂'
_SINGLE_QUOTES = "'‘’‚‛‹›`´ʼ′＇"
_DASHES = "-‐‑‒–—―−－"
_PENN_QUOTES = re.compile("``|''")  # the Penn Treebank's way to write double quotes
_QUOTE_PAIRS = ('""', "“”", "„“", "„”", "«»", "»«")  # opening and closing
_INVISIBLE = re.compile(
    "[\u00ad\u200b-\u200f\u2060\ufeff]"
)  # soft hyphen, zero-width characters, marks of direction
_SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_ESCAPE = re.compile("&(?:[a-z]+|#[0-9]+|#x[0-9a-f]+);", re.IGNORECASE)
_WIDE = re.compile("[\uff01-\uff5e]")  # full-width forms of ASCII


@dataclass(frozen=True)
class Typography:
    """The typographic variants that sources and references use."""

    used: Counter[str]  # characters
    penn_quotes: bool  # `` and ''
    form: Literal["NFC", "NFD"] | None  # accented letters as one character, as two, or in both ways
    escapes: frozenset[str]  # such as &amp;

    @classmethod
    def of(cls, lines: Iterable[str]) -> Typography:
        """The typography of sources and references."""
        text = "\n".join(lines)
        counts = np.bincount(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.int32))
        return cls(
            Counter({chr(code): int(counts[code]) for code in np.flatnonzero(counts).tolist()}),
            _PENN_QUOTES.search(text) is not None,
            next((form for form in _FORMS if unicodedata.is_normalized(form, text)), None),
            frozenset(_ESCAPE.findall(text) if "&" in text else ()),
        )

    def normalize(self, text: str, kinds: Collection[str]) -> str:
        """The text with its foreign characters replaced; see `NORMALIZATIONS` for the kinds."""
        for kind in kinds:
            if kind not in NORMALIZATIONS:
                raise ErrataError(
                    f"there is no normalization {kind!r}\n  hint: {one_of(kind, NORMALIZATIONS)}"
                )
        before = None
        while text != before:  # a replacement may make another one possible: &quot; becomes " first
            before = text
            for kind, step in self._steps.items():
                if kind in kinds:
                    text = step(text)
        return text

    def foreign(self, text: str) -> Iterator[tuple[str, str]]:
        """The kinds of normalization that change this text, each with the changed text."""
        for kind, step in self._steps.items():
            changed = step(text)
            if changed != text:
                yield kind, changed

    @cached_property
    def _steps(self) -> dict[str, Callable[[str], str]]:
        return {
            "quotes": self._quotes,
            "dashes": self._dashes,
            "spaces": self._spaces,
            "unicode": self._unicode,
        }

    def _quotes(self, text: str) -> str:
        if not self.penn_quotes:
            text = _PENN_QUOTES.sub('"', text)
        text = self._by_usual(text, _SINGLE_QUOTES)
        pair = max(_QUOTE_PAIRS, key=lambda pair: self.used[pair[0]] + self.used[pair[1]])
        foreign = self._foreign(_DOUBLE_QUOTES).difference(pair)
        if not self.used[pair[0]] or not foreign.intersection(text):
            return text
        sides = cycle(pair)  # opening and closing in turn

        def usual(match: re.Match[str]) -> str:
            quote = next(sides)
            return quote if match[0] in foreign else match[0]

        return re.sub(f"[{_DOUBLE_QUOTES}]", usual, text)

    def _dashes(self, text: str) -> str:
        return self._by_usual(text, _DASHES)

    def _spaces(self, text: str) -> str:
        text = _SPACES.sub(lambda match: match[0] if self.used[match[0]] else " ", text)
        return _INVISIBLE.sub(lambda match: match[0] if self.used[match[0]] else "", text)

    def _unicode(self, text: str) -> str:
        text = _ESCAPE.sub(lambda match: match[0] if match[0] in self.escapes else _unescape(match[0]), text)
        text = _WIDE.sub(lambda match: match[0] if self.used[match[0]] else chr(ord(match[0]) - 0xFEE0), text)
        return text if self.form is None else unicodedata.normalize(self.form, text)

    def _foreign(self, group: str) -> set[str]:
        return {c for c in group if not self.used[c]}

    def _by_usual(self, text: str, group: str) -> str:
        """Replace the characters of a group that are not used by the one that is used most."""
        usual = max(group, key=lambda c: self.used[c])
        if not self.used[usual]:
            return text
        return text.translate({ord(c): usual for c in self._foreign(group)})


def _unescape(escape: str) -> str:
    """The character of an HTML escape; a line must stay a line."""
    import html

    character = html.unescape(escape)
    return " " if character.isspace() else character
