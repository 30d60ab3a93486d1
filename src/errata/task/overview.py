"""Tables of how a task stands: phases, teams, the queue, and the leaderboards."""

from __future__ import annotations

import sqlalchemy as sa

from errata.tables import Cell, Column, Estimate, Table
from errata.task import schema
from errata.task.board import Boards, Viewer
from errata.task.store import Store


def tables(store: Store, connection: sa.Connection) -> list[Table]:
    """Phases, teams, and a leaderboard per track and phase, as the organisers see them."""
    return [
        _phases(store, connection),
        _teams(connection),
        *(
            board_table(store, connection, track.name, phase.name)
            for phase in store.settings.phases
            for track in store.settings.tracks
        ),
    ]


def _phases(store: Store, connection: sa.Connection) -> Table:
    states = store.phase_states(connection)
    jobs = schema.jobs
    scoring = sa.select(jobs.c.state, sa.func.count()).where(jobs.c.submission.is_not(None))
    queue = {row[0]: row[1] for row in connection.execute(scoring.group_by(jobs.c.state))}
    rows: list[list[Cell]] = [
        [phase.name, states[phase.name], phase.starts, phase.ends, phase.shows, phase.after]
        for phase in store.settings.phases
    ]
    columns = [Column(name) for name in ("phase", "state", "starts", "ends", "shows", "then")]
    counts = ", ".join(f"{count} {state}" for state, count in sorted(queue.items())) or "nothing yet"
    notes = [f"{store.name} is {store.state(connection)}; submissions: {counts}"]
    return Table(columns, [*rows], title="phases", notes=notes)


def _teams(connection: sa.Connection) -> Table:
    teams, sent = schema.teams, schema.submissions
    count = sa.select(sa.func.count()).where(sent.c.team == teams.c.id, sent.c.digest.is_not(None))
    query = sa.select(teams, count.scalar_subquery().label("sent")).where(teams.c.kind == "team")
    rows: list[list[Cell]] = [
        [row.name, row.alias, row.state, row.affiliation, row.sent]
        for row in connection.execute(query.order_by(teams.c.id))
    ]
    names = ("team", "shown as", "state", "affiliation", "submissions")
    return Table([Column(name) for name in names], [*rows], title="teams")


def board_table(store: Store, connection: sa.Connection, track: str, phase: str) -> Table:
    """A leaderboard with intervals and clusters."""
    board = Boards(store).board(connection, track, phase, Viewer(staff=True))
    columns = [Column("rank"), Column("team")]
    for metric in board["metrics"]:
        columns += [Column(metric["name"], metric["decimals"]), Column("cluster")]
    rows: list[list[Cell]] = []
    for row in board["rows"]:
        cells: list[Cell] = [row["rank"], row["team"]]
        for score in row["scores"]:
            cells += [Estimate(score["value"], score["low"], score["high"]), score["cluster"]]
        rows.append(cells)
    notes = [f"{metric['name']} = {metric['signature']}" for metric in board["metrics"]]
    return Table(columns, [*rows], title=f"{track}, {phase}", notes=notes)
