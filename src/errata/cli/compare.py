"""`errata compare`"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.commands import ManyValues, option, section
from errata.cli.inputs import Inputs, scoring_inputs
from errata.cli.options import (
    NumberRange,
    conclude,
    emit,
    format_option,
    gate_options,
    number_options,
    plot_option,
    progress,
    samples_option,
    seed_option,
)

if TYPE_CHECKING:
    from errata.metrics.results import Results
    from errata.significance.compare import Plan


@click.command(cls=ManyValues)
@scoring_inputs
@section(
    "Metrics",
    option(
        "--baseline", metavar="SYSTEM",
        help="Compare every system with this one. Without it, compare all pairs.",
    ),
    option("--by", metavar="LABEL", help="Also compare on each domain, document or other label by itself."),
)  # fmt: skip
@section(
    "Statistics",
    option(
        "--test", rare=True, type=click.Choice(["permutation", "bootstrap"]), default="permutation",
        help="Test that gives the p-values:",
    ),
    option(
        "--permutations", type=click.IntRange(min=100), rare=True,
        show_default="10,000, or 40 per pair; at most 10,000,000 with --risk",
        help="Number of permutations, or the largest number with --risk.",
    ),
    option(
        "--risk", type=NumberRange(0, 0.1, min_open=True), metavar="P", rare=True,
        help="Stop as soon as p lies on one side of alpha, with this risk of error: 1e-6.",
    ),
    option(
        "--alpha", type=NumberRange(0, 0.5, min_open=True), default=0.05, metavar="P",
        help="Significance level.",
    ),
    option(
        "--correct", type=click.Choice(["none", "holm", "bh"]), default="holm", rare=True,
        help="Correction for the number of pairs:",
    ),
    option(
        "--interval", type=click.Choice(["percentile", "bca"]), default="percentile", rare=True,
        help="Bootstrap interval:",
    ),
    option(
        "--cluster", metavar="LABEL", rare=True,
        help="Draw and swap whole documents, or other groups with one label.",
    ),
    option(
        "--power", type=NumberRange(0, 1, min_open=True, max_open=True), default=0.8, metavar="P", rare=True,
        help="Power for which the needed size of a test set is estimated.",
    ),
)  # fmt: skip
@samples_option(1000, 100, " for intervals, power and --test bootstrap")
@plot_option("Draw the comparison to this .svg, .pdf or .png file.")
@section(
    "Output",
    option("--full", is_flag=True, help="List every pair of more than two systems, with power."),
    option(
        "--fail-if-worse", is_flag=True,
        help="Exit with 1 if a system is significantly worse than --baseline, or than the first system.",
    ),
    option(
        "--p", type=NumberRange(0, 1, min_open=True), show_default="--alpha", metavar="P", rare=True,
        help="Largest corrected p-value with which --fail-if-worse fails. With 1, any worse score fails.",
    ),
)  # fmt: skip
@gate_options
@seed_option
@number_options
@format_option
def command(
    inputs: Inputs, baseline: str | None, by: str | None, test: str, permutations: int | None,
    risk: float | None, samples: int, alpha: float, correct: str, interval: str, cluster: str | None,
    power: float, plot: str | None, fail_if_worse: bool, p: float | None, junit: str | None,
    summary: str | None, seed: int, full: bool, percent: bool, digits: int | None, format_: str, output: str,
) -> None:  # fmt: skip
    """Compare systems: differences, intervals, p-values, and the size of test set that a difference needs.

    \b
    errata compare gold.m2 A.txt B.txt C.txt --metric m2,gleu
    errata compare gold.m2 released.txt new.txt --fail-if-worse --p 0.05
    errata compare stats.npz --baseline A --risk 1e-6 --plot systems.svg
    """
    from errata.report.gates import comparison_checks
    from errata.report.plots import draw_comparisons, save_figure
    from errata.significance.compare import Plan, compare, number_of_pairs
    from errata.significance.decisions import data_in_words, headline

    if risk is not None and test == "bootstrap":
        raise click.UsageError("--risk stops permutations early; --test bootstrap has none")
    if risk is not None and p not in (None, alpha):
        raise click.UsageError("with --risk, permutations stop at --alpha: leave out --p")
    if not fail_if_worse and (p is not None or junit is not None):
        raise click.UsageError("--p and --junit go with --fail-if-worse")
    plan = Plan(test, permutations, risk, samples, alpha, correct, interval, cluster, power, seed)
    results = inputs.load()
    if fail_if_worse:
        baseline = baseline or results.systems[0]
        _check_gate(plan, p, number_of_pairs(results.systems, baseline))
    groups: dict[str | None, Results] = {None: results}
    if by is not None:
        groups |= {
            f"{by} {name or '(none)'}": results.select(rows) for name, rows in results.groups(by).items()
        }
    total = len(groups) * len(results.metrics) * number_of_pairs(results.systems, baseline)
    with progress(total, "comparing", inputs.quiet) as advance:
        comparisons = [
            comparison
            for group, part in groups.items()
            for comparison in compare(part, plan, baseline=baseline, group=group, advance=advance)
        ]
    if plot is not None:
        save_figure(partial(draw_comparisons, comparisons), plot)
    tables = [
        table.with_numbers(percent=percent, digits=digits)
        for comparison in comparisons
        for table in (comparison.tables() if full else comparison.summary())
    ]
    if baseline is None:
        ranked = [comparison.ranked for comparison in comparisons if comparison.group is None]
        tables[0].headline = headline(ranked, data_in_words(inputs.name, len(results), len(results.systems)))
    emit(tables, format_, output)
    checks = comparison_checks(comparisons, alpha if p is None else p) if fail_if_worse else []
    conclude(checks, tables, junit, summary, "errata compare")


def _check_gate(plan: Plan, p: float | None, pairs: int) -> None:
    """Refuse a gate that could never fail."""
    least, level = plan.smallest_p(pairs), plan.alpha if p is None else p
    if plan.risk is None and least > level:
        raise click.UsageError(
            f"nothing could fail: p is at least {least:.4f} for {pairs} pairs and this many "
            f"{'samples' if plan.test == 'bootstrap' else 'permutations'}\n  hint: make more of them"
        )
