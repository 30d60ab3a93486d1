"""The table of edits that the references lack and the post-edits keep."""

from __future__ import annotations

from errata.meta.edit_judgments import UnmatchedEdits
from errata.tables import Column, Table


def unmatched_table(found: UnmatchedEdits) -> Table:
    """Per system: edits, those that the references have, those that they lack, and what was kept of them."""
    columns = [
        Column("system"), Column("edits"), Column("matched"), Column("unmatched"), Column("kept"),
        Column("kept %", 1), Column("precision", 4), Column("with kept", 4),
    ]  # fmt: skip
    rows = [
        (
            one.system, one.edits, one.matched, one.unmatched, one.unmatched_kept,
            100 * one.unmatched_kept / one.unmatched if one.unmatched else None,
            one.matched / one.edits if one.edits else None,
            (one.matched + one.unmatched_kept) / one.edits if one.edits else None,
        )
        for one in found.systems
    ]  # fmt: skip
    note = (
        f"edits by {found.metric.label('f').split()[0]}, against the annotator that its score chooses; kept: "
        "unmatched edits that the post-edit of the output leaves as they are"
    )
    return Table(columns, rows, title="edits that the references lack", notes=[note])
