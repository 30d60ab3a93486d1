"""`errata task export`"""

from __future__ import annotations

import click


@click.command()
@click.argument("task", metavar="TASK")
@click.argument("folder", metavar="FOLDER")
@click.option("--gold/--no-gold", default=True, show_default=True, help="Put the gold into the archive.")
@click.option("--latex/--no-latex", default=True, show_default=True, help="Also write tables in LaTeX.")
@click.option("--html/--no-html", "page", default=True, show_default=True, help="Also write one page of all.")
@click.option("--campaign", "campaigns", multiple=True, help="Add the judgments of a campaign; repeat.")
def command(task: str, folder: str, gold: bool, latex: bool, page: bool, campaigns: tuple[str, ...]) -> None:
    """Write FOLDER with everything that happened, and the tables of an overview paper.

    It has all submissions with their scores and signatures, the texts, the log, the leaderboards, judgments,
    and tables of participants, results with clusters, people's rankings, correlations and error types.
    """
    from errata.task.exporting import export_task
    from errata.task.store import Store

    with Store.open(task) as store:
        files = export_task(store, folder, gold=gold, latex=latex, page=page, campaigns=campaigns)
    click.echo(f"{folder}: {len(files)} files; begin with {folder}/README.md", err=True)
