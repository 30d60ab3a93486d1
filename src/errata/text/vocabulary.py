"""Interning tokens: text becomes integers once, and every kernel works on those."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import overload

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

    def select(self, rows: npt.NDArray[np.int64]) -> Ragged:
        """These rows, in this order; one may come several times."""
        offsets, places = select_runs(self.offsets, rows)
        return Ragged(self.ids[places], offsets)


def select_runs(
    offsets: npt.NDArray[np.int64], rows: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The offsets of some of the runs put behind each other, and where their items lay."""
    counts = np.diff(offsets)[rows]
    found = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(counts, out=found[1:])
    return found, np.repeat(offsets[:-1][rows] - found[:-1], counts) + np.arange(found[-1])


class RepeatedLines(Sequence[str]):
    """Lines of which some come several times; they are split into tokens once."""

    def __init__(self, lines: Sequence[str], numbers: npt.NDArray[np.int64]) -> None:
        self.lines = lines
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> RepeatedLines: ...
    def __getitem__(self, index: int | slice) -> str | RepeatedLines:
        if isinstance(index, slice):
            return RepeatedLines(self.lines, self.numbers[index])
        return self.lines[int(self.numbers[index])]

    def __iter__(self) -> Iterator[str]:
        return (self.lines[number] for number in self.numbers.tolist())


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
        if isinstance(lines, RepeatedLines):
            return self.encode_lines(lines.lines).select(lines.numbers)
        return self.encode([line.split() for line in lines])
