"""Tables of all metrics with their inputs, and of the parameters of one metric."""

from __future__ import annotations

from dataclasses import fields
from importlib.metadata import entry_points
from inspect import getdoc
from typing import Literal, get_args, get_origin, get_type_hints

from errata.errors import ErrataError
from errata.metrics import METRICS, metric_class
from errata.metrics.base import Metric
from errata.tables import Cell, Column, Table


def names_of_metrics() -> list[str]:
    """The names of all metrics, those of other packages included."""
    return sorted({*METRICS, *entry_points(group="errata.metrics").names})


def metrics_table() -> Table:
    """All metrics: name, title, input and description."""
    rows: list[list[Cell]] = []
    for name in names_of_metrics():
        try:
            metric = metric_class(name)
        except (ErrataError, ImportError) as error:  # of another package, which may be broken
            rows.append([name, "", "", f"cannot be loaded: {error}"])
            continue
        rows.append([name, _title(metric), _needs(metric), _description(metric)])
    notes = [
        "errata metrics NAME shows the parameters of a metric; errata score --metric NAME scores with it"
    ]
    return Table([Column(name) for name in ("name", "title", "needs", "description")], rows, notes=notes)


def parameters_table(metric: type[Metric], path: str = "") -> Table:
    """The parameters of a metric with their defaults and the values that they may take.

    `path` is its name on the command line, if it is not that of the class.
    """
    rows: list[list[Cell]] = [
        [declared.name, _written(declared.default), values_of(metric, declared.name)]
        for declared in fields(metric)
    ]
    example = f"{rows[0][0]}={rows[0][1]}" if rows else ""
    notes = [_description(metric), f"needs: {_needs(metric)}"]
    name = path or metric.name
    notes.append(f"errata score --metric {name}{':' if example else ''}{example}")
    columns = [Column("parameter"), Column("default"), Column("values")]
    return Table(columns, rows, title=f"{metric.name}: {_title(metric)}", notes=notes)


def choices(metric: type[Metric], name: str) -> tuple[str, ...]:
    """The values that a parameter may take, if it is one of a list."""
    kind = get_type_hints(metric)[name]
    if kind is bool:
        return ("yes", "no")
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    (declared,) = (each for each in fields(metric) if each.name == name)
    return tuple(map(str, declared.metadata.get("choices", ())))


def values_of(metric: type[Metric], name: str) -> str:
    """The permitted values of a parameter in words."""
    if listed := choices(metric, name):
        return ", ".join(value or "(empty)" for value in listed)
    (rules,) = (each.metadata for each in fields(metric) if each.name == name)
    kind = {float: "number", int: "whole number", str: "text"}.get(get_type_hints(metric)[name], "value")
    bounds = [
        f"{word} {rules[rule]:g}"
        for rule, word in (("at_least", "at least"), ("above", "above"), ("at_most", "at most"))
        if rule in rules
    ]
    return " ".join([kind, ", ".join(bounds)]).strip()


def _title(metric: type[Metric]) -> str:
    return metric.title or metric.name


def _needs(metric: type[Metric]) -> str:
    words = {"source": "source", "references": "references", "edits": "gold edits"}
    return ", ".join(text for need, text in words.items() if need in metric.needs) or "outputs alone"


def _description(metric: type[Metric]) -> str:
    """The first sentence of the documentation of a metric."""
    return " ".join((getdoc(metric) or "").partition("\n\n")[0].split())


def _written(value: object) -> str:
    """A default as the command line takes it."""
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
