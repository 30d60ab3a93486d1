"""`errata task invite`"""

from __future__ import annotations

import click


@click.command()
@click.argument("task", metavar="TASK")
@click.option(
    "--count", type=click.IntRange(1, 1000), default=1, show_default=True, help="Invitations to make."
)
@click.option(
    "--staff",
    type=click.Choice(["owner", "organiser", "observer"]),
    help="A link for staff instead of a team.",
)
@click.option("--name", help="Of the owner, organiser or observer.")
def command(task: str, count: int, staff: str | None, name: str | None) -> None:
    """Print invitations, each for one new team, or a link for an owner, an organiser or an observer."""
    from errata.task.store import Store
    from errata.task.teams import invite

    if (staff is None) != (name is None):
        raise click.UsageError("--staff and --name go together")
    with Store.open(task) as store, store.write() as connection:
        if staff is not None and name is not None:
            tokens = [store.add_staff(connection, name, staff, "errata task invite")]
        else:
            tokens = [invite(store, connection, "errata task invite") for _ in range(count)]
    for token in tokens:
        click.echo(f"{store.url or 'http://127.0.0.1:8765'}/enter#{token}")
