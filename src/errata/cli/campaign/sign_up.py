"""`errata campaign sign-up`"""

from __future__ import annotations

import click


@click.command()
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--open/--close", "opened", default=None, help="Let people sign up, or no longer.")
@click.option("--places", type=click.IntRange(1, 10_000), help="How many people may sign up.")
def command(campaign: str, opened: bool | None, places: int | None) -> None:
    """Open or close the sign-up for people from crowd platforms, and show its link.

    The platform puts its id of the participant in place of ID.
    """
    import sqlalchemy as sa

    from errata.campaign import schema
    from errata.campaign.store import Store
    from errata.errors import DataError

    with Store.open(campaign) as store, store.write() as connection:
        row = connection.execute(sa.select(schema.campaign)).one()
        if opened is not None or places is not None:
            state = row.sign_up if opened is None else "open" if opened else "closed"
            if state == "open" and not (places or row.places):
                raise DataError("there are no places", path=store.place, hint="give --places N")
            store.set_sign_up(connection, state, places)
            row = connection.execute(sa.select(schema.campaign)).one()
        taken = store.taken(connection)
    click.echo(f"sign-up is {row.sign_up}; {taken} of {row.places} places are taken", err=True)
    link = store.sign_up_link(row, store.url or "http://127.0.0.1:8765")
    if link is not None:
        click.echo(link)
