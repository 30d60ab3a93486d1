"""`errata campaign new`"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from errata.cli.campaign.links import show_links
from errata.cli.options import Number, format_option


@click.command()
@click.argument("files", metavar="[CONFIG] CAMPAIGN", nargs=-1, required=True)
@click.option("--name", help="Of the campaign.")
@click.option("--corpus", help="The texts: anything `errata corpus` reads.")
@click.option("--meta", multiple=True, help="Side file of the corpus: documents …; may be repeated.")
@click.option("--system", "systems", multiple=True, metavar="NAME=FILE", help="A system's outputs; repeat.")
@click.option("--instructions", help="Markdown file for the annotators.")
@click.option("--task", type=click.Choice(["ranking", "scalars", "pairwise", "correction", "spans"]))
@click.option("--assignment", type=click.Choice(["fixed", "balanced", "adaptive"]))
@click.option("--annotators", type=int, help="How many; they are called annotator-1, annotator-2 …")
@click.option("--redundancy", type=int, help="Judgments wanted of every item.")
@click.option("--overlap", type=Number(), help="Share of items that one more annotator judges.")
@click.option("--repeats", type=Number(), help="Share of items an annotator gets twice.")
@click.option("--controls", type=Number(), help="Share of items with a known answer.")
@click.option("--quota", type=int, help="Screens an annotator gets at most.")
@click.option("--seed", type=int, help="Of all random choices but the order of cards; secret unless given.")
@click.option("--sample", type=int, metavar="N", help="Judge N segments, drawn at random.")
@click.option(
    "--skip-unchanged", is_flag=True, default=None, help="Leave out segments that no system changed."
)
@click.option(
    "--tokenizer",
    type=click.Choice(["penn", "moses", "characters"]),
    help="Of the corpus: annotators read natural text, tokens are stored.",
)
@click.option(
    "--interface", type=click.Choice(["en", "cs", "de", "uk"]), help="Language of the annotators' pages."
)
@click.option("--consent", help="Markdown file that annotators agree to before they begin.")
@click.option("--places", type=int, help="How many people may sign up by themselves.")
@click.option("--url", help="Where browsers will find it; http://127.0.0.1:8765 unless given.")
@format_option
def command(files: tuple[str, ...], url: str | None, format_: str, output: str, **overrides: Any) -> None:
    """Make a campaign from CONFIG (TOML or JSON) or from flags, and the secret links of its annotators.

    The links are shown now and never again: only hashes of them are kept. With --output they go
    into a file.

    \b
    errata campaign new ranking.toml ranking.db --output links.tsv --format tsv
    errata campaign new pairs.db --task pairwise --corpus src.txt --system a=a.txt --system b=b.txt
    """
    from errata.campaign.making import make_campaign
    from errata.campaign.settings import read_settings
    from errata.server.places import public_address

    if len(files) > 2:
        raise click.UsageError("give a file of settings and a name for the campaign, no more")
    campaign, config = files[-1], files[0] if len(files) == 2 else None
    given = {name: value for name, value in overrides.items() if value not in (None, ())}
    if config is None:
        given.setdefault("name", Path(campaign).stem)
    if "systems" in given:
        pairs = [system.partition("=") for system in given["systems"]]
        given["systems"] = {name if file else Path(name).stem: file or name for name, _, file in pairs}
    public = None if url is None else public_address(url)
    store, tokens, admin = make_campaign(read_settings(config, given), campaign, public)
    store.close()
    show_links(store, tokens, admin, public, format_, output)
