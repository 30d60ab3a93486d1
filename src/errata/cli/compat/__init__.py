"""`errata compat`: the commands of the official programs, with their arguments and output."""

from __future__ import annotations

import click

from errata.cli.commands import LazyGroup

PROGRAMS = {  # program -> first line of its help
    "m2scorer": "M², as the official NUS scorer, version 3.2.",
    "compute_gleu": "GLEU+, as the official program of June 2017.",
    "ieval": "The I-measure, as the official program.",
    "m2_to_ixml": "M2 to the XML of the I-measure, as the official program.",
    "errant_compare": "errant 3.0.2: scores of one M2 file against another.",
    "errant_m2": "errant 3.0.2: edits of an M2 file, extracted anew or typed.",
    "errant_parallel": "errant 3.0.2: parallel texts to M2 with error types.",
}
_MODULES = {
    "m2scorer": "m2scorer",
    "compute_gleu": "compute_gleu",
    **dict.fromkeys(("ieval", "m2_to_ixml"), "imeasure_programs"),
    **dict.fromkeys(("errant_compare", "errant_m2", "errant_parallel"), "errant_programs"),
}


@click.command(
    cls=LazyGroup, table=PROGRAMS, modules={name: f"compat.{module}" for name, module in _MODULES.items()}
)  # fmt: skip
def command() -> None:
    """Run as the official programs do: same arguments, same output."""
