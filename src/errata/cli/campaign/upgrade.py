"""`errata campaign upgrade`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
def command(campaign: str) -> None:
    """Bring a campaign of an earlier release to the present version.

    Stop its server first, and keep a copy: earlier releases cannot open it afterwards. Annotators sign in
    once more with their links.
    """
    from errata.campaign.schema import LAYOUT
    from errata.server.database import Database

    database = Database(campaign)
    try:
        LAYOUT.found(database)
        database.claim()
        before = LAYOUT.upgrade(database)
    finally:
        database.close()
    if before == LAYOUT.version:
        click.echo(f"{database.shown} has version {before} already", err=True)
    else:
        click.echo(f"{database.shown}: version {before} is now version {LAYOUT.version}", err=True)
