"""`errata task status`"""

from __future__ import annotations

import click

from errata.cli.options import emit, format_option


@click.command()
@click.argument("task", metavar="TASK")
@format_option
def command(task: str, format_: str, output: str) -> None:
    """Show phases, teams, the queue and the leaderboards, as the organisers see them."""
    from errata.task.overview import tables
    from errata.task.store import Store

    with Store.open(task) as store, store.report() as connection:
        found = tables(store, connection)
    emit(found, format_, output)
