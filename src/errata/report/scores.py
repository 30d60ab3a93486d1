"""Tables of scores: systems × metrics, as a whole, by group, and sentence by sentence."""

from __future__ import annotations

from typing import Literal

from errata.corpus.model import Corpus, Outputs
from errata.errors import DataError
from errata.metrics.base import Metric, Score, TypedMetric
from errata.metrics.results import Results
from errata.metrics.streaming import StreamedScores
from errata.report.cuts import cut_notes
from errata.report.table import Cell, Column, Estimate, Table


def score_table(results: Results | StreamedScores, bootstrap: tuple[int, int] | None = None) -> Table:
    """Systems × metrics; with intervals if `bootstrap` gives the number of samples and the seed."""
    rows: list[list[Cell]] = [[system, *_cells(results, system, bootstrap)] for system in results.systems]
    notes = [
        f"{name} = {metric.signature}"
        for name, metric in zip(metric_names(results), results.metrics, strict=True)
    ]
    if bootstrap is not None:
        notes.append(f"[low, high]: 95 % bootstrap interval, {bootstrap[0]} samples, seed {bootstrap[1]}")
    notes += cut_notes(results)
    return Table([Column("system"), *_columns(results)], list(rows), notes=notes)


def by_group_table(results: Results, label: str, bootstrap: tuple[int, int] | None = None) -> Table:
    """The same for every domain, document or other label by itself."""
    rows: list[list[Cell]] = []
    rules = set()
    for group, indices in results.groups(label).items():
        part = results.select(indices)
        rules.add(len(rows))
        rows += [
            [group or "(none)", len(indices), system, *_cells(part, system, bootstrap)]
            for system in results.systems
        ]
    columns = [Column(label), Column("segments"), Column("system"), *_columns(results, best=False)]
    return Table(columns, list(rows), title=f"by {label}", rules=frozenset(rules))


def by_type_tables(results: Results, level: int = 2) -> list[Table]:
    """Per error type, for the metrics that know types: systems side by side, frequent types first."""
    tables = []
    for metric in results.metrics:
        if isinstance(metric, TypedMetric):
            if results.corpus is None or results.outputs is None:
                raise DataError(
                    "error types need the texts, and these statistics have none",
                    hint="give --m2 or --source and --ref, and --hyp, instead of --stats",
                )
            tables.append(_type_table(metric, results.corpus, results.outputs, level))
    if not tables:
        raise DataError("none of these metrics knows error types", hint="try --metric errant")
    return tables


def _type_table(metric: TypedMetric, corpus: Corpus, outputs: Outputs, level: int) -> Table:
    found = {system: metric.by_type(corpus, hypotheses, level) for system, hypotheses in outputs.items()}
    sizes: dict[str, int] = {}
    for scores in found.values():
        for name, (tp, _, fn) in scores.counts.items():
            sizes[name] = max(sizes.get(name, 0), tp + fn)
    rows: list[list[Cell]] = []
    for name in sorted(sizes, key=lambda name: (-sizes[name], name)):
        row: list[Cell] = [name, sizes[name]]
        for scores in found.values():
            row += scores.scores(name) if name in scores.counts else (None, None, None)
        rows.append(row)
    count = len(rows)
    for title in ("micro", "macro"):
        rows.append([title, None, *(part for scores in found.values() for part in getattr(scores, title))])
    columns = [Column("type"), Column("gold edits")]
    columns += [Column(f"{system} {part}", metric.decimals) for system in found for part in ("P", "R", "F")]
    return Table(
        columns,
        list(rows),
        title="by type",
        notes=[metric.signature],
        rules=frozenset({count} if count else ()),
    )


def sentence_table(results: Results) -> Table:
    """The score of every sentence by itself, systems below each other."""
    scores = {
        (system, number): results.score(system, number).sentences
        for system in results.systems
        for number in range(len(results.metrics))
    }
    rows: list[list[Cell]] = [
        [i + 1, system, *(float(scores[system, number][i]) for number in range(len(results.metrics)))]
        for i in range(len(results))
        for system in results.systems
    ]
    columns = [
        Column(name, metric.decimals)
        for name, metric in zip(metric_names(results), results.metrics, strict=True)
    ]
    return Table([Column("line"), Column("system"), *columns], list(rows), title="by sentence")


def metric_names(results: Results | StreamedScores) -> list[str]:
    """What a table calls the metrics' scores: twins are told apart by the parameters that differ."""
    names = []
    for metric in results.metrics:
        twins = [other for other in results.metrics if other.name == metric.name]
        differ = [
            f"{key}={value}"
            for key, value in metric.parameters.items()
            if any(twin.parameters[key] != value for twin in twins)
        ]
        names.append(" ".join([metric.label(metric.parts[0]), *differ]))
    return names


def _columns(results: Results | StreamedScores, best: bool = True) -> list[Column]:
    columns = []
    for name, metric in zip(metric_names(results), results.metrics, strict=True):
        columns += [Column(metric.label(part), metric.decimals) for part in metric.shown]
        columns.append(Column(name, metric.decimals, _better(metric) if best else None))
    return columns


def _better(metric: Metric) -> Literal["max", "min"]:
    return "max" if metric.higher_is_better else "min"


def _cells(results: Results | StreamedScores, system: str, bootstrap: tuple[int, int] | None) -> list[Cell]:
    cells: list[Cell] = []
    for number, metric in enumerate(results.metrics):
        score = results.score(system, number)
        cells += [score.parts[part] for part in metric.shown]
        if bootstrap is None or not isinstance(score, Score):
            cells.append(score.value)
        else:
            low, high = score.interval(samples=bootstrap[0], seed=bootstrap[1])
            cells.append(Estimate(score.value, low, high))
    return cells
