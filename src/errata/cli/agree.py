"""`errata agree`"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from errata.cli.judgments import judgment_inputs, read
from errata.cli.options import emit, format_option, seed_option

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars
    from errata.tables import Table


@click.command()
@judgment_inputs
@click.option(
    "--against", multiple=True, metavar="FILE",
    help="A second set of judgments: agreement within both sets and between them.",
)  # fmt: skip
@click.option(
    "--minimum", type=click.IntRange(min=0), default=50, show_default=True,
    help="Comparisons two judges must share.",
)  # fmt: skip
@click.option(
    "--method", "-m", default="ew", show_default=True,
    type=click.Choice(["ew", "trueskill", "trueskill-pass", "bt"]),
    help="Ranks systems for the correlations.",
)  # fmt: skip
@click.option(
    "--pairs", "kind", type=click.Choice(["expanded", "unexpanded", "first"]), default="expanded",
    show_default=True, help="Pairs behind the rankings that are correlated.",
)  # fmt: skip
@click.option(
    "--not-correlated", multiple=True, metavar="SYSTEM",
    help="Ranked but left out of the correlation, such as a reference.",
)  # fmt: skip
@click.option(
    "--runs", type=click.IntRange(min=1), default=100, show_default=True,
    help="TrueSkill runs a judge, and bootstrap samples of scores.",
)  # fmt: skip
@seed_option
@format_option
def command(
    judged: Judgments | Scalars, against: tuple[str, ...], minimum: int, method: str, kind: str,
    not_correlated: tuple[str, ...], runs: int, seed: int, format_: str, output: str,
) -> None:  # fmt: skip
    """Show what judges did and how far they agree.

    For rankings: statistics per judge, κ between judges and of each with himself, Krippendorff's α, and
    correlations of the judges' own rankings. For scores: correlations by sentence and by system, and α.
    For a campaign of marked spans also: F1 and κ of what was marked.
    """
    from errata.human.scalars import Scalars

    if isinstance(judged, Scalars):
        from errata.human.agreement import scalar_agreement
        from errata.human.spans import MarkedScores
        from errata.report.human_tables import scalars_table, spans_table

        found = [scalars_table(scalar_agreement(judged, samples=runs, seed=seed))]
        if isinstance(judged, MarkedScores):
            found.append(spans_table(judged.agreement()))
        emit(found, format_, output)
        return
    from errata.human.agreement import agreement, judge_statistics, ranking_correlations
    from errata.report.human_tables import correlations_table, judges_table, kappa_table

    counted = judged.filtered()
    tables = [judges_table(judge_statistics(judged)), kappa_table(agreement(counted, minimum=minimum))]
    correlations = ranking_correlations(
        counted, method=method, kind=kind, without=not_correlated, runs=runs, seed=seed
    )
    if correlations:
        tables.append(correlations_table(correlations, method))
    if against:
        tables.append(_sets(counted, read(against)))
    emit(tables, format_, output)


def _sets(judged: Judgments, other: Judgments | Scalars) -> Table:
    from errata.errors import DataError
    from errata.human.agreement import between, within
    from errata.human.scalars import Scalars
    from errata.report.human_tables import sets_table

    if isinstance(other, Scalars):
        raise DataError("rankings cannot be held against scores")
    theirs = other.filtered()
    return sets_table(
        [
            ("within the first", within(judged)),
            ("within the second", within(theirs)),
            ("between them", between(judged, theirs)),
        ]
    )
