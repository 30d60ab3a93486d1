"""The different numbers of an array, as `numpy.unique` finds them.

NumPy imports masked arrays for this, which takes a tenth of the time in which a small corpus is scored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def distinct(numbers: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[np.int64]]:
    """The different numbers of an array, ascending, and the place of every number among them."""
    flat = numbers.ravel()
    order = np.argsort(flat, kind="stable")
    ascending = flat[order]
    new = np.ones(len(flat), dtype=bool)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    places = np.empty(len(flat), dtype=np.int64)
    places[order] = np.cumsum(new) - 1
    return ascending[new], places
