"""Scores in detail: by error type, over-correction, edits missing in the references, and notes for papers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from errata.data.benchmarks import Benchmark, benchmark
from errata.errors import DataError
from errata.meta.breakdowns import Profile, Shares, TypeBreakdown, types_of_results
from errata.meta.edit_judgments import UnmatchedEdits
from errata.metrics.results import Results
from errata.metrics.score_tables import metric_names, signatures
from errata.metrics.typed import TypedMetric
from errata.tables import Cell, Column, Estimate, Table, latex_text

_NAMED = 5  # types listed in a note


def by_type_tables(results: Results, level: int = 2) -> list[Table]:
    """Scores by error type, for metrics with types: systems side by side, frequent types first."""
    if not any(isinstance(metric, TypedMetric) for metric in results.metrics):
        raise DataError("none of these metrics has error types", hint="try --metric errant")
    if results.corpus is None or results.outputs is None:
        raise DataError(
            "error types need the texts, which saved statistics do not contain",
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
        *_unknown_types([name for name in types.foreign if name in types.gold]),
    ]
    return Table(columns, rows, title="by type", notes=notes, rules=frozenset({count} if count else ()))


def _unknown_types(types: Sequence[str]) -> list[str]:
    if not types:
        return []
    named = ", ".join(types[:_NAMED]) + (", …" if len(types) > _NAMED else "")
    return [
        f"{len(types)} types of the references are not ERRANT's and are shown unchanged ({named}); "
        "`errata edits classify` gives the edits ERRANT's types"
    ]


# -- over-correction and under-correction ---------------------------------------------------------------


def profile_tables(profile: Profile) -> list[Table]:
    """One table of all sentences, one per label, and one by error type."""
    notes = [
        f"chunks of {profile.signature}",
        "hit, wrong, missed: shares of the chunks that need a change; unnecessary: share of the changes made",
        f"[low, high]: 95 % bootstrap interval, {profile.samples} samples, seed {profile.seed}",
    ]
    whole = [[system, *_cells(shares)] for system, shares in profile.whole.items()]
    tables = [Table([Column("system"), *_columns()], whole, title="over-correction", notes=notes)]
    for label, values in (*profile.groups.items(), ("type", profile.types)):
        rows: list[Sequence[Cell]] = [
            [value or "(none)", system, *_cells(shares)]
            for value, systems in values.items()
            for system, shares in systems.items()
        ]
        columns = [Column(label), Column("system"), *_columns()]
        rules = frozenset(range(0, len(rows), len(profile.systems)))
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


# -- edits that the references lack ---------------------------------------------------------------------


def unmatched_table(unmatched: UnmatchedEdits) -> Table:
    """For each system: matched and unmatched edits, and how many of the unmatched ones post-editors kept."""
    columns = [
        Column("system"), Column("edits"), Column("matched"), Column("unmatched"), Column("kept"),
        Column("kept %", 1), Column("precision", 4), Column("with kept", 4),
    ]  # fmt: skip
    rows = [
        (
            counts.system, counts.edits, counts.matched, counts.unmatched, counts.unmatched_kept,
            100 * counts.unmatched_kept / counts.unmatched if counts.unmatched else None,
            counts.matched / counts.edits if counts.edits else None,
            (counts.matched + counts.unmatched_kept) / counts.edits if counts.edits else None,
        )
        for counts in unmatched.systems
    ]  # fmt: skip
    note = (
        f"edits by {unmatched.metric.label('f').split()[0]}, against the annotator that its score chooses; "
        "kept: unmatched edits that the post-edit of the output leaves unchanged"
    )
    return Table(columns, rows, title="edits that the references lack", notes=[note])


# -- notes for papers -----------------------------------------------------------------------------------


def paper_notes(results: Results, name: str) -> list[str]:
    """The benchmark with citation and licence, and the scores of every system as a sentence and in LaTeX."""
    about = benchmark(name)
    entry = about.entry
    notes = [
        f"benchmark {name} = {about.title}, {len(results):,} segments, {about.tokens}; "
        f"licence: {entry.licence or 'see ' + entry.homepage}",
        f"cite: {entry.citation}",
    ]
    if about.note:
        notes.append(f"note: {about.note}")
    for system in results.systems:
        notes.append(f"text: {_sentence(results, system, about)}")
        notes.append(f"LaTeX: {_row(results, system)}")
    return notes


def _sentence(results: Results, system: str, about: Benchmark) -> str:
    """The scores of a system by all metrics, as a sentence for a paper."""
    scores = []
    for number, (metric, label) in enumerate(
        zip(results.metrics, metric_names(results.metrics), strict=True)
    ):
        parts = results.score(system, number).parts
        details = [f"{metric.label(part)} {parts[part]:.{metric.decimals}f}" for part in metric.shown]
        in_brackets = f" ({', '.join(details)})" if details else ""
        scores.append(f"{label} = {parts[metric.parts[0]]:.{metric.decimals}f}{in_brackets}")
    return f"{system}: {'; '.join(scores)} on {about.title} ({about.cite})."


def _row(results: Results, system: str) -> str:
    cells = [latex_text(system)]
    for number, metric in enumerate(results.metrics):
        parts = results.score(system, number).parts
        cells += [f"{parts[part]:.{metric.decimals}f}" for part in (*metric.shown, metric.parts[0])]
    return " & ".join(cells) + r" \\"
