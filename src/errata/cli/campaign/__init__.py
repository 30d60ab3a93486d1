"""`errata campaign …`: each subcommand is loaded when it is used."""

from __future__ import annotations

import click

from errata.cli.server_options import ServerCommands

# subcommand -> first line of its help; the command is `command` in errata.cli.campaign.<subcommand>
SUBCOMMANDS = {
    "new": "Make a campaign from its settings, and the secret links of its annotators.",
    "serve": "Serve a campaign to the annotators' browsers.",
    "status": "Show progress, speed, controls, agreement and the ranking so far.",
    "export": "Write judgments or corrections in the formats of the field.",
    "import": "Take in judgments made elsewhere.",
    "annotators": "List the annotators: completion codes, consent, work and flags.",
    "sign-up": "Open or close the sign-up for people from crowd platforms.",
    "backup": "Copy a campaign, also while it is being served.",
    "upgrade": "Bring a campaign of an earlier release to the present version.",
    "close": "Close a campaign: no further judgments are taken.",
}


@click.command(cls=ServerCommands, prefix="campaign.", table=SUBCOMMANDS)
def command() -> None:
    """Collect human judgments and corrections in the browser.

    CAMPAIGN is a file (SQLite), or the URL of a PostgreSQL database: postgresql://user@host/name
    """
