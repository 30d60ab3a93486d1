"""`errata leaderboard`"""

from __future__ import annotations

from pathlib import Path

import click

from errata.cli.commands import Commands, option
from errata.cli.options import emit, format_option, jobs_option, progress, quiet_option


@click.group(cls=Commands)
def command() -> None:
    """Publish systems with verified scores: a static site, and a check of printed figures.

    FOLDER has `leaderboard.toml`, and for each benchmark a folder with `systems.tsv` and an output NAME.txt
    for each of its rows.

    \b
    errata leaderboard check FOLDER
    errata leaderboard build FOLDER -o site
    """


_folder = click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
_settings = option(
    "--settings", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
    show_default="leaderboard.toml in FOLDER", help="Settings; their paths are relative to FOLDER.",
)  # fmt: skip


@command.command()
@_folder
@_settings
@jobs_option
@quiet_option
@format_option
def check(folder: Path, settings: Path | None, jobs: int, quiet: bool, format_: str, output: str) -> None:
    """Recompute published figures, and look for the cause of those that differ.

    A cause is named only if a computation with it gives the printed digits.
    """
    from errata.metrics.results import Results
    from errata_studies.leaderboard.entries import read_leaderboard
    from errata_studies.leaderboard.verdicts import figure_table, system_table, verify

    _, benchmarks = read_leaderboard(folder, settings)
    verified, scored = {}, []
    with progress(len(benchmarks), "checking", quiet) as advance:
        for each in benchmarks:
            printed = {figure.metric.lower() for entry in each.entries for figure in entry.published}
            first, *others = each.metrics
            metrics = [first, *(metric for metric in others if metric.name in printed)]
            results = Results.compute(each.corpus, each.outputs, metrics, jobs=jobs or None)
            verified[each.name] = verify(each, results)
            scored.append((each, results))
            advance(1)
    emit([figure_table(verified), system_table(scored)], format_, output)
