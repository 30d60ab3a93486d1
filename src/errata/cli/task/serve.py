"""`errata task serve`"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from errata.cli.server_options import campaign_application, claimed, serve_places, serving_options

if TYPE_CHECKING:
    from contextlib import ExitStack

    from starlette.applications import Starlette


@click.command()
@click.argument("places", metavar="TASK [MORE]...", nargs=-1, required=True)
@click.option(
    "--workers", type=click.IntRange(0, 64), default=1, show_default=True, help="Processes that score."
)
@serving_options
def command(places: tuple[str, ...], workers: int, url: str | None, **listening: Any) -> None:
    """Serve a task to browsers and programs, and score submissions, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key. One process serves a task; `errata task work` adds workers.

    MORE are further tasks and campaigns. A request goes to the one whose address (--url of `errata task new`
    and `errata campaign new`) has its host.

    \b
    errata task serve task.db --workers 2
    errata task serve task.db other-task.db campaign.db
    """
    if url is not None and len(places) > 1:
        raise click.UsageError("--url is the address of one task; `errata task new --url` gives it to each")
    secure = listening["certificate"] is not None
    serve_places(places, lambda place, stack: _application(place, url, workers, secure, stack), **listening)


def _application(
    place: str, url: str | None, workers: int, secure: bool, stack: ExitStack
) -> tuple[str, str | None, Starlette]:
    """The name, the address and the application of a task or a campaign, which is claimed."""
    from errata.campaign.schema import LAYOUT as CAMPAIGN
    from errata.task.server import application
    from errata.task.store import Store

    if CAMPAIGN.is_in(place):
        return campaign_application(place, url, secure, stack)
    store = claimed(Store, place, url, stack)
    return store.name, store.url, application(store, workers=workers, secure=secure)
