"""`errata meta audit`"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, parse_metrics, read_corpus_of
from errata.cli.options import (
    completes,
    emit,
    format_option,
    jobs_option,
    progress,
    quiet_option,
    seed_option,
)

if TYPE_CHECKING:
    from errata.metrics.base import Metric


@click.command(cls=ManyValues)
@click.option("--source", "-s", help="Source sentences, one a line.")
@click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file an annotator.")
@click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref.")
@click.option("--hyp", "-y", "hyps", multiple=True, help="Real systems, to rank the outputs among; optional.")
@click.option(
    "--metric", "-m", "metric_names", multiple=True, default=("m2,gleu,imeasure",), show_default=True,
    shell_complete=completes("complete_metrics"),
    help="Metrics, comma-separated, with parameters behind a colon; those of other packages, too.",
)  # fmt: skip
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw to this .svg, .pdf or .png file.")
@seed_option
@jobs_option
@quiet_option
@format_option
def command(
    source: str | None,
    refs: tuple[str, ...],
    gold: str | None,
    hyps: tuple[str, ...],
    metric_names: tuple[str, ...],
    plot: str | None,
    seed: int,
    jobs: int,
    quiet: bool,
    format_: str,
    output: str,
) -> None:
    """Stress metrics with outputs nobody wants, and show where they reward them.

    One character X, nothing at all, another sentence, damage that grows: a metric has a fault where such an
    output is above the unchanged source or tied with it, or where more damage scores better.
    """
    from errata.corpus.formats import read_outputs
    from errata.meta.audit import audit
    from errata.report.meta_tables import audit_table, draw_audits

    if plot is not None:
        from errata.report.plots import check_format

        check_format(plot)
    metrics = parse_metrics(metric_names)
    corpus = read_corpus_of(source, refs, gold)
    outputs = read_outputs(hyps, corpus) if hyps else {}
    made = []
    with progress(len(metrics), "auditing", quiet) as advance:
        for metric, name in zip(metrics, metric_labels(metrics), strict=True):
            scores = [metric.score(corpus, lines, jobs=jobs).value for lines in outputs.values()]
            made.append((name, audit(metric, corpus, scores, seed=seed, jobs=jobs)))
            advance(1)
    if plot is not None:
        from errata.report.plots import save_figure

        save_figure(draw_audits(made), plot)
    emit([audit_table(each, name) for name, each in made], format_, output)


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """Names that tell metrics apart: the signature's settings where one metric is given twice."""
    names = [metric.name for metric in metrics]
    return [
        name if names.count(name) == 1 else metric.signature.rpartition("|")[0]
        for name, metric in zip(names, metrics, strict=True)
    ]
