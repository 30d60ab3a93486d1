"""`errata corpus tokenize`, and what it shares with `errata corpus detokenize`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import click

from errata.cli.options import together
from errata.text.tokenizers import TOKENIZERS, Tokenizer

# The tokenizer, its parameters, and where the text goes.
tokenizer_options = together(
    click.option(
        "--tokenizer", "-t", "name", type=click.Choice(TOKENIZERS), default="penn", show_default=True,
        help="The rules to follow.",
    ),
    click.option("--lang", default="en", show_default=True, help="The language (moses)."),
    click.option("--model", type=click.Path(), help="A UDPipe 1 model (udpipe)."),
    click.option(
        "--quotes", type=click.Choice(["keep", "penn"]), default="keep", show_default=True,
        help="What penn makes of a double quote: itself, or `` and ''.",
    ),
    click.option("--output", "-o", default="-", type=click.Path(dir_okay=False), help="- is stdout."),
    click.option("--suffix", help="Write a file beside each, named with this behind: .tok"),
    click.argument("files", nargs=-1, required=True, type=click.Path(), metavar="FILE…"),
)  # fmt: skip


@click.command()
@tokenizer_options
def command(**settings: Any) -> None:
    """Split text into tokens, line by line: a line stays a line.

    FILE is plain text, maybe compressed; - is standard input. penn is what the CoNLL shared tasks use,
    and wants a sentence a line; characters is for Chinese and Japanese.

    \b
    errata corpus tokenize -t moses --lang cs essays.txt > essays.tok
    """
    rewrite(lambda tool, line: " ".join(tool.tokenize(line)), **settings)


def rewrite(
    change: Callable[[Tokenizer, str], str], files: tuple[str, ...], name: str, lang: str,
    model: str | None, quotes: str, output: str, suffix: str | None,
) -> None:  # fmt: skip
    """Change files line by line, each line written before the next is read."""
    from errata.corpus.files import open_output, plain_suffix, stream_lines
    from errata.errors import DataError
    from errata.text.tokenizers import tokenizer

    tool = tokenizer(name, lang=lang, model=model, quotes=quotes)
    for path in files:
        if plain_suffix(path) == ".m2":
            hint = "convert it first: errata corpus convert"
            raise DataError("the tokens of M2 cannot be changed, its edits count them", path=path, hint=hint)

    def write(paths: Iterable[str], to: str) -> None:
        lines = (change(tool, line) + "\n" for path in paths for line in stream_lines(path))
        if to == "-":
            sys.stdout.buffer.writelines(line.encode("utf-8") for line in lines)
            return
        with open_output(to) as file:
            file.writelines(lines)

    if suffix is None:
        write(files, output)
        return
    if output != "-" or "-" in files:
        raise click.UsageError(
            "--suffix names a file beside each FILE; it goes neither with --output nor with -"
        )
    for path in files:
        write([path], path + suffix)
