"""`errata meta` and its subcommands; `evaluate` is in `meta_evaluate`"""

from __future__ import annotations

import os
from dataclasses import replace
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, LazyGroup, ManyValues, OutputPath, option, section
from errata.cli.inputs import read_corpus_of, text_options
from errata.cli.judge import judging_options
from errata.cli.options import (
    checked,
    completes,
    emit,
    format_option,
    jobs_option,
    metric_option,
    note,
    parse_metrics,
    plot_option,
    progress,
    run_options,
    samples_option,
)

if TYPE_CHECKING:
    from errata.corpus.model import Corpus
    from errata.data.benchmarks import JudgedBenchmark
    from errata.human.edit_labels import LabelledEdit
    from errata.meta.judged_outputs import BenchmarkAgreement
    from errata.metrics.base import Metric
    from errata.tables import Table

COMMANDS = {  # subcommand -> first line of its help
    "evaluate": "Correlate metrics with people: systems, sentences, sweeps.",
    "benchmark": "Evaluate metrics on a public benchmark of judgments.",
    "edits": "Compare metrics with human labels of single edits.",
    "audit": "Stress metrics with deliberately bad outputs.",
}


def _is_command(word: str) -> bool:
    """Whether a word names a subcommand, correctly or nearly so; options and files do not."""
    if word in COMMANDS:
        return True
    return not word.startswith("-") and not os.path.exists(word) and bool(get_close_matches(word, COMMANDS))


