"""`errata meta` and `errata meta audit`"""

from __future__ import annotations

import click

from errata.cli.groups import LazyGroup

# subcommand -> first line of its help; the command is `command` in errata.cli.meta_<name>
COMMANDS = {
    "evaluate": "Correlate metrics with people: systems, sentences, sweeps. The default.",
    "audit": "Stress metrics with outputs nobody wants.",
}


class MetaCommands(LazyGroup):
    """Without the name of a subcommand, `evaluate` is meant."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in COMMANDS and args[0] not in ("--help", "-h"):
            args = ["evaluate", *args]
        return super().parse_args(ctx, args)


@click.command(cls=MetaCommands, prefix="meta_", table=COMMANDS)
def command() -> None:
    """Measure which metric agrees with people, and audit metrics.

    \b
    errata meta --human judgments.xml --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu
    errata meta --human ranking.tsv --scores scores.tsv
    errata meta audit --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu,imeasure
    """
