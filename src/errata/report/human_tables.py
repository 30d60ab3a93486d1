"""Tables of human rankings and of agreement between judges or annotators."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from errata.human.agreement import Agreement, Correlation, JudgeStatistics, Kappa, ScalarAgreement
from errata.human.corrections import Acceptance, Difference
from errata.human.pairs import Tally
from errata.human.rankings import head_to_head, sign_test
from errata.meta.aggregation import Aggregation
from errata.tables import Cell, Column, Table


def head_to_head_table(tally: Tally, order: Sequence[int]) -> Table:
    """How often the column's system was judged better than the row's, with stars of the sign test."""
    shares, p = head_to_head(tally), sign_test(tally)
    names = [tally.systems[i] for i in order]
    rows = [
        (tally.systems[i], *(_share(shares[j, i], p[j, i]) if i != j else None for j in order)) for i in order
    ]
    return Table(
        [Column(""), *(Column(name) for name in names)],
        rows,
        title="Head to head",
        notes=[
            "share of decided comparisons in which the column's system was judged better than the row's",
            "sign test: * p ≤ 0.10, † p ≤ 0.05, ‡ p ≤ 0.01",
        ],
    )


def _share(share: float, p: float) -> str | None:
    if np.isnan(share):
        return None
    mark = "‡" if p <= 0.01 else "†" if p <= 0.05 else "*" if p <= 0.10 else ""
    return f"{share:.2f}".removeprefix("0") + mark


def aggregation_table(ranking: Aggregation, signature: str, orders: int, seed: int) -> Table:
    """Systems by TrueSkill's μ after one pass, with its mean over random orders and Expected Wins."""
    order = np.argsort(-ranking.mu, kind="stable")
    ratings = (ranking.mu, ranking.sigma, ranking.mean, ranking.spread, ranking.expected_wins)
    rows = [(ranking.systems[i], *(float(values[i]) for values in ratings)) for i in order]
    columns = [
        Column("system"), Column("TrueSkill μ", 4, "max"), Column("σ", 4), Column("mean μ", 4, "max"),
        Column("± order", 4), Column("Expected Wins", 4, "max"),
    ]  # fmt: skip
    notes = [
        f"sentence scores of {signature}",
        f"μ: one pass over the sentences in the order of the file; mean μ: over {orders} random orders, "
        f"seed {seed}; ± order: standard deviation of μ over them, relative to all systems",
    ]
    for first, second in ranking.undecided:
        notes.append(f"{first} and {second} never differ: they count as ½ in Expected Wins")
    return Table(columns, rows, title="Ranking by sentence scores", notes=notes)


def judges_table(statistics: Sequence[JudgeStatistics]) -> Table:
    """The work of each judge; every count of pairs is followed by its ties."""
    names = ("items", "skipped", "controls", "unexpanded", "ties", "expanded", "ties ", "median s", "total h")
    counts = [
        [s.items, s.skipped, s.controls, s.unexpanded, s.unexpanded_ties, s.expanded, s.expanded_ties]
        for s in statistics
    ]
    rows: list[Sequence[Cell]] = [
        [s.judge, *row, s.median_seconds, s.seconds / 3600, s.intra]
        for s, row in zip(statistics, counts, strict=True)
    ]
    hours = sum(s.seconds for s in statistics) / 3600
    rows.append(["total", *map(sum, zip(*counts, strict=True)), None, hours, None])
    decimals: dict[str, int] = {"median s": 1, "total h": 1}
    columns = [Column("judge"), *(Column(name, decimals.get(name)) for name in names), Column("intra κ", 2)]
    return Table(
        columns, rows, title="Judges", notes=["ties: those among the pairs of the column before"],
        rules=frozenset([len(rows) - 1]),
    )  # fmt: skip


