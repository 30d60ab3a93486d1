"""Submissions: the permission to submit, storing, and choosing or withdrawing them later."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from starlette.exceptions import HTTPException

from errata_server.application_store import Row, inserted
from errata_server.task import task_tables as schema
from errata_server.task.check_submission import OUTPUT, Checked
from errata_server.task.task_store import TaskStore
from errata_server.task.teams import add_team, member_row

_MOST_NOTE = 500
_MOST_REFUSED = 200  # files of a team in a day


def may_submit(store: TaskStore, connection: sa.Connection, member: int, track: str, phase: str) -> Row:
    """The member, if the team may send a file for this track now; otherwise an error with the reason."""
    row = member_row(connection, member)
    if row.team_state != "active":
        raise HTTPException(403, f"your team is {row.team_state}: the organisers decide about it")
    if track not in [each.name for each in store.settings.tracks]:
        raise HTTPException(404, f"there is no track {track!r}")
    state = store.phase_states(connection).get(phase)
    if state is None:
        raise HTTPException(404, f"there is no phase {phase!r}")
    if state != "open":
        raise HTTPException(403, f"the phase {phase} {'has ended' if state == 'ended' else 'has not begun'}")
    refused = sa.select(sa.func.count()).where(
        _table.c.team == row.team, _table.c.digest.is_(None), _table.c.created >= store.clock()[:10]
    )
    if int(connection.scalar(refused) or 0) >= _MOST_REFUSED:
        raise HTTPException(409, f"{_MOST_REFUSED} files of your team were refused today: try again tomorrow")
    left = submissions_left(store, connection, row.team, track, phase)
    if min(left) <= 0:
        when = "for this phase" if left[1] <= 0 else "for today; the day ends at midnight UTC"
        raise HTTPException(409, f"your team has no submissions left {when}")
    return row


def submissions_left(
    store: TaskStore, connection: sa.Connection, team: int, track: str, phase: str
) -> tuple[int, int]:
    """The numbers of files that a team may still send for a track today and in the phase.

    Refused files do not count.
    """
    table = schema.submissions
    mine = sa.select(sa.func.count()).where(
        table.c.team == team, table.c.track == track, table.c.phase == phase, table.c.digest.is_not(None)
    )
    day = store.clock()[:10]
    today = int(connection.scalar(mine.where(table.c.created >= day)) or 0)
    limits = store.settings.phase(phase)
    return limits.per_day - today, limits.in_all - int(connection.scalar(mine) or 0)


def submit(
    store: TaskStore,
    connection: sa.Connection,
    member: int,
    track: str,
    phase: str,
    checked: Checked,
    *,
    note: str = "",
    anyway: bool = False,
) -> tuple[Row, bool]:
    """Store a checked file, and queue it if it can be scored; returns the submission, and whether it is new.

    The limits hold because everything happens in one transaction of the only writer.
    """
    sent_before = _same(connection, member, track, phase, checked.digest)
    if sent_before is not None:
        return sent_before, False
    row = may_submit(store, connection, member, track, phase)
    refused = checked.is_unusable or (checked.is_suspicious and not anyway)
    if not refused:
        _store_file(connection, checked.digest, checked.content)
    number = _insert(
        store, connection, track=track, phase=phase, team=row.team, member=member, note=note[:_MOST_NOTE],
        digest=None if refused else checked.digest, name=checked.name,
        findings=json.dumps(checked.findings, ensure_ascii=False),
    )  # fmt: skip
    if not refused:
        enqueue(connection, number, track, phase)
    actor = f"{row.team_name}: {row.name}"
    store.log(connection, actor, "refused file" if refused else "submission", submission=number, track=track)
    return one(connection, number), True


def _same(connection: sa.Connection, member: int, track: str, phase: str, digest: str) -> Row | None:
    """A submission of the same file by the same team, unless it was withdrawn."""
    row, table = member_row(connection, member), schema.submissions
    gone = sa.select(schema.withdrawals.c.submission)
    query = sa.select(table).where(
        table.c.team == row.team, table.c.track == track, table.c.phase == phase,
        table.c.digest == digest, table.c.id.not_in(gone),
    )  # fmt: skip
    return connection.execute(query.limit(1)).first()


def _store_file(connection: sa.Connection, digest: str, content: bytes) -> None:
    table = schema.files
    if connection.scalar(sa.select(table.c.digest).where(table.c.digest == digest)) is None:
        connection.execute(sa.insert(table).values(digest=digest, content=content))


def _insert(store: TaskStore, connection: sa.Connection, **values: Any) -> int:
    uid, created = secrets.token_hex(8), store.clock()
    return inserted(connection, schema.submissions, uid=uid, created=created, **values)


def enqueue(connection: sa.Connection, submission: int | None, track: str, phase: str) -> None:
    """Add a job: to score a submission, or (None) to compute a leaderboard again."""
    table = schema.jobs
    values = {"submission": submission, "track": track, "phase": phase, "state": "queued"}
    if submission is None:
        same_board = sa.and_(table.c.submission.is_(None), table.c.track == track, table.c.phase == phase)
        job = connection.execute(sa.select(table.c.id, table.c.state).where(same_board)).first()
        if job is not None:
            if job.state in ("done", "failed"):
                again = {"state": "queued", "attempts": 0}
                connection.execute(sa.update(table).where(table.c.id == job.id).values(again))
            return
    connection.execute(sa.insert(table).values(values))


def enter_baseline(
    store: TaskStore, connection: sa.Connection, name: str, track: str, phase: str, data: bytes
) -> None:
    """Submit the output of a baseline, without limits."""
    title = "Unchanged source" if name == "source" else f"Corrector {name}"
    table = schema.teams
    team = connection.scalar(sa.select(table.c.id).where(table.c.name == title, table.c.kind == "baseline"))
    if team is None:
        team = add_team(store, connection, title, state="active", kind="baseline")
    digest = hashlib.sha256(data).hexdigest()
    _store_file(connection, digest, data)
    kind = connection.scalar(sa.select(schema.sources.c.kind).where(schema.sources.c.track == track))
    number = _insert(
        store, connection, track=track, phase=phase, team=team, member=None, note="", digest=digest,
        name=OUTPUT[str(kind)], findings="[]",
    )  # fmt: skip
    enqueue(connection, number, track, phase)


# Every submission with the state of its job, its result, and whether it was withdrawn.
_table, _jobs, _results, _gone = schema.submissions, schema.jobs, schema.results, schema.withdrawals
WITH_STATE = (
    sa.select(
        _table,
        _jobs.c.id.label("job"),
        _jobs.c.state.label("job_state"),
        _jobs.c.message,
        _jobs.c.problem,
        _jobs.c.attempts,
        _jobs.c.started,
        _results.c.scores,
        _results.c.seconds,
        _results.c.created.label("scored"),
        _gone.c.created.label("withdrawn"),
    )
    .outerjoin(_jobs, _jobs.c.submission == _table.c.id)
    .outerjoin(_results, _results.c.submission == _table.c.id)
    .outerjoin(_gone, _gone.c.submission == _table.c.id)
)


def one(connection: sa.Connection, number: int) -> Row:
    return connection.execute(WITH_STATE.where(_table.c.id == number)).one()


def of_team(connection: sa.Connection, team: int) -> Sequence[Row]:
    """All submissions of a team, the latest first."""
    return connection.execute(WITH_STATE.where(_table.c.team == team).order_by(_table.c.id.desc())).all()


def owned(connection: sa.Connection, member: int, uid: str) -> Row:
    """A submission of the member's team; submissions of others give the same error as missing ones."""
    team = member_row(connection, member).team
    submission = connection.execute(WITH_STATE.where(_table.c.uid == uid, _table.c.team == team)).first()
    if submission is None:
        raise HTTPException(404, "your team has no such submission")
    return submission


