"""`errata meta evaluate`, the default subcommand of `errata meta`"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from errata.cli.commands import ManyValues, option, section
from errata.cli.inputs import Inputs, scoring_inputs
from errata.cli.judgment_inputs import method_names, read
from errata.cli.options import checked, emit, format_option, samples_option, seed_option
from errata.errors import ErrataError

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars
    from errata.meta.score_files import ScoreTable
    from errata.metrics.results import Results
    from errata.tables import Table


def _reference_sets(texts: tuple[str, ...]) -> dict[str, list[str]]:
    """Files by the name of a set, from NAME=FILE,FILE…"""
    for text in texts:
        if "=" not in text:
            raise ErrataError(f"{text}: it should be like NAME=FILE,FILE")
    return {name: files.split(",") for name, _, files in (text.partition("=") for text in texts)}


def _method(text: str) -> str:
    if len(names := method_names(text)) != 1:
        raise ErrataError("give one method")
    return names[0]


@click.command(cls=ManyValues)
@scoring_inputs
@section(
    "Input",
    option(
        "--human", "-H", "human_files", multiple=True, required=True, metavar="FILE",
        help="Judgments in any format of `errata rank`, a campaign, or a table of system and score.",
    ),
    option(
        "--scores", type=click.Path(dir_okay=False),
        help="Table of metric scores, or judgments of a model (`errata judge`), instead of texts.",
    ),
    option("--without", multiple=True, metavar="SYSTEM", rare=True, help="Leave this system out."),
    option(
        "--references", "sets", multiple=True, metavar="NAME=FILE,…", rare=True,
        callback=checked(_reference_sets),
        help="Another set of reference texts, for the grid of metrics and references.",
    ),
    option(
        "--first-segment", type=click.IntRange(0, 1), default=0, rare=True,
        help="Number of the first segment in the judgments: 0 or 1.",
    ),
)  # fmt: skip
@section(
    "Statistics",
    option(
        "--method", metavar="NAME", show_default="ew, or z for scores", callback=checked(_method),
        help="How judgments become scores: ew, trueskill, bt; for scores mean, z, easl.",
    ),
    option(
        "--kind", type=click.Choice(["pearson", "spearman", "kendall"]), default="pearson",
        help="Coefficient of leave-one-out, tests and windows:",
    ),
    option(
        "--interval", type=click.Choice(["fisher", "bootstrap"]), default="fisher", rare=True,
        help="Interval of correlations:",
    ),
    option("--leave-one-out", is_flag=True, help="Also show correlations without each system."),
    option(
        "--window", type=click.IntRange(min=3), rare=True,
        help="Also show correlations among N neighbours in the ranking.",
    ),
    option(
        "--permute", is_flag=True, rare=True,
        help="Also show PERM-BOTH tests between metrics, from sentence scores.",
    ),
    option(
        "--sweep", is_flag=True,
        help="Also show correlations for β from 0 to 2; with --by, means over domains.",
    ),
    option("--curve", is_flag=True, rare=True, help="Also show scores by number of references."),
    option(
        "--by", metavar="LABEL", rare=True,
        help="With human scores: correlation in each domain or other label of --meta.",
    ),
    option("--runs", type=click.IntRange(min=1), default=200, rare=True, help="Number of TrueSkill runs."),
)  # fmt: skip
@samples_option(1000, 100)
@seed_option
@format_option
def evaluate(
    inputs: Inputs, human_files: tuple[str, ...], method: str | None, scores: str | None,
    without: tuple[str, ...], kind: str, interval: str, leave_one_out: bool, window: int | None,
    permute: bool, sweep: bool, curve: bool, by: str | None, sets: dict[str, list[str]], first_segment: int,
    samples: int, runs: int, seed: int, format_: str, output: str,
) -> None:  # fmt: skip
    """Correlate metrics with people.

    Systems: r, ρ and τ with intervals, and Williams' test between metrics. With rankings, sentences as well:
    Kendall's τ on expanded and unexpanded pairs, accuracy, calibrated ties.
    """
    from errata.meta.levels import SystemLevel, sentence_tables
    from errata.meta.score_files import ScoreTable
    from errata.metrics.score_tables import metric_labels
    from errata.significance.decisions import data_in_words, headline

    if scores is not None:
        if inputs.is_given:
            raise click.UsageError("--scores replaces texts and --stats: give one or the other")
        if sweep or curve or sets or by:
            raise click.UsageError(
                "--sweep, --curve, --references and --by need texts or --stats, not --scores"
            )
        results, scored = None, _read_scores(scores, method, runs, seed)
    else:
        results = inputs.load()
        scored = ScoreTable.of(results, metric_labels(results.metrics))
    human, judged = _human(human_files, method, runs, seed)
    human = {name: value for name, value in human.items() if name not in without}
    sentences = scored.sentences
    level = SystemLevel.of(human, scored.without(without))
    tables: list[Table] = [level.table(interval=interval, samples=samples, seed=seed)]
    if len(level.metrics) > 1:
        kinds = dict.fromkeys([kind, "pearson", "spearman"])
        name = inputs.name if scores is None else Path(scores).name
        data = data_in_words(name, len(results or ()), len(human), " judged by people")
        tables[0].headline = headline([level.ranked(each) for each in kinds], data)
        tables.append(level.williams_table(kind))
    if leave_one_out:
        tables.append(level.leave_one_out_table(kind))
    if window is not None:
        tables.append(level.window_table(window, kind))
    if permute:
        if not sentences or len(level.metrics) < 2:
            raise click.UsageError("--permute needs sentence scores of two metrics")
        tables.append(
            level.permutation_table(level.stacked(sentences), kind, permutations=samples, seed=seed)
        )
    if sentences:
        tables += sentence_tables(judged, sentences, without, first_segment, samples=samples, seed=seed)
    if results is not None:
        tables += _sensitivity(results, human, judged, sweep, curve, by, sets or {}, inputs.jobs, seed)
    emit(tables, format_, output)


def _human(
    files: tuple[str, ...], method: str | None, runs: int, seed: int
) -> tuple[dict[str, float], Judgments | Scalars | None]:  # fmt: skip
    """Human scores of systems, and the judgments they come from."""
    from errata.human.judgment_files import judgment_source
    from errata.human.pairs import pairs_of
    from errata.human.rankings import scores_of
    from errata.human.scalars import Scalars, rank_scalars
    from errata.meta.score_files import is_ranking, read_ranking

    if len(files) == 1 and not judgment_source(files[0]) and is_ranking(files[0]):
        return read_ranking(files[0]), None
    judged = read(files)
    if isinstance(judged, Scalars):
        ranking = rank_scalars(judged, method or "z", runs=2, seed=seed)
        return dict(zip(ranking.systems, ranking.scores.tolist(), strict=True)), judged
    judged = judged.filtered()
    values = scores_of(pairs_of(judged, "expanded"), method or "ew", runs=runs, seed=seed)
    return dict(zip(judged.systems, values.tolist(), strict=True)), judged


def _read_scores(path: str, method: str | None, runs: int, seed: int) -> ScoreTable:
    """The scores in a table, or those that follow from the judgments of a model."""
    from errata.human.judgment_files import is_judgments
    from errata.meta.score_files import ScoreTable, read_scores

    if not is_judgments(path):
        return read_scores(path)
    scores, judged = _human((path,), method, runs, seed)
    assert judged is not None
    return ScoreTable({"+".join(judged.judges): scores}, {})


def _sensitivity(
    results: Results, human: dict[str, float], judged: Judgments | Scalars | None, sweep: bool, curve: bool,
    by: str | None, sets: dict[str, list[str]], jobs: int, seed: int,
) -> list[Table]:  # fmt: skip
    """Tables that need statistics or texts: the β sweep, domains, the curve and the grid."""
    from errata.human.scalars import Scalars
    from errata.meta import sensitivity

    tables: list[Table] = []
    people = None
    if by is not None:
        if not isinstance(judged, Scalars):
            raise click.UsageError(
                "--by needs human scores of single segments (TSV with judge, segment, system, score)"
            )
        tables += sensitivity.domain_tables(results, list(human), judged, by, seed=seed)
        people = sensitivity.scores_of_lines(len(results), list(human), judged)
    if sweep:
        tables += sensitivity.sweep_tables(results, human, people, by or "")
    if not curve and not sets:
        return tables
    if results.corpus is None or results.outputs is None:
        raise click.UsageError("--curve and --references need texts, not --stats")
    outputs = {system: results.outputs[system] for system in human}
    if curve:
        for metric in results.metrics:
            scores = sensitivity.reference_curve(metric, results.corpus, outputs, seed=seed, jobs=jobs)
            tables.append(scores.table(metric.name, list(human)))
    if sets:
        from errata.corpus.parallel import references_for

        corpora = {"given": results.corpus}
        corpora |= {name: references_for(results.corpus, files) for name, files in sets.items()}
        metrics = {metric.name: metric for metric in results.metrics}
        tables += sensitivity.grid(metrics, corpora, outputs, human, jobs=jobs).tables()
    return tables
