"""A web application on a database: jobs for its writer and readers, sign-in, and answers to errors."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from functools import partial
from typing import Any, NoReturn, TypeVar
from urllib.parse import parse_qs

import anyio.to_thread
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from errata.errors import DataError
from errata.http.security import Guard, RateLimit, TooLargeError, TooSlowError
from errata_server.database import Database, reason
from errata_server.errors import RequestRefused
from errata_server.i18n import DEFAULT
from errata_server.sandbox import run_in_child
from errata_server.sessions import DAYS, Sessions, Subject, token_hash
from errata_server.templates import Templates
from errata_server.writer import Writer

T = TypeVar("T")
MAX_TOKEN = 200
_CACHE_SECONDS = 10.0  # that a session is believed without looking it up
_MOST_CACHED = 10_000


class App:
    """What the requests of a web application share.

    Parameters:
        database: Where everything is kept.
        sessions: Its table of sessions.
        pages: The templates.
        cookie: How the cookies begin; each role has its own.
        entrance: Whose secret link a token is, and the page that follows; None for an unknown token.
        public: The address at which browsers find the server, if it is known.
        secure: Whether the server itself speaks TLS.
        language: Of the pages, for people who have not chosen another one.
        programs: Whether programs may send the secret of a link with every request, as a bearer token.
    """

    def __init__(
        self,
        database: Database,
        sessions: Sessions,
        templates: Templates,
        *,
        cookie: str,
        entrance: Callable[[sa.Connection, str], tuple[Subject, str] | None],
        public: str | None = None,
        secure: bool = False,
        programs: bool = False,
        language: str = DEFAULT,
    ) -> None:
        self.database = database
        self.sessions = sessions
        self.templates = templates
        self.page = templates.page
        self.cookie = cookie
        self.public = public
        self.secure = secure
        self.programs = programs
        self._language = language
        self.writer = Writer(database)
        self._entrance = entrance
        self._guesses = RateLimit(per_second=0.2, burst=10)
        self._requests = RateLimit(per_second=40, burst=120)
        self._sessions: dict[str, tuple[Subject | None, float]] = {}  # by hash, with the end of its validity
        self._readers = anyio.CapacityLimiter(8)  # as many as the database has connections for
        self._reporters = anyio.CapacityLimiter(2)
        self._children = anyio.CapacityLimiter(1)

    async def write(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job in the writer; the answer comes when it is on disk."""
        return await asyncio.wrap_future(self.writer.submit(job))

    async def read(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a short reading job beside the writer."""
        return await anyio.to_thread.run_sync(_reading, self.database.read, job, limiter=self._readers)

    async def report(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a reading job that takes its time; only a few run at once, with connections of their own."""
        return await anyio.to_thread.run_sync(_reading, self.database.report, job, limiter=self._reporters)

    async def in_child(self, function: Callable[..., T], *arguments: Any, **options: Any) -> T:
        """Run a function in a process of its own, one at a time; options are those of `run_in_child`."""
        work = partial(run_in_child, function, *arguments, **options)
        return await anyio.to_thread.run_sync(work, limiter=self._children)

    def language(self, request: Request) -> str:
        """The language of the pages: the one that the browser chose, or the default."""
        chosen = request.cookies.get("errata-language", "")
        return chosen if chosen in self.templates.languages else self._language

    # Sign-in

    async def enter_page(self, request: Request) -> Response:
        return self.page("enter.html", language=self.language(request))

    async def enter(self, request: Request) -> Response:
        """Trade the secret of a link for a session, in a cookie that scripts cannot read."""
        token = (await json_of(request)).get("token")
        if not isinstance(token, str) or not token or len(token) > MAX_TOKEN:
            raise HTTPException(400, "a token is missing")
        subject, home = await self._holder(request, token)
        session = await self.write(lambda connection: self.sessions.begin(connection, subject))
        response = JSONResponse({"to": home})
        self.keep_session(request, response, subject, session)
        return response

    async def _holder(self, request: Request, token: str) -> tuple[Subject, str]:
        """Whose link a token is from, and the page that follows; wrong guesses are limited."""
        client = self.client(request)
        if not self._guesses.allows(client, cost=0):
            raise HTTPException(429, "too many attempts", headers={"Retry-After": "10"})
        holder = await self.read(lambda connection: self._entrance(connection, token))
        if holder is None:
            self._guesses.allows(client)
            raise HTTPException(403, "this link is not valid (any more)")
        return holder

    def client(self, request: Request) -> str:
        """The address that a request comes from."""
        return request.client.host if request.client else ""

    def keep_session(self, request: Request, response: Response, subject: Subject, session: str) -> None:
        """Give a browser the cookie of a session that has begun."""
        response.set_cookie(
            self.cookie_of(subject.role), session, max_age=DAYS * 86_400, httponly=True,
            samesite="lax", secure=self.secure or request.url.scheme == "https",
        )  # fmt: skip

    async def leave(self, request: Request) -> Response:
        """Sign out: end the sessions of this browser."""
        mine = {name: token for name, token in request.cookies.items() if name.startswith(self.cookie)}

        def end(connection: sa.Connection) -> None:
            for token in mine.values():
                self.sessions.end(connection, token)

        await self.write(end)
        self.forget()
        response = JSONResponse({"to": "/enter"})
        for name in mine:
            response.delete_cookie(name)
        return response

    def cookie_of(self, role: str) -> str:
        return f"{self.cookie}-{role}"

    async def subject(self, request: Request, role: str) -> Subject:
        """The person signed in to a role; 401 where there is none."""
        known = await self._known_subject(request, role)
        if not self._requests.allows(f"{role} {known.number}"):
            raise HTTPException(429, "too many requests", headers={"Retry-After": "2"})
        return known

    async def subject_if_any(self, request: Request, role: str) -> Subject | None:
        """The person signed in to a role; None where there is none."""
        try:
            return await self.subject(request, role)
        except HTTPException as error:
            if error.status_code != 401:
                raise
            return None

    async def _known_subject(self, request: Request, role: str) -> Subject:
        header = request.headers.get("authorization", "")
        if self.programs and header.startswith("Bearer ") and len(header) <= MAX_TOKEN:
            holder, _ = await self._holder(request, header.removeprefix("Bearer ").strip())
            if holder.role != role:
                raise HTTPException(403, "this link is of another role")
            return holder
        known = await self._session(token_hash(request.cookies.get(self.cookie_of(role), "")))
        if known is None or known.role != role:
            raise HTTPException(401, "sign in with your link")
        return known

    async def _session(self, hashed: str) -> Subject | None:
        """The person of a session. A session is looked up again after some seconds, and after `forget`."""
        cache = self._sessions  # `forget` replaces it, also while a lookup is running
        subject, until = cache.get(hashed, (None, 0.0))
        if time.monotonic() < until:
            return subject
        subject = await self.read(lambda connection: self.sessions.subject_of(connection, hashed))
        cache.pop(hashed, None)
        if subject is not None:
            cache[hashed] = subject, time.monotonic() + _CACHE_SECONDS
        if len(cache) > _MOST_CACHED:
            self.forget()
        return subject

    def forget(self) -> None:
        """Look sessions up again, since some may have ended."""
        self._sessions = {}

    async def form_of(self, request: Request) -> dict[str, str]:
        """The fields of a form. `Guard` refuses what pages of other sites post."""
        raw = (await request.body()).decode("utf-8", "replace")
        try:
            return {name: values[0] for name, values in parse_qs(raw, max_num_fields=20).items()}
        except ValueError:
            raise HTTPException(400, "too many fields") from None

    def address(self, request: Request) -> str:
        """Where browsers find the server."""
        return self.public or f"{request.url.scheme}://{request.url.netloc}"

    # The application

    def application(
        self,
        routes: Sequence[BaseRoute],
        *,
        begin: Callable[[], None] = lambda: None,
        end: Callable[[], None] = lambda: None,
        uploads: Mapping[str, int] | None = None,
    ) -> Starlette:
        """The ASGI application.

        `begin` runs when the server starts, and `end` when it stops, before the writer does. `uploads` are
        the paths that take files, with the number of bytes that a file may have.
        """

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            await anyio.to_thread.run_sync(begin)
            yield
            await anyio.to_thread.run_sync(end)
            self.writer.close()

        return Starlette(
            routes=[
                Route("/enter", self.enter_page),
                Route("/enter", self.enter, methods=["POST"]),
                Route("/leave", self.leave, methods=["POST"]),
                *routes,
                Mount("/static", self.templates.static_files()),
            ],
            middleware=[Middleware(Guard, public=self.public, uploads=uploads)],
            exception_handlers={
                RequestRefused: self._refused,
                HTTPException: self._failed,
                TooLargeError: self._too_large,
                TooSlowError: self._too_slow,
                sa.exc.SQLAlchemyError: self._unavailable,
                DataError: self._unavailable,
            },
            lifespan=lifespan,
        )

    async def _refused(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestRefused)
        return self._answer(request, error.status, str(error))

    async def _failed(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        return self._answer(request, error.status_code, error.detail, error.headers)

    def _answer(
        self, request: Request, status: int, text: str, headers: Mapping[str, str] | None = None
    ) -> Response:
        """An error as JSON for programs and scripts, and as a page for people."""
        if request.url.path.startswith("/api/") or request.method == "POST":
            return JSONResponse({"error": text}, status, headers=headers)
        return self.page("message.html", status, language=self.language(request), title=text)

    async def _too_large(self, request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "too large"}, 413)

    async def _too_slow(self, request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "the request did not arrive in time"}, 408, {"Connection": "close"})

    async def _unavailable(self, request: Request, error: Exception) -> Response:
        """The database is full, away or locked: nothing was stored, and the request can be sent again."""
        print(f"errata: the database refused a request: {reason(error)}", file=sys.stderr, flush=True)
        return JSONResponse(
            {"error": "the database is not available; nothing was stored"}, 503, {"Retry-After": "2"}
        )


def _reading(
    open_: Callable[[], AbstractContextManager[sa.Connection]], job: Callable[[sa.Connection], T]
) -> T:
    with open_() as connection:
        return job(connection)


async def json_of(request: Request) -> dict[str, Any]:
    """The JSON object of a post. Its type makes browsers ask before another site may send it."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "send application/json")
    try:
        return read_json((await request.body()).decode("utf-8"))
    except ValueError:
        raise HTTPException(400, "not a JSON object") from None


def read_json(text: str) -> dict[str, Any]:
    """A JSON object that can be stored and sent again; a ValueError where it is none.

    NaN, infinite numbers, NUL characters and lone surrogates are no JSON for browsers and databases.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
        plain = json.dumps(value, ensure_ascii=False, allow_nan=False)
        plain.encode("utf-8")
    except RecursionError:
        raise ValueError("nested too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("not an object")
    if "\\u0000" in plain:
        raise ValueError("a NUL character")
    return value


def read_whole(text: str, most: int) -> int | None:
    """The whole number from 0 to `most` that a text has in digits; None for any other text."""
    digits = text.isascii() and text.isdigit() and len(text) <= len(str(most))
    return int(text) if digits and int(text) <= most else None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
