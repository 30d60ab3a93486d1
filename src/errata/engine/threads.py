"""Threads of this process: kernels release the GIL, so ranges of segments run side by side."""

from __future__ import annotations

import os
import threading
from _thread import LockType, allocate_lock, start_new_thread
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from itertools import chain, islice
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from errata.errors import ErrataError

Item = TypeVar("Item")
Result = TypeVar("Result")
_ALONE = 32  # chunks at a time where there is one thread: fewer calls, and ^C is heard soon enough
_AHEAD = 16  # items per thread that wait to be worked on, of those that are there already
_here = threading.local()  # whether this thread works side by side with others


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
    """Results of `work` in the order of the items, computed by several threads, of which this is one.

    Work that is spread within work runs where it is: threads do not multiply.
    """
    threads = _threads(jobs)
    if threads == 1:
        yield from map(work, items)
        return
    tasks: SimpleQueue[_Task | None] = SimpleQueue()
    context = copy_context()  # another thread has none of what was set here, such as limits
    waiting: deque[_Task] = deque()
    working: list[LockType] = []  # of the other threads that have begun; each is free when its thread ends
    ahead = _AHEAD * threads if isinstance(items, Sequence) else threads + 1
    started = 0
    try:
        for item in items:
            waiting.append(_Task(partial(context.copy().run, work, item)))
            tasks.put(waiting[-1])
            if len(waiting) > 1 and started < threads - 1:
                try:
                    start_new_thread(_work_on, (tasks, working))  # a Thread would wait until it runs
                    started += 1
                except RuntimeError:  # there are no more threads to be had
                    threads = started + 1
            if len(waiting) > ahead:  # a stream is read no further than needed
                found = _finished(waiting[0], tasks)
                waiting.popleft()
                yield found
        while waiting:
            found = _finished(waiting[0], tasks)
            waiting.popleft()
            yield found
    finally:
        try:
            with suppress(Empty):
                while True:
                    tasks.get_nowait()
        finally:  # another ^C may come meanwhile
            tasks.put(None)
        for ended in [*working] if waiting else ():  # what other threads have begun comes to its end
            ended.acquire()


class Shared(Generic[Result]):
    """A piece of work that is done once, by whoever asks for it first; others wait until it is done."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._found: tuple[Result] | None = None
        self._doing = allocate_lock()

    def __call__(self) -> Result:
        with self._doing:
            if self._found is None:
                self._found = (self._work(),)
            return self._found[0]


class _Task:
    """A piece of work, what came of it, and a lock that is free when it is done."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._found: Any = None
        self._error: BaseException | None = None
        self.done = allocate_lock()
        self.done.acquire()

    def run(self) -> None:
        try:
            self._found = self._work()
        except Exception as error:  # raised where the result is asked for
            self._error = error
        except BaseException as error:  # such as ^C: raised at once
            self._error = error
            raise
        finally:
            self.done.release()

    def result(self) -> Any:
        with self.done:  # which is free again for whoever else waits
            pass
        if self._error is not None:
            raise self._error
        return self._found


def _work_on(tasks: SimpleQueue[_Task | None], working: list[LockType]) -> None:
    """Work on tasks; a thread that gets no memory for itself ends before it takes one."""
    with suppress(MemoryError):
        ended = allocate_lock()
        with ended:
            _here.working = True
            working.append(ended)
            while (task := tasks.get()) is not None:
                task.run()
            tasks.put(None)  # the next thread ends, too


def _finished(task: _Task, tasks: SimpleQueue[_Task | None]) -> Any:
    """The result of a task; other tasks are worked on until it is there."""
    _here.working = True
    try:
        with suppress(Empty):
            while task.done.locked() and (other := tasks.get_nowait()) is not None:
                other.run()
    finally:
        _here.working = False
    return task.result()


def in_worker() -> bool:
    """Whether this thread is one of several that work side by side."""
    return getattr(_here, "working", False)


def _threads(jobs: int | None) -> int:
    """How many threads work may be spread to from here."""
    return 1 if in_worker() else jobs_or_default(jobs)


def between(left_out: Sequence[int], start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The ranges of start:stop without these items, which ascend."""
    for item in left_out[bisect_left(left_out, start) : bisect_left(left_out, stop)]:
        if start < item:
            yield start, item
        start = item + 1
    if start < stop:
        yield start, stop


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
