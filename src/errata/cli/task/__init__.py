"""`errata task …`: each subcommand is loaded when it is used."""

from __future__ import annotations

import click

from errata.cli.server_options import ServerCommands

# subcommand -> first line of its help; the command is `command` in errata.cli.task.<subcommand>
SUBCOMMANDS = {
    "new": "Make a task from its settings, and the secret link of its owner.",
    "serve": "Serve a task to browsers and programs, and score submissions.",
    "work": "Score submissions beside the server, also on another machine.",
    "status": "Show teams, phases, the queue and the leaderboards.",
    "invite": "Make invitations for teams, or links for organisers and observers.",
    "approve": "Let a team take part that has signed up, or refuse it.",
    "submit": "Send a file to a task, and wait for its scores.",
    "close": "Close a phase, or the whole task.",
    "campaign": "Let people judge the final submissions: make a campaign about them.",
    "people": "Put the ranking of a campaign on the leaderboard.",
    "export": "Write the archive of a task, and the tables of an overview paper.",
    "codabench": "Write or read a competition bundle of Codabench.",
    "backup": "Copy a task, also while it is being served.",
    "upgrade": "Bring a task of an earlier release to the present version.",
}


@click.command(cls=ServerCommands, prefix="task.", table=SUBCOMMANDS)
def command() -> None:
    """Run a shared task: submissions, hidden gold, a live leaderboard.

    TASK is a file (SQLite), or the URL of a PostgreSQL database: postgresql://user@host/name
    """
