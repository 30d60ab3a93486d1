"""Synthetic errors: chances of errors that are applied to clean text, and chances at fixed rates."""

from __future__ import annotations

import itertools
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.engine import in_order, jobs_or_default
from errata_correct.letters import code_points, without_marks
from errata_correct.native import noising

Integers = npt.NDArray[np.int64]
Weights = Mapping[str, float]
_ONE = 1 << 32
_PLANE = 1 << 16  # characters of the basic plane
_NO_INTEGERS: Integers = np.empty(0, dtype=np.int64)
_LONGEST = 40  # characters of a replacement; it bounds the growth of a line
_LINES = 2048  # a piece of work
_OPERATIONS = ("replace", "delete", "insert", "swap")
_MARKED = "áäąâãčćçďđéěęèêëíîïľĺłňńñóöôőõřŕšśßťúůűüýžźż"
_CHANCES = (
    "insert", "delete", "swap", "lower", "upper", "capitals", "strip", "strip_line", "join", "split",
    "capitals_line", "boundary",
)  # fmt: skip


@dataclass(frozen=True)
class Errors:
    """What can go wrong: chances for every token, word, suffix and character of clean text.

    `chances` are for any token, line or boundary of sentences within a line: see `_CHANCES`.
    `words`, `suffixes` and `characters` give for a clean unit what it may become and how probably; `""`
    deletes a word. Characters become `(operation, character)` with `replace delete insert swap`.
    `insertions` are the tokens to insert, by weight. `swaps` and `joins` are the chances of single words (in
    lower case) to change places with the next word, or to be written together with it.
    """

    chances: Weights = field(default_factory=dict)
    words: Mapping[str, Weights] = field(default_factory=dict)
    suffixes: Mapping[str, Weights] = field(default_factory=dict)
    characters: Mapping[str, Mapping[tuple[str, str], float]] = field(default_factory=dict)
    insertions: Weights = field(default_factory=dict)
    swaps: Weights = field(default_factory=dict)
    joins: Weights = field(default_factory=dict)


def _threshold(chance: float) -> int:
    return min(max(round(chance * _ONE), 0), _ONE)


def _cumulative(weights: Iterable[float]) -> Integers:
    """Cumulative thresholds of alternatives; the last is certain."""
    sums = np.cumsum(np.fromiter(weights, dtype=np.float64))
    thresholds = np.rint(sums / sums[-1] * _ONE).astype(np.int64) if len(sums) else sums.astype(np.int64)
    if len(thresholds):
        thresholds[-1] = _ONE
    return thresholds


def _units(units: Mapping[str, Weights]) -> noising.Units:
    """Words or suffixes for native code, with the texts that they may become."""
    kept = {}
    for unit, texts in units.items():
        fitting = {
            text: p for text, p in texts.items() if len(text) <= _LONGEST and p > 0 and "\n" not in text
        }
        if unit and fitting:
            kept[unit] = fitting
    return noising.Units(
        code_points([*kept]),
        np.array([_threshold(sum(texts.values())) for texts in kept.values()], dtype=np.int64),
        np.cumsum([0, *map(len, kept.values())], dtype=np.int64),
        code_points([text for texts in kept.values() for text in texts]),
        np.concatenate([_NO_INTEGERS, *(_cumulative(texts.values()) for texts in kept.values())]),
    )


def _insertions(weights: Weights) -> noising.Units:
    """The texts to insert, as the texts of one unit."""
    kept = {text: p for text, p in weights.items() if 0 < len(text) <= _LONGEST and p > 0}
    return noising.Units(
        code_points(["x"]),
        np.zeros(1, dtype=np.int64),
        np.array([0, len(kept)], dtype=np.int64),
        code_points([*kept]),
        _cumulative(kept.values()),
    )


def _own_chances(weights: Weights) -> noising.Units:
    """Words with chances of their own, without texts."""
    return noising.Units(
        code_points([*weights]),
        np.array([_threshold(chance) for chance in weights.values()], dtype=np.int64),
        np.zeros(len(weights) + 1, dtype=np.int64),
        code_points([]),
        _NO_INTEGERS,
    )


def _characters(characters: Mapping[str, Mapping[tuple[str, str], float]]) -> tuple[Any, ...]:
    """The classes of characters, their chances, and what they may become."""
    classes = np.full(_PLANE, -1, dtype=np.int32)
    chances: list[int] = []
    offsets, cumulative = [0], [_NO_INTEGERS]
    choices: list[tuple[int, int]] = []
    for char, operations in characters.items():
        if len(char) != 1 or ord(char) >= _PLANE or not sum(operations.values()):
            continue
        classes[ord(char)] = len(chances)
        chances.append(_threshold(sum(operations.values())))
        choices += [(_OPERATIONS.index(name), ord(other) if other else 0) for name, other in operations]
        cumulative.append(_cumulative(operations.values()))
        offsets.append(len(choices))
    return (
        classes, np.array(chances, dtype=np.int64), np.array(offsets, dtype=np.int64),
        np.array(choices, dtype=np.int64).reshape(-1, 2), np.concatenate(cumulative),
    )  # fmt: skip


