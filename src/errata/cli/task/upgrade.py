"""`errata task upgrade`"""

from __future__ import annotations

import click

from errata.cli.server_options import upgrade_database


@click.command()
@click.argument("task", metavar="TASK")
def command(task: str) -> None:
    """Bring a task of an earlier release to the present version.

    Stop its server first, and keep a copy: earlier releases cannot open it afterwards.
    """
    from errata.task.schema import LAYOUT

    upgrade_database(LAYOUT, task)
