"""Work in parts that several threads do together."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from errata.engine.threads import Shared, in_order

Result = TypeVar("Result")


class Divided(Generic[Result]):
    """What is made once of several parts, by all threads that ask for it meanwhile.

    It is made by `jobs` threads where the one that asks does not work beside others already.
    """

    def __init__(
        self, parts: Iterable[Callable[[], Any]], join: Callable[[list[Any]], Result], jobs: int | None = 1
    ) -> None:
        self._parts = [Shared(part) for part in parts]
        self._left = iter(self._parts)  # each part is taken from it by one thread
        self._jobs = jobs if len(self._parts) > 1 else 1
        self._whole = Shared(lambda: join([part() for part in self._parts]))

    def help(self) -> None:
        """Do what nobody has begun yet."""
        deque(in_order(Shared.__call__, self._left, self._jobs), maxlen=0)

    def __call__(self) -> Result:
        """The whole, when all of it is done."""
        self.help()
        return self._whole()
