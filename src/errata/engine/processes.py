"""Processes of this machine: for work that Python does itself, which threads cannot share."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from errata.engine.answers import MOST_LOST, answer, lost, opened
from errata.errors import ErrataError

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class _Task:
    number: int
    item: Any
    lost: int = 0  # workers that died on it


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Processes started here never see Ctrl-C, which a terminal sends to all: their parent ends them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker:
    """A process that takes a piece of work at a time. Its pipe ends when it dies."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")  # a fork would copy locks that threads may hold
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, work), daemon=True)
        with _interrupts_held_back():
            self.process.start()
        theirs.close()
        self.task: _Task | None = None

    def give(self, task: _Task) -> None:
        with suppress(OSError):  # it died while idle: noticed when its answer is asked for
            self.connection.send(task.item)
        self.task = task

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join()


class Processes:
    """So many processes, each with one thread; the work of one that is killed is done again by another."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        source = enumerate(items)
        window = 2 * self._workers + 2  # pieces read ahead of the one that is due: bounds the memory
        again: deque[_Task] = deque()
        done: dict[int, Any] = {}
        workers = [_Worker(work) for _ in range(self._workers)]
        due, read, more = 0, 0, True
        failed: Exception | None = None
        try:
            while True:
                for worker in workers:
                    if worker.task is not None:
                        continue
                    if again:
                        worker.give(again.popleft())
                    elif more and read < due + window:
                        try:
                            worker.give(_Task(*next(source)))
                            read += 1
                        except StopIteration:
                            more = False
                        except Exception as error:  # raised when all before it is done, as in one process
                            more, failed = False, error
                if due in done:
                    yield opened(done.pop(due))
                    due += 1
                    continue
                busy = {worker.connection: worker for worker in workers if worker.task is not None}
                if not busy:
                    if failed is not None:
                        raise failed
                    return
                for connection in wait(list(busy)):
                    worker = busy[connection]  # type: ignore[index]
                    task = worker.task
                    assert task is not None
                    try:
                        done[task.number] = worker.connection.recv()
                        worker.task = None
                    except (EOFError, OSError):
                        worker.end()
                        if task.lost + 1 == MOST_LOST:
                            raise lost(task.item, f"exit code {worker.process.exitcode}") from None
                        again.append(_Task(task.number, task.item, task.lost + 1))
                        workers[workers.index(worker)] = _Worker(work)
        finally:
            for worker in workers:
                worker.end()


def _serve(connection: Connection, work: Callable[[Any], Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends its workers
    while True:
        try:
            item = connection.recv()
        except EOFError:
            os._exit(0)  # the parent is gone or done
        found = answer(work, item)
        try:
            connection.send(found)
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            connection.send((False, ErrataError(f"what was made cannot be sent: {error}")))
