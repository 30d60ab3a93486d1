"""Options and functions of the verbs that serve a database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from urllib.parse import urlsplit

import click
from starlette.applications import Starlette
from starlette.routing import Host

from errata.cli.commands import option, together
from errata.errors import DataError
from errata.http.asgi import serve
from errata_server.application_store import OpenStore
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_store import CampaignStore
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

    `open_one` returns the name, the address and the application of a place, and closes them with the stack.
    """
    with ExitStack() as stack:
        opened = [open_one(place, stack) for place in places]
        for name, address, _ in opened:
            shown = address or f"{'https' if certificate else 'http'}://{host}:{port}"
            click.echo(f"{name}: {shown} (Ctrl+C ends it)", err=True)
            if address is None and len(opened) > 1:
                raise click.UsageError(f"{name} has no address: serve it once by itself with --url")
        served = opened[0][2]
        if len(opened) > 1:
            served = by_host({str(address): application for _, address, application in opened})
        serve(served, host, port, certificate=certificate, key=key, proxies=proxies)


def claimed(kind: type[OpenStore], place: str, url: str | None, stack: ExitStack) -> OpenStore:
    """The store of a place, which only this process serves until the stack is closed; `url` is stored."""
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
    store = claimed(CampaignStore, place, url, stack)
    return store.name, store.url, application(store, secure=secure)


def by_host(applications: Mapping[str, Starlette]) -> Starlette:
    """An application that passes each request to the one whose address has its host."""
    hosts: dict[str, Starlette] = {}
    for address, each in applications.items():
        name = urlsplit(address).hostname or ""
        if name in hosts:
            raise DataError(f"two addresses have the host {name}", hint="give each a host of its own")
        hosts[name] = each

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in hosts.values():
                await stack.enter_async_context(each.router.lifespan_context(each))
            yield

    return Starlette(routes=[Host(name, app=each) for name, each in hosts.items()], lifespan=lifespan)
