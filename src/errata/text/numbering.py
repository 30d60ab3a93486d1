"""Numbers for what comes again: the different numbers of an array, and different rows of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from errata.kernels.ragged import Ragged
from errata.text.vocabulary import Vocabulary


def distinct(numbers: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The different numbers of an array, ascending, and the place of every number among them.

    For `numpy.unique` NumPy imports masked arrays, which takes a tenth of the time in which a small corpus is
    scored.
    """
    flat = numbers.ravel()
    order = np.argsort(flat, kind="stable")
    ascending = flat[order]
    new = np.ones(len(flat), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    places = np.empty(len(flat), dtype=np.int64)
    places[order] = np.cumsum(new) - 1
    return ascending[new], places


def distinct_rows(rows: Ragged) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """A number for every row, the same for equal ones, and the first row of each number."""
    known = Vocabulary()
    numbers = known.encode_rows(rows)
    first = np.empty(len(known), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers, first
