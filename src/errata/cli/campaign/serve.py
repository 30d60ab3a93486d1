"""`errata campaign serve`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True)
@click.option("--certificate", type=click.Path(exists=True, dir_okay=False), help="TLS certificate (PEM).")
@click.option("--key", type=click.Path(exists=True, dir_okay=False), help="Its private key (PEM).")
@click.option("--url", help="Where browsers find it, as in https://judge.example.org; it is remembered.")
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy on another machine, whose X-Forwarded headers are believed; may be repeated.",
)
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
