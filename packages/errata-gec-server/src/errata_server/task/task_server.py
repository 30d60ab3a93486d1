"""The web server of a task: public pages, the teams' pages and API, and the organisers' pages."""

from __future__ import annotations

from functools import partial

import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from errata.errors import DataError
from errata_server.app import App
from errata_server.page_templates import to_html
from errata_server.task.board_tables import group_tables, people_tables, type_tables
from errata_server.task.leaderboards import Boards, Viewer, chart, plotted
from errata_server.task.task_admin import TaskAdmin
from errata_server.task.task_store import TaskStore
from errata_server.task.team_pages import TeamPages
from errata_server.task.teams import member_row
from errata_server.task.worker import Workers


class TaskServer:
    """One task being served, with worker processes of its own."""

    def __init__(self, store: TaskStore, *, workers: int = 1, secure: bool = False) -> None:
        self.store = store
        self.app = App(store, "errata_server.task", secure=secure, programs=True)
        self.boards = Boards(store)
        self.workers = Workers(store.database.place, workers)
        self.teams = TeamPages(store, self.app, self.boards)
        self.admin = TaskAdmin(store, self.app)

    async def viewer(self, request: Request) -> Viewer:
        """Who looks at a page that is not for one role alone."""
        for role in ("staff", "member"):
            if self.app.cookie_of(role) not in request.cookies and "authorization" not in request.headers:
                continue
            try:
                number = (await self.app.subject(request, role)).number
            except HTTPException as error:
                if error.status_code not in (401, 403):
                    raise
                continue
            if role == "staff":
                return Viewer(staff=True)
            return Viewer(team=await self.app.read(partial(_team_of, number=number)))
        return Viewer()

    async def home(self, request: Request) -> Response:
        viewer = await self.viewer(request)
        states = await self.app.read(self.store.phase_states)
        settings = self.store.settings
        return self.app.page(
            "home.html", settings=settings, states=states, description=to_html(settings.description),
            viewer=viewer,
        )  # fmt: skip

    async def board(self, request: Request) -> Response:
        viewer = await self.viewer(request)
        track, phase = self._place(request)
        board = await self.app.read(lambda c: self.boards.board(c, track, phase, viewer))
        return self.app.page(
            "board.html",
            settings=self.store.settings,
            board=board,
            viewer=viewer,
            chart=chart,
            plotted=plotted,
            correlations=people_tables(board)[1:],
            parts=[*group_tables(board), *type_tables(board)],
        )

    async def board_data(self, request: Request) -> Response:
        viewer = await self.viewer(request)
        track, phase = self._place(request)
        return JSONResponse(await self.app.read(lambda c: self.boards.board(c, track, phase, viewer)))

    def _place(self, request: Request) -> tuple[str, str]:
        track, phase = request.path_params["track"], request.path_params["phase"]
        try:
            self.store.settings.track(track), self.store.settings.phase(phase)
        except DataError as error:
            raise HTTPException(404, error.message) from None
        return track, phase

    async def task_data(self, request: Request) -> Response:
        """Public data about the task."""
        states = await self.app.read(self.store.phase_states)
        settings = self.store.settings
        tracks = [
            {"name": t.name, "title": t.title, "language": t.language, "style": t.style, "metrics": t.metrics}
            for t in settings.tracks
        ]
        phases = [
            {"name": p.name, "title": p.title, "state": states[p.name], "starts": p.starts, "ends": p.ends,
             "per_day": p.per_day, "in_all": p.in_all}
            for p in settings.phases
        ]  # fmt: skip
        return JSONResponse({"name": settings.name, "tracks": tracks, "phases": phases})

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.home),
            Route("/board/{track}/{phase}", self.board),
            Route("/api/task", self.task_data),
            Route("/api/board/{track}/{phase}", self.board_data),
            *self.teams.routes(),
            *self.admin.routes(),
        ]

    def application(self) -> Starlette:
        largest = self.store.settings.most_bytes
        return self.app.application(
            self.routes(), begin=self.workers.start, end=self.workers.stop,
            uploads={"/api/submissions": largest},
        )  # fmt: skip


def _team_of(connection: sa.Connection, number: int) -> int | None:
    """The team of a member, if it is active; other members are treated like the public."""
    row = member_row(connection, number)
    return int(row.team) if row.team_state == "active" else None


def application(store: TaskStore, *, workers: int = 1, secure: bool = False) -> Starlette:
    """The ASGI application of a task."""
    return TaskServer(store, workers=workers, secure=secure).application()