def kappa_table(agreement: Agreement) -> Table:
    """κ between any two judges and of each judge with repeated items; empty for too few comparisons."""
    rows: list[Sequence[Cell]] = []
    for kind, kappas in (("inter", agreement.inter), ("intra", agreement.intra)):
        for k in kappas:
            enough = k.comparisons >= agreement.minimum
            values: list[Cell] = [k.kappa, k.cohen, k.weighted] if enough else [None] * 3
            second = k.second if kind == "inter" else "the same again"
            rows.append([k.first, second, k.comparisons, k.agreed, *values])
    start = len(rows)
    for kind, kappas in (("inter", agreement.inter), ("intra", agreement.intra)):
        counted = [k for k in kappas if k.comparisons >= agreement.minimum]
        total = sum(k.comparisons for k in counted)
        rows.append([f"all, {kind}", "", total, None, agreement.overall(kappas), None, None])
    columns = [
        Column("judge"), Column("and"), Column("comparisons"), Column("agreed", 3), Column("κ", 3),
        Column("Cohen κ", 3), Column("weighted κ", 3),
    ]  # fmt: skip
    return Table(
        columns,
        rows,
        title="Agreement on pairs",
        notes=[
            f"Krippendorff's α (nominal): {_known(agreement.alpha)}",
            "κ: chance from pooled frequencies; all: mean weighted by comparisons",
            f"no κ below {agreement.minimum} shared comparisons",
        ],
        rules=frozenset([start, len(agreement.inter)] if agreement.inter and agreement.intra else [start]),
        extra={"alpha": None if np.isnan(agreement.alpha) else agreement.alpha},
    )


def sets_table(kappas: Sequence[tuple[str, Kappa]]) -> Table:
    """Agreement within and between sets of judgments (Sakaguchi et al. 2016 Table 7)."""
    rows = [(name, k.comparisons, k.agreed, k.cohen, k.weighted) for name, k in kappas]
    columns = [Column("judges"), Column("comparisons"), Column("agreed", 3), Column("Cohen κ", 3)]
    return Table([*columns, Column("weighted κ", 3)], rows, title="Agreement within and between sets")


def correlations_table(correlations: Sequence[Correlation], method: str) -> Table:
    """Correlations between the rankings of the judges."""
    rows = [(c.first, c.second, c.pearson, c.spearman) for c in correlations]
    columns = [Column("judge"), Column("and"), Column("Pearson r", 3), Column("Spearman ρ", 3)]
    return Table(columns, rows, title=f"Correlation of judges' rankings ({method})")


def scalars_table(agreement: ScalarAgreement) -> Table:
    """Agreement on scores (GECCC Table 9)."""
    rows = [
        ("sentence", agreement.sentence_pearson, agreement.sentence_spearman),
        ("system", agreement.system_pearson, agreement.system_spearman),
    ]
    notes = [
        f"Krippendorff's α (interval): {_known(agreement.alpha)}",
        f"{agreement.sentences} correlations by sentence, {agreement.undefined} more undefined: equal scores",
    ]
    columns = [Column("level"), Column("Pearson r", 3), Column("Spearman ρ", 3)]
    return Table(columns, rows, title="Agreement on scores", notes=notes)


def spans_table(measures: Sequence[tuple[str, float]]) -> Table:
    """Agreement on marked spans."""
    rows = [(name, None if math.isnan(value) else value) for name, value in measures]
    notes = ["over all pairs of judges who marked the same text; κ is Scott's π"]
    return Table(
        [Column("measure"), Column("value", 3)], rows, title="Agreement on marked spans", notes=notes
    )


def differences_table(differences: Sequence[Difference], title: str, *, share: str) -> Table:
    """Differences between corrections: identical or changed sentences, sTER and its kinds of edits."""
    paired = share == "identical %"
    rows = []
    for d in differences:
        names = (d.first, d.second) if paired else (d.second,)
        edits = (d.ster, d.insertions, d.deletions, d.substitutions, d.shifts)
        rows.append((*names, d.sentences, 100 * (d.identical if paired else d.changed), *edits))
    columns = [Column("annotators"), *([Column("and")] if paired else []), Column("sentences")]
    columns += [Column(share, 1), Column("sTER", 2)]
    columns += [Column(name, 2) for name in ("insertions", "deletions", "substitutions", "shifts")]
    return Table(columns, rows, title=title)


def acceptance_table(matrix: Acceptance) -> Table:
    """Second-pass acceptance: rows are judges, columns are correctors (GECCC Table 3)."""
    rows = [
        (name, *(None if np.isnan(share) else 100 * float(share) for share in row))
        for name, row in zip(matrix.second, matrix.shares, strict=True)
    ]
    return Table(
        [Column("second \\ first"), *(Column(name, 2) for name in matrix.first)],
        rows,
        title="Second-pass acceptance, %",
        notes=[f"mean {100 * matrix.mean:.2f}, standard deviation {_known(100 * matrix.deviation, 2)}"],
    )


def _known(value: float, decimals: int = 3) -> str:
    return "–" if np.isnan(value) else f"{value:.{decimals}f}"
