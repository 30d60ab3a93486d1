"""`errata compat`: the official programs' commands, arguments and output."""

from __future__ import annotations

import click

from errata.cli.groups import LazyGroup

# program -> first line of its help; the command is `command` in errata.cli.compat.<program>
PROGRAMS: dict[str, str] = {
    "m2scorer": "M², with the arguments and the output of the official NUS scorer, version 3.2.",
    "compute_gleu": "GLEU+, with the arguments and the output of the official program of June 2017.",
    "ieval": "The I-measure, with the arguments and the output of the official program.",
    "m2_to_ixml": "M2 to the I-measure's XML, with the arguments of the official program.",
    "errant_compare": "errant 3.0.2: scores of one M2 file against another.",
    "errant_m2": "errant 3.0.2: the edits of an M2 file, extracted anew or typed.",
    "errant_parallel": "errant 3.0.2: parallel texts to M2 with error types.",
}


@click.command(cls=LazyGroup, prefix="compat.", table=PROGRAMS)
def command() -> None:
    """Run as the official programs do: same arguments, same output."""
