"""Errors at fixed rates (Náplava & Straka 2019): no annotated text is needed, only a word list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from errata_correct.letters import without_marks
from errata_correct.noise import Errors, Noise

_MARKED = "áäąâãčćçďđéěęèêëíîïľĺłňńñóöôőõřŕšśßťúůűüýžźż"


@dataclass(frozen=True)
class Rates:
    """How many words and characters go wrong (mean and deviation over sentences), and in which ways."""

    words: tuple[float, float] = (0.15, 0.2)
    characters: tuple[float, float] = (0.02, 0.01)
    word_replace: float = 0.7
    word_insert: float = 0.1
    word_delete: float = 0.05
    word_swap: float = 0.1
    word_recase: float = 0.05
    character_replace: float = 0.2
    character_insert: float = 0.2
    character_delete: float = 0.2
    character_swap: float = 0.2
    character_marks: float = 0.2

    def noise(self, words: Sequence[str] = (), strength: float = 1.0, *, tokenized: bool = False) -> Noise:
        """Noise at these rates; words are replaced by and inserted from the list, most frequent first."""
        chances = {
            "insert": self.word_insert, "delete": self.word_delete, "swap": self.word_swap,
            "lower": self.word_recase, "upper": self.word_recase,
        }  # fmt: skip
        replaced = {
            word: dict.fromkeys(near, self.word_replace / len(near))
            for word, near in confusion_sets(words).items()
        }
        alphabet = sorted({c for word in words for c in word.lower() if c.isalpha()}) or list(
            "abcdefghijklmnopqrstuvwxyz"
        )
        errors = Errors(chances, replaced, {}, self._characters(alphabet), dict.fromkeys(words[:5000], 1.0))
        factors = [
            (mean * strength, deviation * strength) for mean, deviation in (self.words, self.characters)
        ]
        return Noise(errors, factors[0], factors[1], tokenized)

    def _characters(self, alphabet: Sequence[str]) -> Mapping[str, Mapping[tuple[str, str], float]]:
        found: dict[str, dict[tuple[str, str], float]] = {}
        variants: dict[str, list[str]] = defaultdict(list)
        for char in {*alphabet, *_MARKED} if any(c in _MARKED for c in alphabet) else alphabet:
            variants[without_marks(char)].append(char)
        share = 1 / len(alphabet)
        for char in alphabet:
            operations = {("delete", ""): self.character_delete, ("swap", ""): self.character_swap}
            for other in alphabet:
                if other != char:
                    operations["replace", other] = self.character_replace * share
                operations["insert", other] = self.character_insert * share
            marked = [c for c in variants[without_marks(char)] if c != char and c in alphabet]
            for other in marked:
                operations["replace", other] = operations.get(
                    ("replace", other), 0.0
                ) + self.character_marks / len(marked)
            found[char] = operations
        return found


def confusion_sets(words: Iterable[str], most: int = 10) -> dict[str, list[str]]:
    """For every word those of the list one edit away (as a spelling dictionary suggests), at most so many.

    Words that agree after the loss of one letter, or of none, are neighbours: a table of all such losses
    finds them without comparing every pair.
    """
    listed = list(dict.fromkeys(word for word in words if word and "\n" not in word))
    losses: dict[str, list[str]] = defaultdict(list)
    for word in listed:
        for shorter in {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}:
            losses[shorter].append(word)
    found: dict[str, list[str]] = {}
    for word in listed:
        near = dict.fromkeys(
            other
            for shorter in (word, *(word[:i] + word[i + 1 :] for i in range(len(word))))
            for other in losses[shorter]
            if other != word
        )
        if near:
            found[word] = list(near)[:most]
    return found
