"""A web application on a database: jobs that read and write, sign-in, and answers to errors."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import anyio.to_thread
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from errata.errors import DataError
from errata.http.asgi import Guard, RateLimit, TooLargeError, TooSlowError, client_network
from errata_server.application_store import ApplicationStore
from errata_server.database import READERS, Writer, reason
from errata_server.page_templates import DEFAULT, Templates
from errata_server.sandbox import run_in_child
from errata_server.sessions import DAYS, Session, Signer, Subject, session_key
from errata_server.validation import read_json

T = TypeVar("T")
MAX_TOKEN = 200
_MOST_FIELDS = 1000  # of a form: an expert grades a qualification at once
_REPORTS = 2  # slow readers at once; the other connections are for annotators and teams


class App:
    """The parts that all requests of a web application share.

    Parameters:
        store: The application's database.
        package: The package with its templates, messages and static files.
        secure: Whether the server itself speaks TLS.
        language: Language of the pages for people who have not chosen another one.
        programs: Whether programs may sign in with the token of a link, as a bearer token in each request.
    """

    def __init__(
        self,
        store: ApplicationStore,
        package: str,
        *,
        secure: bool = False,
        programs: bool = False,
        language: str = DEFAULT,
    ) -> None:
        self.store = store
        self.templates = Templates(package, site=store.name)
        self.page = self.templates.page
        self.cookie = f"errata-{store.uid[:8]}"
        self.secure = secure
        self.programs = programs
        self._language = language
        self._signer = Signer(session_key(store.database, store.uid), store.uid)
        self.writer = Writer(store.database)
        self._guesses = RateLimit(per_second=0.2, burst=10)
        self._requests = RateLimit(per_second=40, burst=120)
        self._readers = anyio.CapacityLimiter(READERS - _REPORTS)
        self._reporters = anyio.CapacityLimiter(_REPORTS)
        self._children = anyio.CapacityLimiter(1)
        self._epochs: dict[Subject, int | None] = {}  # a cache; replaced when an epoch may have changed
        self._stopping = False

    async def write(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job in the writer; returns when it is on disk."""
        return await asyncio.wrap_future(self.writer.submit(job))

    async def read(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a short reading job in another thread."""
        return await anyio.to_thread.run_sync(self._run_reader, job, limiter=self._readers)

    async def report(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a reading job that may take long; only a few run at once."""
        return await anyio.to_thread.run_sync(self._run_reader, job, limiter=self._reporters)

    def _run_reader(self, job: Callable[[sa.Connection], T]) -> T:
        with self.store.read() as connection:
            return job(connection)

    async def in_child(
        self,
        function: Callable[..., T],
        *arguments: Any,
        limiter: anyio.CapacityLimiter | None = None,
        **options: Any,
    ) -> T:
        """Run a function in a process of its own; options are those of `run_in_child`.

        The limiter says how many run at once: by default one, and the others wait in their order.

        The process is killed when the server stops.
        """
        work = partial(run_in_child, function, *arguments, tick=self._check_serving, **options)
        return await anyio.to_thread.run_sync(work, limiter=limiter or self._children)

    def _check_serving(self) -> None:
        if self._stopping:
            raise DataError("the server is stopping")

    def language(self, request: Request) -> str:
        """The language of the pages: the one that the browser chose, or the default."""
        chosen = request.cookies.get("errata-language", "")
        return chosen if chosen in self.templates.languages else self._language

    # Sign-in

    async def enter_page(self, request: Request) -> Response:
        return self.page("enter.html", language=self.language(request))

    async def enter(self, request: Request) -> Response:
        """Exchange the token of a link for a session, in a cookie that scripts cannot read."""
        token = (await json_of(request)).get("token")
        if not isinstance(token, str) or not token or len(token) > MAX_TOKEN:
            raise HTTPException(400, "a token is missing")
        session, home = await self._link_holder(request, token)
        response = JSONResponse({"to": home})
        self.set_session(request, response, session)
        return response

    async def _link_holder(self, request: Request, token: str) -> tuple[Session, str]:
        """A session of the person whose link has this token, and the next page; wrong tokens are limited."""
        client = self.client(request)
        if not self._guesses.allows(client, cost=0):
            raise HTTPException(429, "too many attempts", headers={"Retry-After": "10"})
        holder = await self.read(lambda connection: self.store.link_holder(connection, token))
        if holder is None:
            self._guesses.allows(client)
            raise HTTPException(403, "this link is not valid (any more)")
        return holder

    def client(self, request: Request) -> str:
        """The address, or the IPv6 network, that a request comes from."""
        return client_network(request.client.host) if request.client else ""

    def set_session(self, request: Request, response: Response, session: Session) -> None:
        """Begin a session: give the browser a signed cookie."""
        response.set_cookie(
            self.cookie_of(session.subject.role), self._signer.sign(session), max_age=DAYS * 86_400,
            httponly=True, samesite="lax",
            secure=self.secure or "https" in (request.url.scheme, urlsplit(self.store.url or "").scheme),
        )  # fmt: skip

    async def leave(self, request: Request) -> Response:
        """Sign out: end all sessions of the people who are signed in with this browser."""
        sessions = [session for role in self.store.LINKS if (session := self._session(request, role))]

        def end(connection: sa.Connection) -> None:
            for subject, epoch in sessions:
                if self.store.epoch(connection, subject) == epoch:
                    self.store.end_sessions(connection, subject)

        if sessions:
            await self._write_people(end)
        response = JSONResponse({"to": "/enter"})
        for role in self.store.LINKS:
            response.delete_cookie(self.cookie_of(role))
        return response

    def cookie_of(self, role: str) -> str:
        return f"{self.cookie}-{role}"

    def _session(self, request: Request, role: str) -> Session | None:
        """The session in a cookie; it may have ended."""
        return self._signer.read(role, request.cookies.get(self.cookie_of(role), ""))

    async def subject(self, request: Request, role: str) -> Subject:
        """The person signed in to a role; 401 if there is none."""
        subject = await self._signed_in(request, role)
        if not self._requests.allows(f"{role} {subject.number}"):
            raise HTTPException(429, "too many requests", headers={"Retry-After": "2"})
        return subject

    async def subject_if_any(self, request: Request, role: str) -> Subject | None:
        """The person signed in to a role; None if there is none."""
        try:
            return await self.subject(request, role)
        except HTTPException as error:
            if error.status_code != 401:
                raise
            return None

    async def _signed_in(self, request: Request, role: str) -> Subject:
        header = request.headers.get("authorization", "")
        if self.programs and header.startswith("Bearer ") and len(header) <= MAX_TOKEN:
            holder, _ = await self._link_holder(request, header.removeprefix("Bearer ").strip())
            if holder.subject.role != role:
                raise HTTPException(403, "this link belongs to another role")
            return holder.subject
        session = self._session(request, role)
        if session is None or session.epoch != await self._epoch(session.subject):
            raise HTTPException(401, "sign in with your link")
        return session.subject

    async def _epoch(self, subject: Subject) -> int | None:
        """The present epoch of a person. Only the server changes epochs, through `_write_people`."""
        epochs = self._epochs  # a result that arrives after a change must not enter the new cache
        if subject not in epochs:
            epochs[subject] = await self.read(lambda connection: self.store.epoch(connection, subject))
        return epochs[subject]

    async def _write_people(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job that may change epochs. They are read again afterwards, even if the request has ended."""
        future = self.writer.submit(job)
        future.add_done_callback(self._forget_epochs)
        return await asyncio.wrap_future(future)

    def _forget_epochs(self, ended: object) -> None:
        self._epochs = {}

    async def act(self, request: Request, action: Callable[[sa.Connection, dict[str, str]], T]) -> T:
        """Run the action of a form in the writer. `Guard` refuses forms of other sites."""
        raw = (await request.body()).decode("utf-8", "replace")
        try:
            fields = {name: values[0] for name, values in parse_qs(raw, max_num_fields=_MOST_FIELDS).items()}
        except ValueError:
            raise HTTPException(400, "too many fields") from None
        if "\0" in "".join(fields.values()):
            raise HTTPException(400, "a NUL character in a field")
        try:
            return await self._write_people(lambda connection: action(connection, fields))
        except DataError as error:
            raise HTTPException(400, error.message) from None

    def link(self, request: Request, token: str) -> str:
        """The secret link with a token."""
        return f"{self.address(request)}/enter#{token}"

    def address(self, request: Request) -> str:
        """The address where browsers find the server."""
        return self.store.url or f"{request.url.scheme}://{request.url.netloc}"

    # The application

    async def health(self, request: Request) -> Response:
        return Response(await self.read(self.store.state), media_type="text/plain")

    def application(
        self,
        routes: Sequence[BaseRoute],
        *,
        begin: Callable[[], None] = lambda: None,
        end: Callable[[], None] = lambda: None,
        uploads: Mapping[str, int] | None = None,
    ) -> Starlette:
        """The ASGI application.

        `begin` runs when the server starts, and `end` when it stops, before the writer does. `uploads` maps
        the paths that accept files to the largest number of bytes.
        """

        @asynccontextmanager
        async def lifespan(app: Starlette) -> AsyncIterator[None]:
            await anyio.to_thread.run_sync(begin)
            yield
            self._stopping = True
            await anyio.to_thread.run_sync(end)
            self.writer.close()

        return Starlette(
            routes=[
                Route("/enter", self.enter_page),
                Route("/enter", self.enter, methods=["POST"]),
                Route("/leave", self.leave, methods=["POST"]),
                Route("/health", self.health),
                *routes,
                Mount("/static", self.templates.static_files()),
            ],
            middleware=[Middleware(Guard, public=self.store.url, uploads=uploads)],
            exception_handlers={
                HTTPException: self._failed,
                TooLargeError: self._too_large,
                TooSlowError: self._too_slow,
                sa.exc.SQLAlchemyError: self._unavailable,
                DataError: self._unavailable,
            },
            lifespan=lifespan,
        )

    async def _failed(self, request: Request, error: Exception) -> Response:
        """An error as JSON for programs and scripts, and as a page for people."""
        assert isinstance(error, HTTPException)
        if request.url.path.startswith("/api/") or request.method == "POST":
            return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)
        return self.page(
            "message.html", error.status_code, language=self.language(request), title=error.detail
        )

    async def _too_large(self, request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "too large"}, 413)

    async def _too_slow(self, request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "the request did not arrive in time"}, 408, {"Connection": "close"})

    async def _unavailable(self, request: Request, error: Exception) -> Response:
        """The database is full, unreachable or locked: nothing was stored; the request can be repeated."""
        print(f"errata: the database refused a request: {reason(error)}", file=sys.stderr, flush=True)
        return JSONResponse(
            {"error": "the database is not available; nothing was stored"}, 503, {"Retry-After": "2"}
        )


async def json_of(request: Request) -> dict[str, Any]:
    """The JSON object of a post. Browsers ask before another site may send this type."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "send application/json")
    try:
        return read_json((await request.body()).decode("utf-8"))
    except ValueError:
        raise HTTPException(400, "not a JSON object") from None
