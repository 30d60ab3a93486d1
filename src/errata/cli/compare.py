"""`errata compare`"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from errata.cli.gating import conclude, gate_options
from errata.cli.inputs import ManyValues, scoring_inputs
from errata.cli.options import NumberRange, emit, format_option, progress, seed_option

if TYPE_CHECKING:
    from errata.metrics.results import Results
    from errata.significance.compare import Plan


@click.command(cls=ManyValues)
@scoring_inputs
@click.option("--baseline", help="Compare every system with this one; without it, all pairs.")
@click.option("--by", help="Compare on each domain, document or other label by itself.")
@click.option(
    "--test", type=click.Choice(["permutation", "bootstrap"]), default="permutation", show_default=True,
    help="Where the p-values come from.",
)  # fmt: skip
@click.option(
    "--permutations",
    type=click.IntRange(min=100),
    show_default="10,000, or 10,000,000 at most with --risk",
    help="How many, or with --risk how many at most.",
)
@click.option(
    "--risk",
    type=NumberRange(0, 0.1, min_open=True),
    help="Stop when p is known to lie on one side of alpha, with this risk of error: 1e-6.",
)
@click.option(
    "--samples", type=click.IntRange(min=100), default=1000, show_default=True,
    help="Number of bootstrap samples for intervals, power and --test bootstrap.",
)  # fmt: skip
@click.option("--alpha", type=NumberRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@click.option(
    "--correct", type=click.Choice(["none", "holm", "bh"]), default="holm", show_default=True,
    help="Correction for the number of pairs.",
)  # fmt: skip
@click.option(
    "--interval", type=click.Choice(["percentile", "bca"]), default="percentile", show_default=True,
    help="Kind of bootstrap interval.",
)  # fmt: skip
@click.option("--cluster", help="Draw and swap whole documents, or what else this label names.")
@click.option(
    "--power", type=NumberRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True,
    help="To plan the size of a test set for.",
)  # fmt: skip
@click.option(
    "--plot", "picture", type=click.Path(dir_okay=False), help="Draw to this .svg, .pdf or .png file."
)
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit with 1 if a system is significantly worse than the baseline: the first system, or --baseline.",
)
@click.option(
    "--p", type=NumberRange(0, 1, min_open=True), show_default="--alpha",
    help="Corrected p-value up to which --fail-if-worse fails; with 1, any worse score does.",
)  # fmt: skip
@gate_options
@seed_option
@format_option
def command(
    results: Results, baseline: str | None, by: str | None, test: str, permutations: int | None,
    risk: float | None, samples: int, alpha: float, correct: str, interval: str, cluster: str | None,
    power: float, picture: str | None, fail_if_worse: bool, p: float | None, junit: str | None,
    summary: str | None, seed: int, format_: str, output: str,
) -> None:  # fmt: skip
    """Compare systems: differences, intervals, p-values, and how much text a difference needs.

    \b
    errata compare gold.m2 A.txt B.txt C.txt --metric m2,gleu
    errata compare gold.m2 released.txt new.txt --fail-if-worse --p 0.05
    errata compare --stats stats.npz --baseline A --risk 1e-6 --plot systems.svg
    """  # fmt: skip
    from errata.report.gates import comparison_checks
    from errata.report.plots import check_format, draw_comparisons, save_figure
    from errata.significance.compare import Plan, compare, number_of_pairs

    if picture is not None:
        check_format(picture)  # before the work, not after
    if risk is not None and test == "bootstrap":
        raise click.UsageError("--risk stops permutations early; --test bootstrap has none")
    most = permutations or (10_000 if risk is None else 10_000_000)
    plan = Plan(test, most, risk, samples, alpha, correct, interval, cluster, power, seed)
    if fail_if_worse:
        baseline = baseline or results.systems[0]
        _check_gate(plan, p, number_of_pairs(results.systems, baseline))
    elif p is not None or junit is not None:
        raise click.UsageError("--p and --junit go with --fail-if-worse")
    quiet = click.get_current_context().params["quiet"]
    groups: dict[str | None, Results] = {None: results}
    if by is not None:
        groups |= {
            f"{by} {name or '(none)'}": results.select(rows) for name, rows in results.groups(by).items()
        }
    total = len(groups) * len(results.metrics) * number_of_pairs(results.systems, baseline)
    with progress(total, "comparing", quiet) as advance:
        made = [
            comparison
            for group, part in groups.items()
            for comparison in compare(part, plan, baseline=baseline, group=group, advance=advance)
        ]
    if picture is not None:
        save_figure(partial(draw_comparisons, made), picture)
    tables = [table for comparison in made for table in comparison.tables()]
    emit(tables, format_, output)
    checks = comparison_checks(made, alpha if p is None else p) if fail_if_worse else []
    conclude(checks, tables, junit, summary, "errata compare")


def _check_gate(plan: Plan, p: float | None, pairs: int) -> None:
    """Refuse a gate that could never fail."""
    from errata.report.gates import smallest_p

    if plan.risk is not None:
        if p is not None and p != plan.alpha:
            raise click.UsageError("with --risk, permutations stop at --alpha: leave out --p")
        return
    least, level = smallest_p(plan, pairs), plan.alpha if p is None else p
    if least > level:
        raise click.UsageError(
            f"nothing could fail: p is at least {least:.4f} for {pairs} pairs and this many "
            f"{'samples' if plan.test == 'bootstrap' else 'permutations'}\n  hint: make more of them"
        )
