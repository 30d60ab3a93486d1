"""Rows of different lengths in one array: how texts and edits are handed to native code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import overload

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of different lengths in one array: row i is `values[offsets[i]:offsets[i + 1]]`.

    The arrays are validated here, once. Native functions rely on it.
    """

    values: npt.NDArray[np.int32]
    offsets: Integers

    def __post_init__(self) -> None:
        check_array("values", self.values, np.int32)
        check_offsets("offsets", self.offsets, len(self.values))

    @property
    def arrays(self) -> tuple[npt.NDArray[np.int32], Integers]:
        """Both arrays."""
        return self.values, self.offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, row: int) -> npt.NDArray[np.int32]: ...
    @overload
    def __getitem__(self, row: slice) -> Ragged: ...
    def __getitem__(self, row: int | slice) -> npt.NDArray[np.int32] | Ragged:
        if isinstance(row, slice):  # consecutive rows
            start, stop, _ = row.indices(len(self))
            stop = max(start, stop)
            begin, end = self.offsets[start], self.offsets[stop]
            return Ragged(self.values[begin:end], self.offsets[start : stop + 1] - begin)
        return self.values[self.offsets[row] : self.offsets[row + 1]]

    def lists(self) -> Iterator[list[int]]:
        """The rows as lists."""
        values = self.values.tolist()
        return (values[start:stop] for start, stop in pairwise(self.offsets.tolist()))

    @classmethod
    def concatenated(cls, parts: Sequence[Ragged]) -> Ragged:
        """The rows of all parts, one part after the other."""
        lengths = np.concatenate([[0], *(part.lengths for part in parts)], dtype=np.int64)
        values = [part.values[part.offsets[0] : part.offsets[-1]] for part in parts]
        return cls(np.concatenate([np.empty(0, dtype=np.int32), *values]), np.cumsum(lengths))

    @property
    def lengths(self) -> Integers:
        return np.diff(self.offsets)

    def select(self, rows: Integers) -> Ragged:
        """These rows, in this order, with repetitions."""
        offsets, places = select_runs(self.offsets, rows)
        return Ragged(self.values[places], offsets)


def check_array(name: str, array: npt.NDArray[np.generic], dtype: type[np.generic], *shape: int) -> None:
    """Raise a ValueError unless the array is contiguous, of this type, and of this shape after its length."""
    if array.dtype != dtype or array.ndim != 1 + len(shape) or array.shape[1:] != shape:
        expected = f"{dtype.__name__} of shape (n{''.join(f', {size}' for size in shape)})"
        raise ValueError(f"{name} must be {expected}, not {array.dtype} of shape {array.shape}")
    if not array.flags.c_contiguous:
        raise ValueError(f"{name} must be contiguous")


def check_offsets(name: str, offsets: Integers, length: int) -> None:
    """Raise a ValueError unless these are offsets of runs in an array of this length."""
    check_array(name, offsets, np.int64)
    if not len(offsets) or offsets[0] < 0 or offsets[-1] > length or (offsets[1:] < offsets[:-1]).any():
        raise ValueError(f"{name} must not decrease, and lie between 0 and {length}")


def select_runs(offsets: Integers, rows: Integers) -> tuple[Integers, Integers]:
    """Offsets of the selected runs, and the places of their items in the original array."""
    if len(rows) and not 0 <= rows.min() <= rows.max() < len(offsets) - 1:
        raise IndexError(f"the runs {rows.min()} to {rows.max()}, where 0:{len(offsets) - 1} are allowed")
    starts, ends = offsets[:-1][rows], offsets[1:][rows]
    selected = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum(ends - starts, out=selected[1:])
    places = np.arange(selected[-1], dtype=np.int64)
    places += np.repeat(starts - selected[:-1], ends - starts)
    return selected, places
