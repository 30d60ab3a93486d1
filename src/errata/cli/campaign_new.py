"""`errata campaign new`"""

from __future__ import annotations

import os
from typing import Any

import click

from errata.cli.options import emit, format_option


@click.command()
@click.argument("config", type=click.Path(dir_okay=False))
@click.argument("campaign", metavar="CAMPAIGN")
@click.option("--name", help="Of the campaign.")
@click.option("--task", type=click.Choice(["ranking", "scalars", "pairwise", "correction"]))
@click.option("--assignment", type=click.Choice(["fixed", "balanced", "adaptive"]))
@click.option("--annotators", type=int, help="How many; they are called annotator-1, annotator-2 …")
@click.option("--redundancy", type=int, help="Judgments wanted of every item.")
@click.option("--overlap", type=float, help="Share of items that one more annotator judges.")
@click.option("--repeats", type=float, help="Share of items an annotator gets twice.")
@click.option("--controls", type=float, help="Share of items with a known answer.")
@click.option("--quota", type=int, help="Screens an annotator gets at most.")
@click.option("--seed", type=int, help="Of all random choices.")
@click.option(
    "--url", default="http://127.0.0.1:8765", show_default=True, help="Where annotators will find it."
)
@format_option
def command(config: str, campaign: str, url: str, format_: str, output: str, **overrides: Any) -> None:
    """Make a campaign from CONFIG (TOML or JSON), and the secret links of its annotators.

    The links are shown now and never again: only hashes of them are kept. With --output they go
    into a file.

    \b
    errata campaign new ranking.toml ranking.db --output links.tsv --format tsv
    """
    from errata.campaign.making import make_campaign
    from errata.campaign.settings import read_settings
    from errata.report.table import Column, Table

    given = {name: value for name, value in overrides.items() if value is not None}
    store, tokens, admin = make_campaign(read_settings(config, given), campaign)
    store.close()
    base = url.rstrip("/")
    rows = [(name, f"{base}/enter#{token}") for name, token in tokens.items()]
    rows.append(("(admin)", f"{base}/enter#{admin}"))
    table = Table(
        [Column("annotator"), Column("secret link")],
        list(rows),
        title=store.name,
        notes=[f"start it: errata campaign serve {campaign}", "links are shown once; keep them"],
    )
    emit(table, format_, output)
    if output != "-":
        os.chmod(output, 0o600)  # secrets
