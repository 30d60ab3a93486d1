"""`errata plot`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.judgments import human_option, read_rankings

if TYPE_CHECKING:
    from errata.metrics.results import Results

NAMES = (
    "beta", "beta-people", "changes", "distinct", "metrics", "precision-recall", "ranks", "references",
    "references-people", "scatter", "types", "williams",
)  # fmt: skip


@click.command(cls=ManyValues)
@click.argument("name", type=click.Choice(NAMES), metavar="NAME")
@scoring_inputs
@human_option
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), help="The .svg, .pdf or .png file; NAME.svg without."
)
def command(results: Results, name: str, human: tuple[str, ...], output: str | None) -> None:
    """Draw a figure for a paper: SVG, PDF or PNG, in colours that everyone can tell apart.

    \b
    beta               F over β
    beta-people        correlation with people over β
    changes            how much annotators and systems change the source
    distinct           how many different outputs sentences get
    metrics            every two metrics against each other
    precision-recall   precision and recall with lines of equal F
    ranks              the systems' places by metric, and by people
    references         scores with 1, 2, … references
    references-people  correlation with people by metric and annotator
    scatter            each metric against people, with regression and outliers
    types              the most frequent error types by domain
    williams           which metric follows people more closely

    \b
    errata plot scatter --m2 gold.m2 --hyp *.txt --metric m2,gleu --human judgments.xml -o scatter.pdf
    """  # fmt: skip
    from errata.meta.evaluation import Evaluation
    from errata.report.figures import figure_named
    from errata.report.plots import check_format, save_figure

    path = output or f"{name}.svg"
    check_format(path)
    evaluation = Evaluation(results, read_rankings(human), jobs=click.get_current_context().params["jobs"])
    save_figure(figure_named(name, evaluation), path)
    click.echo(path, err=True)
