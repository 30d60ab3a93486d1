"""The tables of `errata meta edits`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from errata.meta.edit_judgments import METRICS, EditAgreement, EditRow
from errata.tables import Cell, Column, Table


def edit_tables(agreement: EditAgreement) -> list[Table]:
    """Agreement of annotators, precision by system, and disagreement by error type."""
    pairs = agreement.pairs
    same = sum(first == second for first, second in pairs) / len(pairs) if pairs else float("nan")
    total = agreement.rows(range(len(agreement.labels)))
    columns = [Column("edits"), Column("useful", 3), Column("labelled twice"), Column("same label", 3)]
    overview = Table(
        [*columns, Column("Krippendorff's α", 3)],
        [[total.edits, total.useful, len(pairs), same, agreement.alpha]],
        "Labels of single edits",
    )
    precision = [Column("system"), Column("edits"), Column("people", 3, "max")]
    precision += [Column(metric, 3, "max") for metric in METRICS]
    rows: list[Sequence[Cell]] = [
        [name, row.edits, row.useful, *(row.right[metric] for metric in METRICS)]
        for name, row in agreement.by_system().items()
    ]
    notes = ["the share of a system's labelled edits that people call useful, and that metrics call right"]
    systems = Table(precision, rows, "Precision as people and metrics see it", notes)
    return [overview, systems, _disagreement({"(all)": total, **agreement.by_type()})]


def _disagreement(by_type: Mapping[str, EditRow]) -> Table:
    columns = [Column("type"), Column("edits"), Column("useful", 3)]
    for metric in METRICS:
        columns += [Column(f"{metric} missed", 3, "min"), Column(f"{metric} passed", 3, "min")]
    rows: list[Sequence[Cell]] = []
    for name, row in by_type.items():
        cells: list[Cell] = [name, row.edits, row.useful]
        for metric in METRICS:
            cells += [row.missed[metric], row.passed[metric]]
        rows.append(cells)
    notes = [
        "missed: useful to people, wrong for the metric; passed: right for the metric, not useful to people; "
        "both as shares of the edits of the type",
        "types are ERRANT's; (other): ERRANT divides the correction into other edits",
    ]
    return Table(columns, rows, "Disagreement about single edits", notes, frozenset([1]))
