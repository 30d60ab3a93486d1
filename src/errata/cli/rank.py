"""`errata rank`"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.commands import ManyValues, option, section
from errata.cli.inputs import Inputs, text_options
from errata.cli.judgment_inputs import JudgmentInputs, judgment_inputs, known_methods, method_names
from errata.cli.options import (
    NumberRange,
    checked,
    completes,
    emit,
    parse_metrics,
    plot_option,
    progress,
    run_options,
)
from errata.errors import ErrataError, plural
from errata.tables import Table

if TYPE_CHECKING:
    from errata.human.pairs import Pairs
    from errata.human.rankings import Ranking
    from errata.human.scalars import Scalars
    from errata.metrics.base import Metric


class _Rank(ManyValues):
    """`--hyp A B C` takes several values, but `--judge A JUDGMENTS` does not take the file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if any(argument.startswith(("--from-metric", "--with-metric")) for argument in args):
            return super().parse_args(ctx, args)
        return click.Command.parse_args(self, ctx, args)


def _one_metric(text: str) -> Metric:
    metrics = parse_metrics([text])
    if len(metrics) != 1:
        raise ErrataError("--from-metric takes one metric")
    metric: Metric = metrics[0]
    return metric


@click.command(cls=_Rank)
@judgment_inputs
@section(
    "Metrics",
    option(
        "--from-metric", metavar="METRIC", shell_complete=completes("complete_metrics"),
        callback=checked(_one_metric),
        help="Rank by the sentence scores of this metric instead of JUDGMENTS. Needs --m2 (or --source and "
        "--ref) and --hyp.",
    ),
    option(
        "--with-metric", metavar="METRICS", shell_complete=completes("complete_metrics"),
        callback=checked(lambda text: parse_metrics([text])),
        help="Estimate win rates or mean scores from JUDGMENTS with the help of these metrics on all "
        "segments: narrower intervals, no bias. Needs texts as --from-metric does.",
    ),
)  # fmt: skip
@text_options("Outputs of systems, one file each, for --from-metric and --with-metric.")
@section(
    "Statistics",
    option(
        "--method", "-m", "methods", metavar="NAMES", callback=checked(method_names),
        show_default="ew, or z for scores",
        help="Ranking methods: ew, ew-beaten, trueskill, trueskill-pass, bt; for scores mean, z, easl.",
    ),
    option("--runs", type=click.IntRange(min=1), default=1000, help="Number of resampling runs."),
    option(
        "--level", type=NumberRange(0.5, 0.999), default=0.95, metavar="P", rare=True,
        help="Confidence level of the rank ranges.",
    ),
    option(
        "--pairs", "kind", type=click.Choice(["expanded", "unexpanded", "first"]), default="expanded",
        rare=True,
        help="Systems with the same text are expanded (all count), unexpanded (one is drawn), or the first "
        "counts.",
    ),
    option(
        "--unit", type=click.Choice(["segment", "item", "judge", "pair"]), default="segment", rare=True,
        help="Unit to resample; papers use pairs, which gives ranges that are too narrow:",
    ),
    option(
        "--anytime", is_flag=True,
        help="With --with-metric: intervals that stay valid if you look after every judgment and stop when "
        "you like; also which pairs are separated, and how many judgments the others need.",
    ),
    option(
        "--planned", type=click.IntRange(min=2), default=400, rare=True, metavar="N",
        help="Number of judged segments at which intervals of --anytime are narrowest. Choose it before the "
        "first look, and keep it.",
    ),
    option(
        "--orders", type=click.IntRange(min=1), default=100, rare=True,
        help="Random orders of the sentences over which --from-metric averages TrueSkill.",
    ),
)  # fmt: skip
@section(
    "Output",
    option(
        "--clusters/--no-clusters", default=True, rare=True,
        help="Number the clusters and draw lines between them.",
    ),
    option("--head-to-head", is_flag=True, help="Also print how often each system beat each other one."),
)  # fmt: skip
@plot_option("Draw the ranking to this .svg, .pdf or .png file.")
@run_options
def command(
    judgments: JudgmentInputs, from_metric: Metric | None, with_metric: list[Metric] | None,
    source: str | None, refs: tuple[str, ...], gold: str | None, hyps: tuple[str, ...], anytime: bool,
    planned: int, orders: int, methods: list[str] | None, runs: int, level: float, clusters: bool,
    kind: str, unit: str, head_to_head: bool, plot: str | None, seed: int, jobs: int,
    quiet: bool, format_: str, output: str,
) -> None:  # fmt: skip
    """Rank systems by human judgments, with rank ranges and clusters, or by the sentence scores of a metric.

    JUDGMENTS are Appraise XML, pairwise, WMT or Mechanical Turk CSV, or scores in TSV. Several files are
    joined. With --from-metric, every pair of systems is compared on every sentence, and wins, ties
    and losses give TrueSkill ratings and Expected Wins.

    \b
    errata rank judgments.xml
    errata rank --from-metric green --m2 gold.m2 --hyp A.txt B.txt C.txt
    errata rank judgments.xml --with-metric sari --m2 gold.m2 --hyp systems/*.txt
    """
    if anytime and with_metric is None:
        raise click.UsageError("--anytime goes with --with-metric")
    if with_metric is not None:
        if from_metric is not None or head_to_head or plot is not None or unit not in ("segment", "judge"):
            raise click.UsageError(
                "--with-metric goes with --unit segment or judge, and without --from-metric, --head-to-head "
                "and --plot"
            )
        inputs = Inputs(with_metric, (), source, refs, gold, hyps=hyps, jobs=jobs, quiet=quiet)
        emit(
            _with_metric(judgments, inputs, methods, kind, unit, level, planned if anytime else None, seed),
            format_, output,
        )  # fmt: skip
        return
    if from_metric is not None:
        if judgments.files:
            raise click.UsageError("--from-metric replaces JUDGMENTS: give one or the other")
        if methods is not None or head_to_head or plot is not None:
            raise click.UsageError(
                "--from-metric gives TrueSkill and Expected Wins: leave out --method, --head-to-head "
                "and --plot"
            )
        inputs = Inputs([from_metric], (), source, refs, gold, hyps=hyps, jobs=jobs, quiet=quiet)
        emit(_from_metric(inputs, orders, seed), format_, output)
        return
    if source or refs or gold or hyps:
        raise click.UsageError("--source, --ref, --m2 and --hyp go with --from-metric")
    from errata.human.scalars import Scalars
    from errata.report.plots import draw_rankings, save_figure

    judged = judgments.load()
    pairs = None
    if isinstance(judged, Scalars):
        rankings, count = _rank_scores(judged, methods, runs, level, seed)
    else:
        from errata.human.pairs import pairs_of

        judged = judged.filtered()
        pairs = pairs_of(judged, kind, seed=seed)
        units = len(pairs) if unit == "pair" else len(set(getattr(pairs, unit).tolist()))
        rankings = _rank_pairs(pairs, methods, runs, level, unit, seed, jobs, quiet)
        count = (
            f"{len(pairs):,} pairs ({kind}), {pairs.ties:,} ties, {len(judged):,} items; "
            f"{_resampled(units, unit)}"
        )
    note = f"{count}; {runs:,} runs, ranges at {100 * level:g} %, seed {seed}"
    tables = [ranking.table(title, [note], clusters=clusters) for title, ranking in rankings]
    tally = None if pairs is None else pairs.tally()
    if head_to_head and tally is not None:
        from errata.human.rankings import head_to_head_table

        tables.append(head_to_head_table(tally, rankings[0][1].order.tolist()))
    emit(tables, format_, output)
    if plot is not None:
        save_figure(partial(draw_rankings, rankings, tally), plot)


