"""The tables of a leaderboard, for its page and for `errata task export`; `board` is that of `Boards`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from errata.tables import Cell, Column, Estimate, Table

_TYPES = 12  # error types that are shown, the most frequent first


def board_table(board: Mapping[str, Any]) -> Table:
    """A leaderboard with intervals and clusters."""
    columns = [Column("rank"), Column("team")]
    for metric in board["metrics"]:
        columns += [Column(metric["name"], metric["decimals"]), Column("cluster")]
    rows: list[list[Cell]] = []
    for row in board["rows"]:
        cells: list[Cell] = [row["rank"], row["team"]]
        for score in row["scores"]:
            cells += [Estimate(score["value"], score["low"], score["high"]), score["cluster"]]
        rows.append(cells)
    first = [row["scores"][0]["cluster"] for row in board["rows"]]
    rules = frozenset(k for k in range(1, len(first)) if None not in first and first[k] != first[k - 1])
    notes = [f"{metric['name']} = {metric['signature']}" for metric in board["metrics"]]
    return Table(columns, rows, title=_place(board), notes=notes, rules=rules)


def people_tables(board: Mapping[str, Any]) -> list[Table]:
    """People's ranking of the final submissions, and how well every metric agrees with it."""
    people = board["people"]
    if people is None:
        return []
    judged = sorted((row for row in board["rows"] if row["people"]), key=lambda row: -row["people"]["score"])
    rows, rules = [], set()
    for place, row in enumerate(judged):
        ranked = row["people"]
        best, worst, cluster = ranked["best"], ranked["worst"], ranked["cluster"]
        new = not place or judged[place - 1]["people"]["cluster"] != cluster
        rules |= {place} if place and new else set()
        span = str(best) if best == worst else f"{best}–{worst}"
        rows.append((cluster if new else "", ranked["score"], span, row["team"]))
    columns = [Column("#"), Column("score", 3), Column("range"), Column("team")]
    note = f"{people['method']}, {people['items']} judgments by {people['judges']} judges"
    ranking = Table(columns, rows, title=f"people, {_place(board)}", notes=[note], rules=frozenset(rules))
    fits = [
        (fit["name"], *(Estimate(*fit[kind]) if fit[kind] else None for kind in ("pearson", "spearman")))
        for fit in people["metrics"]
    ]
    names = [Column("metric"), Column("Pearson", 3), Column("Spearman", 3)]
    title = f"correlation with people over {len(judged)} systems, {_place(board)}"
    return [ranking, Table(names, fits, title=title)]


def group_tables(board: Mapping[str, Any]) -> Iterator[Table]:
    """The scores of every team in each group of segments, by the first metric."""
    rows = board["rows"]
    for label, groups in rows[0]["groups"].items() if rows else ():
        metric = board["metrics"][0]
        columns = [Column("team"), *(Column(value or "(none)", metric["decimals"]) for value in groups)]
        values = [
            (row["team"], *(row["groups"][label][value]["values"][0] for value in groups)) for row in rows
        ]
        counts = ", ".join(f"{value or '(none)'} {group['segments']}" for value, group in groups.items())
        title = f"{metric['name']} by {label}, {_place(board)}"
        yield Table(columns, values, title=title, notes=[f"sentences: {counts}"])


def type_tables(board: Mapping[str, Any]) -> Iterator[Table]:
    """The scores of every team per error type, for each metric that knows types."""
    rows = board["rows"]
    for place, first in enumerate(rows[0]["types"] if rows else ()):
        gold: dict[str, int] = {}  # counts depend on the annotator that a system is compared with
        for row in rows:
            for name, count in row["types"][place]["gold"].items():
                gold[name] = max(count, gold.get(name, 0))
        names = sorted(gold, key=lambda name: (-gold[name], name))[:_TYPES]
        values = []
        for row in rows:
            scores = row["types"][place]["scores"]
            values.append((row["team"], *(scores[name][2] if name in scores else None for name in names)))
        metric = board["metrics"][first["metric"]]
        columns = [Column("team"), *(Column(name, metric["decimals"]) for name in names)]
        counts = ", ".join(f"{name} {gold[name]}" for name in names)
        title = f"{metric['name']} by error type, {_place(board)}"
        yield Table(columns, values, title=title, notes=[f"gold edits: {counts}"])


def _place(board: Mapping[str, Any]) -> str:
    return f"{board['track']}, {board['phase']}"
