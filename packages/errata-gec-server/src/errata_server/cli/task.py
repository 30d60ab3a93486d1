"""`errata task …`"""

from __future__ import annotations

import os
from typing import Any

import click

from errata.cli.commands import Commands, OutputPath, option
from errata.cli.options import emit, format_option, seed_option
from errata.corpus.checks import Finding
from errata.corpus.corpus_tables import findings_table
from errata_server.cli.campaign import show_links
from errata_server.cli.server_options import (
    claimed,
    public_url,
    secret_link,
    serve_store,
    serving_options,
)
from errata_server.task import teams, worker
from errata_server.task.board_tables import people_tables
from errata_server.task.create_task import make_task
from errata_server.task.human_ranking import campaign_of_finals, enter_people
from errata_server.task.leaderboards import Boards, Viewer
from errata_server.task.submissions import queue_boards
from errata_server.task.task_client import Client
from errata_server.task.task_reports import export_task, tables
from errata_server.task.task_server import application
from errata_server.task.task_settings import read_settings
from errata_server.task.task_store import TaskStore


@click.group("task", cls=Commands)
def command() -> None:
    """Run a shared task: submissions, hidden gold, a live leaderboard.

    TASK is a file (SQLite), or the URL of a PostgreSQL database: postgresql://user@host/name
    """


@command.command(short_help="Make a task from its settings, and the secret link of its owner.")
@click.argument("config", type=click.Path(exists=True, dir_okay=False))
@click.argument("task", metavar="TASK")
@option("--url", show_default="http://127.0.0.1:8765", help="Address for browsers.")
def new(config: str, task: str, url: str | None) -> None:
    """Make a task from CONFIG (TOML or JSON), and print the secret link of its owner.

    The gold is copied into the database, which only you can read. The link is shown once, since only a hash
    of it is stored.

    \b
    errata task new task.toml task.db --url https://gec.example.org
    """
    public = public_url(url)
    store, token = make_task(read_settings(config), task, public)
    store.close()
    click.echo(secret_link(public, token))
    click.echo(f"{store.name}: start it with: errata task serve {store.place}", err=True)


@command.command(short_help="Serve a task to browsers and programs, and score submissions.")
@click.argument("task", metavar="TASK")
@option("--workers", type=click.IntRange(0, 64), default=1, help="Processes that score.")
@serving_options
def serve(task: str, workers: int, url: str | None, **listening: Any) -> None:
    """Serve a task to browsers and programs, and score submissions, until interrupted.

    By default it listens on this machine only. For others, put a web server with TLS in front of it, or
    give --host with --certificate and --key. Each task needs a process and a port; `errata task work` adds
    workers.

    \b
    errata task serve task.db --workers 2
    """
    secure = listening["certificate"] is not None
    with claimed(TaskStore, task, url) as store:
        serve_store(store, application(store, workers=workers, secure=secure), **listening)


@command.command(short_help="Score submissions besides the server, even on another machine.")
@click.argument("task", metavar="TASK")
def work(task: str) -> None:
    """Score submissions until interrupted, on the server's machine or (with PostgreSQL) on another one.

    Each submission is scored in a separate process, with the limits of time and memory of the task's
    settings. If a worker is killed, another one scores its submission after some seconds.
    """
    worker.warn_of_network()
    worker.work(task)


@command.command(short_help="Show teams, phases, the queue and the leaderboards.")
@click.argument("task", metavar="TASK")
@format_option
def status(task: str, format_: str, output: str) -> None:
    """Show phases, teams, the queue and the leaderboards, as the organisers see them."""
    with TaskStore.open(task) as store, store.read() as connection:
        shown = tables(store, connection)
    emit(shown, format_, output)


@command.command(short_help="Make invitations for teams, or links for organisers and observers.")
@click.argument("task", metavar="TASK")
@option("--count", type=click.IntRange(1, 1000), default=1, help="Invitations to make.")
@option(
    "--staff",
    type=click.Choice(["owner", "organiser", "observer"]),
    help="Make a link for a member of the staff instead of a team:",
)
@option("--name", help="Name of the owner, organiser or observer.")
def invite(task: str, count: int, staff: str | None, name: str | None) -> None:
    """Print invitations, each for one new team, or a link for an owner, an organiser or an observer."""
    if (staff is None) != (name is None):
        raise click.UsageError("--staff and --name go together")
    with TaskStore.open(task) as store, store.write() as connection:
        if staff is not None and name is not None:
            tokens = [store.add_staff(connection, name, staff, "errata task invite")]
        else:
            tokens = [teams.invite(store, connection, "errata task invite") for _ in range(count)]
    for token in tokens:
        click.echo(secret_link(store.url, token))