class MetaCommands(LazyGroup):
    """Without the name of a subcommand, `evaluate` is meant, or `benchmark` if only one is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and not _is_command(args[0]) and args[0] not in ("--help", "-h"):
            options = {arg.partition("=")[0] for arg in args}
            named = "--benchmark" in options and not options & {"--human", "-H"}
            args = ["benchmark" if named else "evaluate", *args]
        return super().parse_args(ctx, args)


@click.command(cls=MetaCommands, table=COMMANDS, module="meta", others={"evaluate": "meta_evaluate"})
def command() -> None:
    """Measure which metric agrees with people, and audit metrics.

    Without the name of a command, `evaluate` is meant, or `benchmark` with --benchmark NAME.

    \b
    errata meta --benchmark seeda --metric m2,gleu
    errata meta --human judgments.xml --m2 gold.m2 --hyp systems/*.txt
    errata meta --human ranking.tsv --scores scores.tsv
    errata meta audit --m2 gold.m2 --hyp systems/*.txt --metric m2,gleu
    """


@click.command(cls=Command)
@option(
    "--labels", type=click.Path(exists=True), metavar="PATH", show_default="those of the data set seeda",
    help="Labels of edits: a table, or SEEDA's folder EditEval_Step1 with a folder per annotator.",
)  # fmt: skip
@option("--m2", metavar="FILE", show_default="that of CoNLL-2014", help="Gold edits of the labelled corpus.")
@jobs_option
@format_option
def edits(labels: str | None, m2: str | None, jobs: int, format_: str, output: str) -> None:
    """Compare metrics with human labels of single edits (SEEDA).

    Shows how far annotators agree, the precision of systems by people and by metrics, and how often M²,
    ERRANT and CLEME disagree with people about an edit, by error type.

    \b
    errata meta edits
    errata meta edits --labels SEEDA/data/EditEval_Step1
    """
    from errata.corpus.formats import read_corpus
    from errata.data import path
    from errata.human.edit_labels import read_edit_labels
    from errata.meta.edit_judgments import judge_edits

    table = labels is not None and Path(labels).is_file()
    if m2 is not None and not table:
        raise click.UsageError("--m2 needs --labels with a table of the same corpus")
    corpus = read_corpus(m2 or path("conll14") / "test.m2")
    labelled = read_edit_labels(str(labels)) if table else _read_labels(path("seeda"), labels, corpus)
    emit(judge_edits(labelled, corpus, jobs=jobs or None).tables(), format_, output)


def _read_labels(seeda: Path, chosen: str | None, corpus: Corpus) -> list[LabelledEdit]:
    """The labels of a table or of the original files."""
    from errata.corpus.formats import read_outputs
    from errata.errors import DataError
    from errata.human.edit_labels import read_edit_labels, read_marked_labels

    candidates = [seeda / "edit_labels.tsv", seeda / "EditEval_Step1"]
    path = (
        Path(chosen) if chosen else next((candidate for candidate in candidates if candidate.exists()), None)
    )
    if path is None:
        raise DataError(
            "the labels of single edits are not here",
            path=seeda,
            hint="they are in the folder data/EditEval_Step1 of SEEDA's repository: --labels FOLDER",
        )
    if path.is_dir():
        files = sorted((seeda / "systems").glob("*.txt"))
        return read_marked_labels(path, corpus.sources, read_outputs(files, corpus))
    return read_edit_labels(path)


AUDITED_METRICS = "m2,gleu,imeasure"


@click.command(cls=ManyValues)
@text_options("Real systems, to rank the bad outputs among. Optional.")
@metric_option(AUDITED_METRICS)
@section(
    "Input",
    option(
        "--attack",
        "attacks",
        multiple=True,
        metavar="FILE",
        help="Outputs made to get a high score, to see how far they raise each metric.",
    ),
)
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
    attacks: tuple[str, ...],
    metrics: list[Metric] | None, judge: str | None, method: str, model_name: str, probabilities: bool,
    most: int | None, cache: str | None, plot: str | None, seed: int, jobs: int, quiet: bool,
    format_: str, output: str,
) -> None:  # fmt: skip
    """Stress metrics or a judge with deliberately bad outputs, and show where they reward them.

    The bad outputs are the character X, empty lines, other sentences, and sources with more and more damage.
    A metric has a fault if it scores one of them at least as high as the unchanged source, or more damage
    higher than less. Additional blanks in references must not change the score, and an added sentence or
    instruction must lower it. The last table shows the most successful bad output or --attack on each metric,
    what it gains over the source, and how many real systems it beats. A judge compares each of these texts
    with the source or the reference, in both orders.

    \b
    errata meta audit --m2 gold.m2 --metric m2,fluency
    errata meta audit --m2 gold.m2 --judge http://localhost:8080/v1 --most 20
    """
    from errata.meta import audit as audits

    if judge is not None:
        if hyps or plot or metrics or attacks:
            others = "--metric, --hyp, --attack and --plot"
            raise click.UsageError(f"--judge audits a judge alone: leave out {others}")
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
    from errata.metrics.results import Results
    from errata.metrics.score_tables import metric_labels
    from errata.report.plots import draw_audits, save_figure

    corpus = read_corpus_of(source, refs, gold)
    outputs = read_outputs(hyps, corpus) if hyps else {}
    attacking = read_outputs(attacks, corpus) if attacks else {}
    metrics = metrics or parse_metrics([AUDITED_METRICS])
    by_name, robust = [], []
    systems = Results.compute(corpus, outputs, metrics, jobs=jobs) if outputs else None
    with progress(len(metrics), "auditing", quiet) as advance:
        for number, (metric, name) in enumerate(zip(metrics, metric_labels(metrics), strict=True)):
            scores = [] if systems is None else [systems.score(each, number).value for each in outputs]
            by_name.append((name, audits.audit(metric, corpus, scores, seed=seed, jobs=jobs)))
            robust.append((name, audits.robustness(metric, corpus, jobs=jobs)))
            advance(1)
    if plot is not None:
        save_figure(partial(draw_audits, by_name), plot)
    tables = [result.table(name) for name, result in by_name]
    tables += [result.table(name) for name, result in robust]
    attacked = audits.score_attacks(corpus, metrics, attacking, seed=seed, jobs=jobs)
    emit([*tables, audits.gaming_table(attacked, systems)], format_, output)


BENCHMARK_METRICS = "m2,sentm2,errant,gleu,green,imeasure,bleu,chrf,ter,wer"


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
@metric_option(BENCHMARK_METRICS)
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
    "Output", option("--full", is_flag=True, help="Also print all figures of every benchmark.")
)  # fmt: skip
@plot_option("Draw the leaderboard to this .svg, .pdf or .png file.")
@run_options
def benchmark(
    benchmarks: list[JudgedBenchmark], metrics: list[Metric], views: tuple[str, ...], tests: bool,
    permute: bool, leave_one_out: bool, window: int | None, kind: str, full: bool,
    plot: str | None, samples: int, seed: int, jobs: int, quiet: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Evaluate metrics on public benchmarks of judged outputs.

    Systems: correlation with Expected Wins, TrueSkill or ratings, soft pairwise accuracy, clusters of
    metrics. Sentences: pairwise accuracy with ties as half and by the published rule, calibrated ties,
    clusters.

    \b
    errata meta --benchmark seeda --metric m2,gleu
    errata meta --benchmark all --plot metrics.svg
    """
    from errata.report.plots import draw_leaderboard, leaderboard_tables, save_figure, standings
    from errata.significance.decisions import headline

    agreements = _agreements(benchmarks, metrics or parse_metrics([BENCHMARK_METRICS]), views, jobs, quiet)
    board = {}
    tables: list[Table] = []
    for title, agreement in agreements.items():
        board[title] = standings(agreement, seed=seed)
        if full:
            tables += [agreement.system_table(title), agreement.sentence_table(title, seed=seed)]
        tables += _more_tables(title, agreement, tests, permute, leave_one_out, window, kind, samples, seed)
    tables = [*leaderboard_tables(board), *tables]
    levels = {title: next(iter(agreement.levels.values())) for title, agreement in agreements.items()}
    if all(len(level.metrics) > 1 for level in levels.values()):
        ranked = [
            replace(level.ranked(kind), criterion=title.replace(",", "")) for title, level in levels.items()
        ]
        tables[0].headline = headline(ranked, f"The criteria are correlations with people ({kind}).")
    if plot is not None:
        save_figure(partial(draw_leaderboard, board), plot)
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
