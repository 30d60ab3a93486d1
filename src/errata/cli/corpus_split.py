"""`errata corpus split`"""

from __future__ import annotations

import click

from errata.cli.options import corpus_options, emit, format_option, seed_option, to_options

_DEFAULTS = {2: "80/20", 3: "80/10/10"}


@click.command()
@click.argument("source", metavar="IN", type=click.Path(allow_dash=True))
@click.argument("targets", metavar="OUT…", nargs=-1, required=True, type=click.Path(dir_okay=False))
@click.option("--sizes", help="Sizes of the parts: 80/10/10, or 5000/500/500; documents stay whole.")
@click.option(
    "--unit", type=click.Choice(["document", "paragraph", "segment"]), default="document",
    show_default=True, help="Unit to keep in one part.",
)  # fmt: skip
@click.option("--by", metavar="FIELD", help="Keep the shares of this field's values (domain) in every part.")
@seed_option
@corpus_options
@to_options
@format_option
def command(
    source: str, targets: tuple[str, ...], sizes: str | None, unit: str, by: str | None, seed: int,
    from_: str | None, references: tuple[str, ...], meta: tuple[str, ...], to: str | None,
    write_meta: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Split by document into parts of given sizes, stratified, the same for a seed.

    \b
    errata corpus split all.jsonl train.jsonl dev.jsonl test.jsonl --by domain
    """
    from errata.corpus.formats import read_corpus, write_corpora
    from errata.corpus.transforms import split
    from errata.tables import Column, Table

    sizes = sizes or _DEFAULTS.get(len(targets))
    try:
        proportions = [float(size) for size in (sizes or "").split("/")]
    except ValueError:
        raise click.BadParameter(f"{sizes!r} is not like 80/10/10", param_hint="--sizes") from None
    if len(proportions) != len(targets):
        raise click.UsageError(f"{len(proportions)} sizes for {len(targets)} files: give --sizes 80/10/10")
    corpus = read_corpus(source, format=from_, references=references, meta=meta)
    parts = split(corpus, proportions, unit=unit, by=by, seed=seed)
    write_corpora(zip(parts, targets, strict=True), format=to, meta=write_meta)

    values = list(corpus.groups(by)) if by else []
    rows = []
    for target, part in zip(targets, parts, strict=True):
        documents = len({segment.document for segment in part} - {None}) or None
        inside = part.groups(by) if by else {}
        share = 100 * len(part) / len(corpus)
        rows.append((target, len(part), share, documents, *(len(inside.get(value, ())) for value in values)))
    names = ("part", "segments", "%", "documents", *(value or f"no {by}" for value in values))
    columns = [Column(name, decimals=1 if name == "%" else None) for name in names]
    emit(Table(columns, rows, notes=[f"by {unit}, seed {seed}"]), format_, output)
