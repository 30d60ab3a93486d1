"""`errata rank`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.judgments import judgment_inputs
from errata.cli.options import emit, format_option, jobs_option, progress, quiet_option, seed_option

if TYPE_CHECKING:
    from errata.human.clusters import Ranking
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars


@click.command()
@judgment_inputs
@click.option(
    "--method",
    "-m",
    "methods",
    default=None,
    metavar="NAMES",
    help="Comma-separated: ew, ew-beaten, trueskill, trueskill-pass, bt; for scores mean, z, easl. "
    "Default: ew, or z.",
)
@click.option("--runs", type=click.IntRange(min=1), default=1000, show_default=True, help="Resamples.")
@click.option(
    "--level", type=click.FloatRange(0.5, 0.999), default=0.95, show_default=True, help="Of the rank ranges."
)
@click.option(
    "--clusters/--no-clusters",
    default=True,
    show_default=True,
    help="Number the clusters and draw lines between them.",
)
@click.option(
    "--pairs",
    "kind",
    type=click.Choice(["expanded", "unexpanded", "first"]),
    default="expanded",
    show_default=True,
    help="Systems that wrote the same text: split apart, one drawn, or the first named.",
)
@click.option(
    "--unit",
    type=click.Choice(["pair", "item", "segment", "judge"]),
    default="pair",
    show_default=True,
    help="What is resampled: pairs as in the papers, or whole items, segments or judges.",
)
@click.option("--head-to-head", is_flag=True, help="Add the matrix of who beats whom.")
@click.option("--plot", metavar="FILE", help="Draw the rankings (SVG, PDF or PNG).")
@seed_option
@jobs_option
@quiet_option
@format_option
def command(
    judged: Judgments | Scalars,
    methods: str | None,
    runs: int,
    level: float,
    clusters: bool,
    kind: str,
    unit: str,
    head_to_head: bool,
    plot: str | None,
    seed: int,
    jobs: int,
    quiet: bool,
    format_: str,
    output: str,
) -> None:
    """Rank systems by human judgments, with rank ranges and clusters.

    JUDGMENTS are Appraise XML, pairwise, WMT or Mechanical Turk CSV, or scores in TSV; several files are
    taken as one set.
    """
    from errata.human.scalars import Scalars
    from errata.report.rankings import head_to_head_table, ranking_table

    if plot is not None:
        from errata.report.plots import check_format

        check_format(plot)
    if isinstance(judged, Scalars):
        rankings = _scores(judged, methods or "z", runs, level, seed)
        count = f"{len(judged):,} scores by {len(set(judged.judge.tolist()))} judges, segments resampled"
        pairs = None
    else:
        from errata.human.pairs import pairs_of
        from errata.human.rankings import METHODS, rank

        judged = judged.filtered()
        pairs = pairs_of(judged, kind, seed=seed)
        names = _names(methods or "ew", METHODS)
        rankings = []
        with progress(runs * len(names), "ranking", quiet) as advance:
            for name in names:
                ranking = rank(
                    pairs, name, runs=runs, level=level, unit=unit, seed=seed, jobs=jobs, progress=advance
                )
                rankings.append((METHODS[name], ranking))
        ties = f"{pairs.ties:,} ties"
        count = f"{len(pairs):,} pairs ({kind}), {ties}, {len(judged):,} items; {unit}s resampled"
    note = f"{count}; {runs:,} runs, ranges at {100 * level:g} %, seed {seed}"
    tables = [ranking_table(ranking, title, [note], clusters=clusters) for title, ranking in rankings]
    if head_to_head and pairs is not None:
        tables.append(head_to_head_table(pairs.tally(), rankings[0][1].order.tolist()))
    emit(tables, format_, output)
    if plot is not None:
        from errata.report.plots import save_figure
        from errata.report.ranking_plots import draw_rankings

        save_figure(draw_rankings(rankings, None if pairs is None else pairs.tally()), plot)


def _scores(scalars: Scalars, methods: str, runs: int, level: float, seed: int) -> list[tuple[str, Ranking]]:
    from errata.human.scalars import METHODS, rank_scalars

    return [
        (METHODS[name], rank_scalars(scalars, name, runs=runs, level=level, seed=seed))
        for name in _names(methods, METHODS)
    ]


def _names(given: str, known: dict[str, str]) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise click.UsageError(f"no method '{name}' for these judgments; there are {', '.join(known)}")
    return names
