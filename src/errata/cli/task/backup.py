"""`errata task backup`"""

from __future__ import annotations

import click


@click.command()
@click.argument("task", metavar="TASK")
@click.argument("target", type=click.Path(dir_okay=False))
def command(task: str, target: str) -> None:
    """Copy a task to a new SQLite file, also while it is being served; PostgreSQL's, too."""
    from errata.server.backup import backup
    from errata.task.store import Store

    with Store.open(task) as store:
        backup(store.database, store.LAYOUT, target)
