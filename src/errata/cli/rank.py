"""`errata rank`"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.inputs import Inputs, ManyValues
from errata.cli.judgments import judgment_inputs
from errata.cli.options import NumberRange, completes, emit, progress, run_options

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars
    from errata.tables import Table


class _Rank(ManyValues):
    """`--hyp A B C` takes several values, but `--judge A JUDGMENTS` does not take the file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from_metric = any(argument.startswith("--from-metric") for argument in args)
        if from_metric:
            return super().parse_args(ctx, args)
        return click.Command.parse_args(self, ctx, args)


@click.command(cls=_Rank)
@partial(judgment_inputs, instead="from_metric")
@click.option(
    "--from-metric", metavar="METRIC", shell_complete=completes("complete_metrics"),
    help="Rank by the sentence scores of this metric in place of JUDGMENTS; needs --m2 (or --source and "
    "--ref) and --hyp.",
)  # fmt: skip
@click.option("--source", "-s", help="Source sentences, one per line. [--from-metric]")
@click.option("--ref", "-r", "refs", multiple=True, help="Reference texts, one file per annotator.")
@click.option("--m2", "gold", help="Gold edits in M2; may replace --source and --ref. [--from-metric]")
@click.option("--hyp", "-y", "hyps", multiple=True, help="Outputs of systems, one file each. [--from-metric]")
@click.option(
    "--orders", type=click.IntRange(min=1), default=100, show_default=True,
    help="Random orders of the sentences that TrueSkill is averaged over. [--from-metric]",
)  # fmt: skip
@click.option(
    "--method", "-m", "methods", default=None, metavar="NAMES",
    help="Comma-separated: ew, ew-beaten, trueskill, trueskill-pass, bt; for scores mean, z, easl. "
    "Default: ew, or z.",
)  # fmt: skip
@click.option("--runs", type=click.IntRange(min=1), default=1000, show_default=True, help="Resamples.")
@click.option(
    "--level",
    type=NumberRange(0.5, 0.999),
    default=0.95,
    show_default=True,
    help="Confidence level of the rank ranges.",
)
@click.option(
    "--clusters/--no-clusters", default=True, show_default=True,
    help="Number the clusters and draw lines between them.",
)  # fmt: skip
@click.option(
    "--pairs", "kind", type=click.Choice(["expanded", "unexpanded", "first"]), default="expanded",
    show_default=True,
    help="Systems that wrote the same text: split apart, one drawn, or the first named.",
)  # fmt: skip
@click.option(
    "--unit", type=click.Choice(["pair", "item", "segment", "judge"]), default="pair", show_default=True,
    help="What is resampled: pairs as in the papers, or whole items, segments or judges.",
)  # fmt: skip
@click.option("--head-to-head", is_flag=True, help="Add the matrix of who beats whom.")
@click.option("--plot", metavar="FILE", help="Draw the rankings (SVG, PDF or PNG).")
@run_options
def command(
    judged: Judgments | Scalars | None, from_metric: str | None, source: str | None,
    refs: tuple[str, ...], gold: str | None, hyps: tuple[str, ...], orders: int, methods: str | None,
    runs: int, level: float, clusters: bool, kind: str, unit: str, head_to_head: bool, plot: str | None,
    seed: int, jobs: int, quiet: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Rank systems by human judgments, with rank ranges and clusters, or by a metric's sentence scores.

    JUDGMENTS are Appraise XML, pairwise, WMT or Mechanical Turk CSV, or scores in TSV; several files are
    taken as one set. With --from-metric, every pair of systems is compared on every sentence, and wins, ties
    and losses give TrueSkill ratings and Expected Wins.

    \b
    errata rank judgments.xml
    errata rank --from-metric green --m2 gold.m2 --hyp A.txt B.txt C.txt
    """
    if from_metric is not None:
        if methods is not None or head_to_head or plot is not None:
            raise click.UsageError("--from-metric gives TrueSkill and Expected Wins: leave out --method, "
                                   "--head-to-head and --plot")  # fmt: skip
        inputs = Inputs((from_metric,), source, refs, gold, hyps, jobs=jobs, quiet=quiet)
        emit(_from_metric(inputs, orders, seed), format_, output)
        return
    assert judged is not None
    if source or refs or gold or hyps:
        raise click.UsageError("--source, --ref, --m2 and --hyp go with --from-metric")
    from errata.human.scalars import METHODS as SCALAR_METHODS
    from errata.human.scalars import Scalars, rank_scalars
    from errata.report.human_tables import head_to_head_table
    from errata.report.plots import check_format, save_figure

    if plot is not None:
        check_format(plot)
    if isinstance(judged, Scalars):
        rankings = [
            (SCALAR_METHODS[name], rank_scalars(judged, name, runs=runs, level=level, seed=seed))
            for name in _names(methods or "z", SCALAR_METHODS)
        ]
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
    tables = [ranking.table(title, [note], clusters=clusters) for title, ranking in rankings]
    if head_to_head and pairs is not None:
        tables.append(head_to_head_table(pairs.tally(), rankings[0][1].order.tolist()))
    emit(tables, format_, output)
    if plot is not None:
        from errata.report.plots import draw_rankings

        tally = None if pairs is None else pairs.tally()
        save_figure(partial(draw_rankings, rankings, tally), plot)


def _from_metric(inputs: Inputs, orders: int, seed: int) -> Table:
    from errata.meta.aggregation import aggregate
    from errata.report.human_tables import aggregation_table

    results = inputs.results()
    if len(results.metrics) != 1:
        raise click.UsageError("--from-metric takes one metric")
    with progress(orders, "ranking", inputs.quiet) as advance:
        found = aggregate(results, orders=orders, seed=seed, progress=advance)
    return aggregation_table(found, results.score(results.systems[0]).signature, orders, seed)


def _names(given: str, known: dict[str, str]) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise click.UsageError(f"no method '{name}' for these judgments; there are {', '.join(known)}")
    return names
