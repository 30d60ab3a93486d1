"""`errata campaign status`"""

from __future__ import annotations

import click

from errata.cli.options import emit, format_option


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@format_option
def command(campaign: str, format_: str, output: str) -> None:
    """Show progress, speed, controls, agreement and the ranking so far."""
    from errata.campaign import overview
    from errata.campaign.figures import Figures
    from errata.campaign.store import Store

    with Store.open(campaign) as store, store.report() as connection:
        figures = Figures(store, connection)
        figures.take_in_all(connection)
        tables = overview.tables(store, connection, figures)
        so_far = overview.progress(store, connection, figures)
    counts = f"{so_far.done} of {so_far.wanted} judgments by {so_far.annotators} annotators"
    tables[0].notes.append(f"{store.name} is {so_far.state}: {counts}")
    if store.selection is not None:
        tables[0].notes.append(store.selection.text())
    emit(tables, format_, output)
