"""The queue of a task: jobs with leases, so that another worker does the job of a killed one, once."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from errata_server.task import leaderboards as leaderboard
from errata_server.task import task_tables as schema
from errata_server.task.submissions import QUEUE, QUEUE_ORDER, enqueue
from errata_server.task.task_store import TaskStore

LEASE_SECONDS = 20.0  # a worker renews its lease while it works
_MOST_ATTEMPTS = 50  # how often a job may lose its worker
FAILED = "it could not be scored; the organisers see why"  # for the team
_table = schema.jobs


@dataclass(frozen=True)
class Job:
    """Work that a worker has taken: a submission to score, or (None) a leaderboard to work out."""

    id: int
    submission: int | None
    track: str
    phase: str
    worker: str


class LostLeaseError(Exception):
    """The job belongs to another worker by now, or is done."""


def take(store: TaskStore, worker: str) -> Job | None:
    """The next job, if there is one: submissions of the teams in turn, then leaderboards."""
    now = _milliseconds()
    free = sa.or_(QUEUE.c.state == "queued", QUEUE.c.until < now)
    query = sa.select(QUEUE).where(free).order_by(*QUEUE_ORDER).limit(1)
    is_open = sa.select(_table.c.id).where(_table.c.state.in_(("queued", "running"))).limit(1)
    with store.read() as connection:  # so that idle workers do not write
        if connection.scalar(is_open) is None or connection.execute(query).first() is None:
            return None
    with store.write() as connection:
        row = connection.execute(query).first()
        if row is None:
            return None
        mine = sa.update(_table).where(_table.c.id == row.id)
        if row.attempts >= _MOST_ATTEMPTS:
            problem = f"{row.attempts} workers ended while they scored it"
            connection.execute(mine.values(state="failed", message=FAILED, problem=problem))
            return None
        values = {"state": "running", "worker": worker, "until": now + round(LEASE_SECONDS * 1000)}
        connection.execute(mine.values(attempts=row.attempts + 1, started=store.clock(), **values))
    return Job(row.id, row.submission, row.track, row.phase, worker)


def renew(store: TaskStore, job: Job) -> None:
    """Keep a job for some more time; an error where another worker has it."""
    until = _milliseconds() + round(LEASE_SECONDS * 1000)
    with store.write() as connection:
        _change(connection, job, until=until)


def finish(store: TaskStore, job: Job, scores: dict[str, Any], statistics: bytes, seconds: float) -> None:
    """Keep the scores of a submission; nothing is kept where the job is no longer this worker's."""
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
    """Keep what was worked out about a leaderboard, by view; it is queued again if it has changed since."""
    table = schema.boards
    with store.write() as connection:
        same = leaderboard.views(store, connection, job.track, job.phase) == views
        _change(connection, job, state="done" if same else "queued", problem="")
        mine = sa.and_(table.c.track == job.track, table.c.phase == job.phase)
        connection.execute(sa.delete(table).where(mine))
        for view, content in boards.items():
            values = {"track": job.track, "phase": job.phase, "view": view, "created": store.clock()}
            connection.execute(sa.insert(table).values(content=json.dumps(content), **values))


def fail(store: TaskStore, job: Job, message: str, problem: str) -> None:
    """Give a job up, with a message for the team and the problem as organisers see it."""
    with store.write() as connection:
        _change(connection, job, state="failed", message=message, problem=problem[:2000])


def release(store: TaskStore, job: Job) -> None:
    """Put a job back, for a worker that has to stop."""
    with store.write() as connection:
        _change(connection, job, state="queued")


def _change(connection: sa.Connection, job: Job, **values: Any) -> None:
    mine = sa.and_(_table.c.id == job.id, _table.c.worker == job.worker, _table.c.state == "running")
    if not connection.execute(sa.update(_table).where(mine).values(values)).rowcount:
        raise LostLeaseError


def _milliseconds() -> int:
    return int(time.time() * 1000)
