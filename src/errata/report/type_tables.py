"""Tables of scores by error type."""

from __future__ import annotations

from collections.abc import Sequence

from errata.errors import DataError
from errata.meta.breakdowns import TypeBreakdown, types_of_results
from errata.metrics.results import Results
from errata.metrics.score_tables import signatures
from errata.metrics.typed import TypedMetric
from errata.tables import Cell, Column, Table

_NAMED = 5  # types that a note names


def by_type_tables(results: Results, level: int = 2) -> list[Table]:
    """Per error type, for the metrics that know types: systems side by side, frequent types first."""
    if not any(isinstance(metric, TypedMetric) for metric in results.metrics):
        raise DataError("none of these metrics knows error types", hint="try --metric errant")
    if results.corpus is None or results.outputs is None:
        raise DataError(
            "error types need the texts, and these statistics have none",
            hint="give --m2 or --source and --ref, and --hyp, instead of --stats",
        )
    return [_type_table(results, types) for types in types_of_results(results, level)]


def _type_table(results: Results, types: TypeBreakdown) -> Table:
    metric = results.metrics[types.number]
    rows: list[list[Cell]] = []
    for name, size in types.gold.items():
        row: list[Cell] = [name, size]
        for scores in types.scores.values():
            row += scores.scores(name) if name in scores.counts else (None, None, None)
        rows.append(row)
    count = len(rows)
    for title in ("micro", "macro"):
        parts = (part for scores in types.scores.values() for part in getattr(scores, title))
        rows.append([title, None, *parts])
    columns = [Column("type"), Column("gold edits")]
    columns += [
        Column(f"{system} {part}", metric.decimals) for system in types.scores for part in ("P", "R", "F")
    ]
    notes = [
        signatures(results)[types.number],
        *_foreign([name for name in types.foreign if name in types.gold]),
    ]
    return Table(columns, rows, title="by type", notes=notes, rules=frozenset({count} if count else ()))


def _foreign(types: Sequence[str]) -> list[str]:
    if not types:
        return []
    named = ", ".join(types[:_NAMED]) + (", …" if len(types) > _NAMED else "")
    return [
        f"{len(types)} types of the references are not ERRANT's and are shown as they stand ({named}); "
        "`errata edits classify` gives the edits ERRANT's types"
    ]
