"""`errata campaign …`"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import sqlalchemy as sa

from errata.cli.commands import Commands, OutputPath, option
from errata.cli.judgment_inputs import read_rankings
from errata.cli.options import Number, NumberRange, checked, emit, format_option
from errata.corpus.files import open_output
from errata.errors import DataError, ErrataError
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.annotation_tasks import TASKS
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import read_settings
from errata_server.campaign.campaign_statistics import (
    annotator_table,
    compute_statistics,
    people_table,
    progress,
)
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.create_campaign import make_campaign
from errata_server.campaign.export_judgments import export as export_judgments
from errata_server.campaign.import_judgments import import_file
from errata_server.cli.server_options import (
    LOCAL,
    claimed,
    public_url,
    secret_link,
    serve_store,
    serving_options,
)
from errata_server.sessions import Subject


@click.group("campaign", cls=Commands)
def command() -> None:
    """Collect human judgments and corrections in the browser.

    CAMPAIGN is a file (SQLite), or the URL of a PostgreSQL database: postgresql://user@host/name
    """


@command.command(short_help="Make a campaign from its settings, and the secret links of its annotators.")
@click.argument("files", metavar="[CONFIG] CAMPAIGN", nargs=-1, required=True)
@option("--name", show_default="the name of its file", help="Name of the campaign.")
@option("--corpus", metavar="FILE", help="Texts to judge, in any format that `errata corpus` reads.")
@option(
    "--system", "systems", multiple=True, metavar="NAME=FILE", help="A system's outputs; may be repeated."
)
@option(
    "--task",
    type=click.Choice([*TASKS]),
    help="Kind of annotation:",
)
@option("--assignment", type=click.Choice(["fixed", "balanced", "adaptive"]), help="Who judges which item:")
@option("--annotators", type=int, help="Number of annotators: annotator-1, annotator-2 …")
@option("--redundancy", type=int, help="Judgments wanted of every item.")
@option("--controls", type=Number(), metavar="SHARE", help="Share of items with a known answer.")
@option("--quota", type=int, help="Largest number of screens per annotator.")
@option("--sample", type=int, help="Judge N segments, drawn at random.")
@option("--instructions", metavar="FILE", help="Markdown file with instructions for the annotators.")
@option("--url", show_default="http://127.0.0.1:8765", help="Address for browsers.")
@option("--seed", type=int, show_default="random", help="Random seed, also of the sample.")
@format_option
def new(files: tuple[str, ...], url: str | None, format_: str, output: str, **overrides: Any) -> None:
    """Make a campaign from CONFIG (TOML or JSON) or from flags, and the secret links of its annotators.

    Flags replace settings of CONFIG, which has more of them. The links are shown once, since only hashes of
    them are stored. With --output they go into a file.

    \b
    errata campaign new ranking.toml ranking.db --output links.tsv --format tsv
    errata campaign new pairs.db --corpus src.txt --system a.txt --system b.txt
    """
    if len(files) > 2:
        raise click.UsageError("give a file of settings and a name for the campaign, no more")
    campaign, config = files[-1], files[0] if len(files) == 2 else None
    values = {name: value for name, value in overrides.items() if value not in (None, ())}
    if config is None:
        values.setdefault("name", Path(campaign).stem)
    if "systems" in values:
        pairs = [system.partition("=") for system in values["systems"]]
        values["systems"] = {name if file else Path(name).stem: file or name for name, _, file in pairs}
    public = public_url(url)
    store, tokens, admin = make_campaign(read_settings(config, values), campaign, public)
    store.close()
    show_links(store, tokens, admin, public, format_, output)


def _hours(text: str) -> float:
    """A time such as 40h or 90m, in hours."""
    match = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)(h|m)", text.strip())
    if match is None or not (hours := float(match[1]) / (60 if match[2] == "m" else 1)):
        raise ErrataError(f"{text!r} is not a time: hours or minutes, as 40h or 90m")
    return hours


@command.command(short_help="Say what a budget of working time can find out in a ranking campaign.")
@option(
    "--budget", callback=checked(_hours), required=True, metavar="TIME",
    help="Working time of all annotators: 40h.",
)  # fmt: skip
@option("--systems", type=click.IntRange(2, 1000), help="Number of systems, unless --pilot tells it.")
@option(
    "--pilot", multiple=True, metavar="FILE",
    help="Rankings of these systems that exist already, whose variance counts; may be repeated.",
)  # fmt: skip
@option("--without-system", multiple=True, metavar="NAME", help="Leave a system of the pilot out.")
@option("--cards", type=click.IntRange(2, 9), default=5, help="Texts on a screen; 2 for pairs.")
@option(
    "--seconds", type=click.FloatRange(1, 86_400), show_default="as in the pilot, or 18 per text",
    help="Mean time of a screen.",
)  # fmt: skip
@option(
    "--overlap", type=NumberRange(0, 1), default=0.1, help="Share of items judged by one extra annotator."
)
@option(
    "--repeats", type=NumberRange(0, 1), default=0.05, help="Share of items that an annotator gets twice."
)
@option(
    "--level", type=NumberRange(0.5, 0.999), default=0.95, metavar="P", rare=True, help="Confidence level."
)
@format_option
def plan(
    budget: float, systems: int | None, pilot: tuple[str, ...], without_system: tuple[str, ...], cards: int,
    seconds: float | None, overlap: float, repeats: float, level: float, format_: str, output: str,
) -> None:  # fmt: skip
    """Say what a budget of working time can find out in a ranking campaign.

    It shows how many screens, segments and judgments of each pair fit in, how wide intervals of win rates
    become, and which differences between systems are found. Without a pilot, the variance is that of
    Grundkiewicz et al. (2015).

    \b
    errata campaign plan --systems 12 --budget 40h
    errata campaign plan --pilot pilot.xml --budget 40h
    """
    from errata.human import planning

    def planned(systems: int, variance: planning.ScreenVariance) -> planning.Plan:
        screens = int(3600 * budget / (seconds or variance.seconds))
        return planning.Plan(systems, screens, cards, overlap, repeats, level, variance)

    judged = read_rankings(pilot)
    if (systems is None) == (judged is None):
        raise click.UsageError("give --systems, or a --pilot with judgments of these systems")
    if judged is None:
        assert systems is not None
        result = planned(systems, planning.default_variance(systems, cards))
        emit(result.table(budget, "Grundkiewicz et al. (2015)"), format_, output)
        return
    judged = judged.without_systems(without_system)
    variance, rates, between = planning.pilot_variance(judged, cards)
    result = planned(len(judged.systems), variance)
    source = f"{', '.join(pilot)} ({len(judged):,} screens)"
    tables = [result.table(budget, source), planning.pairs_table(result, judged.systems, rates, between)]
    emit(tables, format_, output)


def show_links(
    store: CampaignStore, tokens: Mapping[str, str], admin: str, url: str | None, format_: str, output: str
) -> None:
    """Print the links of the annotators and the admin; only its owner can read a file with them."""
    table = store.link_table({**tokens, "(admin)": admin}, url or LOCAL)
    before = os.umask(0o077)
    try:
        emit(table, format_, output)
    finally:
        os.umask(before)


@command.command(short_help="Serve a campaign to the annotators' browsers.")
@click.argument("campaign", metavar="CAMPAIGN")
@serving_options
@option("--new-admin-link", is_flag=True, help="Replace the admin's link, and print the new one.")
def serve(campaign: str, url: str | None, new_admin_link: bool, **listening: Any) -> None:
    """Serve a campaign to the annotators' browsers, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key. Each campaign needs a process and a port.

    \b
    errata campaign serve spring.db
    errata campaign serve autumn.db --port 8766
    """
    secure = listening["certificate"] is not None
    with claimed(CampaignStore, campaign, url) as store:
        if new_admin_link:
            with store.write() as connection:
                token = store.new_link(connection, Subject("admin"))
            local = f"{'https' if secure else 'http'}://{listening['host']}:{listening['port']}"
            click.echo(secret_link(store.url or local, token))
        serve_store(store, application(store, secure=secure), **listening)


@command.command(short_help="Show progress, speed, controls, agreement and the ranking so far.")
@click.argument("campaign", metavar="CAMPAIGN")
@format_option
def status(campaign: str, format_: str, output: str) -> None:
    """Show progress, speed, controls, agreement and the ranking so far."""
    with CampaignStore.open(campaign) as store, store.read() as connection:
        statistics = compute_statistics(store, connection)
        tables = [annotator_table(store, connection, statistics), *statistics.tables]
        so_far = progress(store, connection)
    counts = f"{so_far.done} of {so_far.wanted} judgments by {so_far.annotators} annotators"
    tables[0].notes.append(f"{store.name} is {so_far.state}: {counts}")
    tables[0].notes.append(store.selection.text())
    emit(tables, format_, output)


@command.command(short_help="Write judgments or corrections in standard formats.")
@click.argument("campaign", metavar="CAMPAIGN")
@option(
    "--to",
    default="jsonl",
    type=click.Choice(sorted({name for task in TASKS.values() for name in task.formats})),
    help="Format. All tasks: jsonl. Rankings: appraise, pairwise, wmt, mturk. Scores: scalar. "
    "Corrections: m2, tsv. Spans: spans, scalar, m2. Edits: edit-labels. Acceptance: second-pass.",
)
@option("--output", "-o", type=OutputPath(), default="-", help="File to write; - is stdout.")
@option("--names", is_flag=True, help="Write the annotators' names instead of pseudonyms.")
def export(campaign: str, to: str, output: str, names: bool) -> None:
    """Write judgments or corrections in standard formats."""
    with CampaignStore.open(campaign) as store, open_output(output, whole=True) as file:
        export_judgments(store, file, to, names=names)
    if store.selection.judged < store.selection.segments:
        click.echo(store.selection.text(), err=True)


@command.command("import", short_help="Import judgments made elsewhere.")
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("files", nargs=-1, required=True, type=click.Path(dir_okay=False))
def import_(campaign: str, files: tuple[str, ...]) -> None:
    """Import judgments made elsewhere: another campaign's JSONL, rankings in any format, scores in TSV.

    Segments are numbered from 0 as in the campaign's corpus. Judges get the name `imported:NAME`. A judgment
    that the campaign already has is skipped.
    """
    with CampaignStore.open(campaign) as store:
        for file in files:
            added, skipped = import_file(store, file)
            click.echo(f"{file}: {added} new, {skipped} already there", err=True)


@command.command(short_help="List the annotators: completion codes, consent, work and flags.")
@click.argument("campaign", metavar="CAMPAIGN")
@format_option
def annotators(campaign: str, format_: str, output: str) -> None:
    """List the annotators: completion codes, consent, work and flags.

    The list has names and codes: share it only with people who pay or check annotators.
    """
    with CampaignStore.open(campaign) as store, store.read() as connection:
        table = people_table(store, connection, compute_statistics(store, connection))
    emit(table, format_, output)


@command.command("sign-up", short_help="Open or close the sign-up for people from crowd platforms.")
@click.argument("campaign", metavar="CAMPAIGN")
@option("--open/--close", "opened", default=None, help="Open or close the sign-up.")
@option("--places", type=click.IntRange(1, 10_000), help="Number of people who may sign up.")
def sign_up(campaign: str, opened: bool | None, places: int | None) -> None:
    """Open or close the sign-up for people from crowd platforms, and show its link.

    The platform puts its id of the participant in place of ID.
    """
    with CampaignStore.open(campaign) as store, store.write() as connection:
        row = connection.execute(sa.select(schema.campaign)).one()
        if opened is not None or places is not None:
            state = row.sign_up if opened is None else "open" if opened else "closed"
            if state == "open" and not (places or row.places):
                raise DataError("there are no places", path=store.place, hint="give --places N")
            store.set_sign_up(connection, state, places)
            row = connection.execute(sa.select(schema.campaign)).one()
        taken = store.taken(connection)
    click.echo(f"sign-up is {row.sign_up}; {taken} of {row.places} places are taken", err=True)
    link = store.sign_up_link(row, store.url or LOCAL)
    if link is not None:
        click.echo(link)


@command.command(short_help="Copy a campaign, even while it is being served.")
@click.argument("campaign", metavar="CAMPAIGN")
@click.argument("target", type=OutputPath())
def backup(campaign: str, target: str) -> None:
    """Copy a campaign (SQLite or PostgreSQL) to a new SQLite file, even while it is being served."""
    with CampaignStore.open(campaign) as store:
        store.backup(target)


@command.command(short_help="Close a campaign: it accepts no further judgments.")
@click.argument("campaign", metavar="CAMPAIGN")
@option("--reopen", is_flag=True, help="Open it again.")
def close(campaign: str, reopen: bool) -> None:
    """Close a campaign: it accepts no further judgments."""
    with CampaignStore.open(campaign) as store, store.write() as connection:
        store.set_state(connection, "open" if reopen else "closed")
    click.echo(f"{store.name} is {'open' if reopen else 'closed'}", err=True)
