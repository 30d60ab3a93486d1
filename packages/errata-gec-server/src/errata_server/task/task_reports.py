"""The archive of a task, with everything to recompute its results, and the tables of an overview paper."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from errata import __version__
from errata.corpus.atomic_write import new_folder, write_bytes
from errata.tables import Column, Table
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.export_judgments import export as export_judgments
from errata_server.page_templates import Templates
from errata_server.task import task_tables as schema
from errata_server.task.archives import output_suffix
from errata_server.task.board_tables import board_table, group_tables, people_tables, type_tables
from errata_server.task.check_submission import SOURCE
from errata_server.task.human_ranking import finals, system_names
from errata_server.task.leaderboards import Boards, Viewer
from errata_server.task.submissions import WITH_STATE, state_of
from errata_server.task.task_store import TaskStore


def export_task(
    store: TaskStore,
    folder: str | os.PathLike[str],
    *,
    gold: bool = True,
    latex: bool = True,
    page: bool = True,
    campaigns: Sequence[str] = (),
) -> list[str]:
    """Write the archive to a folder, which appears only when complete; returns the names of its files."""
    with new_folder(folder) as target:
        with store.read() as connection:
            _archive(store, connection, target, gold)
            tables = list(overview_tables(store, connection))
        for number, place in enumerate(campaigns, 1):
            path = target / "judgments" / f"campaign-{number}.jsonl"
            path.parent.mkdir(exist_ok=True)
            with CampaignStore.open(place) as campaign, path.open("w", encoding="utf-8") as file:
                export_judgments(campaign, file, "jsonl")
        for name, table in tables:
            write_bytes(target / "tables" / f"{name}.tsv", table.render("tsv").encode())
            if latex:
                write_bytes(target / "tables" / f"{name}.tex", table.render("latex").encode())
        if page:
            (target / "overview.html").write_text(overview_page(store, tables), encoding="utf-8")
        (target / "README.md").write_text(_readme(store, gold), encoding="utf-8")
        target.chmod(0o755 if not gold else 0o700)
    return sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file())


def overview_tables(store: TaskStore, connection: sa.Connection) -> Iterator[tuple[str, Table]]:
    """Participants, and for every track and phase the results, people's ranking, groups, and error types."""
    yield "participants", _team_table(connection)
    boards = Boards(store)
    for track in store.settings.tracks:
        for phase in store.settings.phases:
            where = f"{track.name}-{phase.name}"
            board = boards.board(connection, track.name, phase.name, Viewer(staff=True))
            yield f"results-{where}", board_table(board)
            for name, table in zip(("people", "correlations"), people_tables(board), strict=False):
                yield f"{name}-{where}", table
            for name, tables in (("groups", group_tables(board)), ("types", type_tables(board))):
                for number, table in enumerate(tables, 1):
                    yield f"{name}-{where}-{number}", table


def _archive(store: TaskStore, connection: sa.Connection, folder: Path, gold: bool) -> None:
    settings = store.settings
    (folder / "task.json").write_text(_pretty(json.loads(settings.to_json())), encoding="utf-8")
    for row in connection.execute(sa.select(schema.sources)):
        write_bytes(folder / "texts" / row.track / row.phase / SOURCE[row.kind], row.content)
    if gold:
        for row in connection.execute(sa.select(schema.texts)):
            write_bytes(
                folder / "texts" / row.track / row.phase / f"{row.role}-{row.id}" / row.name, row.content
            )
    with (folder / "log.jsonl").open("w", encoding="utf-8") as file:
        for row in connection.execute(sa.select(schema.events).order_by(schema.events.c.id)):
            line = {"time": row.time, "actor": row.actor, "action": row.action, **json.loads(row.details)}
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    _submissions(connection, folder)
    boards = Boards(store)
    for track in settings.tracks:
        for phase in settings.phases:
            board = boards.board(connection, track.name, phase.name, Viewer(staff=True))
            write_bytes(folder / "boards" / f"{track.name}-{phase.name}.json", _pretty(board).encode())
            for final in finals(store, connection, track.name, phase.name):
                place = folder / "final" / track.name / phase.name
                write_bytes(place / f"{final.system}{output_suffix(final.name)}", final.content)
                write_bytes(place / f"{final.system}.npz", final.statistics)


def _submissions(connection: sa.Connection, folder: Path) -> None:
    """Write every accepted file, and a line about every submission."""
    teams = connection.execute(sa.select(schema.teams).order_by(schema.teams.c.id)).all()
    named = dict(zip([row.id for row in teams], system_names([row.name for row in teams]), strict=True))
    with (folder / "submissions.jsonl").open("w", encoding="utf-8") as file:
        for row in connection.execute(WITH_STATE.order_by(schema.submissions.c.id)).all():
            path = None
            if row.digest is not None:
                path = f"submissions/{named[row.team]}/{row.id:06}-{row.uid}{output_suffix(row.name)}"
                content = sa.select(schema.files.c.content).where(schema.files.c.digest == row.digest)
                write_bytes(folder / path, connection.execute(content).scalar_one())
            line = {
                "uid": row.uid, "team": named[row.team], "track": row.track, "phase": row.phase,
                "time": row.created, "state": state_of(row), "file": path, "name": row.name,
                "sha256": row.digest,
                "note": row.note, "findings": json.loads(row.findings),
                "scores": None if row.scores is None else json.loads(row.scores),
            }  # fmt: skip
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


def overview_page(store: TaskStore, tables: Sequence[tuple[str, Table]]) -> str:
    """All tables on one page, as on the pages of `errata leaderboard`."""
    from errata.report.page import render_page
    from errata.report.report_data import tables_data, tables_page

    sections = [
        tables_data(name, table.title, [table], shaded=name.startswith(("groups-", "types-")))
        for name, table in tables
    ]
    return render_page(tables_page(store.name, sections, "errata task export"))


def _readme(store: TaskStore, gold: bool) -> str:
    track, phase = store.settings.tracks[0], store.settings.phases[-1].name
    texts = f"texts/{track.name}/{store.settings.texts_of(track.name, phase)}"
    values: dict[str, Any] = {
        "gold": gold,
        "track": track,
        "phase": phase,
        "texts": texts,
        "version": __version__,
    }
    return Templates("errata_server.task", site=store.name).render("archive_readme.md", **values)


def tables(store: TaskStore, connection: sa.Connection) -> list[Table]:
    """Phases, teams, and a leaderboard per track and phase, as the organisers see them."""
    boards = Boards(store)
    results = [
        board_table(boards.board(connection, track.name, phase.name, Viewer(staff=True)))
        for phase in store.settings.phases
        for track in store.settings.tracks
    ]
    return [_phases(store, connection), _team_table(connection), *results]


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


def _team_table(connection: sa.Connection) -> Table:
    teams, sent = schema.teams, schema.submissions
    count = sa.select(sa.func.count()).where(sent.c.team == teams.c.id, sent.c.digest.is_not(None))
    query = sa.select(teams, count.scalar_subquery().label("sent")).where(teams.c.kind == "team")
    rows = [
        (row.name, row.alias, row.state, row.affiliation, row.sent)
        for row in connection.execute(query.order_by(teams.c.id))
    ]
    names = ("team", "shown as", "state", "affiliation", "submissions")
    return Table([Column(name) for name in names], rows, title="teams")