def _with_metric(
    judgments: JudgmentInputs, inputs: Inputs, methods: list[str] | None, kind: str, unit: str, level: float,
    planned: int | None, seed: int,
) -> list[Table]:  # fmt: skip
    """Win rates of rankings, or mean scores, estimated with metrics; at any time also the pairs."""
    from errata.human.scalars import METHODS, Scalars
    from errata.meta.prediction_powered import estimate, observe, warning_of

    judged = judgments.load()
    title = "Win rate"
    if isinstance(judged, Scalars):
        (name,) = known_methods(methods or ["z"], {name: METHODS[name] for name in ("mean", "z")})
        judged, title = judged.standardised() if name == "z" else judged, METHODS[name].capitalize()
    elif methods is not None:
        raise click.UsageError("--with-metric estimates win rates from rankings: leave out --method")
    results = inputs.load()
    assert results.outputs is not None
    sentences = [
        {system: results.score(system, number).sentences for system in results.systems}
        for number in range(len(results.metrics))
    ]
    observed = observe(judged, results.outputs, sentences, kind=kind, seed=seed)
    scores = estimate(observed, judges=unit == "judge", seed=seed)
    if warning := warning_of(scores):
        click.echo(f"warning: {warning}", err=True)
    metrics = ", ".join(metric.name for metric in results.metrics)
    notes = [
        f"{len(observed.value):,} judgments with different outputs, {metrics} on {len(results):,} segments"
        if title == "Win rate"
        else f"{len(observed.value):,} scores, {metrics} on {len(results):,} segments"
    ]
    tables = [scores.table(judged.systems, title, notes, level=level, planned=planned, seed=seed)]
    if planned is not None:
        count = len(judged) if isinstance(judged, Scalars) else len(judged.filtered())
        tables.append(scores.separations(judged.systems, count, planned=planned, level=level))
    return tables


def _rank_scores(
    scores: Scalars, methods: list[str] | None, runs: int, level: float, seed: int
) -> tuple[list[tuple[str, Ranking]], str]:  # fmt: skip
    from errata.human.scalars import METHODS, rank_scalars

    rankings = [
        (METHODS[name], rank_scalars(scores, name, runs=runs, level=level, seed=seed))
        for name in known_methods(methods or ["z"], METHODS)
    ]
    judges = len(set(scores.judge.tolist()))
    count = f"{len(scores):,} scores by {judges} judges; {_resampled(len(scores.segments), 'segment')}"
    return rankings, count


def _resampled(count: int, unit: str) -> str:
    none = ", so that ranges show no uncertainty" if count == 1 else ""
    return f"resampled: {count:,} {plural(count, unit)}{none}"


def _rank_pairs(
    pairs: Pairs, methods: list[str] | None, runs: int, level: float, unit: str, seed: int, jobs: int,
    quiet: bool,
) -> list[tuple[str, Ranking]]:  # fmt: skip
    from errata.human.rankings import METHODS, rank

    names = known_methods(methods or ["ew"], METHODS)
    with progress(runs * len(names), "ranking", quiet) as advance:
        return [
            (
                METHODS[name],
                rank(pairs, name, runs=runs, level=level, unit=unit, seed=seed, jobs=jobs, progress=advance),
            )
            for name in names
        ]


def _from_metric(inputs: Inputs, orders: int, seed: int) -> Table:
    from errata.meta.aggregation import aggregate

    results = inputs.load()
    with progress(orders, "ranking", inputs.quiet) as advance:
        ranking = aggregate(results, orders=orders, seed=seed, progress=advance)
    return ranking.table(results.score(results.systems[0]).signature, orders, seed)
