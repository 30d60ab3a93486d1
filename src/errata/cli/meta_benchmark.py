"""`errata meta benchmark`, which `errata meta --benchmark NAME` stands for"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.commands import ManyValues, option, section
from errata.cli.options import (
    checked,
    completes,
    emit,
    metric_option,
    note,
    parse_metrics,
    plot_option,
    progress,
    run_options,
    samples_option,
)

if TYPE_CHECKING:
    from errata.data.benchmarks import JudgedBenchmark
    from errata.meta.judged_outputs import BenchmarkAgreement
    from errata.metrics.base import Metric
    from errata.tables import Table

METRICS = "m2,sentm2,errant,gleu,green,imeasure,bleu,chrf,ter,wer"


def _benchmarks(names: tuple[str, ...]) -> list[JudgedBenchmark]:
    """The benchmarks of these names, each once; an unknown name is an error."""
    from errata.data.benchmarks import select_judged

    chosen = [each for name in ",".join(names).split(",") for each in select_judged(name.strip())]
    return list(dict.fromkeys(chosen))


@click.command(cls=ManyValues)
@section(
    "Input",
    option(
        "--benchmark", "benchmarks", multiple=True, required=True, metavar="NAME",
        callback=checked(_benchmarks), shell_complete=completes("complete_judged"),
        help="seeda, gjg15, napoles15, gmeg, tmu-gfm, or all that are in the data folder.",
    ),
    option(
        "--view", "views", multiple=True, metavar="TEXT", help="Only views whose name contains this: base",
    ),
)  # fmt: skip
@metric_option(METRICS)
@section(
    "Statistics",
    option("--tests", is_flag=True, help="Also print p of Williams' test between all metrics."),
    option("--permute", is_flag=True, help="Also print p of PERM-BOTH, from sentence scores."),
    option("--leave-one-out", is_flag=True, help="Also print correlations without each system."),
    option(
        "--window", type=click.IntRange(min=3), rare=True,
        help="Also print correlations among N neighbours in the ranking.",
    ),
    option(
        "--kind", type=click.Choice(["pearson", "spearman", "kendall"]), default="pearson", rare=True,
        help="Coefficient of tests, windows and leave-one-out:",
    ),
)  # fmt: skip
@samples_option(1000, 100, " of PERM-BOTH")
@section(
    "Output", option("--leaderboard", is_flag=True, help="Print metrics by benchmarks instead.")
)  # fmt: skip
@plot_option("Draw the leaderboard to this .svg, .pdf or .png file.")
@run_options
def benchmark(
    benchmarks: list[JudgedBenchmark], metrics: list[Metric], views: tuple[str, ...], tests: bool,
    permute: bool, leave_one_out: bool, window: int | None, kind: str, leaderboard: bool,
    plot: str | None, samples: int, seed: int, jobs: int, quiet: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Evaluate metrics on public benchmarks of judged outputs.

    Systems: correlation with Expected Wins, TrueSkill or ratings, soft pairwise accuracy, clusters of
    metrics. Sentences: pairwise accuracy with ties as half and by the published rule, calibrated ties,
    clusters.

    \b
    errata meta --benchmark seeda --metric m2,gleu
    errata meta --benchmark all --leaderboard --plot metrics.svg
    """
    from errata.report import leaderboard as boards
    from errata.report.plots import save_figure

    agreements = _agreements(benchmarks, metrics or parse_metrics([METRICS]), views, jobs, quiet)
    board = {}
    tables: list[Table] = []
    for title, agreement in agreements.items():
        if leaderboard or plot is not None or len(benchmarks) > 1:
            board[title] = boards.standings(agreement, seed=seed)
        if leaderboard:
            continue
        tables += [agreement.system_table(title), agreement.sentence_table(title, seed=seed)]
        tables += _more_tables(title, agreement, tests, permute, leave_one_out, window, kind, samples, seed)
    if board:
        tables = [*boards.leaderboard_tables(board), *tables]
    if plot is not None:
        save_figure(partial(boards.draw_leaderboard, board), plot)
    emit(tables, format_, output)


def _agreements(
    benchmarks: list[JudgedBenchmark], metrics: list[Metric], views: tuple[str, ...], jobs: int, quiet: bool
) -> dict[str, BenchmarkAgreement]:  # fmt: skip
    """The agreement of the metrics with people in every view of the benchmarks, by benchmark and view."""
    from errata.errors import DataError
    from errata.meta.benchmarks import load

    by_view: dict[str, BenchmarkAgreement] = {}
    for benchmark in benchmarks:
        judged = load(benchmark)
        if unusable := judged.unusable(metrics):
            names = ", ".join(metric.name for metric in unusable)
            note(f"{benchmark.name} has no references, which {names} would need")
        with progress(len(judged.corpus), f"scoring {benchmark.name}", quiet) as advance:
            by_view |= judged.agreements(metrics, views, jobs=jobs, advance=advance)
    if not by_view:
        raise DataError(
            "there is nothing to evaluate",
            hint="no view has this name, or the metrics need references and the benchmark has none",
        )
    return by_view


def _more_tables(
    title: str, agreement: BenchmarkAgreement, tests: bool, permute: bool, leave_one_out: bool,
    window: int | None, kind: str, samples: int, seed: int,
) -> list[Table]:  # fmt: skip
    """Tests between metrics, outliers and windows, with the first kind of human scores."""
    method, level = next(iter(agreement.levels.items()))
    tables: list[Table] = []
    if tests and len(level.metrics) > 1:
        tables.append(level.williams_table(kind))
    if permute and len(level.metrics) > 1:
        sentences = list(agreement.sentences_by_metric)
        tables.append(level.permutation_table(sentences, kind, permutations=samples, seed=seed))
    if leave_one_out:
        tables.append(level.leave_one_out_table(kind))
    if window is not None:
        tables.append(level.window_table(window, kind))
    for table in tables:
        table.title = f"{title}, {method}: {table.title}"
    return tables
