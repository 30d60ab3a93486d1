"""Tables of how a task stands: phases, teams, the queue, and the leaderboards."""

from __future__ import annotations

import sqlalchemy as sa

from errata.tables import Cell, Column, Estimate, Table
from errata_server.task import task_tables as schema
from errata_server.task.leaderboard_page import types_of
from errata_server.task.leaderboards import Boards, Viewer
from errata_server.task.task_store import TaskStore


def tables(store: TaskStore, connection: sa.Connection) -> list[Table]:
    """Phases, teams, and a leaderboard per track and phase, as the organisers see them."""
    return [
        _phases(store, connection),
        team_table(connection),
        *(
            board_table(store, connection, track.name, phase.name)
            for phase in store.settings.phases
            for track in store.settings.tracks
        ),
    ]


def _phases(store: TaskStore, connection: sa.Connection) -> Table:
    states = store.phase_states(connection)
    jobs = schema.jobs
    scoring = sa.select(jobs.c.state, sa.func.count()).where(jobs.c.submission.is_not(None))
    queue = {row[0]: row[1] for row in connection.execute(scoring.group_by(jobs.c.state))}
    rows = [
        (phase.name, states[phase.name], phase.starts, phase.ends, phase.shows, phase.after)
        for phase in store.settings.phases
    ]
    columns = [Column(name) for name in ("phase", "state", "starts", "ends", "shows", "then")]
    counts = ", ".join(f"{count} {state}" for state, count in sorted(queue.items())) or "nothing yet"
    notes = [f"{store.name} is {store.state(connection)}; submissions: {counts}"]
    return Table(columns, rows, title="phases", notes=notes)


def team_table(connection: sa.Connection) -> Table:
    teams, sent = schema.teams, schema.submissions
    count = sa.select(sa.func.count()).where(sent.c.team == teams.c.id, sent.c.digest.is_not(None))
    query = sa.select(teams, count.scalar_subquery().label("sent")).where(teams.c.kind == "team")
    rows = [
        (row.name, row.alias, row.state, row.affiliation, row.sent)
        for row in connection.execute(query.order_by(teams.c.id))
    ]
    names = ("team", "shown as", "state", "affiliation", "submissions")
    return Table([Column(name) for name in names], rows, title="teams")


def board_table(store: TaskStore, connection: sa.Connection, track: str, phase: str) -> Table:
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
    first = [row["scores"][0]["cluster"] for row in board["rows"]]
    rules = frozenset(k for k in range(1, len(first)) if None not in first and first[k] != first[k - 1])
    notes = [f"{metric['name']} = {metric['signature']}" for metric in board["metrics"]]
    return Table(columns, rows, title=f"{track}, {phase}", notes=notes, rules=rules)


def people_tables(store: TaskStore, connection: sa.Connection, track: str, phase: str) -> list[Table]:
    """People's ranking of the final submissions, and how well every metric agrees with it."""
    board = Boards(store).board(connection, track, phase, Viewer(staff=True))
    people = board["people"]
    if people is None:
        return []
    judged = sorted((row for row in board["rows"] if row["people"]), key=lambda row: -row["people"]["score"])
    rows, rules = [], set()
    for place, row in enumerate(judged):
        found = row["people"]
        span = f"{found['best']}–{found['worst']}" if found["best"] != found["worst"] else str(found["best"])
        new = not place or judged[place - 1]["people"]["cluster"] != found["cluster"]
        rules |= {place} if place and new else set()
        rows.append((found["cluster"] if new else "", found["score"], span, row["team"]))
    columns = [Column("#"), Column("score", 3), Column("range"), Column("team")]
    note = f"{people['method']}, {people['items']} judgments by {people['judges']} judges"
    ranking = Table(columns, rows, title=f"people, {track}, {phase}", notes=[note], rules=frozenset(rules))
    fits = [
        (fit["name"], *(Estimate(*fit[kind]) if fit[kind] else None for kind in ("pearson", "spearman")))
        for fit in people["metrics"]
    ]
    names = [Column("metric"), Column("Pearson", 3), Column("Spearman", 3)]
    title = f"correlation with people over {len(judged)} systems, {track}, {phase}"
    return [ranking, Table(names, fits, title=title)]


def type_tables(store: TaskStore, connection: sa.Connection, track: str, phase: str) -> list[Table]:
    """The scores per error type of every team, for each metric that knows types."""
    board = Boards(store).board(connection, track, phase, Viewer(staff=True))
    made = []
    for found in types_of(board):
        decimals = next(m["decimals"] for m in board["metrics"] if m["name"] == found["metric"])
        columns = [Column("team"), *(Column(name, decimals) for name, _ in found["names"])]
        rows = [(row["team"], *values) for row, values in found["values"]]
        counts = ", ".join(f"{name} {count}" for name, count in found["names"])
        title = f"{found['metric']} by error type, {track}, {phase}"
        made.append(Table(columns, rows, title=title, notes=[f"gold edits: {counts}"]))
    return made
