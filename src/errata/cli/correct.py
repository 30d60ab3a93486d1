"""`errata correct`"""

from __future__ import annotations

import itertools

import click

from errata.cli.options import progress, quiet_option

_LINES = 1000  # corrected at a time: bounds the memory


@click.command()
@click.argument("source", default="-", type=click.Path())
@click.option("--model", "-m", required=True, help="A shipped model's name, or a model's file or folder.")
@click.option(
    "--mode", type=click.Choice(("spelling", "diacritics", "strip")), default="spelling", show_default=True,
    help="What a noisy-channel model does: correct, restore diacritics, or remove them.",
)  # fmt: skip
@click.option(
    "--tokenized", is_flag=True, help="The text is tokenised: a token between blanks; M2 sources are."
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), default="-", help="File to write to; - is stdout."
)
@quiet_option
def command(source: str, model: str, mode: str, tokenized: bool, output: str, quiet: bool) -> None:
    """Correct text line by line: SOURCE is a text file, an .m2 file (its sources), or - for stdin."""
    from errata.corpus.files import open_output, plain_suffix, stream_lines
    from errata.corpus.m2 import read_m2
    from errata.correct.loading import load_corrector

    corrector = load_corrector(model, mode)
    if plain_suffix(source) == ".m2":
        lines = iter(read_m2(source).sources)
        tokenized = True
    else:
        lines = stream_lines(source)
    work = corrector.correct_tokenized if tokenized else corrector.correct
    with open_output(output) as file, progress(None, "correcting", quiet) as advance:
        while batch := list(itertools.islice(lines, _LINES)):
            for line in work(batch):
                file.write(line + "\n")
            advance(len(batch))
