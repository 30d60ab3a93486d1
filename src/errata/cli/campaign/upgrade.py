"""`errata campaign upgrade`"""

from __future__ import annotations

import click

from errata.cli.server_options import upgrade_database


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
def command(campaign: str) -> None:
    """Bring a campaign of an earlier release to the present version.

    Stop its server first, and keep a copy: earlier releases cannot open it afterwards. Annotators sign in
    once more with their links.
    """
    from errata.campaign.schema import LAYOUT

    upgrade_database(LAYOUT, campaign)
