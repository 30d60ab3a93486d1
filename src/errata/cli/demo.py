"""`errata demo`"""

from __future__ import annotations

import click

from errata.cli.options import emit, format_option, jobs_option
from errata.sample import LANGUAGES


@click.command()
@click.option("--language", type=click.Choice(LANGUAGES), default="en", show_default=True)
@jobs_option
@format_option
def command(language: str, jobs: int, format_: str, output: str) -> None:
    """Score the six systems of the embedded sample."""
    from errata import sample
    from errata.cli.inputs import parse_metrics
    from errata.metrics.results import Results
    from errata.report.scores import score_table

    made = sample.load(language)
    metrics = parse_metrics(("m2,gleu,imeasure,bleu,ter",))
    results = Results.compute(made.corpus, made.outputs, metrics, jobs=jobs)
    table = score_table(results)
    table.title = f"Six made-up systems on the {language} sample ({len(made.corpus)} sentences)"
    emit(table, format_, output)
