"""`errata meta evaluate`, which `errata meta` stands for"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.meta_audit import metric_labels
from errata.cli.options import emit, format_option, seed_option

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars
    from errata.meta.score_files import ScoreTable
    from errata.metrics.results import Results
    from errata.metrics.statistics import Floats
    from errata.tables import Table


@click.command(cls=ManyValues)
@partial(scoring_inputs, instead="scores")
@click.option(
    "--human", "-H", "human_files", multiple=True, required=True,
    help="Judgments in any format of `errata rank`, a campaign, or a table of system and score.",
)  # fmt: skip
@click.option(
    "--method", default=None, metavar="NAME",
    help="How judgments become scores: ew, trueskill, bt; for scores mean, z, easl. Default: ew, or z.",
)  # fmt: skip
@click.option(
    "--scores", type=click.Path(dir_okay=False),
    help="Metric scores in a table, or judgments of a model (`errata judge`), instead of texts.",
)  # fmt: skip
@click.option("--without", multiple=True, help="Leave this system out.")
@click.option(
    "--kind", type=click.Choice(["pearson", "spearman", "kendall"]), default="pearson", show_default=True,
    help="Coefficient of leave-one-out, tests and windows.",
)  # fmt: skip
@click.option("--interval", type=click.Choice(["fisher", "bootstrap"]), default="fisher", show_default=True)
@click.option("--leave-one-out", is_flag=True, help="Correlations without each system.")
@click.option(
    "--window", type=click.IntRange(min=3), help="Correlations among this many neighbours in the ranking."
)
@click.option("--permute", is_flag=True, help="PERM-BOTH tests between metrics, from sentence scores.")
@click.option("--sweep", is_flag=True, help="Correlation by β from 0.05 to 2, of metrics that have it.")
@click.option("--curve", is_flag=True, help="Scores by number of references.")
@click.option("--by", help="With human scores: correlation in each domain or other label of --meta.")
@click.option("--references", "sets", multiple=True, metavar="NAME=FILE,…",
              help="Another set of reference texts, for the grid of metrics and references.")  # fmt: skip
@click.option("--first-segment", type=click.IntRange(0, 1), default=0, show_default=True,
              help="Number of the first segment in the judgments.")  # fmt: skip
@click.option(
    "--samples",
    type=click.IntRange(min=100),
    default=1000,
    show_default=True,
    help="Number of bootstrap samples.",
)
@click.option(
    "--runs", type=click.IntRange(min=1), default=200, show_default=True, help="Number of TrueSkill runs."
)
@seed_option
@format_option
def command(
    results: Results | None, human_files: tuple[str, ...], method: str | None, scores: str | None,
    without: tuple[str, ...], kind: str, interval: str, leave_one_out: bool, window: int | None,
    permute: bool, sweep: bool, curve: bool, by: str | None, sets: tuple[str, ...], first_segment: int,
    samples: int, runs: int, seed: int, format_: str, output: str,
) -> None:  # fmt: skip
    """Correlate metrics with people.

    Systems: r, ρ and τ with intervals, and Williams' test between metrics. With ranking judgments sentences
    as well: Kendall's τ on expanded and unexpanded pairs, accuracy, calibrated ties.
    """
    from errata.meta.levels import SystemLevel, perm_both
    from errata.meta.score_files import ScoreTable
    from errata.report import meta_tables as tables

    if results is None and (sweep or curve or sets or by):
        raise click.UsageError("--sweep, --curve, --references and --by need texts or --stats, not --scores")
    human, judged = _human(human_files, method, runs, seed)
    human = {name: value for name, value in human.items() if name not in without}
    scored = (
        _scored(str(scores), method, runs, seed)
        if results is None
        else ScoreTable.of(results, metric_labels(results.metrics))
    )
    sentences = scored.sentences
    level = SystemLevel.of(human, scored.without(without))
    made: list[Table] = [tables.system_table(level, interval=interval, samples=samples, seed=seed)]
    if len(level.metrics) > 1:
        made.append(tables.williams_table(level, kind))
    if leave_one_out:
        made.append(tables.leave_one_out_table(level, kind))
    if window is not None:
        made.append(tables.window_table(level, window, kind))
    if permute:
        if not sentences or len(level.metrics) < 2:
            raise click.UsageError("--permute needs sentence scores of two metrics")
        import numpy as np

        stacked = [np.stack([sentences[metric][name] for name in level.systems]) for metric in level.metrics]
        p = perm_both(level.human, stacked, kind=kind, permutations=samples, seed=seed)
        made.append(tables.permutation_table(level.metrics, p, kind))
    if judged is not None and sentences:
        made += _sentence_level(judged, sentences, without, first_segment, samples, seed)
    if results is not None:
        made += _more(results, human, judged, sweep=sweep, curve=curve, by=by, sets=sets, seed=seed)
    emit(made, format_, output)


def _human(
    files: tuple[str, ...], method: str | None, runs: int, seed: int
) -> tuple[dict[str, float], Judgments | Scalars | None]:
    """Human scores of systems, and the judgments they come from."""
    from errata.cli.judgments import read
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


def _scored(path: str, method: str | None, runs: int, seed: int) -> ScoreTable:
    """The scores in a table, or those that follow from a model's judgments."""
    from errata.human.judgment_files import is_judgments
    from errata.meta.score_files import ScoreTable, read_scores

    if not is_judgments(path):
        return read_scores(path)
    found, judged = _human((path,), method, runs, seed)
    assert judged is not None
    return ScoreTable({"+".join(judged.judges): found}, {})


