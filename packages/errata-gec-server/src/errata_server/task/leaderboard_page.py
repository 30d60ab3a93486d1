"""A leaderboard as its page shows it: cells as text, columns of parts, domains and types, small charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_WIDTH, _HEIGHT = 80, 24  # of the chart of a team's history, in pixels
_TYPES = 12  # error types that are shown, the most frequent first


def board_page(board: Mapping[str, Any]) -> dict[str, Any]:
    """The columns and rows of the tables on the page."""
    metrics, rows = board["metrics"], board["rows"]
    return {
        "parts": [list(score["parts"]) for score in rows[0]["scores"]] if rows else [],
        "rows": [_row(row, metrics, rows, place) for place, row in enumerate(rows)],
        "groups": _groups(board),
        "types": types_of(board),
    }


def number(value: float, metric: Mapping[str, Any]) -> str:
    """A score as `errata score` prints it."""
    return f"{value:.{metric['decimals']}f}"


def _row(
    row: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]],
    rows: Sequence[Mapping[str, Any]],
    place: int,
) -> dict[str, Any]:
    cells = []
    for metric, score in zip(metrics, row["scores"], strict=True):
        cells.append(
            {
                "parts": [(value, number(value, metric)) for value in score["parts"].values()],
                "value": score["value"],
                "text": number(score["value"], metric),
                "interval": f"{number(score['low'], metric)}–{number(score['high'], metric)}",
                "cluster": score["cluster"],
            }
        )
    above = rows[place - 1]["scores"][0]["cluster"] if place else None
    mine = row["scores"][0]["cluster"]
    return {
        "rank": row["rank"], "team": row["team"], "mine": row["mine"], "baseline": row["baseline"],
        "people": row["people"], "cells": cells, "time": row["time"], "count": len(row["history"]),
        "rule": bool(place) and mine is not None and mine != above,
        "chart": _chart([each["values"][0] for each in row["history"]]),
    }  # fmt: skip


def _chart(values: Sequence[float]) -> str:
    """The points of a line through a team's scores, in the order in which they were made."""
    if len(values) < 2:
        return ""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = _WIDTH / (len(values) - 1)
    return " ".join(
        f"{i * step:.1f},{2 + (_HEIGHT - 4) * (high - value) / span:.1f}" for i, value in enumerate(values)
    )


def _groups(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each label, a table of teams × values, by the metric that orders the board."""
    rows = board["rows"]
    if not rows:
        return []
    metric = board["metrics"][0]
    return [
        {
            "label": label,
            "metric": metric["name"],
            "names": [(value or "(none)", found["segments"]) for value, found in values.items()],
            "rows": [
                (row, [number(row["groups"][label][value]["values"][0], metric) for value in values])
                for row in rows
            ],
        }
        for label, values in rows[0]["groups"].items()
    ]


def types_of(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """For each metric that knows error types, a table of teams × types."""
    rows = board["rows"]
    tables = []
    for place, first in enumerate(rows[0]["types"] if rows else ()):
        metric = board["metrics"][first["metric"]]
        gold: dict[str, int] = {}  # what a system is compared with depends on the annotator that suits it
        for row in rows:
            for name, count in row["types"][place]["gold"].items():
                gold[name] = max(count, gold.get(name, 0))
        names = sorted(gold, key=lambda name: (-gold[name], name))[:_TYPES]
        values = []
        for row in rows:
            scores = row["types"][place]["scores"]
            values.append((row, [scores[name][2] if name in scores else None for name in names]))
        shown = [
            (row, ["–" if each is None else number(each, metric) for each in cells]) for row, cells in values
        ]
        tables.append(
            {
                "metric": metric["name"], "names": [(name, gold[name]) for name in names], "rows": shown,
                "values": values,
            }
        )  # fmt: skip
    return tables
