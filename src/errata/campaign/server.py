"""The web server: sign-in by secret link, the annotators' pages and their data."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import jinja2
import sqlalchemy as sa
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from errata.campaign.admin import Admin
from errata.campaign.answers import REASONS
from errata.campaign.instructions import to_html
from errata.campaign.security import Guard, RateLimit, TooLargeError
from errata.campaign.session import Refused, Screen, Sessions
from errata.campaign.store import Store
from errata.campaign.tokens import token_hash
from errata.campaign.writer import Writer

T = TypeVar("T")
_DAYS = 24 * 3600
MAX_TOKEN = 200


class CampaignServer:
    """One campaign being served: its writer, who is signed in, and the pages."""

    def __init__(self, store: Store, *, secure: bool = False) -> None:
        self.store = store
        self.secure = secure  # cookies over TLS only
        self.writer = Writer(store)
        self.sessions: Sessions = self.writer.submit(lambda c: Sessions(store, c)).result()
        self.pages = jinja2.Environment(
            loader=jinja2.PackageLoader("errata.campaign"),
            autoescape=True,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.pages.globals["campaign"] = store.name
        self.guesses = RateLimit(per_second=0.2, burst=10)
        self.requests = RateLimit(per_second=40, burst=120)
        self._known: dict[str, int] = {}  # hash of a token -> annotator
        self._lock = threading.Lock()
        self.cookie = f"errata-{store.uid[:8]}"
        self.admin = Admin(self)

    async def write(self, job: Callable[[sa.Connection], T]) -> T:
        """Run a job in the writer; the answer comes when it is on disk."""
        return await asyncio.wrap_future(self.writer.submit(job))

    async def read(self, job: Callable[[sa.Connection], T]) -> T:
        def work() -> T:
            with self.store.read() as connection:
                return job(connection)

        return await run_in_threadpool(work)

    def forget_links(self) -> None:
        """Links may have changed: look everyone up again."""
        with self._lock:
            self._known.clear()

    async def annotator(self, request: Request) -> int:
        """Who is asking; 401 where the cookie is not an annotator's."""
        token = request.cookies.get(self.cookie, "")
        hashed = token_hash(token)
        known = self._known.get(hashed)
        if known is None:
            row = await self.read(lambda c: self.store.annotator_of(c, token))
            if row is None:
                raise HTTPException(401, "sign in with your link")
            known = int(row.id)
            with self._lock:
                self._known[hashed] = known
        if not self.requests.allows(str(known)):
            raise HTTPException(429, "too many requests", headers={"Retry-After": "2"})
        return known

    def page(self, name: str, status: int = 200, **values: Any) -> HTMLResponse:
        return HTMLResponse(self.pages.get_template(name).render(values), status)

    async def home(self, request: Request) -> Response:
        return RedirectResponse("/work" if self.cookie in request.cookies else "/enter", 303)

    async def enter_page(self, request: Request) -> Response:
        return self.page("enter.html")

    async def enter(self, request: Request) -> Response:
        """Take a token from a link and keep it in a cookie that scripts cannot read."""
        post = await body_of(request)
        token = post.get("token")
        client = request.client.host if request.client else ""
        if not isinstance(token, str) or not token or len(token) > MAX_TOKEN:
            raise HTTPException(400, "a token is missing")
        if not self.guesses.allows(client, cost=0):
            raise HTTPException(429, "too many attempts", headers={"Retry-After": "10"})
        admin, person = await self.read(
            lambda c: (self.store.is_admin(c, token), self.store.annotator_of(c, token))
        )
        if not admin and person is None:
            if not self.guesses.allows(client):
                raise HTTPException(429, "too many attempts", headers={"Retry-After": "10"})
            raise HTTPException(403, "this link is not valid (any more)")
        response = JSONResponse({"to": "/admin" if admin else "/work"})
        response.set_cookie(
            self.cookie + ("-admin" if admin else ""), token, max_age=60 * _DAYS, httponly=True,
            samesite="lax", secure=self.secure,
        )  # fmt: skip
        return response

    async def work(self, request: Request) -> Response:
        try:
            annotator = await self.annotator(request)
        except HTTPException as error:
            if error.status_code != 401:
                raise
            return RedirectResponse("/enter", 303)
        settings = self.store.settings
        shown = {
            "task": settings.task, "scale": settings.scale, "style": settings.style, "unit": settings.unit,
            "language": settings.language, "reasons": REASONS, "store": f"{self.cookie}-{annotator}",
        }  # fmt: skip
        return self.page("work.html", instructions=to_html(settings.instructions), settings=shown)

    async def screen(self, request: Request) -> Response:
        annotator = await self.annotator(request)
        text = request.query_params.get("position")
        if text is not None and not (text.isascii() and text.isdigit() and len(text) < 9):
            raise HTTPException(400, "position is a number")
        position = None if text is None else int(text)
        return JSONResponse(await self.write(lambda c: self.sessions.screen(c, annotator, position)))

    async def judge(self, request: Request) -> Response:
        return await self._post(request, self.sessions.judge)

    async def draft(self, request: Request) -> Response:
        return await self._post(request, self.sessions.draft)

    async def _post(
        self, request: Request, action: Callable[[sa.Connection, int, dict[str, Any]], Screen]
    ) -> Response:
        annotator = await self.annotator(request)
        post = await body_of(request)
        return JSONResponse(await self.write(lambda c: action(c, annotator, post)))

    async def health(self, request: Request) -> Response:
        return PlainTextResponse(await self.read(self.store.state))

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.home),
            Route("/enter", self.enter_page),
            Route("/enter", self.enter, methods=["POST"]),
            Route("/work", self.work),
            Route("/api/screen", self.screen),
            Route("/api/judge", self.judge, methods=["POST"]),
            Route("/api/draft", self.draft, methods=["POST"]),
            Route("/health", self.health),
            *self.admin.routes(),
            Mount("/static", StaticFiles(packages=[("errata.campaign", "static")])),
        ]


async def body_of(request: Request) -> dict[str, Any]:
    """The JSON object of a post. Its type makes browsers ask before another site may send it."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "send application/json")
    try:
        text = (await request.body()).decode("utf-8")
        post = json.loads(text)
        json.dumps(post, ensure_ascii=False).encode("utf-8")  # lone surrogates cannot be stored
    except (ValueError, RecursionError):
        raise HTTPException(400, "not JSON") from None
    if not isinstance(post, dict):
        raise HTTPException(400, "not a JSON object")
    return post


def application(store: Store, *, secure: bool = False) -> Starlette:
    """The ASGI application of a campaign."""
    server = CampaignServer(store, secure=secure)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        server.writer.close()

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refused)
        return JSONResponse({"error": str(error)}, error.status)

    async def failed(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        if request.url.path.startswith("/api/") or request.method == "POST":
            return JSONResponse({"error": error.detail}, error.status_code, headers=error.headers)
        return server.page("message.html", error.status_code, title=error.detail)

    async def too_large(request: Request, error: Exception) -> Response:
        return JSONResponse({"error": "too large"}, 413)

    return Starlette(
        routes=server.routes(),
        middleware=[Middleware(Guard)],
        exception_handlers={Refused: refused, HTTPException: failed, TooLargeError: too_large},
        lifespan=lifespan,
    )


def serve(
    store: Store, host: str, port: int, *, certificate: str | None = None, key: str | None = None
) -> None:
    """Serve until interrupted. Requests are not logged: a log is a place for secrets to leak to."""
    import uvicorn

    uvicorn.run(
        application(store, secure=certificate is not None),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        timeout_graceful_shutdown=5,
    )
