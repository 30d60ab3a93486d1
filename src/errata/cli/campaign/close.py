"""`errata campaign close`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--reopen", is_flag=True, help="Open it again.")
def command(campaign: str, reopen: bool) -> None:
    """Close a campaign: no further judgments are taken."""
    from errata.campaign.store import Store

    with Store.open(campaign) as store, store.write() as connection:
        store.set_state(connection, "open" if reopen else "closed")
    click.echo(f"{store.name} is {'open' if reopen else 'closed'}", err=True)
