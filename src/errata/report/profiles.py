"""Tables of over-correction and under-correction."""

from __future__ import annotations

import math
from collections.abc import Sequence

from errata.meta.breakdowns import Profile, Shares
from errata.tables import Cell, Column, Estimate, Table


def profile_tables(found: Profile) -> list[Table]:
    """One table for the systems as wholes, one per label, and one per error type."""
    notes = [
        f"chunks of {found.signature}",
        "hit, wrong, missed: of the chunks that need a change; unnecessary: of the changes made",
        f"[low, high]: 95 % bootstrap interval, {found.samples} samples, seed {found.seed}",
    ]
    whole = [[system, *_cells(shares)] for system, shares in found.whole.items()]
    tables = [Table([Column("system"), *_columns()], whole, title="over-correction", notes=notes)]
    for label, values in (*found.groups.items(), ("type", found.types)):
        rows: list[Sequence[Cell]] = [
            [value or "(none)", system, *_cells(shares)]
            for value, systems in values.items()
            for system, shares in systems.items()
        ]
        columns = [Column(label), Column("system"), *_columns()]
        rules = frozenset(range(0, len(rows), len(found.systems)))
        tables.append(Table(columns, rows, title=f"over-correction by {label}", rules=rules))
    return tables


def _columns() -> list[Column]:
    return [Column("needed"), Column("made"), *(Column(name, 3) for name in Shares.names)]


def _cells(shares: Shares) -> list[Cell]:
    hit, wrong, missed, unnecessary = shares.counts.tolist()
    cells: list[Cell] = [hit + wrong + missed, hit + wrong + unnecessary]
    for value, low, high in zip(*(a.tolist() for a in (shares.rates, shares.low, shares.high)), strict=True):
        cells.append(None if math.isnan(value) else Estimate(value, low, high))
    return cells
