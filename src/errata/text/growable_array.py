"""An array that grows at its end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np


class GrowableArray:
    """Rows with a fixed number of columns; views of `array` taken before stay valid."""

    def __init__(self, dtype: Any, *columns: int) -> None:
        self._data = np.empty((1024, *columns), dtype=dtype)
        self.array = self._data[:0]

    def extend(self, rows: Iterable[Any]) -> None:
        """Add rows at the end."""
        added = np.asarray(rows, dtype=self._data.dtype)
        added = added.reshape(len(added), *self._data.shape[1:])
        size = len(self.array) + len(added)
        if size > len(self._data):
            grown = np.empty((max(size, 2 * len(self._data)), *self._data.shape[1:]), self._data.dtype)
            grown[: len(self.array)] = self.array
            self._data = grown
        self._data[len(self.array) : size] = added
        self.array = self._data[:size]
