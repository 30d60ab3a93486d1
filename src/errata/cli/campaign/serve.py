"""`errata campaign serve`"""

from __future__ import annotations

import click

from errata.cli.server_options import serving_options


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@serving_options
@click.option("--new-admin-link", is_flag=True, help="Void the admin's link and show another one.")
def command(
    campaign: str,
    host: str,
    port: int,
    certificate: str | None,
    key: str | None,
    url: str | None,
    proxies: tuple[str, ...],
    new_admin_link: bool,
) -> None:
    """Serve a campaign to the annotators' browsers, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key. One process serves a campaign.
    """
    from errata.campaign.server import application
    from errata.campaign.store import Store
    from errata.server.places import public_address
    from errata.server.serving import serve

    store = Store.open(campaign)
    store.database.claim()
    scheme = "https" if certificate else "http"
    with store.write() as connection:
        if url is not None:
            store.set_url(connection, public_address(url))
        if new_admin_link:
            link = store.new_admin_link(connection)
            click.echo(f"{store.url or f'{scheme}://{host}:{port}'}/enter#{link}")
    click.echo(f"{store.name}: {scheme}://{host}:{port} (Ctrl+C ends it)", err=True)
    try:
        serve(
            application(store, secure=certificate is not None),
            host,
            port,
            certificate=certificate,
            key=key,
            proxies=proxies,
        )
    finally:
        store.close()
