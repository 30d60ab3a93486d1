"""`errata meta` and its subcommands"""

from __future__ import annotations

import os
from difflib import get_close_matches

import click

from errata.cli.groups import LazyGroup

# subcommand -> first line of its help; the command is `command` in errata.cli.meta_<name>
COMMANDS = {
    "evaluate": "Correlate metrics with people: systems, sentences, sweeps. The default.",
    "benchmark": "Evaluate metrics on a benchmark by name; --benchmark NAME stands for it.",
    "edits": "Compare metrics with people's labels of single edits.",
    "audit": "Stress metrics with deliberately bad outputs.",
}


def _is_command(word: str) -> bool:
    """Whether a word names a subcommand, correctly or nearly so; options and files do not."""
    if word in COMMANDS:
        return True
    return not word.startswith("-") and not os.path.exists(word) and bool(get_close_matches(word, COMMANDS))


class MetaCommands(LazyGroup):
    """Without the name of a subcommand, `evaluate` is meant, or `benchmark` where only one is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and not _is_command(args[0]) and args[0] not in ("--help", "-h"):
            options = {arg.partition("=")[0] for arg in args}
            named = "--benchmark" in options and not options & {"--human", "-H"}
            args = ["benchmark" if named else "evaluate", *args]
        return super().parse_args(ctx, args)


@click.command(cls=MetaCommands, prefix="meta_", table=COMMANDS)
def command() -> None:
    """Measure which metric agrees with people, and audit metrics.

    \b
    errata meta --benchmark seeda --metric m2,gleu
    errata meta --human judgments.xml --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu
    errata meta --human ranking.tsv --scores scores.tsv
    errata meta audit --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu,imeasure
    """
