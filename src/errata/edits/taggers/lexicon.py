"""The words a tagger knows beyond its treebank: two classes each, and whether they are spelt correctly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

LOWER, CAPITALISED = 1, 2  # how a word is right: as it stands here, with a first capital
Entry = tuple[str, str, int]
_UNKNOWN: Entry = ("", "", 0)
_SHORTEST = 2  # letters before a regular ending


class Variant(NamedTuple):
    """Words in `ending` are forms of those in `base` instead, if these have a lemma in `lemma`."""

    ending: str
    base: str
    lemma: str


@dataclass(frozen=True)
class Lexicon:
    """Words in lower case, each with the names of its two classes and the cases in which it is right.

    Regular words need no entry. With one of the `prefixes` (not, most) a word is what it is without, if
    its lemma has one of the endings `prefixed`. `variants` are right, and nothing else is known of them.
    """

    entries: dict[str, Entry]
    variants: tuple[Variant, ...] = ()
    prefixes: tuple[str, ...] = ()
    prefixed: tuple[str, ...] = ()

    def classes(self, word: str) -> tuple[str, str]:
        """The two classes of a word in lower case; empty for one that is not there."""
        major, minor, _ = self.entries.get(self.without_prefix(word), _UNKNOWN)
        return major, minor

    def without_prefix(self, word: str) -> str:
        """The word that a regular one with a prefix is an entry of; any other as it is."""
        if word.startswith(self.prefixes) and word not in self.entries:
            for prefix in self.prefixes:
                rest = word.removeprefix(prefix)
                if rest != word and self.entries.get(rest, _UNKNOWN)[1].endswith(self.prefixed):
                    return rest
        return word

    def is_regular(self, word: str) -> bool:
        """Whether a word in lower case is right though it has no entry."""
        for prefix in ("", *self.prefixes):
            if word.startswith(prefix):
                rest = word[len(prefix) :]
                if prefix and self._is_right(rest, self.prefixed):
                    return True
                if any(self._is_right(base, (lemma,)) for base, lemma in self._bases(rest)):
                    return True
        return False

    def words(self) -> frozenset[str]:
        """The words with entries that are right, as they are written."""
        entries = self.entries.items()
        capitalised = (word[:1].upper() + word[1:] for word, (_, _, flag) in entries if flag & CAPITALISED)
        return frozenset((*(word for word, (_, _, flag) in entries if flag & LOWER), *capitalised))

    def _is_right(self, word: str, lemmas: tuple[str, ...]) -> bool:
        _, minor, flag = self.entries.get(word, _UNKNOWN)
        return flag != 0 and minor.endswith(lemmas)

    def _bases(self, word: str) -> Iterator[tuple[str, str]]:
        """What the word may be a variant of, and how the lemma must end."""
        for length in self._lengths:
            if len(word) - length >= _SHORTEST:
                for variant in self._by_ending.get(word[len(word) - length :], ()):
                    yield word[: len(word) - length] + variant.base, variant.lemma

    @cached_property
    def _by_ending(self) -> dict[str, list[Variant]]:
        found: dict[str, list[Variant]] = {}
        for variant in self.variants:
            found.setdefault(variant.ending, []).append(variant)
        return found

    @cached_property
    def _lengths(self) -> tuple[int, ...]:
        return tuple(sorted({len(ending) for ending in self._by_ending}))
