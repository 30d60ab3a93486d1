"""`errata meta` and `errata meta audit`"""

from __future__ import annotations

from importlib import import_module

import click

# subcommand -> first line of its help; the command is `command` in errata.cli.meta_<name>
COMMANDS = {
    "evaluate": "Correlate metrics with people: systems, sentences, sweeps. The default.",
    "audit": "Stress metrics with outputs nobody wants.",
}


class MetaCommands(click.Group):
    """Without the name of a subcommand, `evaluate` is meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in COMMANDS and args[0] not in ("--help", "-h"):
            args = ["evaluate", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"errata.cli.meta_{cmd_name}").command
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=MetaCommands)
def command() -> None:
    """Measure which metric agrees with people, and audit metrics.

    \b
    errata meta --human judgments.xml --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu
    errata meta --human ranking.tsv --scores scores.tsv
    errata meta audit --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu,imeasure
    """