def state_of(row: Row) -> str:
    """The state: refused, withdrawn, queued, running, scored or failed."""
    if row.digest is None:
        return "refused"
    if row.withdrawn is not None:
        return "withdrawn"
    return "scored" if row.scores is not None else str(row.job_state)


_turn = sa.func.row_number().over(partition_by=_table.c.team, order_by=_jobs.c.id)
_same_team, _their_jobs = _table.alias(), _jobs.alias()
_last_turn = (
    sa.select(sa.func.max(_their_jobs.c.started))
    .join(_same_team, _same_team.c.id == _their_jobs.c.submission)
    .where(_same_team.c.team == _table.c.team)
    .scalar_subquery()
)
QUEUE = (  # all open jobs; teams take turns, and leaderboards come last
    sa.select(_jobs, _turn.label("turn"), sa.func.coalesce(_last_turn, "").label("last_turn"))
    .outerjoin(_table, _table.c.id == _jobs.c.submission)
    .where(_jobs.c.state.in_(("queued", "running")))
    .subquery()
)
QUEUE_ORDER = (QUEUE.c.submission.is_(None), QUEUE.c.turn, QUEUE.c.last_turn, QUEUE.c.id)


def place_in_queue(connection: sa.Connection, row: Row) -> int:
    """The number of submissions that will be scored before this one."""
    queue = connection.scalars(sa.select(QUEUE.c.id).order_by(*QUEUE_ORDER)).all()
    return queue.index(row.job) if row.job in queue else 0


