"""`errata task campaign`"""

from __future__ import annotations

from typing import Any

import click

from errata.cli.campaign.links import show_links
from errata.cli.options import format_option, seed_option


@click.command()
@click.argument("task", metavar="TASK")
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--track", required=True, help="Whose final submissions are judged.")
@click.option("--phase", required=True, help="The phase they were sent in.")
@click.option("--sentences", type=click.IntRange(min=1), help="Judge this many, drawn at random.")
@click.option(
    "--kind", "task_", default="ranking", show_default=True,
    type=click.Choice(["ranking", "scalars", "pairwise"]), help="What people are asked for.",
)  # fmt: skip
@click.option(
    "--assignment", default="adaptive", show_default=True,
    type=click.Choice(["fixed", "balanced", "adaptive"]), help="How screens are dealt out.",
)  # fmt: skip
@click.option("--annotators", type=click.IntRange(min=1), default=3, show_default=True, help="How many.")
@click.option("--redundancy", type=click.IntRange(min=1), default=1, help="Judgments wanted of every item.")
@click.option("--instructions", help="Markdown file for the annotators.")
@click.option("--url", help="Where browsers will find the campaign.")
@seed_option
@format_option
def command(
    task: str, campaign: str, track: str, phase: str, sentences: int | None, task_: str, url: str | None,
    seed: int, format_: str, output: str, **settings: Any,
) -> None:  # fmt: skip
    """Make CAMPAIGN, in which people judge the final submissions of a track, and its secret links.

    Sentences on which all systems agree are left out, and systems that wrote the same text share a card.
    `errata campaign serve CAMPAIGN` serves it, by itself or beside the task.

    \b
    errata task campaign task.db people.db --track minimal --phase test --sentences 200 --annotators 5
    """
    from errata.server.places import public_address
    from errata.task.people import campaign_of_finals
    from errata.task.store import Store

    given = {name: value for name, value in settings.items() if value is not None} | {"task": task_}
    public = None if url is None else public_address(url)
    with Store.open(task) as store:
        made, tokens, admin = campaign_of_finals(
            store, track, phase, campaign, sentences=sentences, seed=seed, url=public, settings=given
        )
    made.close()
    show_links(made, tokens, admin, public, format_, output)
