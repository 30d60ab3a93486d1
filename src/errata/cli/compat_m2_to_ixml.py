"""`errata compat m2_to_ixml`"""

from __future__ import annotations

import click

from errata.cli.compat_ieval import parse


@click.command(
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
    options_metavar="-in:FILE.m2 [-out:FILE.ixml]",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="")
def command(arguments: tuple[str, ...]) -> None:
    """Convert M2 to the I-measure's XML, with the arguments of the official program."""
    options, _ = parse(arguments, {"in", "out"}, set(), required=("in",))

    from errata.corpus.formats import read_corpus, write_corpus

    write_corpus(read_corpus(options["in"], format="m2"), options.get("out") or "-", format="ixml")
