"""`errata campaign import`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False))
def command(campaign: str, files: tuple[str, ...]) -> None:
    """Take in judgments made elsewhere: another campaign's JSONL, rankings in any format, scores in TSV.

    Segments are numbered from 0 as in the campaign's corpus. Judges get the name `imported:NAME`. A judgment
    that is there already is not taken twice.
    """
    from errata.campaign.importing import import_file
    from errata.campaign.store import Store

    with Store.open(campaign) as store:
        for file in files:
            new, known = import_file(store, file)
            click.echo(f"{file}: {new} new, {known} known", err=True)
