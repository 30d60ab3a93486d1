"""Old names that modules of other branches still call. This module goes at the merge."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


def spread(work: Callable[[int, int], None], count: int, jobs: int | None = None, chunk: int = 64) -> None:
    """Call `work` for all items."""
    if count:
        work(0, count)


def in_worker() -> bool:
    """Whether this thread runs tasks."""
    from errata.engine import _this_thread

    return bool(getattr(_this_thread, "is_worker", False))


def between(left_out: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The ranges of start:stop without these items, which ascend."""
    for item in left_out[bisect_left(left_out, start) : bisect_left(left_out, stop)]:
        if start < item:
            yield start, item
        start = item + 1
    if start < stop:
        yield start, stop


class Shared(Generic[Result]):
    """The result of a function that is called once."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work, self._results, self._lock = work, list[Result](), threading.Lock()

    def __call__(self) -> Result:
        with self._lock:
            if not self._results:
                self._results.append(self._work())
            return self._results[0]


class Divided(Generic[Result]):
    """The result that is joined from those of several functions, each called once."""

    def __init__(
        self, parts: Iterable[Callable[[], Any]], join: Callable[[list[Any]], Result], jobs: int | None = 1
    ) -> None:
        functions = [*parts]
        self._whole = Shared(lambda: join([function() for function in functions]))

    def help(self) -> None:
        """Nothing: there is one level of parallelism."""

    def __call__(self) -> Result:
        return self._whole()
