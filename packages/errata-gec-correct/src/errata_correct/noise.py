"""Synthetic errors: a description of what goes wrong how often, applied to clean text at any strength."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.engine import in_order, jobs_or_default
from errata_correct.letters import case_tables, codes, flag_table, flat_codes, plain_table
from errata_correct.native import noising

Integers = npt.NDArray[np.int64]
Weights = Mapping[str, float]
_ONE = 1 << 32
_LONGEST = 40  # characters of a replacement: bounds what a line can grow by
_LINES = 2048  # a piece of work
_KINDS = {
    "replace": noising.SUBSTITUTE,
    "delete": noising.REMOVE,
    "insert": noising.ADD,
    "swap": noising.TRANSPOSE,
}
_CHANCES = ("insert", "delete", "swap", "lower", "upper", "capitals", "strip", "strip_line", "join", "split")


@dataclass(frozen=True)
class Errors:
    """What can go wrong: chances for every token, word, suffix and character of clean text.

    `chances` are for any token (`insert delete swap lower upper capitals strip strip_line join split`).
    `words`, `suffixes` and `characters` give for a clean unit what it may become and how probably; `""`
    deletes a word. Characters become `(operation, character)` with `replace delete insert swap`.
    `insertions` are the tokens to insert, by weight.
    """

    chances: Weights = field(default_factory=dict)
    words: Mapping[str, Weights] = field(default_factory=dict)
    suffixes: Mapping[str, Weights] = field(default_factory=dict)
    characters: Mapping[str, Mapping[tuple[str, str], float]] = field(default_factory=dict)
    insertions: Weights = field(default_factory=dict)


def _threshold(chance: float) -> int:
    return min(max(round(chance * _ONE), 0), _ONE)


def _cumulative(weights: Iterable[float]) -> Integers:
    """Cumulative thresholds of alternatives; the last is certain."""
    sums = np.cumsum(np.fromiter(weights, dtype=np.float64))
    found = np.rint(sums / sums[-1] * _ONE).astype(np.int64) if len(sums) else sums.astype(np.int64)
    if len(found):
        found[-1] = _ONE
    return found


def hash_table(words: Sequence[str]) -> tuple[Integers, npt.NDArray[np.int32]]:
    """Keys and rows of an open-addressing table of words, for native code."""
    size = 2
    while size < 2 * (len(words) + 1):
        size *= 2
    flat, offsets = flat_codes(words)
    hashes = np.zeros(len(words), dtype=np.int64)
    noising.hash_words(flat, offsets, hashes)
    keys, rows = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int32)
    noising.fill_table(hashes, keys, rows)
    return keys, rows


class _Pool:
    """Collects replacement strings and the tables that point to them."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.ranges: list[tuple[int, int]] = []
        self.length = 0

    def add(self, text: str) -> None:
        self.ranges.append((self.length, self.length + len(text)))
        self.texts.append(text)
        self.length += len(text)

    def table(self, units: Mapping[str, Weights], cumulative: list[Integers]) -> tuple[Any, ...]:
        """Keys, rows, chances and offsets of words or suffixes; their alternatives are appended."""
        chances, offsets = [], [len(self.ranges)]
        for alternatives in units.values():
            chances.append(_threshold(sum(alternatives.values())))
            cumulative.append(_cumulative(alternatives.values()))
            for text in alternatives:
                self.add(text)
            offsets.append(len(self.ranges))
        keys, rows = hash_table(list(units))
        return keys, rows, np.array(chances, dtype=np.int64), np.array(offsets, dtype=np.int64)


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

    @property
    def digest(self) -> str:
        """Some letters that tell one noise from another."""

        def ordered(value: Any) -> Any:
            if isinstance(value, Mapping):
                return sorted((repr(key), ordered(inner)) for key, inner in value.items())
            return repr(value)

        content = ordered(vars(self.errors)), self.word_factor, self.character_factor, self.tokenized
        return blake2b(repr(content).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()

    @cached_property
    def _tables(self) -> tuple[Any, ...]:
        errors = self.errors
        pool = _Pool()
        cumulative: list[Integers] = []

        def kept(units: Mapping[str, Weights]) -> dict[str, Weights]:
            found = {
                unit: {
                    text: p
                    for text, p in texts.items()
                    if len(text) <= _LONGEST and p > 0 and "\n" not in text
                }
                for unit, texts in units.items()
                if unit
            }
            return {unit: texts for unit, texts in found.items() if texts}

        words = pool.table(kept(errors.words), cumulative)
        suffixes = pool.table(kept(errors.suffixes), cumulative)
        choices = np.array(pool.ranges, dtype=np.int64).reshape(-1, 2)
        empty = np.empty(0, dtype=np.int64)
        insertions = {text: p for text, p in errors.insertions.items() if 0 < len(text) <= _LONGEST and p > 0}
        for text in insertions:
            pool.add(text)
        inserts = np.array(pool.ranges[len(choices) :], dtype=np.int64).reshape(-1, 2)

        char_class = np.full(len(flag_table()), -1, dtype=np.int32)
        char_chances: list[int] = []
        char_offsets, char_cumulative = [0], list[Integers]()
        char_choices: list[tuple[int, int]] = []
        for char, alternatives in errors.characters.items():
            if len(char) != 1 or ord(char) >= len(char_class) or not sum(alternatives.values()):
                continue
            char_class[ord(char)] = len(char_chances)
            char_chances.append(_threshold(sum(alternatives.values())))
            char_choices += [(_KINDS[kind], ord(other) if other else 0) for kind, other in alternatives]
            char_cumulative.append(_cumulative(alternatives.values()))
            char_offsets.append(len(char_choices))
        return (
            np.array([_threshold(errors.chances.get(name, 0.0)) for name in _CHANCES], dtype=np.int64),
            codes("".join(pool.texts)),
            inserts,
            _cumulative(insertions.values()),
            *words,
            *suffixes,
            choices,
            np.concatenate([*cumulative, empty]),
            char_class,
            np.array(char_chances, dtype=np.int64),
            np.array(char_offsets, dtype=np.int64),
            np.array(char_choices, dtype=np.int64).reshape(-1, 2),
            np.concatenate([*char_cumulative, empty]),
        )

    def apply(self, lines: Sequence[str], seed: int = 1, first: int = 0) -> list[str]:
        """Damaged lines; line i depends on the seed and on its number `first + i` alone."""
        if not lines:
            return []
        clean = [line.replace("\n", " ") if "\n" in line else line for line in lines]
        text = codes("\n".join(clean) + "\n")
        longest = max(map(len, clean)) + 1
        factors = np.rint(np.array([*self.word_factor, *self.character_factor]) * 65536).astype(np.int64)
        out = np.empty(2 * len(text) + 256 * len(lines), dtype=np.int32)
        lower, upper = case_tables()
        damage: Any = noising.apply
        used = damage(
            text,
            _states(seed, first, len(lines)),
            np.minimum(factors, 1 << 20),
            flag_table(),
            lower,
            upper,
            plain_table(),
            *self._tables,
            int(self.tokenized),
            np.empty((longest, 4), dtype=np.int64),
            out,
        )
        return out[: used - 1].tobytes().decode("utf-32-le", "surrogatepass").split("\n")

    def stream(
        self, lines: Iterable[str], seed: int = 1, jobs: int | None = None, first: int = 0
    ) -> Iterator[str]:
        """Damaged lines one by one, made by several threads; the same for any number of them.

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
