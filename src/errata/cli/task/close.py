"""`errata task close`"""

from __future__ import annotations

import click


@click.command()
@click.argument("task", metavar="TASK")
@click.option("--phase", help="Close only this phase.")
@click.option("--reopen", is_flag=True, help="Open it again.")
def command(task: str, phase: str | None, reopen: bool) -> None:
    """Close a phase, or the whole task: no further submissions are taken, and the teams' names are shown."""
    from errata.task.store import Store

    state = "open" if reopen else "closed"
    with Store.open(task) as store, store.write() as connection:
        if phase is not None:
            store.set_phase(connection, phase, state, "errata task close")
        else:
            store.set_state(connection, state, "errata task close")
    click.echo(f"{phase or store.name} is {state}", err=True)
