"""Interning tokens: text becomes integers once, and every kernel works on those."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths in one array: row i is `ids[offsets[i]:offsets[i + 1]]`."""

    ids: npt.NDArray[np.int32]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> npt.NDArray[np.int32]:
        return self.ids[self.offsets[row] : self.offsets[row + 1]]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        return np.diff(self.offsets)


_adding = threading.Lock()  # two threads must not give one number to two tokens


class _Ids(dict[str, int]):
    """Gives a token it does not know the next number; a look-up alone costs no call of Python code."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


class Vocabulary:
    """Gives every distinct token a small integer, the same for all texts encoded with it."""

    def __init__(self) -> None:
        self._ids = _Ids()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def tokens(self) -> list[str]:
        """The tokens in the order of their ids."""
        return list(self._ids)

    def encode(self, rows: Iterable[Sequence[str]]) -> Ragged:
        """Token sequences to ids; new tokens are added."""
        rows = list(rows)
        offsets = np.zeros(len(rows) + 1, dtype=np.int64)
        np.cumsum([len(row) for row in rows], out=offsets[1:])
        tokens = chain.from_iterable(rows)
        with _adding:
            ids = np.fromiter(map(self._ids.__getitem__, tokens), dtype=np.int32, count=int(offsets[-1]))
        return Ragged(ids, offsets)

    def encode_lines(self, lines: Iterable[str]) -> Ragged:
        """White-space separated text to ids."""
        return self.encode([line.split() for line in lines])
