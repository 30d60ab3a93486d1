"""`errata meta benchmark`, which `errata meta --benchmark NAME` stands for"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, parse_metrics
from errata.cli.meta_audit import metric_labels
from errata.cli.options import completes, emit, note, progress, run_options

if TYPE_CHECKING:
    from errata.data.benchmarks import JudgedBenchmark
    from errata.meta.judged_outputs import BenchmarkAgreement
    from errata.metrics.base import Metric
    from errata.tables import Table

METRICS = "m2,sentm2,errant,gleu,green,imeasure,bleu,chrf,ter,wer"


@click.command(cls=ManyValues)
@click.option(
    "--benchmark", "names", multiple=True, required=True, metavar="NAME",
    shell_complete=completes("complete_judged"),
    help="seeda, gjg15, napoles15, gmeg, tmu-gfm, or all that are in the data folder.",
)  # fmt: skip
@click.option(
    "--metric", "-m", "metric_names", multiple=True, default=(METRICS,), show_default=True,
    shell_complete=completes("complete_metrics"),
    help="Metrics, comma-separated, with parameters after a colon: m2:beta=1,gleu",
)  # fmt: skip
@click.option(
    "--view", "views", multiple=True, metavar="TEXT", help="Only views whose name contains this: base"
)
@click.option("--tests", is_flag=True, help="Also print p of Williams' test between all metrics.")
@click.option("--permute", is_flag=True, help="Also print p of PERM-BOTH, from sentence scores.")
@click.option("--leave-one-out", is_flag=True, help="Also print correlations without each system.")
@click.option(
    "--window", type=click.IntRange(min=3), help="Also correlate among this many neighbours in the ranking."
)
@click.option(
    "--kind", type=click.Choice(["pearson", "spearman", "kendall"]), default="pearson", show_default=True,
    help="Coefficient of tests, windows and leave-one-out.",
)  # fmt: skip
@click.option("--leaderboard", is_flag=True, help="Print metrics by benchmarks instead.")
@click.option(
    "--plot", type=click.Path(dir_okay=False), help="Draw the leaderboard to this .svg, .pdf or .png."
)
@click.option(
    "--samples",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    help="Number of PERM-BOTH samples.",
)
@run_options
def command(
    names: tuple[str, ...], metric_names: tuple[str, ...], views: tuple[str, ...], tests: bool,
    permute: bool, leave_one_out: bool, window: int | None, kind: str, leaderboard: bool,
    plot: str | None, samples: int, seed: int, jobs: int, quiet: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Evaluate metrics on judged outputs that are known by name.

    Systems: correlation with Expected Wins, TrueSkill or ratings, soft pairwise accuracy, clusters of
    metrics. Sentences: pairwise accuracy with ties as half and by the published rule, calibrated ties,
    clusters.

    \b
    errata meta --benchmark seeda --metric m2,gleu
    errata meta --benchmark all --leaderboard --plot metrics.svg
    """
    from errata.report import leaderboard as boards
    from errata.report import meta_tables as tables
    from errata.report.plots import check_format, save_figure

    if plot is not None:
        check_format(plot)
    agreements = _agreements(names, parse_metrics(metric_names), views, jobs, quiet)
    board = {}
    made: list[Table] = []
    for title, agreement in agreements.items():
        if leaderboard or plot is not None or names == ("all",):
            board[title] = boards.standings(agreement, seed=seed)
        if leaderboard:
            continue
        made.append(tables.system_agreement_table(title, agreement))
        made.append(tables.sentence_agreement_table(title, agreement, seed=seed))
        made += _more(title, agreement, tests, permute, leave_one_out, window, kind, samples, seed)
    if board:
        made = [*boards.leaderboard_tables(board), *made]
    if plot is not None:
        save_figure(partial(boards.draw_leaderboard, board), plot)
    emit(made, format_, output)


def _agreements(
    names: tuple[str, ...], metrics: list[Metric], views: tuple[str, ...], jobs: int, quiet: bool
) -> dict[str, BenchmarkAgreement]:
    """How the metrics agree with people in every view of the benchmarks, by benchmark and view."""
    from errata.data.benchmarks import select_judged
    from errata.errors import DataError

    chosen = [each for name in ",".join(names).split(",") for each in select_judged(name.strip())]
    found: dict[str, BenchmarkAgreement] = {}
    for benchmark in dict.fromkeys(chosen):
        found |= _on(benchmark, metrics, views, jobs, quiet)
    if not found:
        raise DataError(
            "there is nothing to evaluate",
            hint="no view has this name, or the metrics need references and the benchmark has none",
        )
    return found


def _on(
    benchmark: JudgedBenchmark, metrics: list[Metric], views: tuple[str, ...], jobs: int, quiet: bool
) -> dict[str, BenchmarkAgreement]:
    from errata.meta.benchmarks import load
    from errata.meta.judged_outputs import BenchmarkAgreement
    from errata.meta.score_files import ScoreTable
    from errata.metrics.results import Results

    judged = load(benchmark)
    usable = metrics
    if not judged.has_references:
        usable = [metric for metric in metrics if not metric.needs & {"references", "edits"}]
        lacking = [metric.name for metric in metrics if metric not in usable]
        if lacking:
            note(f"{benchmark.name} has no references, which {', '.join(lacking)} would need")
    if not usable:
        return {}
    with progress(len(judged.corpus), f"scoring {benchmark.name}", quiet) as advance:
        results = Results.compute(judged.corpus, judged.outputs, usable, jobs=jobs, advance=advance)
    labels = metric_labels(metrics)
    names = [label for label, metric in zip(labels, metrics, strict=True) if metric in usable]
    scored = ScoreTable.of(results, names)
    return {
        f"{benchmark.name}, {view.name}": BenchmarkAgreement.of(view, scored)
        for view in judged.views
        if not views or any(text in view.name for text in views)
    }


def _more(
    title: str, agreement: BenchmarkAgreement, tests: bool, permute: bool, leave_one_out: bool,
    window: int | None, kind: str, samples: int, seed: int,
) -> list[Table]:  # fmt: skip
    """Tests between metrics, outliers and windows, with the first kind of human scores."""
    from errata.meta.levels import perm_both
    from errata.report import meta_tables

    method, level = next(iter(agreement.levels.items()))
    made: list[Table] = []
    if tests and len(level.metrics) > 1:
        made.append(meta_tables.williams_table(level, kind))
    if permute and len(level.metrics) > 1:
        p = perm_both(
            level.human, list(agreement.sentences_by_metric), kind=kind, permutations=samples, seed=seed
        )
        made.append(meta_tables.permutation_table(level.metrics, p, kind))
    if leave_one_out:
        made.append(meta_tables.leave_one_out_table(level, kind))
    if window is not None:
        made.append(meta_tables.window_table(level, window, kind))
    for table in made:
        table.title = f"{title}, {method}: {table.title}"
    return made