def choose(store: TaskStore, connection: sa.Connection, member: int, uid: str) -> None:
    """Make a submission the final one of its team in its track and phase, while the phase lasts."""
    row, who = owned(connection, member, uid), member_row(connection, member)
    if store.phase_states(connection)[row.phase] != "open":
        raise HTTPException(403, f"the phase {row.phase} has ended")
    if state_of(row) in ("refused", "withdrawn", "failed"):
        raise HTTPException(409, f"this submission is {state_of(row)}")
    values = {"team": row.team, "track": row.track, "phase": row.phase}
    table = schema.choices
    before = sa.select(table.c.submission).filter_by(**values).order_by(table.c.id.desc()).limit(1)
    if connection.scalar(before) == row.id:
        return
    connection.execute(sa.insert(table).values(submission=row.id, created=store.clock(), **values))
    enqueue(connection, None, row.track, row.phase)
    store.log(connection, f"{who.team_name}: {who.name}", "final submission", submission=row.id)


def withdraw(store: TaskStore, connection: sa.Connection, member: int, uid: str) -> None:
    """Take a submission off the leaderboard; it stays in the archive, and still counts for the limits.

    After the end of its phase, a team that withdraws its final submission leaves the leaderboard.
    """
    row, who = owned(connection, member, uid), member_row(connection, member)
    if state_of(row) in ("refused", "withdrawn"):
        raise HTTPException(409, f"this submission is {state_of(row)} already")
    if store.state(connection) == "closed":
        raise HTTPException(403, "the task is closed: ask the organisers")
    late = store.phase_states(connection)[row.phase] == "ended"
    values = {"submission": row.id, "late": late, "created": store.clock()}
    connection.execute(sa.insert(schema.withdrawals).values(values))
    enqueue(connection, None, row.track, row.phase)
    store.log(connection, f"{who.team_name}: {who.name}", "withdrawal", submission=row.id)


def queue_boards(store: TaskStore, connection: sa.Connection) -> None:
    """Queue all leaderboards, since a team has joined or left."""
    for track in store.settings.tracks:
        for phase in store.settings.phases:
            enqueue(connection, None, track.name, phase.name)


def score_again(store: TaskStore, connection: sa.Connection, number: int, actor: str) -> None:
    """Queue a submission again whose scoring failed."""
    mine = sa.and_(_jobs.c.submission == number, _jobs.c.state == "failed")
    values = {"state": "queued", "attempts": 0, "message": "", "problem": ""}
    if not connection.execute(sa.update(_jobs).where(mine).values(values)).rowcount:
        raise HTTPException(409, "only failed submissions can be scored again")
    store.log(connection, actor, "scored again", submission=number)
