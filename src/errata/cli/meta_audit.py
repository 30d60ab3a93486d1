"""`errata meta audit`"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.commands import ManyValues, OutputPath, option, section
from errata.cli.inputs import read_corpus_of, text_options
from errata.cli.judge import judging_options
from errata.cli.options import emit, metric_option, parse_metrics, plot_option, progress, run_options

if TYPE_CHECKING:
    from errata.metrics.base import Metric

_METRICS = "m2,gleu,imeasure"


@click.command(cls=ManyValues)
@text_options("Real systems, to rank the bad outputs among. Optional.")
@metric_option(_METRICS)
@section(
    "Metrics",
    option(
        "--judge", metavar="URL|FILE",
        help="Audit a chat model as a judge: address of an OpenAI-compatible server, or a GGUF file.",
    ),
    option(
        "--method", type=click.Choice(("pairwise", "sentence", "edits")), default="pairwise", metavar="NAME",
        rare=True, help="Kind of questions to the judge:",
    ),
    option(
        "--cache", type=OutputPath(), metavar="FILE", rare=True,
        help="Keep the answers of the judge in this file.",
    ),
)  # fmt: skip
@judging_options
@plot_option("Draw scores by damage to this .svg, .pdf or .png file.")
@run_options
def audit(
    source: str | None, refs: tuple[str, ...], gold: str | None, hyps: tuple[str, ...],
    metrics: list[Metric] | None, judge: str | None, method: str, model_name: str, probabilities: bool,
    most: int | None, cache: str | None, plot: str | None, seed: int, jobs: int, quiet: bool,
    format_: str, output: str,
) -> None:  # fmt: skip
    """Stress metrics or a judge with deliberately bad outputs, and show where they reward them.

    One character X, nothing at all, another sentence, growing damage: a metric has a fault if it scores such
    an output at least as high as the unchanged source, or more damage higher than less. Additional blanks in
    references must not change the score, and an added sentence or instruction must lower it. A judge
    compares each of these texts with the source or the reference, in both orders.

    \b
    errata meta audit --m2 gold.m2 --metric m2,fluency
    errata meta audit --m2 gold.m2 --judge http://localhost:8080/v1 --most 20
    """
    from errata.meta import audit as audits

    if judge is not None:
        if hyps or plot or metrics:
            raise click.UsageError("--judge audits a judge alone: leave out --metric, --hyp and --plot")
        from errata.models.chat import CachedChat
        from errata.models.loading import chat_model

        corpus = read_corpus_of(source, refs, gold)[:most]
        asking = progress(audits.count_contests(corpus), "asking", quiet)
        with CachedChat(chat_model(judge, model=model_name), cache) as chat, asking as advance:
            verdict = audits.audit_judge(
                chat, corpus, method, probabilities=probabilities, seed=seed, progress=advance
            )
        emit(verdict.table(len(corpus)), format_, output)
        return
    from errata.corpus.formats import read_outputs
    from errata.metrics.score_tables import metric_labels
    from errata.report.plots import draw_audits, save_figure

    corpus = read_corpus_of(source, refs, gold)
    outputs = read_outputs(hyps, corpus) if hyps else {}
    metrics = metrics or parse_metrics([_METRICS])
    by_name, robust = [], []
    with progress(len(metrics), "auditing", quiet) as advance:
        for metric, name in zip(metrics, metric_labels(metrics), strict=True):
            scores = [metric.score(corpus, lines, jobs=jobs).value for lines in outputs.values()]
            by_name.append((name, audits.audit(metric, corpus, scores, seed=seed, jobs=jobs)))
            robust.append((name, audits.robustness(metric, corpus, jobs=jobs)))
            advance(1)
    if plot is not None:
        save_figure(partial(draw_audits, by_name), plot)
    tables = [result.table(name) for name, result in by_name]
    emit([*tables, *(result.table(name) for name, result in robust)], format_, output)
