"""`errata report`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.judgments import human_option, read_rankings
from errata.cli.options import command_line, progress, seed_option, today

if TYPE_CHECKING:
    from errata.metrics.results import Results


@click.command(cls=ManyValues)
@scoring_inputs
@human_option
@click.option("--title", help="Title of the page.")
@click.option(
    "--samples", type=click.IntRange(min=100), default=2000, show_default=True,
    help="Number of bootstrap samples for intervals and p-values.",
)  # fmt: skip
@click.option(
    "--correct", type=click.Choice(["none", "holm", "bh"]), default="bh", show_default=True,
    help="Correction of p-values for the number of pairs.",
)  # fmt: skip
@seed_option
@click.option(
    "--sentences/--no-sentences", default=True, show_default=True, help="Put the sentence explorer in."
)
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), default="report.html", show_default=True,
    help="File to write to; - is stdout.",
)  # fmt: skip
def command(
    results: Results, human: tuple[str, ...], title: str | None, samples: int, correct: str, seed: int,
    sentences: bool, output: str,
) -> None:  # fmt: skip
    """Make one HTML page of everything: leaderboard, plots, judgments and the sentence explorer.

    The page is one file that opens from disk and asks nothing of the network.

    \b
    errata report --m2 gold.m2 --hyp A.txt B.txt --metric m2,gleu,imeasure -o report.html
    errata report --m2 gold.m2 --hyp *.txt --human judgments.xml
    errata report stats.npz more-systems.npz
    """  # fmt: skip
    from errata.corpus.files import open_output
    from errata.meta.evaluation import Evaluation
    from errata.report.page import STEPS, build_report
    from errata.report.report_data import Heading
    from errata.significance.compare import Plan

    options = click.get_current_context().params
    plan = Plan("bootstrap", samples=samples, correction=correct, seed=seed)
    evaluation = Evaluation(results, read_rankings(human), plan, options["jobs"])
    heading = Heading(title or "Evaluation report", command_line(), today())
    with progress(len(STEPS), "reporting", options["quiet"]) as advance:
        page = build_report(evaluation, heading, sentences=sentences, advance=advance)
    with open_output(output) as file:
        file.write(page)
    if output != "-":
        print(f"{output}: {len(page.encode()) / 1e6:.1f} MB", file=sys.stderr)
