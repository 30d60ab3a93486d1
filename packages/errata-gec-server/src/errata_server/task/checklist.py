"""What an organiser still has to do before a phase opens."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from errata.errors import plural
from errata_server.task import task_tables as schema
from errata_server.task.task_settings import Phase
from errata_server.task.task_store import TaskStore


class Check(NamedTuple):
    """One line of the checklist: whether it is done, what it is about, and what to do if it is not."""

    done: bool
    what: str
    advice: str = ""


def task_checks(store: TaskStore, connection: sa.Connection) -> list[Check]:
    """What concerns the whole task."""
    settings, teams = store.settings, schema.teams
    people = connection.scalar(
        sa.select(sa.func.count())
        .where(schema.staff.c.token_hash.is_not(None))
        .where(schema.staff.c.role != "observer")
    )
    states = sa.select(teams.c.state, sa.func.count()).where(teams.c.kind == "team").group_by(teams.c.state)
    counts = {row[0]: row[1] for row in connection.execute(states)}
    waiting = counts.get("waiting", 0)
    jobs = schema.jobs
    failed = connection.scalar(sa.select(sa.func.count()).where(jobs.c.state == "failed")) or 0
    return [
        Check(store.state(connection) == "open", "The task is open", "open it again on the page Organisers"),
        Check(bool(settings.description.strip()), "The task has a description", "set `description`"),
        Check((people or 0) > 1, "Two people can decide", "add an organiser, in case you cannot be reached"),
        Check(counts.get("active", 0) > 0, "A team takes part", "invite teams, or approve some"),
        Check(
            waiting == 0,
            f"{waiting} {plural(waiting, 'team')} waiting for a decision",
            "approve or refuse them on the page Organisers",
        ),
        Check(
            failed == 0,
            f"{failed} {plural(failed, 'job')} failed",
            "read the problems on the page Submissions, and score again",
        ),
    ]


def phase_checks(store: TaskStore, connection: sa.Connection, phase: Phase) -> list[Check]:
    """What concerns one phase: its times, texts, baselines and leaderboard."""
    settings = store.settings
    checks = [
        Check(
            phase.starts is not None,
            "It has a start",
            "set `starts`, or it is open from the beginning",
        ),
        Check(phase.ends is not None, "It has an end", "set `ends`, or close it on the page Organisers"),
    ]
    for track in settings.tracks:
        texts = settings.texts_of(track.name, phase.name)
        checks.append(
            Check(
                texts == phase.name or len(settings.phases) == 1,
                f"{track.title or track.name} has texts of its own",
                f"the texts of {texts} are used, on which teams have been scored already",
            )
        )
        table, results, teams = schema.submissions, schema.results, schema.teams
        baselines = connection.scalar(
            sa.select(sa.func.count(sa.distinct(table.c.team)))
            .join(results, results.c.submission == table.c.id)
            .join(teams, teams.c.id == table.c.team)
            .where(teams.c.kind == "baseline", table.c.track == track.name, table.c.phase == phase.name)
        )
        checks.append(
            Check(
                (baselines or 0) >= len(track.baselines),
                f"{track.title or track.name}: {baselines} of {len(track.baselines)} baselines are scored",
                "wait for the workers, or look for failed jobs on the page Submissions",
            )
        )
    return checks
