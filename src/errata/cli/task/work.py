"""`errata task work`"""

from __future__ import annotations

import click


@click.command()
@click.argument("task", metavar="TASK")
def command(task: str) -> None:
    """Score submissions until interrupted, beside the server or (with PostgreSQL) on another machine.

    Each submission is scored in a process of its own, with the limits of time and memory that the task's
    settings have. A worker that is killed loses nothing: another one takes its submission after some seconds.
    """
    from errata.task.worker import work

    work(task)
