"""Work in parts that several threads do together."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from errata.engine.threads import Shared, in_order

Result = TypeVar("Result")


class Divided(Generic[Result]):
    """What is made once of several parts, by all threads that ask for it meanwhile."""

    def __init__(self, parts: Iterable[Callable[[], Any]], join: Callable[[list[Any]], Result]) -> None:
        self._parts = [Shared(part) for part in parts]
        self._left = iter(self._parts)  # each part is taken from it by one thread
        self._whole = Shared(lambda: join([part() for part in self._parts]))

    def __call__(self, jobs: int | None = 1) -> Result:
        """The whole, made by so many threads where this one does not work beside others already."""
        for _ in in_order(Shared.__call__, self._left, jobs):
            pass
        return self._whole()
