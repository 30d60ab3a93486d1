"""What protects the server: headers, small bodies, no posts from other sites, few guesses."""

from __future__ import annotations

import time
from collections import OrderedDict
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 1 << 20
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Guard:
    """Sets the headers on every answer, and refuses large bodies and requests that other sites send."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        headers = Headers(scope=scope)
        if scope["method"] not in ("GET", "HEAD") and not _same_site(headers):
            await PlainTextResponse("refused: sent by another site", 403)(scope, receive, secured)
            return
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > MAX_BODY:
            await PlainTextResponse("refused: too large", 413)(scope, receive, secured)
            return
        await self.app(scope, _limited(receive), secured)


class TooLargeError(Exception):
    """A body that turned out larger than it said, or than it may be."""


def _limited(receive: Receive) -> Receive:
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY:
            raise TooLargeError
        return message

    return counted


def _same_site(headers: Headers) -> bool:
    """Browsers say where a request comes from; programs that say nothing carry no cookies of others."""
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")


class RateLimit:
    """A bucket of permissions for each name, refilled steadily; remembers a bounded number of names."""

    def __init__(self, per_second: float, burst: int, names: int = 10_000) -> None:
        self.per_second = per_second
        self.burst = burst
        self.names = names
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str, cost: float = 1.0) -> bool:
        when = time.monotonic()
        level, last = self._buckets.pop(name, (float(self.burst), when))
        level = min(self.burst, level + (when - last) * self.per_second)
        granted = level >= cost
        self._buckets[name] = (level - cost if granted else level, when)
        if len(self._buckets) > self.names:
            self._buckets.popitem(last=False)
        return granted
