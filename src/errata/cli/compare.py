"""`errata compare`"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.options import emit, format_option, progress, seed_option

if TYPE_CHECKING:
    from errata.metrics.results import Results

# Samples are spread over threads already; threads of BLAS within them only wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


@click.command(cls=ManyValues)
@scoring_inputs
@click.option("--baseline", help="Compare every system with this one; without it, all pairs.")
@click.option("--by", help="Compare on each domain, document or other label by itself.")
@click.option(
    "--test",
    type=click.Choice(["permutation", "bootstrap"]),
    default="permutation",
    show_default=True,
    help="Where the p-values come from.",
)
@click.option(
    "--permutations",
    type=click.IntRange(min=100),
    show_default="10,000, or 10,000,000 at most with --risk",
    help="How many, or with --risk how many at most.",
)
@click.option(
    "--risk",
    type=click.FloatRange(0, 0.1, min_open=True),
    help="Stop when p is known to lie on one side of alpha, with this risk of error: 1e-6.",
)
@click.option(
    "--samples",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    help="Of the bootstrap, for intervals, power and --test bootstrap.",
)
@click.option("--alpha", type=click.FloatRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@click.option(
    "--correct",
    type=click.Choice(["none", "holm", "bh"]),
    default="holm",
    show_default=True,
    help="Correction for the number of pairs.",
)
@click.option(
    "--interval",
    type=click.Choice(["percentile", "bca"]),
    default="percentile",
    show_default=True,
    help="Kind of bootstrap interval.",
)
@click.option("--cluster", help="Draw and swap whole documents, or what else this label names.")
@click.option(
    "--power",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.8,
    show_default=True,
    help="To plan the size of a test set for.",
)
@click.option(
    "--plot", "picture", type=click.Path(dir_okay=False), help="Draw to this .svg, .pdf or .png file."
)
@seed_option
@format_option
def command(
    results: Results,
    baseline: str | None,
    by: str | None,
    test: str,
    permutations: int | None,
    risk: float | None,
    samples: int,
    alpha: float,
    correct: str,
    interval: str,
    cluster: str | None,
    power: float,
    picture: str | None,
    seed: int,
    format_: str,
    output: str,
) -> None:
    """Compare systems: differences, intervals, p-values, and how much text a difference needs.

    \b
    errata compare --m2 gold.m2 --hyp A.txt B.txt C.txt --metric m2,gleu
    errata compare --stats stats.npz --baseline A --risk 1e-6 --plot systems.svg
    """  # fmt: skip
    from errata.report.plots import check_format, draw_comparisons, save_figure
    from errata.significance.compare import Plan, compare, pairs_to_make

    if picture is not None:
        check_format(picture)  # before the work, not after
    if risk is not None and test == "bootstrap":
        raise click.UsageError("--risk stops permutations early; --test bootstrap has none")
    most = permutations or (10_000 if risk is None else 10_000_000)
    plan = Plan(test, most, risk, samples, alpha, correct, interval, cluster, power, seed)
    settings = click.get_current_context().params
    jobs, quiet = settings["jobs"], settings["quiet"]
    groups: dict[str | None, Results] = {None: results}
    if by is not None:
        groups |= {
            f"{by} {name or '(none)'}": results.select(rows) for name, rows in results.groups(by).items()
        }
    total = len(groups) * len(results.metrics) * pairs_to_make(results.systems, baseline)
    with progress(total, "comparing", quiet) as advance:
        made = [
            comparison
            for group, part in groups.items()
            for comparison in compare(part, plan, baseline=baseline, group=group, jobs=jobs, advance=advance)
        ]
    if picture is not None:
        save_figure(draw_comparisons(made), picture)
    emit([table for comparison in made for table in comparison.tables()], format_, output)
