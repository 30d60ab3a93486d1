"""Tables of scores: systems × metrics, as a whole, by group, and sentence by sentence."""

from __future__ import annotations

from typing import Literal

from errata.metrics.cut_tables import cut_notes
from errata.metrics.labels import metric_names
from errata.metrics.results import Results
from errata.tables import Cell, Column, Estimate, Table


def score_table(results: Results, bootstrap: tuple[int, int] | None = None) -> Table:
    """Systems × metrics; with intervals if `bootstrap` gives the number of samples and the seed."""
    rows: list[list[Cell]] = [[system, *_cells(results, system, bootstrap)] for system in results.systems]
    notes = [
        f"{name} = {made}"
        for name, made in zip(metric_names(results.metrics), signatures(results), strict=True)
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
        for name, metric in zip(metric_names(results.metrics), results.metrics, strict=True)
    ]
    return Table([Column("line"), Column("system"), *columns], list(rows), title="by sentence")


def signatures(results: Results) -> list[str]:
    """The signature of every metric's scores; sentences beyond a limit are a matter of single scores."""
    made = [results.score(results.systems[0], number).made_as for number in range(len(results.metrics))]
    return [str(known or metric.signature) for known, metric in zip(made, results.metrics, strict=True)]


def _columns(results: Results, best: bool = True) -> list[Column]:
    columns = []
    for name, metric in zip(metric_names(results.metrics), results.metrics, strict=True):
        columns += [Column(metric.label(part), metric.decimals) for part in metric.shown]
        better: Literal["max", "min"] = "max" if metric.higher_is_better else "min"
        columns.append(Column(name, metric.decimals, better if best else None))
    return columns


def _cells(results: Results, system: str, bootstrap: tuple[int, int] | None) -> list[Cell]:
    cells: list[Cell] = []
    for number, metric in enumerate(results.metrics):
        score = results.score(system, number)
        cells += [score.parts[part] for part in metric.shown]
        if bootstrap is None:
            cells.append(score.value)
        else:
            low, high = results.interval(system, number, samples=bootstrap[0], seed=bootstrap[1])
            cells.append(Estimate(score.value, low, high))
    return cells
