"""What a tagger sees of a word by itself: hashed spellings, and the classes a lexicon has for it."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from zlib import crc32

from errata.edits.taggers.lexicon import Lexicon

COLUMNS = 17
_REPEATED = re.compile(r"(.)\1+")


def spellings(form: str, lexicon: Lexicon) -> tuple[int, ...]:
    """The values of a word's columns, in the order the kernel expects: see `errata.kernels.tagger`."""
    lower = form.lower()
    shape = shape_of(form)
    kind, minor = lexicon.classes(lower)
    texts = (
        form,
        lower,
        lower[-1:],
        lower[-2:],
        lower[-3:],
        lower[-4:],
        lower[-5:],
        lower[:1],
        lower[:2],
        lower[:3],
        lower[:4],
        shape,
        kind or minor,
    )
    capital = 0 if not form[:1].isalpha() else 1 if form[0].islower() else 2
    more = (minor + " " + shape, kind + " " + lower[-3:], minor + " " + lower[-3:])
    return (*map(_hashed, texts), capital, *map(_hashed, more))


def shape_of(form: str) -> str:
    """Capitals as X, small letters as x, digits as d; repeated signs at most twice: `Xx`, `dd.dd`."""
    return _squeezed(form.translate(_SIGNS))


class _Signs(dict[int, str]):
    """The sign of every character in shapes, found when it is first seen."""

    def __missing__(self, code: int) -> str:
        s = chr(code)
        sign = self[code] = "X" if s.isupper() else "x" if s.islower() else "d" if s.isdigit() else s
        return sign


_SIGNS = _Signs()


@lru_cache(maxsize=1 << 12)
def _squeezed(signs: str) -> str:
    return _REPEATED.sub(r"\1\1", signs)


@lru_cache(maxsize=1 << 16)  # beginnings and ends of words come again and again
def _hashed(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def common_prefix(one: str, other: str) -> int:
    """The number of signs with which both begin."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


def front_coded(texts: list[str]) -> tuple[bytes, list[int]]:
    """Sorted texts, each without what it shares with the one before, and the lengths of what it shares."""
    shared = [min(common_prefix(one, other), 255) for one, other in pairwise(["", *texts])]
    rest = "\n".join(text[count:] for text, count in zip(texts, shared, strict=True))
    return rest.encode("utf-8"), shared


def front_decoded(rest: bytes, shared: list[int]) -> list[str]:
    """The texts that `front_coded` packed."""
    found: list[str] = []
    last = ""
    if not shared:
        return found
    for count, text in zip(shared, rest.decode("utf-8").split("\n"), strict=True):
        last = last[:count] + text
        found.append(last)
    return found
