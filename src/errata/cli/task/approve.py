"""`errata task approve`"""

from __future__ import annotations

import click


@click.command()
@click.argument("task", metavar="TASK")
@click.argument("names", metavar="TEAM...", nargs=-1, required=True)
@click.option("--refuse", is_flag=True, help="Refuse the teams instead.")
def command(task: str, names: tuple[str, ...], refuse: bool) -> None:
    """Let teams take part that have signed up, or refuse them."""
    from errata.task.store import Store
    from errata.task.submissions import queue_boards
    from errata.task.teams import find_team, set_team

    state = "refused" if refuse else "active"
    with Store.open(task) as store, store.write() as connection:
        for name in names:
            set_team(store, connection, find_team(connection, name), state, "errata task approve")
        queue_boards(store, connection)
    click.echo(f"{', '.join(names)}: {state}", err=True)
