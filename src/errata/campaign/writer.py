"""One thread writes: requests that wait together are committed together, and answered after that."""

from __future__ import annotations

import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

import sqlalchemy as sa

from errata.campaign.session import Refused
from errata.campaign.store import Store
from errata.errors import DataError

T = TypeVar("T")
Job = Callable[[sa.Connection], Any]
_BATCH = 64
_CHECKPOINT_SECONDS = 1.0


class Writer:
    """Runs jobs in order, many in one transaction (group commit); one that fails takes no other with it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._jobs: queue.SimpleQueue[tuple[Job, Future[Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="campaign-writer", daemon=True)
        self._thread.start()
        self._ended = threading.Event()
        if store.engine.dialect.name == "sqlite":
            threading.Thread(target=self._checkpoint, name="campaign-checkpoints", daemon=True).start()

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
        """Move SQLite's log into its file beside the work: within a commit it would hold everyone up."""
        while not self._ended.wait(_CHECKPOINT_SECONDS):
            connection = self.store.engine.raw_connection()
            try:
                connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")
            except sqlite3.OperationalError:  # somebody else is at it
                pass
            finally:
                connection.close()

    def _run(self) -> None:
        while True:
            batch = [self._jobs.get()]
            while len(batch) < _BATCH and batch[-1] is not None:
                try:
                    batch.append(self._jobs.get_nowait())
                except queue.Empty:
                    break
            jobs = [entry for entry in batch if entry is not None]
            if jobs:
                self._commit(jobs)
            if len(jobs) < len(batch):
                return

    def _commit(self, jobs: list[tuple[Job, Future[Any]]]) -> None:
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self.store.write() as connection:
                for job, future in jobs:
                    try:
                        outcomes.append((future, job(connection), None))
                    except (Refused, DataError) as error:  # raised before anything was written
                        outcomes.append((future, None, error))
        except Exception as error:  # nothing of the batch is there
            if len(jobs) == 1:
                jobs[0][1].set_exception(error)
                return
            for entry in jobs:  # one of them is to blame: each for itself
                self._commit([entry])
            return
        for future, result, problem in outcomes:
            if problem is None:
                future.set_result(result)
            else:
                future.set_exception(problem)
