"""`errata leaderboard`"""

from __future__ import annotations

from pathlib import Path

import click

from errata.cli.commands import Commands, OutputPath, option
from errata.cli.options import (
    emit,
    format_option,
    jobs_option,
    progress,
    quiet_option,
    samples_option,
    seed_option,
)


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


@command.command(short_help="Recompute published figures, and explain differences.")
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


@command.command(short_help="Make a static site of reports and tables.")
@_folder
@_settings
@samples_option(1000, 100, " for intervals")
@seed_option
@jobs_option
@quiet_option
@option(
    "--output",
    "-o",
    type=OutputPath(dir_okay=True),
    default="site",
    show_default=True,
    metavar="FOLDER",
    help="A new folder for the site.",
)
def build(
    folder: Path, settings: Path | None, samples: int, seed: int, jobs: int, quiet: bool, output: str
) -> None:
    """Make a static site: a page of all benchmarks, one per benchmark, and one per system.

    The same files give the same site, which loads nothing from the network. Outputs can be downloaded only if
    their licence and that of the test set permit it.
    """
    from errata.corpus.atomic_write import new_folder, write_bytes
    from errata.significance.compare import Plan
    from errata_studies.leaderboard import site
    from errata_studies.leaderboard.entries import read_leaderboard

    title, benchmarks = read_leaderboard(folder, settings)
    plan = Plan(samples=samples, seed=seed)
    with (
        new_folder(output) as target,
        progress(site.STEPS_PER_BENCHMARK * len(benchmarks), "building", quiet) as advance,
    ):
        files = 0
        for name, content in site.build(title, benchmarks, plan, jobs=jobs or None, advance=advance):
            write_bytes(target / name, content)
            files += 1
    click.echo(f"{output}: {files} files", err=True)
