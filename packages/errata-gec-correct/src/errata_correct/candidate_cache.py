"""The choices of all tokens seen so far, in arrays; several threads may ask for them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata.text.growable_array import GrowableArray
from errata.text.vocabulary import Vocabulary
from errata_correct.candidates import Rows

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
    """A vocabulary, and the choices of the lower-case forms of its tokens that were asked for."""

    def __init__(self, find: Find) -> None:
        self.vocabulary = Vocabulary()
        self._find = find
        self._lock = threading.Lock()
        self._known: dict[str, int] = {}  # kinds of lower-case words
        self._kinds, self._flags = GrowableArray(np.int32), GrowableArray(np.uint8)  # of tokens
        self._ends, self._rows = GrowableArray(np.int64), GrowableArray(np.int32, 3)  # of kinds
        self._ends.extend([0])

    def lattice(self, ids: npt.NDArray[np.int32], jobs: int | None = None) -> Lattice:
        """The choices of these tokens; `jobs` threads look for those of new words."""
        with self._lock:
            new = np.full(max(len(self.vocabulary) - len(self._kinds.array), 0), -1)
            self._kinds.extend(new)
            self._flags.extend(np.zeros_like(new))
        missing = ids[self._kinds.array[ids] < 0]
        if len(missing):
            self._add(np.unique(missing), jobs)
        every = self._kinds.array[ids]
        ends, rows = self._ends.array, self._rows.array
        local = np.zeros(len(ends), dtype=np.int32)
        local[every] = 1
        used = np.flatnonzero(local)
        local[used] = np.arange(len(used))
        counts = ends[used + 1] - ends[used]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        chosen = rows[np.repeat(ends[used] - offsets[:-1], counts) + np.arange(offsets[-1])]
        return Lattice(local[every], offsets, chosen, self._flags.array[ids])

    def _add(self, ids: npt.NDArray[np.int32], jobs: int | None) -> None:
        """Remember further tokens; two threads that find the same one at once remember it twice."""
        tokens = self.vocabulary.some_tokens(ids.tolist())
        lowered = [token.lower() for token in tokens]
        words = [word for word in dict.fromkeys(lowered) if word not in self._known]
        counts, rows = self._find(words, jobs)
        with self._lock:
            first = len(self._ends.array) - 1
            self._ends.extend(np.cumsum(counts) + self._ends.array[-1])
            self._rows.extend(rows)
            self._known.update(zip(words, range(first, first + len(words)), strict=True))
            self._flags.array[ids] = [_flags_of(token) for token in tokens]
            self._kinds.array[ids] = [self._known[word] for word in lowered]


def _flags_of(token: str) -> int:
    letters = LETTERS if any(map(str.isalnum, token)) else 0
    return letters | (LOWER if token.islower() else 0) | (FINAL if token in _SENTENCE_END else 0)
