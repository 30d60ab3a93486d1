"""`errata task people`"""

from __future__ import annotations

import click

from errata.cli.options import emit, format_option


@click.command()
@click.argument("task", metavar="TASK")
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--track", required=True, help="The track that was judged.")
@click.option("--phase", required=True, help="The phase that was judged.")
@click.option(
    "--method", default="ew", show_default=True, type=click.Choice(["ew", "trueskill", "bt"]),
    help="How judgments become scores; those of a scale are standardised and averaged.",
)  # fmt: skip
@format_option
def command(task: str, campaign: str, track: str, phase: str, method: str, format_: str, output: str) -> None:
    """Put people's ranking on the leaderboard, and show how well every metric agrees with it.

    CAMPAIGN is one that `errata task campaign` has made. Enter it again whenever there are more judgments.
    """
    from errata.task.overview import people_tables
    from errata.task.people import enter_people
    from errata.task.store import Store

    with Store.open(task) as store:
        enter_people(store, track, phase, campaign, method=method)
        with store.report() as connection:
            found = people_tables(store, connection, track, phase)
    emit(found, format_, output)
