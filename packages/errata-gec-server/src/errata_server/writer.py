"""One thread writes: requests that wait together are committed together, and answered after that."""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import sqlalchemy as sa

from errata_server.database import Database, part

T = TypeVar("T")
Job = Callable[[sa.Connection], Any]
_BATCH = 64
_CHECKPOINT_SECONDS = 1.0


class Writer:
    """Runs jobs in order, many in one transaction (group commit). A job that fails takes no other with it."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._jobs: queue.SimpleQueue[tuple[Job, Future[Any]] | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="errata-writer", daemon=True)
        self._thread.start()
        if database.is_file:
            threading.Thread(target=self._checkpoint, name="errata-checkpoints", daemon=True).start()

    def submit(self, job: Callable[[sa.Connection], T]) -> Future[T]:
        """The job's result, known when it is on disk."""
        future: Future[T] = Future()
        self._jobs.put((job, future))
        return future

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        self._ended.set()

    def _checkpoint(self) -> None:
        while not self._ended.wait(_CHECKPOINT_SECONDS):
            # Another process makes a checkpoint, or the disk is full: the next one will do.
            with suppress(sqlite3.Error, sa.exc.SQLAlchemyError):
                self.database.checkpoint()

    def _run(self) -> None:
        while True:
            batch = [self._jobs.get()]
            while len(batch) < _BATCH and batch[-1] is not None and not self._jobs.empty():
                batch.append(self._jobs.get())
            jobs = [entry for entry in batch if entry is not None]
            if jobs:
                self._commit(jobs)
            if len(jobs) < len(batch):
                return

    def _commit(self, jobs: list[tuple[Job, Future[Any]]]) -> None:
        outcomes: list[tuple[Any, Exception | None]] = []
        try:
            with self.database.write() as connection:
                outcomes += [part(connection, job) for job, _ in jobs]
        except BaseException as error:  # nothing of the batch is stored
            outcomes = [(None, error)] * len(jobs)  # type: ignore[list-item]
        for (_, future), (result, problem) in zip(jobs, outcomes, strict=True):
            if problem is None:
                future.set_result(result)
            else:
                future.set_exception(problem)
