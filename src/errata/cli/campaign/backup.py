"""`errata campaign backup`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("target", type=click.Path(dir_okay=False))
def command(campaign: str, target: str) -> None:
    """Copy a campaign to a new SQLite file, also while it is being served; PostgreSQL's, too."""
    from errata.campaign.store import Store
    from errata.server.backup import backup

    with Store.open(campaign) as store:
        backup(store.database, store.LAYOUT, target)
