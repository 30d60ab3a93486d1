"""`errata correct`"""

from __future__ import annotations

import click

from errata.cli.options import engine_options, jobs_option, note, progress, quiet_option


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
    "--output", "-o", default="-", help="File to write to, or a folder (out/) for shards; - is stdout."
)
@jobs_option
@engine_options
@quiet_option
def command(
    source: str, model: str, mode: str, tokenized: bool, output: str, jobs: int, engine_name: str,
    address: str | None, quiet: bool,
) -> None:  # fmt: skip
    """Correct text line by line: SOURCE is a text file, an .m2 file (its sources), or - for stdin.

    Shards (a pattern, a folder, a URL) go to a folder; of Parquet and JSONL, `source` becomes `hypothesis`.
    """
    from errata.corpus.pieces import rewrite
    from errata.correct.streaming import Correct
    from errata.engine import engine

    work = Correct(model, mode, tokenized)
    if engine_name == "threads":
        work.corrector  # noqa: B018 (a model that is not there is an error before anything is opened)
    with progress(None, "correcting", quiet) as advance:
        rewrite(source, output, work, engine(engine_name, jobs=jobs, address=address), advance, note)
