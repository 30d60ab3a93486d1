"""What protects a server: headers, bodies within limits, known hosts, no posts from other sites."""

from __future__ import annotations

import asyncio
import ipaddress
import time
from collections import OrderedDict
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errata.http import HEADERS

MAX_BODY = 1 << 20
BODY_SECONDS = 20.0  # for the whole body of a request
UPLOAD_SECONDS = 120.0  # for that of a file
_RAW = [
    (name.lower().encode(), value.encode())
    for name, value in {**HEADERS, "Cache-Control": "no-store"}.items()
]


class Guard:
    """Sets the headers of every answer, and refuses unknown hosts, large bodies and posts from other sites.

    `public` is the address at which browsers find the server, such as `https://judge.example.org`. `uploads`
    are the paths that take files, each with the number of bytes that a file may have.
    """

    def __init__(
        self, app: ASGIApp, public: str | None = None, uploads: Mapping[str, int] | None = None
    ) -> None:
        self.app = app
        self.public = public
        self.uploads = uploads or {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = message["headers"]
                cached = any(name == b"cache-control" for name, _ in given)
                message["headers"] = [*given, *(_RAW[:-1] if cached else _RAW)]
            await send(message)

        largest = self.uploads.get(scope["path"])
        refusal = self._refusal(scope["method"], Headers(scope=scope), largest or MAX_BODY)
        if refusal is not None:
            status, reason = refusal
            await PlainTextResponse(f"refused: {reason}", status)(scope, receive, secured)
            return
        seconds = BODY_SECONDS if largest is None else UPLOAD_SECONDS
        await self.app(scope, _limited(receive, largest or MAX_BODY, seconds), secured)

    def _refusal(self, method: str, headers: Headers, largest: int) -> tuple[int, str] | None:
        if not known_host(headers.get("host", ""), self.public):
            return 421, "this host is not served here; the address of the server is set with --url"
        if method not in ("GET", "HEAD") and not same_site(headers, self.public):
            return 403, "sent by another site; behind a proxy, set the address of the server with --url"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 12 or int(length) > largest:
            return 413, "too large"
        return None


class TooLargeError(Exception):
    """A body that turned out larger than it said, or than it may be."""


class TooSlowError(Exception):
    """A body that did not arrive in time."""


def _limited(receive: Receive, largest: int, seconds: float) -> Receive:
    size, end, complete = 0, 0.0, False

    async def counted() -> Message:
        nonlocal size, end, complete
        if complete:  # waits for the end of the connection, which may take its time
            return await receive()
        end = end or time.monotonic() + seconds  # the application may ask late for what is there
        try:
            message = await asyncio.wait_for(receive(), max(0.0, end - time.monotonic()))
        except asyncio.TimeoutError:
            raise TooSlowError from None
        size += len(message.get("body", b""))
        if size > largest:
            raise TooLargeError
        complete = not message.get("more_body", False)
        return message

    return counted


def known_host(host: str, public: str | None) -> bool:
    """Whether a request's host is one that an attacker's page cannot have pointed here (DNS rebinding).

    Addresses and names without a dot are: proxies send those when they do not pass the host on. Without a
    public address nothing is known, and every name is accepted.
    """
    if public is None:
        return True
    name = _name(host)
    if name is None or "." not in name or name == _name(urlsplit(public).netloc):
        return name is not None
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def same_site(headers: Headers, public: str | None) -> bool:
    """Whether a browser sent this from one of our own pages; programs that say nothing carry no cookies.

    Browsers add Sec-Fetch-Site on HTTPS and on localhost. Where it is missing, the origin must be the
    public address or the host, which a proxy may pass on in X-Forwarded-Host, or without its port.
    """
    fetched = headers.get("sec-fetch-site")
    if fetched is not None:
        return fetched in ("same-origin", "none")
    origin = headers.get("origin")
    if origin is None:
        return True
    parts = urlsplit(origin)
    if public is not None and (parts.scheme, parts.netloc) == urlsplit(public)[:2]:
        return True
    hosts = (headers.get("host", ""), headers.get("x-forwarded-host", "").rpartition(",")[2].strip())
    return any(host and (host == parts.netloc or host == _name(parts.netloc)) for host in hosts)


def _name(host: str) -> str | None:
    """The name in `name:port`, in lower case; None if there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


class RateLimit:
    """A bucket of permissions for each name, refilled steadily; remembers a bounded number of names."""

    def __init__(self, per_second: float, burst: int, names: int = 10_000) -> None:
        self.per_second = per_second
        self.burst = burst
        self.names = names
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str, cost: float = 1.0) -> bool:
        """Whether a permission is left, of which `cost` is used up; 0 only asks."""
        when = time.monotonic()
        level, last = self._buckets.pop(name, (float(self.burst), when))
        level = min(self.burst, level + (when - last) * self.per_second)
        granted = level >= 1
        self._buckets[name] = (level - cost if granted else level, when)
        if len(self._buckets) > self.names:
            self._buckets.popitem(last=False)
        return granted
