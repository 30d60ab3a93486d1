"""`errata meta audit`"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from errata.cli.inputs import ManyValues, parse_metrics, read_corpus_of
from errata.cli.judge import judging_options
from errata.cli.options import completes, emit, progress, run_options

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.metrics.base import Metric
    from errata.models.chat import CachedChat
    from errata.tables import Table


@click.command(cls=ManyValues)
@click.option("--source", "-s", help="Source sentences, one per line.")
@click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file per annotator.")
@click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref.")
@click.option("--hyp", "-y", "hyps", multiple=True, help="Real systems, to rank the outputs among; optional.")
@click.option(
    "--metric", "-m", "metric_names", multiple=True, default=("m2,gleu,imeasure",), show_default=True,
    shell_complete=completes("complete_metrics"),
    help="Metrics, comma-separated, with parameters behind a colon; those of other packages, too.",
)  # fmt: skip
@click.option(
    "--judge", metavar="MODEL",
    help="Audit a chat model as a judge: the address of an OpenAI-compatible server, or a GGUF file.",
)  # fmt: skip
@click.option(
    "--method", type=click.Choice(("pairwise", "sentence", "edits")), default="pairwise", show_default=True,
    help="How the judge is asked. [--judge]",
)  # fmt: skip
@judging_options
@click.option("--cache", metavar="FILE", help="Keep the judge's answers in this file. [--judge]")
@click.option("--plot", type=click.Path(dir_okay=False), help="Draw to this .svg, .pdf or .png file.")
@run_options
def command(
    source: str | None, refs: tuple[str, ...], gold: str | None, hyps: tuple[str, ...],
    metric_names: tuple[str, ...], judge: str | None, method: str, model_name: str, probabilities: bool,
    most: int | None, cache: str | None, plot: str | None, seed: int, jobs: int, quiet: bool,
    format_: str, output: str,
) -> None:  # fmt: skip
    """Stress metrics or a judge with deliberately bad outputs, and show where they reward them.

    One character X, nothing at all, another sentence, damage that grows: a metric has a fault where such an
    output is above the unchanged source or tied with it, or where more damage scores better. References with
    more blanks must not score otherwise, and those with a sentence or an instruction added must score worse.
    A judge compares each of these texts with the source or the reference, in both orders.

    \b
    errata meta audit --m2 gold.m2 --metric m2,fluency
    errata meta audit --m2 gold.m2 --judge http://localhost:8080/v1 --most 20 --cache answers.sqlite
    """
    if judge is not None:
        chosen = click.get_current_context().get_parameter_source("metric_names")
        if hyps or plot or chosen is ParameterSource.COMMANDLINE:
            raise click.UsageError("--judge audits a judge alone: leave out --metric, --hyp and --plot")
        corpus = read_corpus_of(source, refs, gold)
        from errata.models.chat import CachedChat
        from errata.models.loading import chat_model

        corpus = corpus if most is None else corpus[:most]
        with CachedChat(chat_model(judge, model=model_name), cache) as chat:
            emit(_audit_judge(chat, corpus, method, probabilities, seed, quiet), format_, output)
        return
    from errata.corpus.formats import read_outputs
    from errata.meta.audit import audit, robustness
    from errata.report.meta_tables import audit_table, draw_audits, robustness_table
    from errata.report.plots import check_format, save_figure

    if plot is not None:
        check_format(plot)
    metrics = parse_metrics(metric_names)
    corpus = read_corpus_of(source, refs, gold)
    outputs = read_outputs(hyps, corpus) if hyps else {}
    made, robust = [], []
    with progress(len(metrics), "auditing", quiet) as advance:
        for metric, name in zip(metrics, metric_labels(metrics), strict=True):
            scores = [metric.score(corpus, lines, jobs=jobs).value for lines in outputs.values()]
            made.append((name, audit(metric, corpus, scores, seed=seed, jobs=jobs)))
            robust.append((name, robustness(metric, corpus, jobs=jobs)))
            advance(1)
    if plot is not None:
        save_figure(partial(draw_audits, made), plot)
    tables = [audit_table(each, name) for name, each in made]
    emit([*tables, *(robustness_table(each, name) for name, each in robust)], format_, output)


def _audit_judge(
    chat: CachedChat, corpus: Corpus, method: str, probabilities: bool, seed: int, quiet: bool
) -> Table:
    from errata.meta.audit import audit_judge, count_contests
    from errata.report.meta_tables import judge_audit_table

    with progress(count_contests(corpus), "asking", quiet) as advance:
        found = audit_judge(chat, corpus, method, probabilities=probabilities, seed=seed, progress=advance)
    return judge_audit_table(found, len(corpus))


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """Names that tell metrics apart: the signature's settings where one metric is given twice."""
    names = [metric.name for metric in metrics]
    return [
        name if names.count(name) == 1 else metric.signature.rpartition("|")[0]
        for name, metric in zip(names, metrics, strict=True)
    ]
