"""Threads of this process: kernels release the GIL, so ranges of segments run side by side."""

from __future__ import annotations

import os
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextvars import copy_context
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar

from errata.errors import ErrataError

if TYPE_CHECKING:
    from concurrent.futures import Future

Item = TypeVar("Item")
Result = TypeVar("Result")
_ALONE = 8  # chunks at a time where there is one thread: fewer calls, and ^C is heard soon enough
_here = threading.local()  # whether this thread is one of ours


def jobs_or_default(jobs: int | None) -> int:
    """The number of threads to use: `jobs`, or `ERRATA_JOBS`, or every core this process may use."""
    if jobs is None:
        given = os.environ.get("ERRATA_JOBS") or "0"
        if not given.isdecimal():
            raise ErrataError(f"ERRATA_JOBS={given!r}\n  hint: it is a number of threads, 0 for every core")
        jobs = int(given)
    if jobs > 0:
        return jobs
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[int, int], None], count: int, jobs: int | None = None, chunk: int = 64) -> None:
    """Call `work(start, stop)` for ranges that cover 0..count; small chunks, so that no thread waits long.

    Each range writes only its own rows: the result is the same for any number of threads.
    """
    if _threads(jobs) == 1:
        chunk *= _ALONE
    starts = range(0, count, chunk)
    for _ in in_order(lambda start: work(start, min(start + chunk, count)), starts, jobs):
        pass


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int | None = None
) -> Iterator[Result]:
    """Results of `work` in the order of the items, computed by several threads.

    Work that is spread within work runs where it is: threads do not multiply.
    """
    threads = _threads(jobs)
    if threads == 1:
        yield from map(work, items)
        return
    from concurrent.futures import ThreadPoolExecutor

    context = copy_context()  # a thread of the pool has none of what was set here, such as limits
    waiting: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads, initializer=_begin) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(context.copy().run, work, item))
                if len(waiting) > threads + 1:  # a stream is read no further than needed
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _threads(jobs: int | None) -> int:
    """How many threads work may be spread to from here."""
    return 1 if getattr(_here, "working", False) else jobs_or_default(jobs)


def between(left_out: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The ranges of start:stop without these items, which ascend."""
    for item in left_out[bisect_left(left_out, start) : bisect_left(left_out, stop)]:
        if start < item:
            yield start, item
        start = item + 1
    if start < stop:
        yield start, stop


def _begin() -> None:
    _here.working = True


class Threads:
    """Threads of this process. The default.

    Pieces of work whose `concurrent` is true run side by side; others run one after the other, and so does
    a single piece: what it spreads runs in threads.
    """

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        source = iter(items)
        first = [*islice(source, 2)] if getattr(work, "concurrent", False) else []
        if len(first) < 2:
            return map(work, chain(first, source))
        return in_order(work, chain(first, source), self._jobs)
