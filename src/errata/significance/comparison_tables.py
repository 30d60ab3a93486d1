"""Tables of comparisons: systems with intervals, pairs with p-values, and a matrix with stars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from errata.errors import plural
from errata.significance.compare import Pair, SystemComparison, pairs_to_make
from errata.tables import Cell, Column, Estimate, Table

_NAMES = {"none": "no correction", "holm": "Holm's correction", "bh": "Benjamini–Hochberg correction"}


def comparison_tables(comparison: SystemComparison) -> list[Table]:
    """The systems, the pairs, and where all pairs were compared, a matrix of them."""
    tables = [systems_table(comparison), pairs_table(comparison)]
    count = len(comparison.systems)
    crosswise = count > 2 and len(comparison.pairs) == pairs_to_make(comparison.systems, None)
    return [*tables, matrix_table(comparison)] if crosswise else tables


def systems_table(comparison: SystemComparison) -> Table:
    """Every system's score with its interval, the best first."""
    metric, plan = comparison.metric, comparison.plan
    rows: list[Sequence[Cell]] = [
        [system, Estimate(*comparison.scores[system])] for system in comparison.systems
    ]
    what = f"{plan.samples} bootstrap samples" + (f" of whole {plan.cluster}s" if plan.cluster else "")
    stand_in = metric.for_resampling
    kind = "BCa" if plan.interval == "bca" else "percentile"
    notes = [
        f"{metric.label(metric.parts[0])} = {comparison.signature}",
        f"[low, high]: {100 * (1 - plan.alpha):g} % {kind} interval, {what}, seed {plan.seed}",
    ]
    if stand_in != metric:
        notes.append(f"intervals and tests use {stand_in.signature}")
    columns = [Column("system"), Column(metric.label(metric.parts[0]), metric.decimals)]
    return Table(columns, rows, title=_title(comparison, "systems"), notes=notes)


def pairs_table(comparison: SystemComparison) -> Table:
    """Every pair: difference, p-value, decision, and the size of test set that would find it."""
    metric, plan = comparison.metric, comparison.plan
    rows: list[Sequence[Cell]] = []
    for pair in comparison.pairs:
        rows.append([
            pair.first,
            pair.second,
            Estimate(pair.difference, pair.low, pair.high),
            pair.test.p,
            *([] if plan.correction == "none" else [pair.adjusted]),
            stars(pair),
            pair.decision,
            pair.test.samples,
            round(pair.power.power, 2),
            pair.power.needed,
        ])  # fmt: skip
    corrected = [] if plan.correction == "none" else [Column(f"p ({plan.correction})", 5)]
    columns = [
        Column("system"),
        Column("against"),
        Column("difference", metric.decimals),
        Column("p", 5),
        *corrected,
        Column("*"),
        Column("decision"),
        Column("samples"),
        Column("power", 2),
        Column("needed"),
    ]
    extra = {
        "metric": comparison.signature,
        "group": comparison.group,
        "segments": comparison.segments,
        "plan": asdict(plan),
        "p_intervals": [[pair.test.low, pair.test.high] for pair in comparison.pairs],
    }
    return Table(
        columns, rows, title=_title(comparison, "differences"), notes=_notes(comparison), extra=extra
    )


def matrix_table(comparison: SystemComparison) -> Table:
    """Row minus column with stars; below the diagonal the (corrected) p-value of the same pair."""
    metric, systems = comparison.metric, comparison.systems
    rows: list[Sequence[Cell]] = []
    for i, system in enumerate(systems):
        cells: list[Cell] = [system]
        for j, other in enumerate(systems):
            pair = comparison.pair(system, other)
            if i == j or pair is None:
                cells.append(None)
            elif i < j:
                cells.append(f"{pair.difference:+.{metric.decimals}f}{stars(pair)}")
            else:
                cells.append(f"p={pair.adjusted:.4f}")
        rows.append(cells)
    columns = [Column("system"), *(Column(system) for system in systems)]
    note = "above the diagonal: row minus column; below: p-value; * p ≤ .05  ** p ≤ .01  *** p ≤ .001"
    return Table(columns, rows, title=_title(comparison, "matrix"), notes=[note], keys=1)


def stars(pair: Pair) -> str:
    """One to three stars for a pair that differs significantly, after the correction."""
    if pair.decision != "significant":
        return ""
    return "*" * max(1, sum(pair.adjusted <= level for level in (0.05, 0.01, 0.001)))


def _notes(comparison: SystemComparison) -> list[str]:
    plan, pairs = comparison.plan, len(comparison.pairs)
    unit = f"whole {plan.cluster}s" if plan.cluster else "segments"
    if plan.test == "bootstrap":
        how = f"paired bootstrap of {unit}, {plan.samples} samples"
    elif plan.risk is None:
        how = f"paired permutation of {unit}"
    else:
        how = f"paired permutation of {unit}, stopped when decided, with a risk of at most {plan.risk:g} " + (
            "(Gandy 2009)" if plan.correction == "none" else "(Gandy & Hahn 2014)"
        )
    least = (1 if plan.correction == "none" else pairs) / (plan.permutations + 1)
    notes = []
    if plan.test == "permutation" and plan.risk is None and least > plan.alpha:
        notes.append(f"with {plan.permutations:,} permutations p is at least {least:.3f}: make more of them")
    return [
        *notes,
        f"p: {how}, two-sided, seed {plan.seed}; {_NAMES[plan.correction]} over "
        f"{pairs} {plural(pairs, 'pair')}; α = {plan.alpha:g}; * p ≤ .05  ** p ≤ .01  *** p ≤ .001",
        f"power: chance to find a true difference of this size on {comparison.segments:,} segments; "
        f"needed: segments for a power of {plan.power:g}",
    ]


def _title(comparison: SystemComparison, what: str) -> str:
    where = "" if comparison.group is None else f", {comparison.group}"
    return f"{comparison.metric.label(comparison.metric.parts[0])}{where}: {what}"
