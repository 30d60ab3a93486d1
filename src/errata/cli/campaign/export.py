"""`errata campaign export`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option(
    "--to",
    default="jsonl",
    show_default=True,
    type=click.Choice(["jsonl", "appraise", "pairwise", "wmt", "mturk", "scalar", "m2", "tsv", "spans"]),
    help="jsonl has everything; scalar is for scores and spans, m2 for corrections and spans, tsv for "
    "corrections, spans for spans, the rest for rankings.",
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), default="-", help="File to write; - is stdout."
)
@click.option("--names", is_flag=True, help="Write the annotators' names instead of pseudonyms.")
def command(campaign: str, to: str, output: str, names: bool) -> None:
    """Write judgments or corrections in the formats of the field."""
    from errata.campaign.exporting import export
    from errata.campaign.store import Store
    from errata.corpus.files import open_output

    with Store.open(campaign) as store, open_output(output, whole=True) as file:
        export(store, file, to, names=names)
    if store.selection is not None and store.selection.judged < store.selection.segments:
        click.echo(store.selection.text(), err=True)
