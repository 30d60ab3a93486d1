"""Serve an application until interrupted, with limits on the time and number of connections."""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Sequence
from typing import Any

from starlette.types import ASGIApp

HEAD_SECONDS = 10.0  # from the first byte, or from the connection, to the end of the headers
_CONNECTIONS = 2000
_SWITCH_SECONDS = 0.001  # the writer gives the interpreter away in every statement, and waits to get it back


def serve(
    application: ASGIApp,
    host: str,
    port: int,
    *,
    certificate: str | None = None,
    key: str | None = None,
    proxies: Sequence[str] = (),
) -> None:
    """Serve until interrupted. Requests are not logged: a log is a place for secrets to leak to.

    `proxies` are the addresses of web servers whose X-Forwarded headers are believed, besides this
    machine's own.
    """
    import uvicorn

    # A full collection would visit everything that was imported, and keep all requests waiting meanwhile.
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(_SWITCH_SECONDS)
    uvicorn.run(
        application,
        host=host,
        port=port,
        http=impatient_protocol(),
        log_level="warning",
        access_log=False,
        server_header=False,
        ssl_certfile=certificate,
        ssl_keyfile=key,
        proxy_headers=True,
        forwarded_allow_ips=["127.0.0.1", "::1", *proxies],
        limit_concurrency=_CONNECTIONS,
        timeout_keep_alive=10,
        timeout_graceful_shutdown=5,
    )


def impatient_protocol() -> type[asyncio.Protocol]:
    """uvicorn's protocol for HTTP, which also closes connections whose request never gets complete.

    By itself uvicorn waits for ever on a client that connects and sends nothing, or half a header.
    """
    from uvicorn.protocols.http.auto import AutoHTTPProtocol

    base: Any = AutoHTTPProtocol

    class Impatient(base):  # type: ignore[misc]
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._expect_request()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            cycle = self.cycle
            if cycle is None or cycle.response_complete:
                self._expect_request()
            else:
                self._stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
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

    return Impatient
