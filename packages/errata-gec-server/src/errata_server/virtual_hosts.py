"""Several applications on one server: a request goes to the one whose address has its host."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.routing import Host

from errata.errors import DataError


def by_host(applications: Mapping[str, Starlette]) -> Starlette:
    """One application of several, each with the address at which browsers find it."""
    hosts: dict[str, Starlette] = {}
    for address, application in applications.items():
        name = urlsplit(address).hostname or ""
        if name in hosts:
            raise DataError(f"two addresses have the host {name}", hint="give each a host of its own")
        hosts[name] = application

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            for each in hosts.values():
                await stack.enter_async_context(each.router.lifespan_context(each))
            yield

    return Starlette(routes=[Host(name, app=each) for name, each in hosts.items()], lifespan=lifespan)
