"""Protection and serving of ASGI applications: limits on requests, known hosts, no posts from other sites."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import sys
import time
from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import anyio
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from errata.http import HEADERS

MAX_BODY = 1 << 20
BODY_SECONDS = 20.0  # for the whole body of a request
UPLOAD_SECONDS = 120.0  # for that of a file
HEAD_SECONDS = 10.0  # from the first byte, or from the connection, to the end of the headers
MAX_HEAD, MAX_HEADERS = 32 << 10, 100  # bytes and number of the headers of a request
_LOCAL = ("127.0.0.1", "::1")
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
                headers = message["headers"]
                has_cache_control = any(name == b"cache-control" for name, _ in headers)
                message["headers"] = [*headers, *(_RAW[:-1] if has_cache_control else _RAW)]
            await send(message)

        largest = self.uploads.get(scope["path"])
        refusal = self._refusal(scope, Headers(scope=scope), largest or MAX_BODY)
        if refusal is not None:
            status, reason = refusal
            await PlainTextResponse(f"refused: {reason}", status)(scope, receive, secured)
            return
        seconds = BODY_SECONDS if largest is None else UPLOAD_SECONDS
        await self.app(scope, _limited(receive, largest or MAX_BODY, seconds), secured)

    def _refusal(self, scope: Scope, headers: Headers, largest: int) -> tuple[int, str] | None:
        method = scope["method"]
        if "\0" in scope["path"] or b"%00" in scope["query_string"]:
            return 400, "a NUL character in the address"
        if not known_host(headers.get("host", ""), self.public):
            return 421, "this host is not served here; the address of the server is set with --url"
        if method not in ("GET", "HEAD") and not same_site(headers, self.public):
            return 403, "sent by another site; behind a proxy, set the address of the server with --url"
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or len(length) > 12 or int(length) > largest:
            return 413, "too large"
        return None


class TooLargeError(Exception):
    """A body that is larger than announced or allowed."""


class TooSlowError(Exception):
    """A body that did not arrive in time."""


def _limited(receive: Receive, largest: int, seconds: float) -> Receive:
    size, end, complete = 0, 0.0, False

    async def counted() -> Message:
        nonlocal size, end, complete
        if complete:  # this waits for the end of the connection, without a limit
            return await receive()
        end = end or time.monotonic() + seconds  # from the first call, since the application may call late
        try:
            with anyio.fail_after(end - time.monotonic()):  # without a task for every message
                message = await receive()
        except TimeoutError:
            raise TooSlowError from None
        size += len(message.get("body", b""))
        if size > largest:
            raise TooLargeError
        complete = not message.get("more_body", False)
        return message

    return counted


def known_host(host: str, public: str | None) -> bool:
    """Whether a request's host is safe against DNS rebinding, an attack by another page.

    Addresses and names without a dot are safe; proxies send those if they do not forward the host. Without a
    public address, every name is accepted.
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
    """Whether a request comes from a page of this server, or from a program, which has no cookies.

    Browsers add Sec-Fetch-Site on HTTPS and on localhost. If it is missing, the origin must be the public
    address or the host, which a proxy may send in X-Forwarded-Host, or without its port.
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


def client_network(address: str) -> str:
    """What limits count as one client: an IPv4 address, or the /64 network that one client of IPv6 has."""
    try:
        number = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(number, ipaddress.IPv6Address):
        if number.ipv4_mapped is not None:
            return str(number.ipv4_mapped)
        if not number.is_loopback:
            return str(ipaddress.ip_network((number, 64), strict=False))
    return str(number)


def _name(host: str) -> str | None:
    """The name in `name:port`, in lower case; None if there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


class RateLimit:
    """A token bucket for each name; the number of stored names is bounded."""

    def __init__(self, per_second: float, burst: int, names: int = 10_000) -> None:
        self.per_second = per_second
        self.burst = burst
        self.names = names
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, name: str, cost: float = 1.0) -> bool:
        """Whether a request is allowed; it costs `cost` tokens of the bucket, and 0 only asks."""
        now = time.monotonic()
        level, last = self._buckets.pop(name, (float(self.burst), now))
        level = min(self.burst, level + (now - last) * self.per_second)
        granted = level >= 1
        self._buckets[name] = (level - cost if granted else level, now)
        if len(self._buckets) > self.names:
            self._buckets.popitem(last=False)
        return granted


_CONNECTIONS = 2000
# Of one address or IPv6 network; this machine and proxies that are trusted have no limit.
CLIENT_CONNECTIONS = 400
_SWITCH_SECONDS = 0.001  # the writer releases the interpreter's lock in every statement, and waits for it


def serve(
    application: ASGIApp,
    host: str,
    port: int,
    *,
    certificate: str | None = None,
    key: str | None = None,
    proxies: Sequence[str] = (),
) -> None:
    """Serve until interrupted. Requests are not logged, since a log could leak secrets.

    `proxies` are the addresses of web servers, besides this machine, whose X-Forwarded headers are trusted.
    """
    import uvicorn

    # A full garbage collection would visit all imported objects and delay all requests.
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    uvicorn.run(
        _with_limits(application),
        host=host,
        port=port,
        http=_http_protocol({*_LOCAL, *proxies}),
        log_level="warning",
        access_log=False,
        server_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        proxy_headers=True,
        forwarded_allow_ips=[*_LOCAL, *proxies],
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=5,
    )


def _with_limits(application: ASGIApp) -> ASGIApp:
    """The application without requests of too many headers; a client that goes away is no error."""

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        headers = scope.get("headers", ())
        if len(headers) > MAX_HEADERS or sum(len(name) + len(value) for name, value in headers) > MAX_HEAD:
            await PlainTextResponse("refused: too many headers", 431)(scope, receive, send)
            return
        with suppress(ClientDisconnect):
            await application(scope, receive, send)

    return limited


def _http_protocol(unlimited: Collection[str] = ()) -> type[asyncio.Protocol]:
    """uvicorn's protocol for HTTP with limits of time and size for headers, and of connections per address.

    uvicorn itself waits forever for a client that connects and sends nothing, or half a header, and reads
    headers without end.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol
    connections: Counter[str] = Counter()  # by address

    class HeaderLimits(base):  # type: ignore[misc]
        _timer: asyncio.TimerHandle | None = None
        _address = ""
        _head = 0  # bytes received since the headers of a request are expected

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            address = (transport.get_extra_info("peername") or ("",))[0]
            self._address = client_network(address)
            connections[self._address] += 1
            if connections[self._address] > CLIENT_CONNECTIONS and address not in unlimited:
                self._give_up()
            self._expect_request()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            cycle = self.cycle
            if cycle is None or cycle.response_complete:
                self._expect_request()
                self._head += len(data)
                if self._head > MAX_HEAD:
                    self._give_up()
            else:
                self._stop()
                self._head = 0

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            connections[self._address] -= 1
            if not connections[self._address]:
                del connections[self._address]
            super().connection_lost(exc)

        def _expect_request(self) -> None:
            if self._timer is None:
                self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

        def _give_up(self) -> None:
            if self.transport is not None and not self.transport.is_closing():
                self.transport.close()

        def _stop(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    return HeaderLimits
