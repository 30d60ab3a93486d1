"""Workers take jobs from the queue and run each in a child process with limits of time and memory."""

from __future__ import annotations

import multiprocessing
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import sqlalchemy as sa

from errata.errors import ErrataError
from errata_server.database import reason
from errata_server.sandbox import LimitError, Limits, own_user, run_in_child
from errata_server.task import job_queue as queue
from errata_server.task import leaderboards as leaderboard
from errata_server.task import task_tables as schema
from errata_server.task.job_queue import Job, LostLeaseError
from errata_server.task.scoring import PublicPart, clusters_of, score_submission
from errata_server.task.task_store import TaskStore

_IDLE_SECONDS = 0.25
_WATCH_SECONDS = 1.0
_STOP_SECONDS = 10.0
_BOARD = Limits(seconds=3600, memory=16 << 30)  # to work out a leaderboard, which no team can make larger


class StoppedError(Exception):
    """The worker was told to stop while it was working."""


class Worker:
    """Does jobs one after the other, each in a child that knows the gold of its own track alone."""

    def __init__(self, store: TaskStore) -> None:
        self.store = store
        self.stopping = threading.Event()
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"

    def run(self) -> None:
        """Work until told to stop, or until the server that started this process is gone.

        A worker waits until errors of the database are over.
        """
        parent = multiprocessing.parent_process()
        while not self.stopping.is_set() and (parent is None or parent.is_alive()):
            try:
                if not self.step():
                    time.sleep(_IDLE_SECONDS)
            except LostLeaseError:
                continue
            except sa.exc.SQLAlchemyError as error:
                print(f"errata: the worker cannot reach the database: {reason(error)}", file=sys.stderr)
                time.sleep(1.0)

    def step(self) -> bool:
        """Do one job; whether there was one."""
        job = queue.take(self.store, self.name)
        if job is None:
            return False
        try:
            if job.submission is None:
                self._board(job)
            else:
                self._score(job, job.submission)
        except LimitError as error:
            queue.fail(self.store, job, f"it could not be scored: {error.message}", error.message)
        except ErrataError as error:
            queue.fail(self.store, job, queue.FAILED, str(error))
        except StoppedError:
            queue.release(self.store, job)
        return True

    def _score(self, job: Job, submission: int) -> None:
        table, files, texts = schema.submissions, schema.files, schema.texts
        settings = self.store.settings
        track, phase = settings.track(job.track), settings.texts_of(job.track, job.phase)
        query = sa.select(table.c.name, files.c.content).join(files, files.c.digest == table.c.digest)
        gold = sa.select(texts.c.role, texts.c.name, texts.c.content).order_by(texts.c.id)
        with self.store.read() as connection:
            row = connection.execute(query.where(table.c.id == submission)).one()
            mine = gold.where(texts.c.track == track.name, texts.c.phase == phase)
            rows = [(each.role, each.name, each.content) for each in connection.execute(mine)]
        secret = f"{self.store.uid} {track.name} {phase}"
        public = PublicPart(settings.phase(job.phase).public_part, secret)
        limits = Limits(
            settings.seconds, settings.memory << 20,
            isolated=True, network=track.needs_network, user=own_user(),
        )  # fmt: skip
        began = time.monotonic()
        scores, statistics = self._in_child(
            job, limits, score_submission, rows, track, row.content, row.name, settings.samples, public
        )
        queue.finish(self.store, job, scores, statistics, time.monotonic() - began)

    def _board(self, job: Job) -> None:
        """Work out the clusters of a leaderboard, as it is, and as it was when it was frozen."""
        with self.store.read() as connection:
            views = leaderboard.views(self.store, connection, job.track, job.phase)
            wanted = {number for numbers in views.values() for number in numbers}
            table = schema.results
            rows = connection.execute(
                sa.select(table.c.submission, table.c.statistics).where(table.c.submission.in_(wanted))
            )
            statistics = {row.submission: row.statistics for row in rows}
        results = {}
        for view, numbers in views.items():
            chosen = {number: statistics[number] for number in numbers}
            results[view] = self._in_child(job, _BOARD, clusters_of, chosen)
        queue.finish_board(self.store, job, results, views)

    def _in_child(self, job: Job, limits: Limits, function: Callable[..., Any], *arguments: object) -> Any:
        tick = partial(self._go_on, job)
        return run_in_child(function, *arguments, limits=limits, start="forkserver", tick=tick)

    def _go_on(self, job: Job) -> None:
        if self.stopping.is_set():
            raise StoppedError
        queue.renew(self.store, job)


def work(place: str) -> None:
    """Work until a signal says to stop.

    The signal only sets a flag. An exception at any point, such as in the pool of connections, could lose a
    connection, and the worker would then wait for it for a minute.
    """
    with TaskStore.open(place) as store:
        worker = Worker(store)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: worker.stopping.set())
        worker.run()


class Workers:
    """Worker processes of a server; one that dies is replaced."""

    def __init__(self, place: str, count: int) -> None:
        self.place, self.count = place, count
        self._processes: list[Any] = []
        self._stopped = threading.Event()

    def start(self) -> None:
        self._processes = [self._new() for _ in range(self.count)]
        self._watcher = threading.Thread(target=self._watch, name="errata-workers", daemon=True)
        self._watcher.start()

    def _new(self) -> Any:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(
            ["__main__", "errata_server.task.worker", "errata_server.task.check_submission"]
        )
        process = context.Process(target=work, args=(self.place,))
        process.start()
        return process

    def _watch(self) -> None:
        while not self._stopped.wait(_WATCH_SECONDS):
            for number, process in enumerate(self._processes):
                if not process.is_alive():
                    self._processes[number] = self._new()

    def stop(self) -> None:
        """End the workers. One that does not stop in time is killed, which loses nothing."""
        self._stopped.set()
        self._watcher.join()  # it starts no process any more
        for process in self._processes:
            process.terminate()
        end = time.monotonic() + _STOP_SECONDS
        for process in self._processes:
            process.join(max(0.0, end - time.monotonic()))
            process.kill()
            process.join()
