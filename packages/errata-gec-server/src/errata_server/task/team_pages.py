"""The pages and the API of teams: sign-up, the team, and its submissions."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import anyio
import sqlalchemy as sa
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from errata.errors import DataError
from errata.http.asgi import RateLimit, TooLargeError, TooSlowError
from errata_server.app import App, json_of
from errata_server.application_store import Row
from errata_server.sandbox import LimitError, Limits, own_user
from errata_server.sessions import Session, Subject
from errata_server.task import submissions, teams
from errata_server.task import task_tables as schema
from errata_server.task.check_submission import Checked, Source, check_submission
from errata_server.task.leaderboards import (
    Boards,
    Viewer,
    chart,
    counting,
    hides_ranking,
    scored,
    shown,
    visible_scores,
)
from errata_server.task.scoring import sentence_scores
from errata_server.task.task_store import TaskStore
from errata_server.task.teams import member_row
from errata_server.validation import read_whole

_CHECK = Limits(seconds=30, memory=2 << 30, network=False, user=own_user())
_CHECKERS = 4  # at once
_MOST_UPLOADS, _UPLOADS_OF_TEAM = 16, 2  # at once: each is held in memory
_WAITING_OF_TEAM = 8  # uploads that are not read yet
_SENTENCES = 200  # on a page of sentence scores


class TeamPages:
    """The pages of a team, and the requests of its pages and programs about submissions."""

    def __init__(self, store: TaskStore, app: App, boards: Boards) -> None:
        self.store = store
        self.app = app
        self.boards = boards
        self._sources: dict[tuple[str, str], Source] = {}
        self._uploads = 0
        self._slots: dict[int, anyio.CapacityLimiter] = {}  # by team
        self._checkers = anyio.CapacityLimiter(_CHECKERS)
        self._rate = RateLimit(per_second=0.5, burst=20)
        self._sign_ups = RateLimit(per_second=0.02, burst=20)

    def routes(self) -> list[BaseRoute]:
        one = "/api/submissions/{uid}"
        return [
            Route("/sign-up", self.sign_up_page),
            Route("/sign-up", self.sign_up, methods=["POST"]),
            Route("/team", self.home),
            Route("/team/act", self.act, methods=["POST"]),
            Route("/team/submissions/{uid}", self.submission),
            Route("/api/submissions", self.submit, methods=["POST"]),
            Route("/api/submissions", self.all),
            Route(one, self.one),
            Route(f"{one}/file", self.file),
            Route(f"{one}/sentences", self.sentences),
            Route(f"{one}/choose", self.choose, methods=["POST"]),
            Route(f"{one}/withdraw", self.withdraw, methods=["POST"]),
            Route("/sources/{track}/{phase}", self.source),
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
        """A new team or member; the response has the secret link, which is shown once."""
        post = await json_of(request)
        invited = await self._invited(request)
        if invited is None and not self._sign_ups.allows(self.app.client(request)):
            raise HTTPException(429, "too many sign-ups from here", headers={"Retry-After": "60"})

        number, token = await self.app.write(
            lambda c: teams.sign_up(self.store, c, post, invited and invited.id)
        )
        response = JSONResponse({"link": self.app.link(request, token), "token": token}, 201)
        self.app.set_session(request, response, Session(Subject("member", number)))
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
        views = [self._view(connection, row) | {"final": row.id in final} for row in rows]
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
            "rows": views,
            "histories": _histories(views),
            "chart": chart,
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
        """Run the action of a button, such as an invitation or a withdrawal."""
        member = await self._changing_member(request)
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
            if me.team_state not in ("waiting", "active"):
                raise HTTPException(409, f"your team is {me.team_state} already")
            teams.set_team(store, connection, me.team, "withdrawn", actor)
            submissions.queue_boards(store, connection)
        else:
            raise HTTPException(400, "there is no such action")
        return None

    async def submission(self, request: Request) -> Response:
        member, uid = await self._member(request), request.path_params["uid"]
        view = await self.app.read(lambda c: self._view(c, submissions.owned(c, member, uid)))
        phase = self.store.settings.phase(view["phase"])
        return self.app.page("submission.html", view=view, sentences=phase.sentences)

    async def _member(self, request: Request) -> int:
        return (await self.app.subject(request, "member")).number

    async def _changing_member(self, request: Request) -> int:
        """The member of a request that changes something; each of these adds to the log."""
        member = await self._member(request)
        team = (await self.app.read(lambda c: member_row(c, member))).team
        if not self._rate.allows(str(team)):
            raise HTTPException(429, "too many changes at once", headers={"Retry-After": "5"})
        return member

    async def submit(self, request: Request) -> Response:
        """Receive a file, which is the body; it is checked at once and then queued."""
        member = await self._member(request)
        try:
            return await self._submit(request, member)
        except (HTTPException, TooLargeError, TooSlowError) as error:
            reason = getattr(error, "detail", type(error).__name__)
            print(f"errata: refused an upload of member {member}: {reason}", file=sys.stderr, flush=True)
            raise

    async def _submit(self, request: Request, member: int) -> Response:
        if request.headers.get("content-type", "").partition(";")[0] != "application/octet-stream":
            raise HTTPException(415, "send the file as application/octet-stream")
        parameters = request.query_params
        track, phase = parameters.get("track", ""), parameters.get("phase", "")
        phase = phase or await self.app.read(self._open_phase)
        row = await self.app.read(lambda c: submissions.may_submit(self.store, c, member, track, phase))
        slots = self._slots.setdefault(row.team, anyio.CapacityLimiter(_UPLOADS_OF_TEAM))
        if slots.statistics().tasks_waiting >= _WAITING_OF_TEAM or not self._rate.allows(str(row.team), 0):
            raise HTTPException(429, "too many files at once", headers={"Retry-After": "5"})
        async with slots:
            if self._uploads >= _MOST_UPLOADS:
                raise HTTPException(503, "too many uploads at once", headers={"Retry-After": "5"})
            self._uploads += 1
            charged = True
            try:
                checked = await self._checked(await request.body(), parameters.get("name", ""), track, phase)
                note, anyway = parameters.get("note", ""), parameters.get("anyway") == "yes"
                stored, new = await self.app.write(
                    lambda c: submissions.submit(
                        self.store, c, member, track, phase, checked, note=_clean(note), anyway=anyway
                    )
                )
            except (HTTPException, sa.exc.SQLAlchemyError) as error:
                charged = getattr(error, "status_code", 503) != 503
                raise
            finally:
                self._uploads -= 1
                if charged:
                    self._rate.allows(str(row.team))
        answer = await self.app.read(lambda c: self._view(c, submissions.one(c, stored.id)))
        answer["known"] = not new
        return JSONResponse(answer, 422 if answer["state"] == "refused" else 201 if new else 200)

    async def _checked(self, data: bytes, name: str, track: str, phase: str) -> Checked:
        if not data:
            raise HTTPException(400, "the file is empty")
        source = await self.app.read(lambda c: self._source(c, track, phase))
        most = self.store.settings.most_bytes
        try:
            return await self.app.in_child(
                check_submission, data, name, source, most,
                limiter=self._checkers, limits=_CHECK,
            )  # fmt: skip
        except LimitError as error:
            raise HTTPException(422, f"the file could not be checked: {error.message}") from None
        except DataError:  # the process was killed: another one may succeed
            raise HTTPException(
                503, "the file could not be checked now", headers={"Retry-After": "2"}
            ) from None

    def _open_phase(self, connection: sa.Connection) -> str:
        states = self.store.phase_states(connection)
        open_phases = [name for name, state in states.items() if state == "open"]
        if len(open_phases) != 1:
            raise HTTPException(
                400, f"name the phase: {', '.join(open_phases)}" if open_phases else "no phase is open"
            )
        return open_phases[0]

    def _source(self, connection: sa.Connection, track: str, phase: str) -> Source:
        key = track, self.store.settings.texts_of(track, phase)
        table = schema.sources
        if key not in self._sources:
            mine = sa.and_(table.c.track == key[0], table.c.phase == key[1])
            stored = connection.execute(sa.select(table).where(mine)).one()
            self._sources[key] = Source(track, stored.kind, stored.content, {})
        states = self.store.phase_states(connection)
        begun = {
            (each.name, self.store.settings.texts_of(each.name, name))
            for each in self.store.settings.tracks
            for name, state in states.items()
            if state != "coming"  # the size of a test set is hidden until then
        }
        rows = connection.execute(sa.select(table.c.track, table.c.phase, table.c.segments))
        sizes = {(row.track, row.phase): row.segments for row in rows}
        others = {f"{at[0]}, {at[1]}": count for at, count in sizes.items() if at in begun and at != key}
        return replace(self._sources[key], others=others)

    async def all(self, request: Request) -> Response:
        member = await self._member(request)

        def gather(connection: sa.Connection) -> list[dict[str, Any]]:
            team = member_row(connection, member).team
            return [self._view(connection, row) for row in submissions.of_team(connection, team)]

        return JSONResponse(await self.app.read(gather))

    async def one(self, request: Request) -> Response:
        member, uid = await self._member(request), request.path_params["uid"]
        return JSONResponse(await self.app.read(lambda c: self._view(c, submissions.owned(c, member, uid))))

    def _view(self, connection: sa.Connection, row: Row) -> dict[str, Any]:
        """The data about a submission that its team may see."""
        state = submissions.state_of(row)
        view: dict[str, Any] = {
            "uid": row.uid, "track": row.track, "phase": row.phase, "name": row.name, "note": row.note,
            "created": row.created, "state": state, "findings": json.loads(row.findings),
            "message": row.message or "", "digest": row.digest, "scores": None,
        }  # fmt: skip
        if state in ("queued", "running"):
            view["ahead"] = submissions.place_in_queue(connection, row)
            view["started"] = row.started
        if state == "scored" and shown(self.store, connection, row.phase, Viewer(row.team)) != "nothing":
            hidden = hides_ranking(self.store, connection, row.phase, Viewer(row.team))
            view["scores"] = visible_scores(self.boards.scores(connection, [row.id])[row.id], hidden)
        return view

    async def file(self, request: Request) -> Response:
        """The team's own file, unpacked."""
        member, uid = await self._member(request), request.path_params["uid"]

        def gather(connection: sa.Connection) -> tuple[str, bytes]:
            row = submissions.owned(connection, member, uid)
            query = sa.select(schema.files.c.content).where(schema.files.c.digest == row.digest)
            content = connection.scalar(query)
            if content is None:
                raise HTTPException(404, "a refused file is not stored")
            return row.name, content

        name, content = await self.app.read(gather)
        headers = {
            "Content-Disposition": f'attachment; filename="{name.encode("ascii", "replace").decode()}"'
        }
        return Response(content, 200, headers, "application/octet-stream")

    async def sentences(self, request: Request) -> Response:
        """The scores of single sentences, if the organisers allow it; never the references."""
        member, uid = await self._member(request), request.path_params["uid"]
        first = read_whole(request.query_params.get("from", ""), 10**8 - 1) or 1
        return JSONResponse(await self.app.report(lambda c: self._sentences(c, member, uid, first)))

    def _sentences(self, connection: sa.Connection, member: int, uid: str, first: int) -> dict[str, Any]:
        row = submissions.owned(connection, member, uid)
        phase = self.store.settings.phase(row.phase)
        viewer = Viewer(row.team)
        hidden = hides_ranking(self.store, connection, row.phase, viewer)
        if not phase.sentences or hidden or shown(self.store, connection, row.phase, viewer) == "nothing":
            raise HTTPException(403, "the scores of sentences are not shown in this phase")
        table = schema.results
        saved = connection.scalar(sa.select(table.c.statistics).where(table.c.submission == row.id))
        if saved is None:
            raise HTTPException(409, "this submission has not been scored")
        scores = [
            [score if math.isfinite(score) else None for score in row]  # JSON has no other numbers
            for row in sentence_scores(saved)[first - 1 : first - 1 + _SENTENCES]
        ]
        names = [metric["name"] for metric in json.loads(row.scores)["metrics"]]
        return {"metrics": names, "from": first, "scores": scores}

    async def choose(self, request: Request) -> Response:
        return await self._change(request, submissions.choose)

    async def withdraw(self, request: Request) -> Response:
        return await self._change(request, submissions.withdraw)

    async def _change(
        self, request: Request, action: Callable[[TaskStore, sa.Connection, int, str], None]
    ) -> Response:
        member, uid = await self._changing_member(request), request.path_params["uid"]
        await self.app.write(lambda c: action(self.store, c, member, uid))
        return JSONResponse(await self.app.read(lambda c: self._view(c, submissions.owned(c, member, uid))))

    async def source(self, request: Request) -> Response:
        """The texts to correct, for teams that take part, from the beginning of the phase."""
        member = await self._member(request)
        track, phase = request.path_params["track"], request.path_params["phase"]

        def gather(connection: sa.Connection) -> Source:
            if member_row(connection, member).team_state != "active":
                raise HTTPException(403, "your team does not take part (yet)")
            try:
                self.store.settings.track(track), self.store.settings.phase(phase)
            except DataError as error:
                raise HTTPException(404, error.message) from None
            if self.store.phase_states(connection)[phase] == "coming":
                raise HTTPException(403, "the phase has not begun")
            return self._source(connection, track, phase)

        texts = await self.app.read(gather)
        suffix = "txt" if texts.kind == "lines" else "md"
        headers = {"Content-Disposition": f'attachment; filename="{track}-{phase}.{suffix}"'}
        return PlainTextResponse(texts.content, 200, headers)


def _histories(views: Sequence[Mapping[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The scores by the first metric in each track and phase with several submissions, in their order."""
    by_place: dict[str, list[dict[str, Any]]] = {}
    for view in reversed(views):
        if view["scores"]:
            first = view["scores"]["metrics"][0]
            place = by_place.setdefault(f"{view['track']}, {view['phase']}", [])
            place.append({"name": first["name"], "values": [first["value"]]})
    return {place: history for place, history in by_place.items() if len(history) > 1}


def _clean(note: str) -> str:
    """A note as one line of characters that can be shown."""
    return "".join(character for character in " ".join(note.split()) if character.isprintable())
