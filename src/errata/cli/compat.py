"""`errata compat`: the official programs' commands, arguments and output."""

from __future__ import annotations

from importlib import import_module

import click

# program -> first line of its help; the command is `command` in errata.cli.compat_<program>
PROGRAMS: dict[str, str] = {
    "m2scorer": "M², with the arguments and the output of the official NUS scorer, version 3.2.",
    "compute_gleu": "GLEU+, with the arguments and the output of the official program of June 2017.",
    "ieval": "The I-measure, with the arguments and the output of the official program.",
    "m2_to_ixml": "M2 to the I-measure's XML, with the arguments of the official program.",
    "errant_compare": "errant 3.0.2: scores of one M2 file against another.",
    "errant_m2": "errant 3.0.2: the edits of an M2 file, extracted anew or typed.",
    "errant_parallel": "errant 3.0.2: parallel texts to M2 with error types.",
}


class Programs(click.Group):
    """Loads each program's module only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(PROGRAMS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in PROGRAMS:
            return None
        command: click.Command = import_module(f"errata.cli.compat_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Programs"):
            formatter.write_dl(list(PROGRAMS.items()))


@click.command(cls=Programs)
def command() -> None:
    """Run as the official programs do: same arguments, same output."""
