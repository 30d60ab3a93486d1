"""`errata corpus sample`"""

from __future__ import annotations

import click

from errata.cli.options import corpus_options, seed_option, to_options


@click.command()
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("target", metavar="OUT", type=click.Path(allow_dash=True))
@click.option("--size", "-n", type=click.IntRange(min=1), required=True, help="How many units to draw.")
@click.option(
    "--unit", type=click.Choice(["segment", "paragraph", "document"]), default="segment",
    show_default=True, help="Unit to draw.",
)  # fmt: skip
@click.option("--by", metavar="FIELD", help="Keep the shares of this field's values (domain).")
@seed_option
@corpus_options
@to_options
def command(
    source: str, target: str, size: int, unit: str, by: str | None, seed: int, from_: str | None,
    references: tuple[str, ...], meta: tuple[str, ...], to: str | None, write_meta: bool,
) -> None:  # fmt: skip
    """Draw segments or documents at random, stratified, the same for a seed.

    They keep their order, and nothing is drawn twice.

    \b
    errata corpus sample gold.m2 - -n 10 --to m2
    """
    from errata.corpus.formats import format_to_write, read_corpus, write_corpora
    from errata.corpus.transforms import sample

    to = to or format_to_write(target)
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    drawn = sample(corpus, size, unit=unit, by=by, seed=seed)
    write_corpora([(drawn, target)], format=to, meta=write_meta)