def _sentence_level(
    judged: Judgments | Scalars, sentences: dict[str, dict[str, Floats]], without: tuple[str, ...],
    first_segment: int, samples: int, seed: int,
) -> list[Table]:  # fmt: skip
    from errata.human.pairs import pairs_of
    from errata.human.scalars import Scalars
    from errata.meta.levels import SentenceLevel
    from errata.report.meta_tables import sentence_table

    if isinstance(judged, Scalars):
        return []
    if without:
        judged = judged.without_systems([name for name in without if name in judged.systems])
    return [
        sentence_table(
            SentenceLevel.of(pairs_of(judged, kind, seed=seed), sentences, first_segment=first_segment),
            f"Sentence level, {title} pairs",
            samples=samples,
            seed=seed,
        )
        for kind, title in (("expanded", "expanded"), ("first", "unexpanded"))
    ]


def _more(
    results: Results, human: dict[str, float], judged: Judgments | Scalars | None, *, sweep: bool,
    curve: bool, by: str | None, sets: tuple[str, ...], seed: int,
) -> list[Table]:  # fmt: skip
    """What needs statistics or texts: the β sweep, the curve, the grid, and domains."""
    import numpy as np

    from errata.human.scalars import Scalars, system_table
    from errata.meta.levels import lines_of
    from errata.meta.sensitivity import domain_correlations, grid, reference_curve
    from errata.meta.sensitivity import sweep as sweep_parameter
    from errata.report import meta_tables as tables

    found: list[Table] = []
    systems = list(human)
    jobs = click.get_current_context().params["jobs"]
    for n, metric in enumerate(results.metrics):
        statistics = {system: results.statistics[system, n] for system in systems}
        if sweep and "beta" in metric.parameters:
            values = np.round(np.arange(0.05, 2.0001, 0.05), 2)
            found.append(tables.sweep_table(metric.name, sweep_parameter(metric, statistics, human, values)))
        if by is not None and isinstance(judged, Scalars):
            rows = lines_of([segment for _, segment in judged.segments])
            table = system_table(judged, "z")
            place = {name: i for i, name in enumerate(judged.systems)}
            people = np.full((len(results), len(systems)), np.nan)
            people[rows] = table[:, [place[name] for name in systems]]
            results.groups(by)  # raises where there is no such label, and names those there are
            labels = results.labels[by]
            made = domain_correlations(metric, statistics, people, labels, seed=seed)
            found.append(tables.domain_table(metric.name, made))
    if by is not None and not isinstance(judged, Scalars):
        raise click.UsageError(
            "--by needs human scores of single segments (TSV with judge, segment, system, score)"
        )
    if (curve or sets) and (results.corpus is None or results.outputs is None):
        raise click.UsageError("--curve and --references need texts, not --stats")
    if results.corpus is not None and results.outputs is not None:
        outputs = {system: results.outputs[system] for system in systems}
        if curve:
            for metric in results.metrics:
                made_curve = reference_curve(metric, results.corpus, outputs, seed=seed, jobs=jobs)
                found.append(tables.curve_table(metric.name, systems, made_curve))
        if sets:
            from errata.corpus.parallel import references_for

            corpora = {"given": results.corpus}
            for given in sets:
                name, equals, files = given.partition("=")
                if not equals:
                    raise click.UsageError("--references takes NAME=FILE,FILE…")
                corpora[name] = references_for(results.corpus, files.split(","))
            metrics = {metric.name: metric for metric in results.metrics}
            found += tables.grid_tables(grid(metrics, corpora, outputs, human, jobs=jobs))
    return found
