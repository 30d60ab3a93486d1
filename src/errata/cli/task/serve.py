"""`errata task serve`"""

from __future__ import annotations

import click

from errata.cli.server_options import serving_options


@click.command()
@click.argument("task", metavar="TASK")
@click.option(
    "--workers", type=click.IntRange(0, 64), default=1, show_default=True, help="Processes that score."
)
@serving_options
def command(
    task: str,
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
    """
    from errata.server.places import public_address
    from errata.server.serving import serve
    from errata.task.server import application
    from errata.task.store import Store

    store = Store.open(task)
    store.database.claim()
    scheme = "https" if certificate else "http"
    if url is not None:
        with store.write() as connection:
            store.set_url(connection, public_address(url))
    click.echo(f"{store.name}: {scheme}://{host}:{port} (Ctrl+C ends it)", err=True)
    made = application(store, workers=workers, secure=certificate is not None)
    try:
        serve(made, host, port, certificate=certificate, key=key, proxies=proxies)
    finally:
        store.close()
