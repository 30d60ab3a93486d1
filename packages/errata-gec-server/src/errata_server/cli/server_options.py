"""Options and functions of the verbs that serve a database."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from errata.cli.commands import together

if TYPE_CHECKING:
    from contextlib import ExitStack

    from starlette.applications import Starlette

    from errata_server.store import OpenStore

serving_options = together(
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on."),
    click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True),
    click.option(
        "--certificate", type=click.Path(exists=True, dir_okay=False), help="TLS certificate (PEM)."
    ),
    click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Its private key (PEM)."),
    click.option("--url", help="Where browsers find it, as in https://judge.example.org; it is remembered."),
    click.option(
        "--proxy", "proxies", multiple=True, metavar="ADDRESS",
        help="A proxy on another machine, whose X-Forwarded headers are believed; may be repeated.",
    ),
)  # fmt: skip


def serve_places(
    places: Sequence[str],
    open_one: Callable[[str, ExitStack], tuple[str, str | None, Starlette]],
    *,
    host: str,
    port: int,
    certificate: str | None,
    key: str | None,
    proxies: tuple[str, ...],
) -> None:
    """Serve one application, or several with a host each, until interrupted.

    `open_one` returns the name, the address and the application of a place; the stack closes what it opened.
    """
    from contextlib import ExitStack

    from errata.http.serving import serve
    from errata_server.virtual_hosts import by_host

    with ExitStack() as stack:
        made = [open_one(place, stack) for place in places]
        for name, address, _ in made:
            shown = address or f"{'https' if certificate else 'http'}://{host}:{port}"
            click.echo(f"{name}: {shown} (Ctrl+C ends it)", err=True)
            if address is None and len(made) > 1:
                raise click.UsageError(f"{name} has no address: serve it once by itself with --url")
        served = made[0][2]
        if len(made) > 1:
            served = by_host({str(address): application for _, address, application in made})
        serve(served, host, port, certificate=certificate, key=key, proxies=proxies)


def claimed(kind: type[OpenStore], place: str, url: str | None, stack: ExitStack) -> OpenStore:
    """The store of a place that only this process serves until the stack is closed; `url` is remembered."""
    from errata_server.database_url import public_address

    store = kind.open(place)
    stack.callback(store.close)
    store.database.claim()
    if url is not None:
        with store.write() as connection:
            store.set_url(connection, public_address(url))
    return store


def campaign_application(
    place: str, url: str | None, secure: bool, stack: ExitStack
) -> tuple[str, str | None, Starlette]:
    """The name, the address and the application of a campaign, which is claimed."""
    from errata_server.campaign.server import application
    from errata_server.campaign.store import Store

    store = claimed(Store, place, url, stack)
    return store.name, store.url, application(store, secure=secure)
