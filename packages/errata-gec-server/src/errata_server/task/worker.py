"""Workers take jobs from the task's queue and run each in a child process with limits of time and memory.

Jobs have leases, so that the job of a killed worker is done by another one, once.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import secrets
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlalchemy as sa

from errata.errors import ErrataError
from errata_server.database import reason
from errata_server.sandbox import LimitError, Limits, own_user, run_in_child
from errata_server.task import leaderboards as leaderboard
from errata_server.task import task_tables as schema
from errata_server.task.scoring import PublicPart, clusters_of, score_submission
from errata_server.task.submissions import QUEUE, QUEUE_ORDER, enqueue
from errata_server.task.task_store import TaskStore

LEASE_SECONDS = 20.0  # a worker renews its lease while it works
_MOST_ATTEMPTS = 50  # workers that may die with one job
FAILED = "it could not be scored; the organisers can see the reason"  # for the team
_jobs = schema.jobs


@dataclass(frozen=True)
class Job:
    """A job of a worker: to score a submission, or (None) to compute a leaderboard."""

    id: int
    submission: int | None
    track: str
    phase: str
    worker: str


class LostLeaseError(Exception):
    """The job is done, or another worker has it."""


def take_job(store: TaskStore, worker: str) -> Job | None:
    """The next job, if there is one: submissions of the teams in turn, then leaderboards."""
    now = _milliseconds()
    free = sa.or_(QUEUE.c.state == "queued", QUEUE.c.until < now)
    query = sa.select(QUEUE).where(free).order_by(*QUEUE_ORDER).limit(1)
    is_open = sa.select(_jobs.c.id).where(_jobs.c.state.in_(("queued", "running"))).limit(1)
    with store.read() as connection:  # so that idle workers do not write
        if connection.scalar(is_open) is None or connection.execute(query).first() is None:
            return None
    with store.write() as connection:
        row = connection.execute(query).first()
        if row is None:
            return None
        mine = sa.update(_jobs).where(_jobs.c.id == row.id)
        if row.attempts >= _MOST_ATTEMPTS:
            problem = f"{row.attempts} workers ended while they scored it"
            connection.execute(mine.values(state="failed", message=FAILED, problem=problem))
            return None
        values = {"state": "running", "worker": worker, "until": now + round(LEASE_SECONDS * 1000)}
        connection.execute(mine.values(attempts=row.attempts + 1, started=store.clock(), **values))
    return Job(row.id, row.submission, row.track, row.phase, worker)


def renew_lease(store: TaskStore, job: Job) -> None:
    """Extend the lease of a job; an error if another worker has it."""
    until = _milliseconds() + round(LEASE_SECONDS * 1000)
    with store.write() as connection:
        _change(connection, job, until=until)


def finish_submission(
    store: TaskStore, job: Job, scores: dict[str, Any], statistics: bytes, seconds: float
) -> None:
    """Store the scores of a submission, unless another worker has the job now."""
    assert job.submission is not None
    values = {
        "submission": job.submission, "scores": json.dumps(scores, ensure_ascii=False),
        "statistics": statistics, "seconds": seconds, "created": store.clock(),
    }  # fmt: skip
    with store.write() as connection:
        _change(connection, job, state="done", message="", problem="")
        connection.execute(sa.insert(schema.results).values(values))
        enqueue(connection, None, job.track, job.phase)


def finish_board(
    store: TaskStore, job: Job, boards: Mapping[str, Any], views: Mapping[str, list[int]]
) -> None:
    """Store the results of a leaderboard, by view; it is queued again if it has changed meanwhile."""
    table = schema.boards
    with store.write() as connection:
        same = leaderboard.views(store, connection, job.track, job.phase) == views
        _change(connection, job, state="done" if same else "queued", problem="")
        mine = sa.and_(table.c.track == job.track, table.c.phase == job.phase)
        connection.execute(sa.delete(table).where(mine))
        for view, content in boards.items():
            values = {"track": job.track, "phase": job.phase, "view": view, "created": store.clock()}
            connection.execute(sa.insert(table).values(content=json.dumps(content), **values))


def _fail_job(store: TaskStore, job: Job, message: str, problem: str) -> None:
    """Mark a job as failed, with a message for the team and a description for the organisers."""
    with store.write() as connection:
        _change(connection, job, state="failed", message=message, problem=problem[:2000])


def _release_job(store: TaskStore, job: Job) -> None:
    """Return a job to the queue, since its worker is stopping."""
    with store.write() as connection:
        _change(connection, job, state="queued")


def _change(connection: sa.Connection, job: Job, **values: Any) -> None:
    mine = sa.and_(_jobs.c.id == job.id, _jobs.c.worker == job.worker, _jobs.c.state == "running")
    if not connection.execute(sa.update(_jobs).where(mine).values(values)).rowcount:
        raise LostLeaseError


def _milliseconds() -> int:
    return int(time.time() * 1000)


_IDLE_SECONDS = 0.25
_WATCH_SECONDS = 1.0
_STOP_SECONDS = 10.0
_BOARD = Limits(seconds=3600, memory=16 << 30)  # for a leaderboard, whose size no team can increase


class StoppedError(Exception):
    """The worker was stopped during a job."""


class Worker:
    """Does one job after the other, each in a child that has only the gold of its own track."""

    def __init__(self, store: TaskStore) -> None:
        self.store = store
        self.user = own_user()
        self.stopping = threading.Event()
        self.name = f"{os.getpid()}-{secrets.token_hex(4)}"

    def run(self) -> None:
        """Work until `stopping` is set, or until the server that started this process has ended.

        After an error of the database, the worker tries again.
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
        """Do one job, if there is one; returns whether there was."""
        job = take_job(self.store, self.name)
        if job is None:
            return False
        try:
            if job.submission is None:
                self._board(job)
            else:
                self._score(job, job.submission)
        except LimitError as error:
            _fail_job(self.store, job, f"it could not be scored: {error.message}", error.message)
        except ErrataError as error:
            _fail_job(self.store, job, FAILED, str(error))
        except StoppedError:
            _release_job(self.store, job)
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
            network=track.needs_network, user=self.user,
        )  # fmt: skip
        began = time.monotonic()
        scores, statistics = self._in_child(
            job, limits, score_submission, rows, track, row.content, row.name, settings.samples, public
        )
        finish_submission(self.store, job, scores, statistics, time.monotonic() - began)

    def _board(self, job: Job) -> None:
        """Compute the clusters of a leaderboard, for its present and for its frozen state."""
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
        finish_board(self.store, job, results, views)

    def _in_child(self, job: Job, limits: Limits, function: Callable[..., Any], *arguments: object) -> Any:
        tick = partial(self._tick, job)
        return run_in_child(function, *arguments, limits=limits, tick=tick)

    def _tick(self, job: Job) -> None:
        if self.stopping.is_set():
            raise StoppedError
        renew_lease(self.store, job)


def warn_of_network() -> None:
    """Print a note if processes that score submissions cannot be kept from the network here."""
    limits = Limits(60, 4 << 30, network=False)
    if sys.platform == "linux" and run_in_child(_network, limits=limits) == _network():
        print(
            "note: on this system, the processes that score submissions can use the network: run workers in "
            "containers (docs/shared-task.md, Safety)",
            file=sys.stderr,
        )


def _network() -> str:
    """The network namespace of this process."""
    return os.readlink("/proc/self/ns/net")


def work(place: str) -> None:
    """Work until SIGTERM or SIGINT.

    The signal only sets a flag: an exception within the pool of connections could lose a connection, for
    which the worker would then wait for a minute.
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
        if self.count:
            warn_of_network()

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
        """End the workers; one that does not stop in time is killed, and its job stays in the queue."""
        self._stopped.set()
        self._watcher.join()  # now it starts no further process
        for process in self._processes:
            process.terminate()
        end = time.monotonic() + _STOP_SECONDS
        for process in self._processes:
            process.join(max(0.0, end - time.monotonic()))
            process.kill()
            process.join()
