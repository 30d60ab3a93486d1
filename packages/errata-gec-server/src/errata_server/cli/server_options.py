"""Options and functions of the verbs that serve a database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
from starlette.applications import Starlette

from errata.cli.commands import option, together
from errata.http.asgi import serve
from errata_server.application_store import ApplicationStore, OpenStore
from errata_server.database import public_address

LOCAL = "http://127.0.0.1:8765"  # the default address

serving_options = together(
    option("--host", default="127.0.0.1", help="Address to listen on."),
    option("--port", type=click.IntRange(1, 65535), default=8765, help="Port to listen on."),
    option(
        "--certificate", type=click.Path(exists=True, dir_okay=False), help="TLS certificate (PEM)."
    ),
    option(
        "--key", type=click.Path(exists=True, dir_okay=False), help="Private key of the certificate (PEM)."
    ),
    option("--url", help="Address for browsers, such as https://judge.example.org; it is stored."),
    option(
        "--proxy", "proxies", multiple=True, metavar="ADDRESS",
        help="Trust the X-Forwarded headers of this proxy on another machine; may be repeated.",
    ),
)  # fmt: skip


def public_url(url: str | None) -> str | None:
    return None if url is None else public_address(url)


def secret_link(url: str | None, token: str) -> str:
    return f"{url or LOCAL}/enter#{token}"


@contextmanager
def claimed(kind: type[OpenStore], place: str, url: str | None) -> Iterator[OpenStore]:
    """The store of a place, which only this process serves meanwhile; `url` is stored."""
    with kind.open(place) as store:
        store.database.claim()
        if url is not None:
            with store.write() as connection:
                store.set_url(connection, public_address(url))
        yield store


def serve_store(
    store: ApplicationStore, application: Starlette, host: str, port: int, **options: Any
) -> None:
    """Print the address, and serve until interrupted."""
    address = store.url or f"{'https' if options['certificate'] else 'http'}://{host}:{port}"
    click.echo(f"{store.name}: {address} (Ctrl+C ends it)", err=True)
    serve(application, host, port, **options)
