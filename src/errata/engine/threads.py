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
_here = threading.local()  # the team of this thread, if it works side by side with others


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
    """Call `work(start, stop)` for ranges that cover 0..count, each of a number of chunks.

    Each range writes only its own rows: the result is the same for any number of threads. Within work that
    threads do side by side, those that have nothing else to do take part.
    """
    team = _team()
    threads = jobs_or_default(jobs) if team is None or jobs == 1 else team.threads
    if threads == 1 or count <= chunk:
        for start in range(0, count, chunk * _ALONE):
            work(start, min(start + chunk * _ALONE, count))
        return
    pieces = _Pieces(work, count, chunk, team, threads)
    if team is None:
        for _ in in_order(lambda _: pieces.run(), range(min(threads, -(-count // chunk))), threads):
            pass
    else:
        pieces.run()
    pieces.finish()


def in_order(
    work: Callable[[Item], Result], items: Iterable[Item], jobs: int | None = None
) -> Iterator[Result]:
    """Results of `work` in the order of the items, computed by several threads, of which this is one.

    Work within work runs where it is, and threads do not multiply; see `spread`.
    """
    threads = 1 if in_worker() else jobs_or_default(jobs)
    if threads == 1:
        yield from map(work, items)
        return
    team = _Team(threads)
    context = copy_context()  # another thread has none of what was set here, such as limits
    waiting: deque[_Task] = deque()
    ahead = _AHEAD * threads if isinstance(items, Sequence) else threads + 1
    started = 0
    try:
        for item in items:
            waiting.append(_Task(partial(context.copy().run, work, item), team))
            team.tasks.put(waiting[-1])
            if len(waiting) > 1 and started < threads - 1:
                try:
                    start_new_thread(_work_on, (team,))  # a Thread would wait until it runs
                    started += 1
                except RuntimeError:  # there are no more threads to be had
                    threads = started + 1
            if len(waiting) > ahead:  # a stream is read no further than needed
                found = team.finished(waiting[0])
                waiting.popleft()
                yield found
        while waiting:
            found = team.finished(waiting[0])
            waiting.popleft()
            yield found
    finally:
        try:
            with suppress(Empty):
                while True:
                    team.tasks.get_nowait()
        finally:  # another ^C may come meanwhile
            team.tasks.put(None)
        for ended in [*team.working] if waiting else ():  # what other threads have begun comes to its end
            ended.acquire()


class Shared(Generic[Result]):
    """A piece of work that is done once, by whoever asks for it first; others wait until it is done."""

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._found: tuple[Result] | None = None
        self._doing = allocate_lock()

    @property
    def doing(self) -> bool:
        """Whether a thread does the work now."""
        return self._doing.locked()

    def __call__(self) -> Result:
        with self._doing:
            if self._found is None:
                self._found = (self._work(),)
            return self._found[0]


class _Task:
    """A piece of work, what came of it, and a lock that is free when it is done."""

    def __init__(self, work: Callable[[], Any], team: _Team) -> None:
        self._work, self._team = work, team
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
            if self._team.awaited is self:
                self._team.first.put(None)

    def result(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._found


class _Team:
    """Threads that do the tasks of one call of `in_order`; the first of them is the one that calls."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.tasks: SimpleQueue[_Task | _Pieces | None] = SimpleQueue()
        self.first: SimpleQueue[_Pieces | None] = SimpleQueue()  # wakes the thread that calls
        self.idle: deque[SimpleQueue[Any]] = deque()  # where threads wait that have nothing to do
        self.awaited: _Task | None = None
        self.working: list[LockType] = []  # of the other threads that have begun; free when a thread ends

    def next(self, queue: SimpleQueue[Any]) -> Any:
        """What comes next from the queue of a thread, which is idle until then."""
        self.idle.append(queue)
        found = None
        try:
            found = queue.get()
            return found
        finally:
            # Whoever put pieces into the queue of the tasks has taken one thread of those that wait there.
            if queue is self.first or not isinstance(found, _Pieces):
                with suppress(ValueError):
                    self.idle.remove(queue)

    def finished(self, task: _Task) -> Any:
        """The result of a task; others are worked on until it is there."""
        _here.team = self
        try:
            while task.done.locked():
                try:
                    other = self.tasks.get_nowait()
                except Empty:
                    self.awaited = task
                    other = self.next(self.first) if task.done.locked() else None
                if other is not None:
                    other.run()
        finally:
            _here.team = None
        return task.result()


class _Pieces:
    """A range of items, of which threads take pieces until all are done."""

    def __init__(
        self, work: Callable[[int, int], None], count: int, chunk: int, team: _Team | None, threads: int
    ) -> None:
        self._work, self._count, self._chunk = work, count, chunk
        self._team, self._threads = team, threads
        self._next = 0
        self._taking = allocate_lock()
        self._working: list[LockType] = []  # each is free when its thread takes no more
        self._errors: dict[int, BaseException] = {}  # by the item that a piece began with
        self._context = copy_context()

    def _take(self) -> tuple[int, int]:
        """The next piece: a share of what is left, or much where threads have enough else to do."""
        with self._taking:
            start = self._next
            chunks = -(-(self._count - start) // self._chunk)
            share = -(-chunks // (2 * self._threads))
            if self._team is not None and self._team.tasks.qsize() >= self._threads:
                share = max(share, _ALONE)
            elif self._team is not None and chunks > 1:
                with suppress(IndexError):
                    self._team.idle.pop().put(self)
            self._next = min(start + share * self._chunk, self._count)
            return start, self._next

    def run(self) -> None:
        """Work on pieces until none is left."""
        ended = allocate_lock()
        with ended:
            self._working.append(ended)
            self._context.copy().run(self._run)

    def _run(self) -> None:
        piece = 0, 0
        try:
            while (piece := self._take())[0] < self._count:
                self._work(*piece)
        except BaseException as error:
            self._errors[piece[0]] = error
            with self._taking:
                self._next = self._count
            if not isinstance(error, Exception):  # such as ^C: raised at once
                raise

    def finish(self) -> None:
        """Wait for those who still work on a piece, and raise the first error."""
        for ended in [*self._working]:
            ended.acquire()
        if self._errors:
            error = self._errors[min(self._errors)]
            raise error if isinstance(error, Exception) else RuntimeError("interrupted in another thread")


def _work_on(team: _Team) -> None:
    """Work on tasks; a thread that gets no memory for itself ends before it takes one."""
    with suppress(MemoryError):
        ended = allocate_lock()
        with ended:
            _here.team = team
            team.working.append(ended)
            while (task := team.next(team.tasks)) is not None:
                task.run()
            team.tasks.put(None)  # the next thread ends, too


def _team() -> _Team | None:
    """The threads that this one works side by side with, if there are any."""
    return getattr(_here, "team", None)


def in_worker() -> bool:
    """Whether this thread is one of several that work side by side."""
    return _team() is not None


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
