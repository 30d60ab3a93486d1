"""`errata campaign …`: each subcommand is loaded when it is used."""

from __future__ import annotations

from importlib import import_module

import click

# subcommand -> first line of its help; the command is `command` in errata.cli.campaign_<subcommand>
SUBCOMMANDS = {
    "new": "Make a campaign from its settings, and the secret links of its annotators.",
    "serve": "Serve a campaign to the annotators' browsers.",
    "status": "Show progress, speed, controls, agreement and the ranking so far.",
    "export": "Write judgments or corrections in the formats of the field.",
    "import": "Take in judgments made elsewhere.",
    "backup": "Copy a campaign, also while it is being served.",
    "close": "Close a campaign: no further judgments are taken.",
}


class Subcommands(click.Group):
    """Loads a subcommand's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in SUBCOMMANDS:
            return None
        try:
            import jinja2  # noqa: F401
            import sqlalchemy  # noqa: F401
            import starlette  # noqa: F401
            import uvicorn  # noqa: F401
        except ImportError:
            from errata.errors import MissingExtraError

            raise MissingExtraError("`errata campaign`", "campaign") from None
        command: click.Command = import_module(f"errata.cli.campaign_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.command(cls=Subcommands)
def command() -> None:
    """Collect human judgments and corrections in the browser.

    CAMPAIGN is a file (SQLite), or the URL of a PostgreSQL database: postgresql://user@host/name
    """
