"""Correctors behind the HTTP API of LanguageTool, so that editors' plug-ins work with them, and a page.

`/v2/check` and `/v2/languages` answer as LanguageTool documents them. Requests that wait at the same time are
corrected in one batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

from errata.errors import ErrataError, needs_extra
from errata.http import HEADERS, LOCAL_HOSTS
from errata_correct.corrector import Corrector, Suggestion
from errata_correct.languagetool import Checked, Choice, RequestError, check, languages
from errata_correct.truncated import collect_truncated

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

PAGE = Path(__file__).parent / "page"
Answer = tuple[list[Suggestion], bool]  # the suggestions for a text, and whether it was corrected to its end
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}


@dataclass(frozen=True)
class Limits:
    """Limits of one request."""

    characters: int = 50_000  # of a text
    seconds: float = 30.0  # to send it, and again to correct it
    waiting: int = 64  # texts that wait to be corrected; more are refused
    batch: int = 16  # texts that are corrected at once

    @property
    def bytes(self) -> int:
        """Of a body: a character may take four bytes, each of them written as %XX."""
        return 12 * self.characters + 65_536


def correctors(models: Sequence[str], threshold: float | None) -> dict[str, Corrector]:
    """Load a model for every language: `cs`, or LANG=MODEL for models whose name is not a language."""
    from errata_correct.loading import load_corrector

    by_language: dict[str, Corrector] = {}
    for model in models:
        language, equals, name = model.partition("=")
        if not equals:
            name, language = model, model.partition("-")[0]
        if not (language.isascii() and language.isalpha() and 2 <= len(language) <= 3):
            raise ErrataError(
                f"cannot tell the language of the model {model!r}\n"
                f"  hint: give it first, as in --model en={model}"
            )
        language = language.lower()
        if language in by_language:
            raise ErrataError(f"there are two models for {language!r}\n  hint: give one for every language")
        by_language[language] = load_corrector(name, threshold=threshold)
    return by_language


@dataclass
class Batcher:
    """Corrects texts in one thread, as many at once as are waiting."""

    corrector: Corrector
    limits: Limits
    queue: asyncio.Queue[tuple[str, asyncio.Future[Answer]]] = field(init=False)

    def __post_init__(self) -> None:
        self.queue = asyncio.Queue(self.limits.waiting)

    async def suggest(self, text: str) -> Answer:
        """The suggestions for a text; refused when too many wait, given up after the time limit."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        try:
            self.queue.put_nowait((text, future))
        except asyncio.QueueFull:
            raise RequestError(503, "the server is busy; try again in a moment") from None
        try:
            return await asyncio.wait_for(future, self.limits.seconds)
        except asyncio.TimeoutError:
            raise RequestError(503, f"checking took longer than {self.limits.seconds:g} seconds") from None

    async def work(self) -> None:
        """Correct what waits, for ever."""
        while True:
            batch = [await self.queue.get()]
            while len(batch) < self.limits.batch and not self.queue.empty():
                batch.append(self.queue.get_nowait())
            batch = [item for item in batch if not item[1].done()]  # nobody waits for the others any more
            try:
                answers = await asyncio.to_thread(self._suggest, [text for text, _ in batch])
            except Exception:
                answers = [await self._alone(text) for text, _ in batch]
            for (_, future), answer in zip(batch, answers, strict=True):
                if future.done():
                    continue
                if isinstance(answer, Exception):
                    future.set_exception(answer)
                else:
                    future.set_result(answer)

    def _suggest(self, texts: Sequence[str]) -> list[Answer]:
        with collect_truncated() as truncated:
            by_text = self.corrector.suggest(texts)
        return [(suggestions, number not in truncated) for number, suggestions in enumerate(by_text)]

    async def _alone(self, text: str) -> Any:
        """A text by itself, so that one that cannot be corrected does not stop the others."""
        try:
            return (await asyncio.to_thread(self._suggest, [text]))[0]
        except Exception:
            return RequestError(500, "this text could not be checked")


