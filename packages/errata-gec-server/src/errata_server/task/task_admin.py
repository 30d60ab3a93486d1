"""The organisers' pages: teams, phases, submissions, the queue and the log."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.errors import DataError
from errata_server.app import App
from errata_server.application_store import Row
from errata_server.sessions import Subject
from errata_server.task import submissions, teams
from errata_server.task import task_tables as schema
from errata_server.task.checklist import phase_checks, task_checks
from errata_server.task.task_reports import overview_page, overview_tables
from errata_server.task.task_store import EVENTS, ROLES, TaskStore
from errata_server.validation import read_whole

_PAGE = 100  # submissions or events on a page


class TaskAdmin:
    """The pages of owners, organisers and observers. Observers only read; owners also choose the staff."""

    def __init__(self, store: TaskStore, app: App) -> None:
        self.store = store
        self.app = app

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/admin", self.home),
            Route("/admin/act", self.act, methods=["POST"]),
            Route("/admin/submissions", self.submissions),
            Route("/admin/checklist", self.checklist),
            Route("/admin/log", self.log),
            Route("/admin/overview.html", self.overview),
        ]

    async def _me(self, request: Request) -> Row:
        number = (await self.app.subject(request, "staff")).number
        me = await self.app.read(lambda c: _person(c, number))
        if me is None:
            raise HTTPException(401, "sign in with your link")
        return me

    async def home(self, request: Request) -> Response:
        return await self._home(request, await self._me(request))

    async def _home(self, request: Request, me: Row, **others: Any) -> Response:
        values = await self.app.read(self._gather)
        return self.app.page(
            "admin.html", me=me, settings=self.store.settings, roles=ROLES, **values, **others
        )

    def _gather(self, connection: sa.Connection) -> dict[str, Any]:
        table, jobs, sent = schema.teams, schema.jobs, schema.submissions
        counts = connection.execute(sa.select(sent.c.team, sa.func.count()).group_by(sent.c.team))
        scoring = sa.select(jobs.c.state, sa.func.count()).where(jobs.c.submission.is_not(None))
        people = schema.members
        return {
            "state": self.store.state(connection),
            "states": self.store.phase_states(connection),
            "decided": {row.name: row.state for row in connection.execute(sa.select(schema.phases))},
            "teams": connection.execute(
                sa.select(table)
                .where(table.c.kind == "team")
                .order_by(table.c.state != "waiting", table.c.id)
            ).all(),
            "members": connection.execute(
                sa.select(people, table.c.name.label("team_name"))
                .join(table, table.c.id == people.c.team)
                .order_by(people.c.id)
            ).all(),
            "counts": {row[0]: row[1] for row in counts},
            "queue": {row[0]: row[1] for row in connection.execute(scoring.group_by(jobs.c.state))},
            "staff": connection.execute(sa.select(schema.staff).order_by(schema.staff.c.id)).all(),
            "same": _same_files(connection),
        }

    async def act(self, request: Request) -> Response:
        """Run the action of a button; show the page again, with the new link if there is one."""
        me = await self._me(request)
        token = await self.app.act(request, lambda c, post: self._act(c, me.id, post))
        if token is None:
            return RedirectResponse("/admin", 303)
        return await self._home(request, me, link=self.app.link(request, token))

    def _act(self, connection: sa.Connection, number: int, post: dict[str, str]) -> str | None:
        store, action = self.store, post.get("action", "")
        me = _person(connection, number)
        if me is None or me.role == "observer":
            raise HTTPException(403, "observers cannot change anything")
        actor = f"{me.role}: {me.name}"
        if action == "phase":
            store.set_phase(connection, post.get("phase", ""), post.get("state", ""), actor)
        elif action == "team":
            teams.set_team(store, connection, _number(post, "team"), post.get("state", ""), actor)
            submissions.queue_boards(store, connection)
        elif action == "invite":
            return teams.invite(store, connection, actor)
        elif action == "member-link":
            return teams.new_link(store, connection, _number(post, "member"), actor)
        elif action == "again":
            submissions.score_again(store, connection, _number(post, "submission"), actor)
        elif me.role != "owner":
            raise HTTPException(403, "only owners can do this")
        else:
            return self._act_as_owner(connection, actor, post)
        return None

    def _act_as_owner(self, connection: sa.Connection, actor: str, post: dict[str, str]) -> str | None:
        store, action = self.store, post.get("action", "")
        if action in ("open", "closed"):
            store.set_state(connection, action, actor)
            return None
        if action == "staff":
            name = " ".join(post.get("name", "").split())[:80]
            if not name or not name.isprintable():
                raise DataError("a name is missing")
            return store.add_staff(connection, name, post.get("role", ""), actor)
        person = _person(connection, _number(post, "person"))
        if person is None:
            raise DataError("there is no such person")
        if action not in ("staff-link", "staff-remove"):
            raise DataError("there is no such action")
        if action == "staff-remove" and person.role == "owner":
            raise DataError("an owner cannot be removed")
        store.log(connection, actor, action, name=person.name, role=person.role)
        if action == "staff-link":
            return store.new_link(connection, Subject("staff", person.id))
        store.end_sessions(connection, Subject("staff", person.id), token_hash=None)
        return None

    async def submissions(self, request: Request) -> Response:
        """All submissions, the latest first, with their problems."""
        me = await self._me(request)
        page = read_whole(request.query_params.get("page", ""), 10**6 - 1) or 1
        table, people = schema.submissions, schema.teams

        def gather(connection: sa.Connection) -> list[dict[str, Any]]:
            query = submissions.WITH_STATE.order_by(table.c.id.desc())
            rows = connection.execute(query.limit(_PAGE).offset((page - 1) * _PAGE)).all()
            names = {row.id: row.name for row in connection.execute(sa.select(people.c.id, people.c.name))}
            return [
                {"row": row, "team": names[row.team], "state": submissions.state_of(row),
                 "reasons": [] if row.digest else json.loads(row.findings)[:1],
                 "scores": None if row.scores is None else json.loads(row.scores)["metrics"]}
                for row in rows
            ]  # fmt: skip

        listed = await self.app.report(gather)
        return self.app.page("admin_submissions.html", me=me, listed=listed, page=page, most=_PAGE)

    async def checklist(self, request: Request) -> Response:
        """What is still missing before a phase opens."""
        me = await self._me(request)
        store = self.store

        def gather(connection: sa.Connection) -> dict[str, Any]:
            task, states = task_checks(store, connection), store.phase_states(connection)
            phases = [
                (phase, states[phase.name], phase_checks(store, connection, phase))
                for phase in store.settings.phases
            ]
            every = [*task, *(check for *_, checks in phases for check in checks)]
            return {"task": task, "phases": phases, "missing": sum(not check.done for check in every)}

        return self.app.page("admin_checklist.html", me=me, **await self.app.report(gather))

    async def overview(self, request: Request) -> Response:
        """The tables of the overview paper as one file."""
        await self._me(request)
        store = self.store
        text = await self.app.report(lambda c: overview_page(store, list(overview_tables(store, c))))
        headers = {"Content-Disposition": 'attachment; filename="overview.html"'}
        return Response(text, media_type="text/html", headers=headers)

    async def log(self, request: Request) -> Response:
        me = await self._me(request)
        page = read_whole(request.query_params.get("page", ""), 10**6 - 1) or 1
        events = await self.app.report(lambda c: self.store.events(c, page))
        return self.app.page("admin_log.html", me=me, events=events, page=page, most=EVENTS)


def _person(connection: sa.Connection, number: int) -> Row | None:
    table = schema.staff
    query = sa.select(table).where(table.c.id == number, table.c.token_hash.is_not(None))
    return connection.execute(query).first()


def _same_files(connection: sa.Connection) -> list[list[str]]:
    """Groups of teams that sent the same file."""
    table, people = schema.submissions, schema.teams
    query = (
        sa.select(table.c.digest, people.c.name)
        .join(people, people.c.id == table.c.team)
        .where(people.c.kind == "team", table.c.digest.is_not(None))
        .distinct()
    )
    teams_of: dict[str, list[str]] = {}
    for digest, name in connection.execute(query):
        teams_of.setdefault(digest, []).append(name)
    return sorted(
        {tuple(sorted(names)): list(names) for names in teams_of.values() if len(names) > 1}.values()
    )


def _number(post: dict[str, str], name: str) -> int:
    number = read_whole(post.get(name, ""), 10**9 - 1)
    if number is None:
        raise DataError(f"{name} is a number")
    return number
