"""The words a tagger knows beyond its treebank: two classes each, and whether they are spelt correctly."""

from __future__ import annotations

from dataclasses import dataclass

LOWER, CAPITALISED = 1, 2  # how a word is right: as it stands here, with a first capital
_UNKNOWN = ("", "", 0)


@dataclass(frozen=True)
class Lexicon:
    """Words in lower case, each with the names of its two classes and the cases in which it is right."""

    entries: dict[str, tuple[str, str, int]]

    def classes(self, word: str) -> tuple[str, str]:
        """The two classes of a word in lower case; empty for one that is not there."""
        major, minor, _ = self.entries.get(word, _UNKNOWN)
        return major, minor

    def words(self) -> frozenset[str]:
        """The words that are right, as they are written."""
        entries = self.entries.items()
        capitalised = (word[:1].upper() + word[1:] for word, (_, _, flag) in entries if flag & CAPITALISED)
        return frozenset((*(word for word, (_, _, flag) in entries if flag & LOWER), *capitalised))
