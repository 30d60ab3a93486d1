"""The pages of teams: sign-up, the team with its submissions, and one submission."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.http.security import RateLimit
from errata_server.app import App, json_of
from errata_server.application_store import Row
from errata_server.sessions import Subject
from errata_server.task import submissions, teams
from errata_server.task import task_tables as schema
from errata_server.task.api import submission_view
from errata_server.task.leaderboards import Boards, counting, scored
from errata_server.task.task_store import TaskStore


class TeamPages:
    """What members of a team see."""

    def __init__(self, store: TaskStore, app: App, boards: Boards) -> None:
        self.store = store
        self.app = app
        self.boards = boards
        self._sign_ups = RateLimit(per_second=0.02, burst=20)

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/sign-up", self.sign_up_page),
            Route("/sign-up", self.sign_up, methods=["POST"]),
            Route("/team", self.home),
            Route("/team/act", self.act, methods=["POST"]),
            Route("/team/submissions/{uid}", self.submission),
        ]

    async def _invited(self, request: Request) -> Row | None:
        """The invitation in the link of a request."""
        if self.app.cookie_of("invited") not in request.cookies:
            return None
        try:
            number = (await self.app.subject(request, "invited")).number
            return await self.app.read(lambda c: teams.invitation(c, number))
        except HTTPException:
            return None

    async def sign_up_page(self, request: Request) -> Response:
        invited = await self._invited(request)
        team = None
        if invited is not None and invited.team is not None:
            team = (await self.app.read(lambda c: teams.team_row(c, invited.team))).name
        closed = invited is None and self.store.settings.sign_up != "approval"
        return self.app.page("sign_up.html", invited=invited, team=team, closed=closed)

    async def sign_up(self, request: Request) -> Response:
        """A new team or member; the answer has the secret link, which is shown once."""
        post = await json_of(request)
        invited = await self._invited(request)
        if invited is None and not self._sign_ups.allows(self.app.client(request)):
            raise HTTPException(429, "too many sign-ups from here", headers={"Retry-After": "60"})

        number, token = await self.app.write(
            lambda c: teams.sign_up(self.store, c, post, invited and invited.id)
        )
        response = JSONResponse({"link": self.app.link(request, token), "token": token}, 201)
        self.app.set_session(request, response, Subject("member", number))
        return response

    async def home(self, request: Request) -> Response:
        member = await self.app.subject_if_any(request, "member")
        return await self._home(request, member.number) if member else RedirectResponse("/enter", 303)

    async def _home(self, request: Request, member: int, **others: Any) -> Response:
        values = await self.app.read(lambda c: self._gather(c, member))
        return self.app.page("team.html", settings=self.store.settings, **values, **others)

    def _gather(self, connection: sa.Connection, member: int) -> dict[str, Any]:
        store = self.store
        me = teams.member_row(connection, member)
        rows = submissions.of_team(connection, me.team)
        states = store.phase_states(connection)
        final = self._finals(connection, me.team, {(row.track, row.phase) for row in rows})
        people = schema.members
        return {
            "me": me,
            "members": connection.execute(sa.select(people).where(people.c.team == me.team)).all(),
            "states": states,
            "left": {
                (track.name, phase): submissions.submissions_left(
                    store, connection, me.team, track.name, phase
                )
                for track in store.settings.tracks
                for phase, state in states.items()
                if state == "open"
            },
            "rows": [
                submission_view(store, self.boards, connection, row) | {"final": row.id in final}
                for row in rows
            ],
        }

    def _finals(self, connection: sa.Connection, team: int, places: set[tuple[str, str]]) -> set[int]:
        """The submissions of a team that count."""
        counted = set()
        for track, phase in places:
            rows = scored(connection, track, phase)
            mine = {team: rows[team]} if team in rows else {}
            counted |= {row.id for row in counting(connection, track, phase, mine, None).values()}
        return counted

    async def act(self, request: Request) -> Response:
        """One of the buttons: invite, withdraw the team, a new link, a final submission, a withdrawal."""
        member = (await self.app.subject(request, "member")).number
        token = await self.app.act(request, lambda c, post: self._act(c, member, post))
        if token is None:
            return RedirectResponse("/team", 303)
        return await self._home(request, member, link=self.app.link(request, token))

    def _act(self, connection: sa.Connection, member: int, post: dict[str, str]) -> str | None:
        store, me, action = self.store, teams.member_row(connection, member), post.get("action", "")
        actor = f"{me.team_name}: {me.name}"
        if action == "invite":
            return teams.invite(store, connection, actor, me.team)
        if action == "choose":
            submissions.choose(store, connection, member, post.get("uid", ""))
        elif action == "withdraw":
            submissions.withdraw(store, connection, member, post.get("uid", ""))
        elif action == "leave-task":
            teams.set_team(store, connection, me.team, "withdrawn", actor)
            submissions.queue_boards(store, connection)
        else:
            raise HTTPException(400, "there is no such action")
        return None

    async def submission(self, request: Request) -> Response:
        member, uid = (await self.app.subject(request, "member")).number, request.path_params["uid"]

        def gather(connection: sa.Connection) -> dict[str, Any]:
            row = submissions.owned(connection, member, uid)
            return submission_view(self.store, self.boards, connection, row)

        view = await self.app.read(gather)
        phase = self.store.settings.phase(view["phase"])
        return self.app.page("submission.html", view=view, sentences=phase.sentences)