@command.command(short_help="Admit teams that have signed up, or refuse them.")
@click.argument("task", metavar="TASK")
@click.argument("names", metavar="TEAM...", nargs=-1, required=True)
@option("--refuse", is_flag=True, help="Refuse the teams instead.")
def approve(task: str, names: tuple[str, ...], refuse: bool) -> None:
    """Admit teams that have signed up, or refuse them."""
    state = "refused" if refuse else "active"
    with TaskStore.open(task) as store, store.write() as connection:
        for name in names:
            team = teams.find_team(connection, name)
            teams.set_team(store, connection, team, state, "errata task approve")
        queue_boards(store, connection)
    click.echo(f"{', '.join(names)}: {state}", err=True)


@command.command(short_help="Send a file to a task, and wait for its scores.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@option("--task", "url", required=True, help="Address of the server, as in https://gec.example.org")
@option("--token", envvar="ERRATA_TASK_TOKEN", required=True, help="Your personal link, or its secret.")
@option("--track", help="Needed if the task has several tracks.")
@option("--phase", help="Needed if several phases are open.")
@option("--note", default="", help="A note for your team.")
@option("--anyway", is_flag=True, help="Score it even if the checks say that it looks wrong.")
@option("--wait/--no-wait", default=True, help="Wait for the scores.")
def submit(
    file: str, url: str, token: str, track: str | None, phase: str | None, note: str, anyway: bool, wait: bool
) -> None:
    """Send FILE (text, zip, M2, MultiGEC) to a shared task; print what the checks find, and the scores.

    Exits with 1 if the file is refused or cannot be scored. The environment variable ERRATA_TASK_TOKEN hides
    the token from other users.

    \b
    errata task submit outputs.txt --task https://gec.example.org --track minimal
    """
    client = Client(url, token)
    with open(file, "rb") as content:
        data = content.read()
    answer = client.submit(data, os.path.basename(file), track=track, phase=phase, note=note, anyway=anyway)
    if answer["findings"]:
        names = ("line", "code", "message", "fix")
        findings = [Finding(file, *(each[name] for name in names)) for each in answer["findings"]]
        click.echo(findings_table(findings, 1).render(), err=True)
        for fix in dict.fromkeys(finding.fix for finding in findings):
            click.echo(f"fix: {fix}", err=True)
    if answer["known"]:
        click.echo("your team has sent this same file before", err=True)
    if wait:
        answer = client.wait(answer)
    click.echo(f"{answer['uid']}: {answer['state']}")
    for metric in (answer["scores"] or {}).get("metrics", ()):
        decimals = metric["decimals"]
        low, high = (f"{metric[end]:.{decimals}f}" for end in ("low", "high"))
        click.echo(f"{metric['name']} {metric['value']:.{decimals}f} [{low}, {high}] {metric['signature']}")
    if answer["state"] in ("refused", "failed"):
        raise SystemExit(1)


@command.command(short_help="Close a phase, or the whole task.")
@click.argument("task", metavar="TASK")
@option("--phase", help="Close only this phase.")
@option("--reopen", is_flag=True, help="Open it again.")
def close(task: str, phase: str | None, reopen: bool) -> None:
    """Close a phase or the whole task: it accepts no further submissions, and the teams' names are shown."""
    state = "open" if reopen else "closed"
    with TaskStore.open(task) as store, store.write() as connection:
        if phase is not None:
            store.set_phase(connection, phase, state, "errata task close")
        else:
            store.set_state(connection, state, "errata task close")
    click.echo(f"{phase or store.name} is {state}", err=True)


@command.command(short_help="Make a campaign in which people judge the final submissions.")
@click.argument("task", metavar="TASK")
@click.argument("campaign", metavar="CAMPAIGN")
@option("--track", required=True, help="Track whose final submissions are judged.")
@option("--phase", required=True, help="Phase of these submissions.")
@option("--sentences", type=click.IntRange(min=1), help="Judge N sentences, drawn at random.")
@option(
    "--kind", "task_", default="ranking",
    type=click.Choice(["ranking", "scalars", "pairwise"]), help="Kind of judgments:",
)  # fmt: skip
@option(
    "--assignment", default="adaptive",
    type=click.Choice(["fixed", "balanced", "adaptive"]), help="Who judges which item:",
)  # fmt: skip
@option("--annotators", type=click.IntRange(min=1), default=3, help="Number of annotators.")
@option("--redundancy", type=click.IntRange(min=1), default=1, help="Judgments wanted of every item.")
@option("--instructions", metavar="FILE", help="Markdown file with instructions for the annotators.")
@option("--url", help="Address of the campaign for browsers.")
@seed_option
@format_option
def campaign(
    task: str, campaign: str, track: str, phase: str, sentences: int | None, task_: str, url: str | None,
    seed: int, format_: str, output: str, **settings: Any,
) -> None:  # fmt: skip
    """Make CAMPAIGN, in which people judge the final submissions of a track, and its secret links.

    Sentences on which all systems agree are left out, and systems that wrote the same text share a card.
    `errata campaign serve CAMPAIGN` serves it.

    \b
    errata task campaign task.db people.db --track minimal --phase test
    """
    chosen = {name: value for name, value in settings.items() if value is not None} | {"task": task_}
    public = public_url(url)
    with TaskStore.open(task) as store:
        created, tokens, admin = campaign_of_finals(
            store, track, phase, campaign, sentences=sentences, seed=seed, url=public, settings=chosen
        )
    created.close()
    show_links(created, tokens, admin, public, format_, output)


@command.command(short_help="Put the ranking of a campaign on the leaderboard.")
@click.argument("task", metavar="TASK")
@click.argument("campaign", metavar="CAMPAIGN")
@option("--track", required=True, help="The track that was judged.")
@option("--phase", required=True, help="The phase that was judged.")
@option(
    "--method", default="ew", type=click.Choice(["ew", "trueskill", "bt"]),
    help="How judgments become scores; scores on a scale are standardised and averaged.",
)  # fmt: skip
@format_option
def people(task: str, campaign: str, track: str, phase: str, method: str, format_: str, output: str) -> None:
    """Put people's ranking on the leaderboard, and show how well every metric agrees with it.

    `errata task campaign` creates CAMPAIGN. Repeat this command when there are more judgments.
    """
    with TaskStore.open(task) as store:
        enter_people(store, track, phase, campaign, method=method)
        with store.read() as connection:
            board = Boards(store).board(connection, track, phase, Viewer(staff=True))
    shown = people_tables(board)
    emit(shown, format_, output)


@command.command(short_help="Write the archive of a task, and the tables of an overview paper.")
@click.argument("task", metavar="TASK")
@click.argument("folder", metavar="FOLDER", type=OutputPath(file_okay=False, dir_okay=True))
@option("--gold/--no-gold", default=True, help="Put the gold into the archive.")
@option("--latex/--no-latex", default=True, help="Also write tables in LaTeX.")
@option("--html/--no-html", "page", default=True, help="Also write all tables as one page.")
@option("--campaign", "campaigns", multiple=True, help="Add the judgments of this campaign; may be repeated.")
def export(task: str, folder: str, gold: bool, latex: bool, page: bool, campaigns: tuple[str, ...]) -> None:
    """Write the archive of a task to FOLDER, with the tables of an overview paper.

    It has all submissions with their scores and signatures, the texts, the log, the leaderboards, judgments,
    and tables of participants, results with clusters, people's rankings, correlations,
    groups and error types.
    """
    with TaskStore.open(task) as store:
        files = export_task(store, folder, gold=gold, latex=latex, page=page, campaigns=campaigns)
    click.echo(f"{folder}: {len(files)} files; begin with {folder}/README.md", err=True)


@command.command(short_help="Copy a task, even while it is being served.")
@click.argument("task", metavar="TASK")
@click.argument("target", type=OutputPath())
def backup(task: str, target: str) -> None:
    """Copy a task (SQLite or PostgreSQL) to a new SQLite file, even while it is being served."""
    with TaskStore.open(task) as store:
        store.backup(target)
