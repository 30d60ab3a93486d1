"""`errata campaign annotators`"""

from __future__ import annotations

import click

from errata.cli.options import emit, format_option


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@format_option
def command(campaign: str, format_: str, output: str) -> None:
    """List the annotators: completion codes, consent, work and flags.

    It has names and codes: share it with those who pay or check annotators only.
    """
    from errata.campaign import overview
    from errata.campaign.figures import Figures
    from errata.campaign.store import Store

    with Store.open(campaign) as store, store.report() as connection:
        figures = Figures(store, connection)
        figures.take_in_all(connection)
        table = overview.people_table(store, connection, figures)
    emit(table, format_, output)
