"""`errata task serve`"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from errata.cli.server_options import serving_options

if TYPE_CHECKING:
    from starlette.applications import Starlette


@click.command()
@click.argument("places", metavar="TASK [MORE]...", nargs=-1, required=True)
@click.option(
    "--workers", type=click.IntRange(0, 64), default=1, show_default=True, help="Processes that score."
)
@serving_options
def command(
    places: tuple[str, ...],
    workers: int,
    host: str,
    port: int,
    certificate: str | None,
    key: str | None,
    url: str | None,
    proxies: tuple[str, ...],
) -> None:
    """Serve a task to browsers and programs, and score submissions, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key. One process serves a task; `errata task work` adds workers.

    MORE are further tasks and campaigns. A request goes to the one whose address (--url of `errata task new`
    and `errata campaign new`) has its host.

    \b
    errata task serve task.db --workers 2
    errata task serve task.db other-task.db campaign.db
    """
    from errata.server.hosts import by_host
    from errata.server.serving import serve

    if url is not None and len(places) > 1:
        raise click.UsageError("--url is the address of one task; `errata task new --url` gives it to each")
    secure = certificate is not None
    with ExitStack() as stack:
        made = [_application(place, url, workers, secure, stack) for place in places]
        for name, address, _ in made:
            shown = address or f"{'https' if secure else 'http'}://{host}:{port}"
            click.echo(f"{name}: {shown} (Ctrl+C ends it)", err=True)
        if len(made) == 1:
            served = made[0][2]
        else:
            for name, address, _ in made:
                if address is None:
                    raise click.UsageError(f"{name} has no address: serve it once by itself with --url")
            served = by_host({str(address): application for _, address, application in made})
        serve(served, host, port, certificate=certificate, key=key, proxies=proxies)


def _application(
    place: str, url: str | None, workers: int, secure: bool, stack: ExitStack
) -> tuple[str, str | None, Starlette]:
    """The name, the address and the application of a task or a campaign, which is claimed."""
    from errata.campaign.schema import LAYOUT as CAMPAIGN
    from errata.campaign.server import application as campaign_application
    from errata.campaign.store import Store as CampaignStore
    from errata.server.places import public_address
    from errata.task.server import application
    from errata.task.store import Store

    is_campaign = CAMPAIGN.is_in(place)
    store = CampaignStore.open(place) if is_campaign else Store.open(place)
    stack.callback(store.close)
    store.database.claim()
    if url is not None:
        with store.write() as connection:
            store.set_url(connection, public_address(url))
    if isinstance(store, CampaignStore):
        return store.name, store.url, campaign_application(store, secure=secure)
    return store.name, store.url, application(store, workers=workers, secure=secure)
