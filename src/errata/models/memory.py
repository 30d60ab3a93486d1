"""What was computed for texts that come again: sources, references, and outputs that systems share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
_MOST = 1 << 28  # bytes


class Memory(Generic[Key, Value]):
    """Results by text, up to a number of bytes; those that were used least recently are dropped first."""

    def __init__(self, size: Callable[[Value], int], most: int = _MOST) -> None:
        self._size, self._most, self._bytes = size, most, 0
        self._known: OrderedDict[Key, Value] = OrderedDict()

    def recall(self, keys: Sequence[Key], compute: Callable[[list[Key]], Sequence[Value]]) -> list[Value]:
        """The result for every key; those that are not known are computed, all at once and each once."""
        distinct = dict.fromkeys(keys)
        missing = [key for key in distinct if key not in self._known]
        found = {key: self._known[key] for key in distinct if key in self._known}
        found.update(zip(missing, compute(missing), strict=True) if missing else ())
        for key in distinct:
            self._keep(key, found[key])
        return [found[key] for key in keys]

    def _keep(self, key: Key, value: Value) -> None:
        if key in self._known:
            self._known.move_to_end(key)
            return
        self._known[key] = value
        self._bytes += self._size(value)
        while self._bytes > self._most:
            _, dropped = self._known.popitem(last=False)
            self._bytes -= self._size(dropped)
