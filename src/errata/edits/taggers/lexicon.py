"""Data about single words for the embedded taggers: lexicon, lemma rules and hashed spellings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise, takewhile
from typing import NamedTuple
from zlib import crc32

LOWER, CAPITALISED = 1, 2  # how a word is spelt correctly: as listed, with a first capital
Entry = tuple[str, str, int]
WHOLE = "^"  # precedes the first letter, so that a rule can match a whole word
COLUMNS = 17  # of `spellings`
_UNKNOWN: Entry = ("", "", 0)
_SHORTEST = 2  # letters before a regular ending
_REPEATED = re.compile(r"(.)\1+")


class Variant(NamedTuple):
    """A word in `ending` is a form of the word in `base` instead, if that word has a lemma in `lemma`."""

    ending: str
    base: str
    lemma: str


@dataclass(frozen=True)
class Lexicon:
    """Lower-cased words, each with the names of its two classes and the cases in which it is correct.

    Regular words need no entry. A word with one of the `prefixes` (not, most) is analysed without it if its
    lemma has one of the endings `prefixed`. `variants` are correct words without classes.
    """

    entries: dict[str, Entry]
    variants: tuple[Variant, ...] = ()
    prefixes: tuple[str, ...] = ()
    prefixed: tuple[str, ...] = ()

    def classes(self, word: str) -> tuple[str, str]:
        """The two classes of a lower-cased word; empty for an unknown word."""
        major, minor, _ = self.entries.get(self.without_prefix(word), _UNKNOWN)
        return major, minor

    def without_prefix(self, word: str) -> str:
        """The word without a regular prefix if that has an entry; otherwise the word itself."""
        if word.startswith(self.prefixes) and word not in self.entries:
            for prefix in self.prefixes:
                rest = word.removeprefix(prefix)
                if rest != word and self.entries.get(rest, _UNKNOWN)[1].endswith(self.prefixed):
                    return rest
        return word

    def is_regular(self, word: str) -> bool:
        """Whether a lower-cased word without an entry is correct."""
        for prefix in ("", *self.prefixes):
            if word.startswith(prefix):
                rest = word[len(prefix) :]
                if prefix and self._is_right(rest, self.prefixed):
                    return True
                if any(self._is_right(base, (lemma,)) for base, lemma in self._bases(rest)):
                    return True
        return False

    def words(self) -> frozenset[str]:
        """The correct words with entries, in their correct spelling."""
        entries = self.entries.items()
        capitalised = (word[:1].upper() + word[1:] for word, (_, _, flag) in entries if flag & CAPITALISED)
        return frozenset((*(word for word, (_, _, flag) in entries if flag & LOWER), *capitalised))

    def _is_right(self, word: str, lemmas: tuple[str, ...]) -> bool:
        _, minor, flag = self.entries.get(word, _UNKNOWN)
        return flag != 0 and minor.endswith(lemmas)

    def _bases(self, word: str) -> Iterator[tuple[str, str]]:
        """The words that this word may be a variant of, and the endings of their lemmas."""
        for length in self._lengths:
            if len(word) - length >= _SHORTEST:
                for variant in self._by_ending.get(word[len(word) - length :], ()):
                    yield word[: len(word) - length] + variant.base, variant.lemma

    @cached_property
    def _by_ending(self) -> dict[str, list[Variant]]:
        by_ending: dict[str, list[Variant]] = {}
        for variant in self.variants:
            by_ending.setdefault(variant.ending, []).append(variant)
        return by_ending

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(ending) for ending in self._by_ending}))


@dataclass(frozen=True)
class Script:
    """How to derive a lemma from its form: keep the case or not, cut the last letters, add others."""

    keep_case: bool
    cut: int
    add: str

    @classmethod
    def between(cls, form: str, lemma: str, keep_case: bool) -> Script:
        text = form if keep_case else form.lower()
        shared = common_prefix(text, lemma)
        return cls(keep_case, len(text) - shared, lemma[shared:])

    @classmethod
    def parse(cls, text: str) -> Script:
        """As written in a model: `2y` cuts two letters and adds y; `=` in front keeps the case."""
        rest = text.removeprefix("=")
        digits = len(rest) - len(rest.lstrip("0123456789")) if rest[:2].isdigit() else 1
        return cls(rest != text, int(rest[:digits]), rest[digits:])

    def __str__(self) -> str:
        return f"{'=' * self.keep_case}{self.cut}{self.add}"

    def apply(self, form: str) -> str:
        text = form if self.keep_case else form.lower()
        return text[: len(text) - self.cut] + self.add if self.cut <= len(text) else text


@dataclass(frozen=True)
class LemmaRules:
    """Scripts by tag and ending; an ending is at most `longest` letters, or a whole word."""

    rules: dict[str, Script]  # "TAG ending" → script; " ending" for words of any tag
    longest: int

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of a form with this tag; the lower-cased form if no rule applies.

        Numbers lose their commas.
        """
        if form[:1].isdigit():
            return form.replace(",", "").lower()
        lower = WHOLE + form.lower()
        general = form[-1:].isalpha()
        for length in (len(lower), *range(min(self.longest, len(lower) - 1), -1, -1)):
            ending = lower[len(lower) - length :]
            script = self.rules.get(f"{tag} {ending}") or (self.rules.get(f" {ending}") if general else None)
            if script is not None:
                return script.apply(form) or form
        return form.lower()


def spellings(form: str, lexicon: Lexicon) -> tuple[int, ...]:
    """The columns of a word, in the order that `errata.native.tagger` expects."""
    lower = form.lower()
    shape = _shape_of(form)
    kind, minor = lexicon.classes(lower)
    ends, beginnings = (lower[-n:] for n in range(1, 6)), (lower[:n] for n in range(1, 5))
    texts = (form, lower, *ends, *beginnings, shape, kind or minor)
    capital = 0 if not form[:1].isalpha() else 1 if form[0].islower() else 2
    more = (minor + " " + shape, kind + " " + lower[-3:], minor + " " + lower[-3:])
    return (*map(_hashed, texts), capital, *map(_hashed, more))


def _shape_of(form: str) -> str:
    """Capitals as X, small letters as x, digits as d; repeated signs at most twice: `Xx`, `dd.dd`."""
    return _squeezed(form.translate(_SIGNS))


class _Signs(dict[int, str]):
    """The sign of each character in shapes."""

    def __missing__(self, code: int) -> str:
        s = chr(code)
        sign = self[code] = "X" if s.isupper() else "x" if s.islower() else "d" if s.isdigit() else s
        return sign


_SIGNS = _Signs()


@lru_cache(maxsize=1 << 12)
def _squeezed(signs: str) -> str:
    return _REPEATED.sub(r"\1\1", signs)


@lru_cache(maxsize=1 << 16)  # beginnings and ends of words repeat
def _hashed(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def common_prefix(one: str, other: str) -> int:
    """The length of the common prefix."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def front_coded(texts: list[str]) -> tuple[bytes, list[int]]:
    """Sorted texts without the prefix shared with the previous text, and the lengths of these prefixes."""
    shared = [min(common_prefix(one, other), 255) for one, other in pairwise(["", *texts])]
    rest = "\n".join(text[count:] for text, count in zip(texts, shared, strict=True))
    return rest.encode("utf-8"), shared


def front_decoded(rest: bytes, shared: list[int]) -> list[str]:
    """The texts that `front_coded` packed."""
    texts: list[str] = []
    last = ""
    for count, text in zip(shared, rest.decode("utf-8").split("\n") if shared else (), strict=True):
        last = last[:count] + text
        texts.append(last)
    return texts
