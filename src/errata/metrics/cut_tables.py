"""What the tables say of sentences that went beyond a limit."""

from __future__ import annotations

from errata.metrics.length_limits import cut_fields
from errata.metrics.results import Results
from errata.tables import Cell, Column, Table

_NAMED = 5  # sentences that a note names; the table has all


def cut_notes(results: Results) -> list[str]:
    """A line for every score with cut sentences: which they are, and between what bounds they leave it."""
    notes = []
    for system in results.systems:
        for number, metric in enumerate(results.metrics):
            score = results.score(system, number)
            if not score.cuts:
                continue
            named = ", ".join(str(cut.segment + 1) for cut in score.cuts[:_NAMED])
            more = f" and {len(score.cuts) - _NAMED} more" if len(score.cuts) > _NAMED else ""
            low, high = (f"{bound:.{metric.decimals}f}" for bound in score.bounds)
            which = f"{metric.label(metric.parts[0])} of {system}: sentence {named}{more} beyond a limit"
            extent = f"{'about ' if score.chooses else ''}{low} to {high}"
            ending = "".join(f"|{name}:{value}" for name, value in cut_fields(score.cuts).items())
            notes.append(f"{which}, in full it is {extent}; its signature has {ending}")
    return notes


def cut_table(results: Results) -> Table | None:
    """Every sentence that went beyond a limit, by system and metric: its size, the limit, what was done."""
    rows: list[list[Cell]] = []
    limits: dict[str, None] = {}
    for number, metric in enumerate(results.metrics):
        for system in results.systems:
            for cut in results.score(system, number).cuts:
                limits[cut.at] = None
                rows.append(
                    [system, metric.name, cut.segment + 1, cut.source, cut.hypothesis, cut.limit, cut.done]
                )
    if not rows:
        return None
    columns = [
        Column("system"), Column("metric"), Column("sentence"), Column("source tokens"),
        Column("hypothesis tokens"), Column("limit"), Column("done instead"),
    ]  # fmt: skip
    notes = [f"limits a sentence: {', '.join(limits)} (ERRATA_LIMIT_WORK, ERRATA_LIMIT_MEMORY)"]
    return Table(columns, list(rows), title="sentences beyond a limit", notes=notes)
