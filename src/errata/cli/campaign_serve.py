"""`errata campaign serve`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True)
@click.option("--certificate", type=click.Path(exists=True, dir_okay=False), help="TLS certificate (PEM).")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Its private key (PEM).")
@click.option("--new-admin-link", is_flag=True, help="Void the admin's link and show another one.")
def command(
    campaign: str, host: str, port: int, certificate: str | None, key: str | None, new_admin_link: bool
) -> None:
    """Serve a campaign to the annotators' browsers, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key.
    """
    from errata.campaign.server import serve
    from errata.campaign.store import Store

    store = Store.open(campaign)
    scheme = "https" if certificate else "http"
    click.echo(f"{store.name}: {scheme}://{host}:{port} (Ctrl+C ends it)", err=True)
    if new_admin_link:
        with store.write() as connection:
            click.echo(f"{scheme}://{host}:{port}/enter#{store.new_admin_link(connection)}")
    serve(store, host, port, certificate=certificate, key=key)
