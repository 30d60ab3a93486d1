"""Aligning tagged sentences: columns of words become columns of integers, and the kernel does the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.edits.tokens import TaggedSentence
from errata.engine import between, spread
from errata.kernels import align as kernel

OPEN_CLASSES = ("ADJ", "ADV", "NOUN", "VERB")
MATCH, SUBSTITUTION, INSERTION, DELETION = "M", "S", "I", "D"
TRANSPOSITION = "T"  # and its number of tokens: T2, T3, …
_CELL_BYTES = 13  # of the tables of a pair
_CODES = (MATCH, SUBSTITUTION, INSERTION, DELETION)  # in the order of the kernel's numbers
_NO_WEIGHTS = np.zeros((1, 1))


class CostModel(IntEnum):
    """How the letters of two tokens are compared, and which tokens may be transposed."""

    PLAIN = 0  # not at all: Levenshtein distance over tokens
    EXACT = 1  # by the insertions and deletions between them; only the same words, but for case
    SIMILAR = 2  # by matching blocks; up to five misspelt words


class Step(NamedTuple):
    """One step of an alignment: an operation on the source tokens `start:end` and the corrected ones."""

    operation: str
    start: int
    end: int
    to_start: int
    to_end: int


@dataclass(frozen=True)
class Letters:
    """Weights of substituting letters, by their codes; letters that are not listed share the last code."""

    codes: dict[str, int]
    weights: npt.NDArray[np.float64]

    def encode(self, text: str) -> npt.NDArray[np.int32]:
        last = len(self.weights) - 1
        return np.array([self.codes.get(letter, last) for letter in text], dtype=np.int32)

    def cost(self, one: str, other: str) -> float:
        """Weighted character cost of two words."""
        both = self.encode(one + other)
        cost: float = kernel.weighted_cost(both, len(one), self.weights, np.empty(len(other) + 1))
        return cost


class Aligner:
    """Aligns pairs of tagged sentences."""

    def __init__(self, comparison: CostModel, letters: Letters | None = None) -> None:
        self.comparison = comparison
        self.letters = letters

    def align(
        self,
        sentences: Sequence[TaggedSentence],
        pairs: Sequence[tuple[int, int]],
        jobs: int | None = None,
    ) -> list[list[Step] | str]:
        """The steps of each pair (source, correction), given as numbers of sentences.

        For a pair that would go beyond a limit, the limit: "work" or "memory".
        """
        if not pairs:
            return []
        offsets = _offsets(map(len, sentences))
        forms: dict[str, int] = {}
        form = _intern((s.forms for s in sentences), forms)
        lowers: dict[str, int] = {}
        lower = _intern((s.lower for s in sentences), lowers)
        lemma = _intern((s.lemmas for s in sentences), {})
        pos = _intern((s.upos for s in sentences), {name: i for i, name in enumerate(OPEN_CLASSES)})
        text = "".join(forms)
        char_offsets = _offsets(map(len, forms))
        chars = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<i4").astype(np.int32)
        codes = chars if self.letters is None else self.letters.encode(text)
        weights = _NO_WEIGHTS if self.letters is None else self.letters.weights

        numbers = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        lengths = np.diff(offsets)[numbers]
        cells = (lengths + 1).prod(axis=1)
        now = limits.current()
        fits = cells * _CELL_BYTES <= now.memory
        step_offsets = _offsets(lengths.sum(axis=1).tolist())
        steps = np.empty(step_offsets[-1], dtype=np.int32)
        counts = np.zeros(len(numbers), dtype=np.int64)
        word = int(np.diff(char_offsets).max(initial=0)) + 1

        def work(start: int, stop: int) -> None:
            for a, b in between(np.flatnonzero(~fits).tolist(), start, stop):
                align(a, b)

        def align(start: int, stop: int) -> None:
            largest = int(cells[start:stop].max())
            kernel.align(
                start, stop, int(self.comparison), numbers, offsets, form, lower, lemma, pos,
                char_offsets, chars, codes, weights,
                np.empty(largest), np.empty(largest, dtype=np.int32),
                np.empty(largest if self.comparison == CostModel.SIMILAR else 0, dtype=np.int8),
                np.zeros(len(lowers), dtype=np.int32), np.zeros((2, len(lowers)), dtype=np.int64),
                np.empty(word), step_offsets, steps, counts, now.work,
            )  # fmt: skip

        spread(work, len(numbers), jobs)
        found: list[list[Step] | str] = []
        for begin, count, small in zip(step_offsets.tolist(), counts.tolist(), fits.tolist(), strict=False):
            if small and count >= 0:
                found.append(_unfold(steps[begin : begin + count].tolist()))
            else:
                found.append("work" if small else "memory")
        return found


def _unfold(codes: list[int]) -> list[Step]:
    """The kernel's step numbers with the tokens they stand for."""
    found: list[Step] = []
    i = j = 0
    for code in codes:
        if code < 4:
            operation = _CODES[code]
            di, dj = int(code != 2), int(code != 3)
        else:
            operation = f"{TRANSPOSITION}{code - 2}"
            di = dj = code - 2
        found.append(Step(operation, i, i + di, j, j + dj))
        i += di
        j += dj
    return found


def _offsets(lengths: Iterable[int]) -> npt.NDArray[np.int64]:
    counts = np.fromiter(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])


def _intern(rows: Iterable[tuple[str, ...]], ids: dict[str, int]) -> npt.NDArray[np.int32]:
    return np.array([ids.setdefault(text, len(ids)) for row in rows for text in row], dtype=np.int32)