@dataclass(frozen=True)
class Noise:
    """Errors at normally distributed rates: each sentence draws how much goes wrong in it.

    The chances in `errors` are multiplied by a factor drawn for every sentence from a normal
    distribution (nothing below 0): one for words, one for characters.
    """

    errors: Errors
    word_factor: tuple[float, float] = (1.0, 0.0)  # mean, standard deviation
    character_factor: tuple[float, float] = (1.0, 0.0)
    tokenized: bool = False  # punctuation that is inserted gets a blank before it

    def __getstate__(self) -> dict[str, Any]:
        """What other processes need; they make the tables again, which native code keeps in memory."""
        return {name: value for name, value in vars(self).items() if name != "_tables"}

    @cached_property
    def _tables(self) -> noising.Tables:
        errors = self.errors
        return noising.Tables(
            np.array([_threshold(errors.chances.get(name, 0.0)) for name in _CHANCES], dtype=np.int64),
            _units(errors.words),
            _units(errors.suffixes),
            _insertions(errors.insertions),
            _own_chances(errors.swaps),
            _own_chances(errors.joins),
            _characters(errors.characters),
        )

    def apply(self, lines: Sequence[str], seed: int = 1, first: int = 0) -> list[str]:
        """Lines with errors; those of line i depend on the seed and on its number `first + i` alone."""
        if not lines:
            return []
        text = code_points(["".join(line.replace("\n", " ") + "\n" for line in lines)]).values
        factors = np.rint(np.array([*self.word_factor, *self.character_factor]) * 65536).astype(np.int64)
        codes = noising.damage(
            self._tables, _letters(), text, _states(seed, first, len(lines)), np.minimum(factors, 1 << 20),
            self.tokenized,
        )  # fmt: skip
        noisy: list[str] = codes[:-1].tobytes().decode("utf-32-le", "surrogatepass").split("\n")
        return noisy

    def stream(
        self, lines: Iterable[str], seed: int = 1, jobs: int | None = None, first: int = 0
    ) -> Iterator[str]:
        """Lines with errors, made by several threads; the same for any number of them.

        `first` is the number of the first line, for a stream that goes on.
        """
        threads = jobs_or_default(jobs)
        source = iter(lines)
        number = first
        while True:
            batch = list(itertools.islice(source, _LINES * threads))
            if not batch:
                return
            starts = range(0, len(batch), _LINES)
            begin = number
            pieces = in_order(lambda i: self.apply(batch[i : i + _LINES], seed, begin + i), starts, threads)  # noqa: B023
            for piece in pieces:
                yield from piece
            number += len(batch)


def _states(seed: int, first: int, count: int) -> Integers:
    """A well mixed random state for every line (SplitMix64 of seed and line number)."""
    with np.errstate(over="ignore"):
        base = np.uint64((seed * 0x9E3779B97F4A7C15 + 0x632BE59BD9B4E019) & (2**64 - 1))
        x = np.arange(first, first + count, dtype=np.uint64) * np.uint64(0xD1342543DE82EF95) + base
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
        x ^= x >> np.uint64(31)
    states: Integers = (x % np.uint64(698769069 * (1 << 32) - 2)).astype(np.int64) + 1
    return states


@cache
def _letters() -> noising.Letters:
    """Flags, case and base letter of the characters of the basic plane; all others stay as they are."""
    flags = np.zeros(_PLANE, dtype=np.uint8)
    lower = np.arange(_PLANE, dtype=np.int32)
    upper, plain = lower.copy(), lower.copy()
    for code in range(_PLANE):
        char = chr(code)
        category = unicodedata.category(char)
        flags[code] = (
            (1 if category[0] in "LNM" else 0)
            | (2 if category == "Lu" else 0)
            | (4 if category == "Ll" else 0)
            | (8 if char.isspace() else 0)
        )
        for table, other in ((lower, char.lower()), (upper, char.upper())):
            if other != char and len(other) == 1 and ord(other) < _PLANE:
                table[code] = ord(other)
    for code in (*range(0xC0, 0x530), *range(0x1E00, 0x2000)):  # Latin, Greek and Cyrillic letters
        base = without_marks(chr(code))
        if len(base) == 1:
            plain[code] = ord(base)
    return noising.Letters(flags, lower, upper, plain)


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
        by_character: dict[str, dict[tuple[str, str], float]] = {}
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
            by_character[char] = operations
        return by_character


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
    neighbours: dict[str, list[str]] = {}
    for word in listed:
        near = dict.fromkeys(
            other
            for shorter in (word, *(word[:i] + word[i + 1 :] for i in range(len(word))))
            for other in losses[shorter]
            if other != word
        )
        if near:
            neighbours[word] = list(near)[:most]
    return neighbours
