"""`errata campaign serve`"""

from __future__ import annotations

from typing import Any

import click

from errata.cli.server_options import campaign_application, serve_places, serving_options


@click.command()
@click.argument("campaigns", metavar="CAMPAIGN [MORE]...", nargs=-1, required=True)
@serving_options
@click.option("--new-admin-link", is_flag=True, help="Void the admin's link and show another one.")
def command(campaigns: tuple[str, ...], url: str | None, new_admin_link: bool, **listening: Any) -> None:
    """Serve a campaign to the annotators' browsers, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key. One process serves a campaign.

    MORE are further campaigns. A request goes to the one whose address (--url of `errata campaign new`) has
    its host.

    \b
    errata campaign serve spring.db
    errata campaign serve spring.db autumn.db
    """
    if len(campaigns) > 1 and (url is not None or new_admin_link):
        raise click.UsageError("--url and --new-admin-link are for one campaign: serve it by itself first")
    secure = listening["certificate"] is not None
    if new_admin_link:
        local = f"{'https' if secure else 'http'}://{listening['host']}:{listening['port']}"
        _new_admin_link(campaigns[0], url or local)
    serve_places(campaigns, lambda place, stack: campaign_application(place, url, secure, stack), **listening)


def _new_admin_link(campaign: str, address: str) -> None:
    """Void the admin's link, and show another one."""
    from errata.campaign.store import Store

    with Store.open(campaign) as store:
        store.database.claim()
        with store.write() as connection:
            click.echo(f"{store.url or address}/enter#{store.new_admin_link(connection)}")