class Service:
    """The endpoints for the correctors of some languages."""

    def __init__(self, by_language: Mapping[str, Corrector], limits: Limits) -> None:
        self.by_language, self.limits = by_language, limits
        self.choice = Choice(by_language)
        self.batchers = {language: Batcher(corrector, limits) for language, corrector in by_language.items()}

    async def answer(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The matches in the text of a request."""
        asked = Checked.read(fields, self.limits.characters)
        language, detected = self.choice.language(asked)
        return check(asked, language, detected, *await self.batchers[language].suggest(asked.plain))

    async def check(self, request: Request) -> Response:
        """`/v2/check`"""
        from starlette.responses import JSONResponse

        fields = dict(request.query_params)
        if request.method == "POST":
            fields |= _form(await _body(request, self.limits), request.headers.get("content-type", ""))
        return JSONResponse(await self.answer(fields))

    async def languages(self, request: Request) -> Response:
        """`/v2/languages`"""
        from starlette.responses import JSONResponse

        return JSONResponse(languages(self.by_language))

    async def longest(self, request: Request) -> Response:
        """`/v2/maxtextlength`"""
        from starlette.responses import PlainTextResponse

        return PlainTextResponse(str(self.limits.characters))

    @asynccontextmanager
    async def lifespan(self, _: Starlette) -> AsyncIterator[None]:
        """Correct batches as long as the application runs."""
        tasks = [asyncio.create_task(batcher.work()) for batcher in self.batchers.values()]
        yield
        for task in tasks:
            task.cancel()


async def _page(request: Request) -> Response:
    """A file of the page."""
    from starlette.responses import Response

    name = request.path_params.get("name", "index.html")
    file = PAGE / name
    if name not in {path.name for path in PAGE.iterdir()}:
        raise RequestError(404, "there is no such page")
    return Response(file.read_bytes(), media_type=_TYPES[file.suffix], headers=HEADERS)


async def _refused(request: Request, error: Exception) -> Response:
    """The answer to a request that cannot be served."""
    from starlette.responses import PlainTextResponse

    assert isinstance(error, RequestError)
    headers = {"Retry-After": "1"} if error.status == 503 else None
    return PlainTextResponse(f"Error: {error}", error.status, headers)


def application(
    by_language: Mapping[str, Corrector], limits: Limits | None = None, hosts: Sequence[str] = ("*",)
) -> Starlette:
    """The web application."""
    with needs_extra("serving", "http"):
        from starlette.applications import Starlette
        from starlette.middleware import Middleware
        from starlette.middleware.trustedhost import TrustedHostMiddleware
        from starlette.routing import Route

    service = Service(by_language, limits or Limits())
    return Starlette(
        routes=[
            Route("/v2/check", service.check, methods=["GET", "POST"]),
            Route("/v2/languages", service.languages),
            Route("/v2/maxtextlength", service.longest),
            Route("/", _page),
            Route("/{name}", _page),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))],
        exception_handlers={RequestError: _refused},
        lifespan=service.lifespan,
    )


def serve(by_language: Mapping[str, Corrector], host: str, port: int) -> None:
    """Serve until interrupted."""
    with needs_extra("serving", "http"):
        from errata.http.asgi import serve as run
    local = host in ("127.0.0.1", "localhost", "::1")
    # A page elsewhere cannot reach a server on this machine under a name of its own.
    run(application(by_language, hosts=LOCAL_HOSTS if local else ("*",)), host, port)


async def _within(work: Awaitable[Any], limits: Limits) -> Any:
    try:
        return await asyncio.wait_for(work, limits.seconds)
    except asyncio.TimeoutError:
        raise RequestError(408, f"the request took longer than {limits.seconds:g} seconds") from None


async def _body(request: Request, limits: Limits) -> bytes:
    """The whole body, if it is not too large and comes in time."""

    async def read() -> bytes:
        content = bytearray()
        async for part in request.stream():
            content += part
            if len(content) > limits.bytes:
                raise RequestError(413, f"the request is larger than {limits.bytes:,} bytes")
        return bytes(content)

    body: bytes = await _within(read(), limits)
    return body


def _form(body: bytes, kind: str) -> dict[str, str]:
    """The fields of a form."""
    if kind.partition(";")[0].strip().lower() not in ("", "application/x-www-form-urlencoded"):
        raise RequestError(415, "send the fields as application/x-www-form-urlencoded")
    try:
        return dict(
            parse_qsl(body.decode("utf-8"), keep_blank_values=True, errors="replace", max_num_fields=50)
        )
    except ValueError:
        raise RequestError(400, "not a form in UTF-8") from None
