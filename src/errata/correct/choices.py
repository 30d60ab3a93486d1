"""The choices of all tokens seen so far, in arrays; several threads may ask for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata.correct.candidates import Rows
from errata.text.growing import Growing

LETTERS, LOWER, FINAL = 1, 2, 4  # of tokens: letters or digits in it, lower case, the end of a sentence
_SENTENCE_END = frozenset(".!?…")

Find = Callable[[Sequence[str], int | None], tuple[npt.NDArray[np.int64], Rows]]
"""Gives the number of choices of each word, and the choices, by so many threads."""


class Lattice(NamedTuple):
    """The choices of the tokens of a text: those of a token's kind lie side by side."""

    kinds: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]
    choices: Rows
    flags: npt.NDArray[np.uint8]  # of every token


class Choices:
    """Numbers tokens as they come, and remembers the choices of their lower-case forms."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._lock = threading.Lock()
        self._numbers: dict[str, int] = {}  # of tokens
        self._known: dict[str, int] = {}  # kinds of lower-case words
        self._kinds, self._flags = Growing(np.int32), Growing(np.uint8)  # of tokens
        self._ends, self._rows = Growing(np.int64), Growing(np.int32, 3)  # of kinds
        self._ends.extend([0])

    def __len__(self) -> int:
        """How many words are remembered."""
        return len(self._known)

    def lattice(self, tokens: Sequence[str], jobs: int | None = None) -> Lattice:
        """The choices of these tokens; `jobs` threads look for those of new words."""
        numbers = np.fromiter(map(self._numbers.get, tokens, repeat(-1)), np.int32, len(tokens))
        missing = np.flatnonzero(numbers < 0).tolist()
        if missing:
            self._add(list(dict.fromkeys(tokens[i] for i in missing)), jobs)
            numbers[missing] = [self._numbers[tokens[i]] for i in missing]
        every = self._kinds.array[numbers]
        ends, rows = self._ends.array, self._rows.array
        local = np.zeros(len(ends), dtype=np.int32)
        local[every] = 1
        used = np.flatnonzero(local)
        local[used] = np.arange(len(used))
        counts = ends[used + 1] - ends[used]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        chosen = rows[np.repeat(ends[used] - offsets[:-1], counts) + np.arange(offsets[-1])]
        return Lattice(local[every], offsets, chosen, self._flags.array[numbers])

    def _add(self, tokens: Sequence[str], jobs: int | None) -> None:
        """Remember further tokens; two threads that find the same one at once remember it twice."""
        lowered = [token.lower() for token in tokens]
        words = [word for word in dict.fromkeys(lowered) if word not in self._known]
        counts, rows = self._find(words, jobs)
        with self._lock:
            first = len(self._ends.array) - 1
            self._ends.extend(np.cumsum(counts) + self._ends.array[-1])
            self._rows.extend(rows)
            self._known.update(zip(words, range(first, first + len(words)), strict=True))
            first = len(self._kinds.array)
            self._kinds.extend([self._known[word] for word in lowered])
            self._flags.extend([_flags_of(token) for token in tokens])
            self._numbers.update(zip(tokens, range(first, first + len(tokens)), strict=True))


def _flags_of(token: str) -> int:
    letters = LETTERS if any(map(str.isalnum, token)) else 0
    return letters | (LOWER if token.islower() else 0) | (FINAL if token in _SENTENCE_END else 0)
