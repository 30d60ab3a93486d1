"""Aligning tagged sentences: columns of words become columns of integers, and the kernel does the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain, pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.edits.tokens import TaggedSentence
from errata.engine import between, spread
from errata.kernels import align as kernel
from errata.text.vocabulary import Numbers

OPEN_CLASSES = ("ADJ", "ADV", "NOUN", "VERB")
MATCH, SUBSTITUTION, INSERTION, DELETION = "M", "S", "I", "D"
TRANSPOSITION = "T"  # and its number of tokens: T2, T3, …
_CELL_BYTES = 13  # of the tables of a pair
_CODES = (MATCH, SUBSTITUTION, INSERTION, DELETION)  # in the order of the kernel's numbers
_NO_WEIGHTS = np.zeros((1, 1))
Integers = npt.NDArray[Any]


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
        *,
        matches: bool = True,
    ) -> list[list[Step] | str]:
        """The steps of each pair (source, correction), given as numbers of sentences.

        `matches` says whether tokens that match are steps too. For a pair that would go beyond a limit, the
        limit: "work" or "memory".
        """
        if not pairs:
            return []
        offsets = _offsets(map(len, sentences))
        forms = Numbers()
        form = _intern((s.forms for s in sentences), forms)
        lowers = Numbers()
        lower = _intern([map(str.lower, forms)], lowers)[form]
        lemma = _intern((s.lemmas for s in sentences), Numbers())
        pos = _intern((s.upos for s in sentences), Numbers((name, i) for i, name in enumerate(OPEN_CLASSES)))
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
        done = np.where(fits, counts, 0)
        unfolded = _unfold(steps, step_offsets[:-1], np.maximum(done, 0), matches)
        return [
            found if small and count >= 0 else "work" if small else "memory"
            for found, count, small in zip(unfolded, counts.tolist(), fits.tolist(), strict=True)
        ]


def _unfold(codes: Integers, starts: Integers, counts: Integers, matches: bool) -> Iterator[list[Step]]:
    """The kernel's step numbers of each pair with the tokens they stand for."""
    ends = np.cumsum(counts)
    found = codes[np.repeat(starts - ends + counts, counts) + np.arange(counts.sum())]
    several = np.where(found < 4, 1, found - 2)
    columns = [found]
    for left_out in (2, 3):  # an insertion has no source token, a deletion no corrected one
        width = np.where(found == left_out, 0, several)
        stop = np.cumsum(width)
        before = np.concatenate([[0], stop])[ends - counts]  # tokens of the pairs before
        stop -= np.repeat(before, counts)
        columns += [stop - width, stop]
    kept = np.ones(len(found), dtype=np.bool_) if matches else found != 0
    operations = [*_CODES, *(f"{TRANSPOSITION}{code - 2}" for code in range(4, found.max(initial=0) + 1))]
    names, *places = (column[kept].tolist() for column in columns)
    made = [*map(Step._make, zip(map(operations.__getitem__, names), *places, strict=True))]
    bounds = np.concatenate([[0], np.cumsum(kept)])[np.concatenate([[0], ends])].tolist()
    return (made[start:stop] for start, stop in pairwise(bounds))


def _offsets(lengths: Iterable[int]) -> npt.NDArray[np.int64]:
    counts = np.fromiter(lengths, dtype=np.int64)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)])


def _intern(rows: Iterable[Iterable[str]], ids: Numbers) -> npt.NDArray[np.int32]:
    return np.fromiter(map(ids.__getitem__, chain.from_iterable(rows)), dtype=np.int32)
