"""`errata report`"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from errata.cli.commands import ManyValues, OutputPath, option, section
from errata.cli.inputs import Inputs, scoring_inputs
from errata.cli.judgment_inputs import human_option, read_rankings
from errata.cli.options import ImagePath, command_line, progress, samples_option, seed_option, today
from errata.errors import one_of

if TYPE_CHECKING:
    from errata.meta.evaluation import Evaluation
    from errata.report.report_data import Heading

FIGURES = {  # name -> what it shows
    "beta": "F over β",
    "beta-people": "correlation with people over β",
    "changes": "how much annotators and systems change the source",
    "distinct": "how many different outputs sentences get",
    "metrics": "every two metrics against each other",
    "precision-recall": "precision and recall, with lines of equal F",
    "ranks": "places of the systems by metric, and by people",
    "references": "scores with 1, 2, … references",
    "references-people": "correlation with people by metric and annotator",
    "scatter": "each metric against people, with regression and outliers",
    "types": "the most frequent error types by domain",
    "williams": "which metric follows people more closely",
}


OF_THE_CORPUS = {"types", "changes"}  # figures that need no outputs


class _Figure(OutputPath):
    """NAME or NAME=FILE: a figure, and the file to draw it to."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        name, _, file = str(value).partition("=")
        if name not in FIGURES:
            self.fail(f"there is no figure {name!r}: {one_of(name, FIGURES)}.", param, ctx)
        file = file or f"{name}.svg"
        ImagePath().convert(file, param, ctx)
        return f"{name}={file}"


@click.command(
    cls=ManyValues,
    epilog="Figures for --plot:\n\n\b\n"
    + "\n".join(f"  {name:<18} {text}" for name, text in FIGURES.items()),
)
@scoring_inputs
@human_option
@samples_option(1000, 100, " for intervals")
@seed_option
@section(
    "Output",
    option("--title", metavar="TEXT", help="Title of the page."),
    option("--sentences/--no-sentences", default=True, help="Include the sentence explorer."),
    option(
        "--plot", "figures", multiple=True, type=_Figure(), metavar="NAME[=FILE]",
        help="Draw this figure for a paper, to NAME.svg or a .svg, .pdf or .png FILE, instead of the page.",
    ),
    option(
        "--serve", is_flag=True,
        help="Show the sentences in the browser instead, served on this machine alone. For large sets.",
    ),
    option(
        "--port", type=click.IntRange(0, 65535), default=0, show_default="a free one", rare=True,
        help="Port on 127.0.0.1 for --serve.",
    ),
    option("--open/--no-open", "open_", default=True, rare=True, help="Open a browser with --serve."),
    option(
        "--output", "-o", type=OutputPath(), default="report.html",
        help="File to write the page to; - is standard output.",
    ),
)  # fmt: skip
def command(
    inputs: Inputs, human: tuple[str, ...], title: str | None, samples: int, seed: int,
    sentences: bool, figures: tuple[str, ...], serve: bool, port: int, open_: bool, output: str,
) -> None:  # fmt: skip
    """Make one HTML page of everything: leaderboard, plots, judgments and the sentence explorer.

    The page is one file that opens from disk and loads nothing from the network.

    \b
    errata report gold.m2 A.txt B.txt --metric m2,gleu -o report.html
    errata report gold.m2 systems/*.txt --human judgments.xml
    errata report gold.m2 A.txt B.txt --plot beta=beta.pdf
    errata report gold.m2 --plot types --plot changes
    errata report gold.m2 A.txt B.txt --serve
    """
    from errata.meta.evaluation import Evaluation
    from errata.report.report_data import Heading
    from errata.significance.compare import Plan

    if serve and figures:
        raise click.UsageError("--serve and --plot exclude each other: give one of them")
    alone = bool(figures) and {figure.partition("=")[0] for figure in figures} <= OF_THE_CORPUS
    results = inputs.load(outputs=not alone)
    if serve and results.corpus is None:
        raise click.UsageError("--serve shows sentences, which saved statistics lack: give the texts")
    plan = Plan(samples=samples, seed=seed)
    evaluation = Evaluation(results, read_rankings(human), plan, inputs.jobs)
    if figures:
        _draw(evaluation, figures)
    elif serve:
        _serve(evaluation, Heading(title or "Sentences", command_line(), today(), inputs.name), port, open_)
    else:
        heading = Heading(title or "Evaluation report", command_line(), today(), inputs.name)
        _write(evaluation, heading, sentences, output, inputs.quiet)


def _draw(evaluation: Evaluation, figures: tuple[str, ...]) -> None:
    from errata.report.figures import figure_named
    from errata.report.plots import save_figure

    for figure in figures:
        name, _, path = figure.partition("=")
        save_figure(figure_named(name, evaluation), path)
        click.echo(path, err=True)


def _write(evaluation: Evaluation, heading: Heading, sentences: bool, output: str, quiet: bool) -> None:
    from errata.corpus.files import open_output
    from errata.report.page import STEPS, build_report

    with progress(len(STEPS), "reporting", quiet) as advance:
        page = build_report(evaluation, heading, sentences=sentences, advance=advance)
    with open_output(output) as file:
        file.write(page)
    if output != "-":
        print(f"{output}: {len(page.encode()) / 1e6:.1f} MB", file=sys.stderr)


def _serve(evaluation: Evaluation, heading: Heading, port: int, open_: bool) -> None:
    """Serve the explorer until interrupted: sentences are sent when the page asks for them."""
    from errata.errors import DataError
    from errata.report.page import Explorer, serve

    explorer = Explorer(evaluation, heading)
    try:
        server = serve(explorer, port)
    except OSError as error:
        raise DataError(
            f"cannot listen on port {port}: {error.strerror}", hint="take another with --port"
        ) from None
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    click.echo(f"{address}  (Ctrl-C ends it)")
    if open_:
        import webbrowser

        webbrowser.open(address)
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo()
