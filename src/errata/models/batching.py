"""Batches of texts of similar length, and a cache of results for texts that come again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
NUMBER_BYTES = 512  # approximate size of a text with a number in the cache
_MAX_BYTES = 1 << 28


def by_length(lengths: Sequence[int], max_tokens: int) -> Iterator[list[int]]:
    """Batches of text indices, longest texts first, of at most `max_tokens` tokens including padding.

    A text that is longer than `max_tokens` is a batch of its own.
    """
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        if batch and (len(batch) + 1) * max(lengths[batch[0]], 1) > max_tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


class LRUCache(Generic[Key, Value]):
    """Results of a model by text: sources, references and equal outputs are computed once.

    The least recently used results are dropped when the cache exceeds `max_bytes`.
    """

    def __init__(self, size: Callable[[Value], int], max_bytes: int = _MAX_BYTES) -> None:
        self._size, self._max_bytes, self._bytes = size, max_bytes, 0
        self._results: OrderedDict[Key, Value] = OrderedDict()

    def get_all(self, keys: Sequence[Key], compute: Callable[[list[Key]], Sequence[Value]]) -> list[Value]:
        """The result for every key; missing ones are computed in one call, without repetitions."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._results]
        new = dict(zip(missing, compute(missing), strict=True)) if missing else {}
        results = {key: new[key] if key in new else self._results[key] for key in dict.fromkeys(keys)}
        for key, value in new.items():
            self._results[key] = value
            self._bytes += self._size(value)
        for key in results:
            self._results.move_to_end(key)
        while self._bytes > self._max_bytes:
            _, dropped = self._results.popitem(last=False)
            self._bytes -= self._size(dropped)
        return [results[key] for key in keys]
