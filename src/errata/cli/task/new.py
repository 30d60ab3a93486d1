"""`errata task new`"""

from __future__ import annotations

import click


@click.command()
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("task", metavar="TASK")
@click.option("--url", help="Where browsers will find it; http://127.0.0.1:8765 unless given.")
def command(config: str, task: str, url: str | None) -> None:
    """Make a task from CONFIG (TOML or JSON), and print the secret link of its owner.

    The gold is copied into the database, which only you can read. The link is shown now and never again:
    only a hash of it is kept.

    \b
    errata task new task.toml task.db --url https://gec.example.org
    """
    from errata.server.places import public_address
    from errata.task.making import make_task
    from errata.task.settings import read_settings

    public = None if url is None else public_address(url)
    store, token = make_task(read_settings(config), task, public)
    store.close()
    click.echo(f"{public or 'http://127.0.0.1:8765'}/enter#{token}")
    click.echo(f"{store.name}: start it with: errata task serve {store.place}", err=True)
