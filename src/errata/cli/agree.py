"""`errata agree`"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.commands import Command, option, section
from errata.cli.judgment_inputs import JudgmentInputs, judgment_inputs, read
from errata.cli.options import emit, format_option, plot_option, seed_option
from errata.errors import DataError

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars
    from errata.tables import Table


@click.command(cls=Command)
@judgment_inputs
@section(
    "Input",
    option(
        "--against", multiple=True, metavar="FILE",
        help="Second set of judgments: show agreement within both sets and between them.",
    ),
    option(
        "--meta", type=click.Path(exists=True, dir_okay=False), metavar="FILE", rare=True,
        help="Labels of the segments for --by: a header and one row per segment.",
    ),
)  # fmt: skip
@section(
    "Statistics",
    option("--by", metavar="LABEL", rare=True, help="Also show agreement on scores by a label of --meta."),
    option(
        "--minimum", type=click.IntRange(min=0), default=50,
        help="Comparisons that two judges must share for κ.",
    ),
    option(
        "--method", "-m", default="ew", metavar="NAME",
        type=click.Choice(["ew", "trueskill", "trueskill-pass", "bt"]),
        help="Method that ranks systems for the correlations:",
    ),
    option(
        "--pairs", "kind", type=click.Choice(["expanded", "unexpanded", "first"]), default="expanded",
        rare=True,
        help="Systems with the same text are expanded (all count), unexpanded (one is drawn), or the first "
        "counts.",
    ),
    option(
        "--not-correlated", multiple=True, metavar="SYSTEM", rare=True,
        help="Rank this system, but leave it out of the correlation (a reference, for example).",
    ),
    option(
        "--runs", type=click.IntRange(min=1), default=100, rare=True,
        help="TrueSkill runs per judge, and bootstrap samples of scores.",
    ),
)  # fmt: skip
@section(
    "Output",
    option(
        "--over-time", is_flag=True,
        help="Also show how agreement (rankings) or severity (scores) of each judge changes over time.",
    ),
)  # fmt: skip
@plot_option("Draw agreement or severity over time to this .svg, .pdf or .png file.")
@seed_option
@format_option
def command(
    judgments: JudgmentInputs, against: tuple[str, ...], meta: str | None, by: str | None, minimum: int,
    method: str, kind: str, not_correlated: tuple[str, ...], runs: int, over_time: bool,
    plot: str | None, seed: int, format_: str, output: str,
) -> None:  # fmt: skip
    """Show what judges did and how far they agree.

    For rankings: statistics per judge, κ between judges and of each judge with repeated items,
    Krippendorff's α, and correlations of the rankings of single judges. For scores: correlations by
    sentence and by system, and α. For a campaign of marked spans also: F1 and κ of the spans.
    """
    from errata.human import agreement
    from errata.human.scalars import MarkedScores, Scalars

    judged = judgments.load()
    if (by is None) != (meta is None) or (by is not None and not isinstance(judged, Scalars)):
        raise click.UsageError("--by LABEL and --meta FILE go together, with judgments that are scores")
    if isinstance(judged, Scalars):
        tables = [agreement.scalar_agreement(judged, samples=runs, seed=seed).table()]
        if isinstance(judged, MarkedScores):
            tables.append(judged.agreement_table())
        if by is not None and meta is not None:
            labels = _labels(judged, meta, by)
            tables.append(agreement.agreement_by_label(judged, labels, by, samples=runs, seed=seed))
        emit([*tables, *_over_time(judged, over_time, plot)], format_, output)
        return
    counted = judged.filtered()
    tables = [
        agreement.judges_table(agreement.judge_statistics(judged)),
        agreement.agreement(counted, minimum=minimum).table(),
    ]
    correlations = agreement.ranking_correlations(
        counted, method=method, kind=kind, without=not_correlated, runs=runs, seed=seed
    )
    if correlations:
        tables.append(agreement.correlations_table(correlations, method))
    if against:
        tables.append(agreement.sets_table(counted, read(against)))
    emit([*tables, *_over_time(counted, over_time, plot)], format_, output)


def _over_time(judged: Judgments | Scalars, wanted: bool, plot: str | None) -> list[Table]:
    """The table of drift if it is wanted; also draws it."""
    if not wanted and plot is None:
        return []
    from errata.human.drift import drift
    from errata.report.plots import draw_drift, save_figure

    drifts = drift(judged)
    if not drifts.judges:
        raise DataError("no judge has enough judgments to compare with others over time", hint="12 per judge")
    if plot is not None:
        save_figure(partial(draw_drift, drifts), plot)
    return [drifts.table()] if wanted else []


def _labels(judged: Scalars, meta: str, name: str) -> list[str]:
    """The label of each judged segment, whose name is a line number from 0."""
    from errata.corpus.files import read_lines
    from errata.corpus.model import Corpus
    from errata.meta.levels import lines_of

    count = max(len(read_lines(meta)) - 1, 0)
    labels = Corpus.from_lists([""] * count).with_meta(meta).labels(name)
    lines = lines_of([segment for _, segment in judged.segments])
    if len(lines) and lines.max() >= count:
        raise DataError(
            f"there are labels of {count} segments, but segment {lines.max()} was judged", path=meta
        )
    return [labels[line] for line in lines.tolist()]
