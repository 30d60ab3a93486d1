"""Work in parts that several threads do together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from errata.engine.threads import Shared, in_order

Result = TypeVar("Result")


class Divided(Generic[Result]):
    """Parts of work that are done once, by all threads that ask for them meanwhile."""

    def __init__(self, parts: Iterable[Callable[[], Result]]) -> None:
        self._parts = [Shared(part) for part in parts]
        self._left = iter(self._parts)  # each part is taken from it by one thread

    def __call__(self, jobs: int | None = 1) -> list[Result]:
        """What came of the parts, with so many threads where this one does not work beside others already."""
        for _ in in_order(Shared.__call__, self._left, jobs):
            pass
        return [part() for part in self._parts]
