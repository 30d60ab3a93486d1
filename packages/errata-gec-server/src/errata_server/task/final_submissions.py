"""The submissions that count at the end, under names that every format of judgments can hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from errata.metrics.results import Results
from errata_server.task import task_tables as schema
from errata_server.task.leaderboards import counting, scored
from errata_server.task.scoring import loaded
from errata_server.task.task_store import TaskStore


@dataclass(frozen=True)
class Final:
    """The submission of one team that counts."""

    number: int
    uid: str
    team: str
    system: str  # the team's name without blanks and the like
    baseline: bool
    name: str  # of the file
    content: bytes
    statistics: bytes


def finals(store: TaskStore, connection: sa.Connection, track: str, phase: str) -> list[Final]:
    """What counts in a track and a phase, in the order of the teams; baselines come last."""
    store.settings.track(track)
    store.settings.phase(phase)
    final = counting(connection, track, phase, scored(connection, track, phase), None)
    table, files, results, teams = schema.submissions, schema.files, schema.results, schema.teams
    query = (
        sa.select(table.c.id, table.c.uid, table.c.name, files.c.content, results.c.statistics)
        .add_columns(teams.c.name.label("team"), teams.c.kind)
        .join(files, files.c.digest == table.c.digest)
        .join(results, results.c.submission == table.c.id)
        .join(teams, teams.c.id == table.c.team)
        .where(table.c.id.in_([row.id for row in final.values()]))
        .order_by(teams.c.kind == "baseline", teams.c.id)
    )
    rows = connection.execute(query).all()
    systems = system_names([row.team for row in rows])
    return [
        Final(
            row.id, row.uid, row.team, system, row.kind == "baseline", row.name, row.content, row.statistics
        )
        for row, system in zip(rows, systems, strict=True)
    ]


def system_names(teams: Sequence[str]) -> list[str]:
    """Names for files and formats: letters, digits, dots and hyphens; no two are the same."""
    names: list[str] = []
    taken: set[str] = set()
    for team in teams:
        plain = re.sub(r"[^\w.-]+", "_", team).strip("._") or "team"
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.casefold())
        names.append(name)
    return names


def joined(found: Sequence[Final]) -> Results:
    """The results of the final submissions, by the names of the systems."""
    return Results.joined([loaded(final.statistics, final.system) for final in found])
