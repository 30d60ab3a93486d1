"""`errata compat m2_to_ixml`"""

from __future__ import annotations

import click

from errata.cli.compat.ieval import parse

_NONE = "-NONE-"


@click.command(
    context_settings={"help_option_names": ["--help"], "ignore_unknown_options": True},
    options_metavar="-in:FILE.m2 [-out:FILE.ixml]",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="")
def command(arguments: tuple[str, ...]) -> None:
    """Convert M2 to the I-measure's XML, with the arguments of the official program.

    Like the official program it takes a correction of -NONE- for a word, and warns. `errata corpus convert`
    and the metric take it for an empty correction.
    """
    options, _ = parse(arguments, {"in", "out"}, set(), required=("in",))

    from errata.corpus.files import read_bytes
    from errata.corpus.formats import write_corpus
    from errata.corpus.m2 import parse_m2

    lines = read_bytes(options["in"]).split(b"\n")
    words = [_with_word(line) for line in lines]
    changed = sum(a != b for a, b in zip(lines, words, strict=True))
    if changed:
        click.echo(
            f"warning: {changed:,} edits have the correction {_NONE}, which the official program takes for a "
            "word, and so does this one; `errata corpus convert` takes it for a deletion",
            err=True,
        )
    write_corpus(parse_m2(b"\n".join(words), options["in"]), options.get("out") or "-", format="ixml")


def _with_word(line: bytes) -> bytes:
    """An edit line whose first correction is the word -NONE-: with a blank before it, the reader keeps it."""
    fields = line.split(b"|||")
    if not line.startswith(b"A ") or len(fields) < 3 or fields[1] == b"noop":
        return line
    first, *others = fields[2].split(b"||")
    if first != _NONE.encode():
        return line
    return b"|||".join([*fields[:2], b"||".join([b" " + first, *others]), *fields[3:]])
