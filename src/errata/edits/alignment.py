"""Aligning tagged sentences, in native code."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.edits.token_table import SentenceColumns, Texts
from errata.native import align as kernel

_CELL_BYTES = 13  # of the tables of a pair
NO_WEIGHTS = np.zeros((1, 1))
Integers = npt.NDArray[Any]


class CostModel(IntEnum):
    """How the letters of two tokens are compared, and which tokens may be transposed."""

    PLAIN = 0  # not at all: Levenshtein distance over tokens
    EXACT = 1  # by the insertions and deletions between them; only the same words, but for case
    SIMILAR = 2  # by matching blocks; up to five misspelt words


class Alignments(NamedTuple):
    """The steps of pairs of sentences, as `errata.native.align` numbers them."""

    offsets: Integers  # where the steps of each pair begin
    steps: Integers
    counts: Integers  # how many steps it has; 0 for one that went beyond a limit
    limits: tuple[str, ...]  # the limit that a pair went beyond, "work" or "memory", or ""


@dataclass(frozen=True)
class Letters:
    """Weights of substituting letters, by their codes; letters that are not listed share the last code."""

    codes_of: dict[str, int]
    weights: npt.NDArray[np.float64]

    def codes(self, texts: Texts) -> npt.NDArray[np.int32]:
        """The codes of all characters of some texts."""
        table = np.full(max(map(ord, self.codes_of)) + 2, len(self.weights) - 1, dtype=np.int32)
        table[[*map(ord, self.codes_of)]] = [*self.codes_of.values()]
        found: npt.NDArray[np.int32] = table[np.minimum(texts.chars, len(table) - 1)]
        return found


class Aligner:
    """Aligns pairs of tagged sentences."""

    def __init__(self, comparison: CostModel, letters: Letters | None = None) -> None:
        self.comparison = comparison
        self.letters = letters

    def align(self, columns: SentenceColumns, pairs: Integers) -> Alignments:
        """The steps of each pair (source, correction), given as numbers of sentences."""
        texts = columns.texts
        codes = texts.chars if self.letters is None else self.letters.codes(texts)
        weights = NO_WEIGHTS if self.letters is None else self.letters.weights
        now, lengths = limits.current(), np.diff(columns.offsets)[pairs]
        is_long = (lengths + 1).prod(axis=1) * _CELL_BYTES > now.memory
        offsets, steps, counts = kernel.align(
            columns, texts, pairs, int(self.comparison), codes, weights, is_long.view(np.uint8), now.work
        )
        exceeded = [""] * len(pairs)
        for number in np.flatnonzero((counts < 0) | is_long).tolist():
            exceeded[number] = "memory" if is_long[number] else "work"
        return Alignments(offsets, steps, np.maximum(counts, 0), tuple(exceeded))
