"""Leaderboards: the submission of each team that counts, and the scores that a viewer may see."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from errata_server.application_store import Row
from errata_server.task import task_tables as schema
from errata_server.task.task_settings import Phase
from errata_server.task.task_store import TaskStore

_table, _results, _gone = schema.submissions, schema.results, schema.withdrawals
_CACHED = 20_000  # submissions whose scores are kept in memory


@dataclass(frozen=True)
class Viewer:
    """The viewer of a page: the public, a member of a team, or (without restriction) the staff."""

    team: int | None = None
    staff: bool = False


def shown(store: TaskStore, connection: sa.Connection, phase: str, viewer: Viewer) -> str:
    """The scores of a phase that a viewer may see: nothing, own, leaderboard."""
    if viewer.staff:
        return "leaderboard"
    settings = store.settings.phase(phase)
    state = store.phase_states(connection)[phase]
    level = {"coming": "nothing", "open": settings.shows, "ended": settings.after}[state]
    if viewer.team is None and not (level == "leaderboard" and store.settings.public):
        return "nothing"
    return level


def hides_ranking(store: TaskStore, connection: sa.Connection, phase: str, viewer: Viewer) -> bool:
    """Whether a viewer sees only the scores on the public part of the test set."""
    is_open = store.phase_states(connection)[phase] != "ended"
    return store.settings.phase(phase).public_part is not None and is_open and not viewer.staff


def visible_scores(scores: Mapping[str, Any], hidden: bool) -> dict[str, Any]:
    """The scores that rank a team, or while these are hidden, those on the public part of the test set.

    A phase with a public part ranks by the other segments, so nobody can choose by the scores that are shown.
    """
    return {"groups": {}, "types": [], **scores["public"]} if hidden else dict(scores)


def _frozen_at(store: TaskStore, connection: sa.Connection, phase: Phase) -> str | None:
    """The time from which a leaderboard ignores submissions; None if it is not frozen now."""
    if phase.frozen is None or store.clock() < phase.frozen:
        return None
    return None if store.phase_states(connection)[phase.name] == "ended" else phase.frozen


def scored(
    connection: sa.Connection, track: str, phase: str, before: str | None = None
) -> dict[int, list[Row]]:
    """The scored submissions of each team that takes part, in their order, with whether they are `gone`.

    Those that were withdrawn while the phase lasted are left out.
    """
    teams = schema.teams
    columns = (_table.c.id, _table.c.uid, _table.c.team, _table.c.created, _table.c.note)
    query = (
        sa.select(*columns, _gone.c.submission.is_not(None).label("gone"))
        .join(_results, _results.c.submission == _table.c.id)
        .join(teams, teams.c.id == _table.c.team)
        .where(_table.c.track == track, _table.c.phase == phase, teams.c.state == "active")
        .outerjoin(_gone, _gone.c.submission == _table.c.id)
        .where(sa.or_(_gone.c.late.is_(None), _gone.c.late))
        .order_by(_table.c.id)
    )
    if before is not None:
        baseline = teams.c.kind == "baseline"
        query = query.where(sa.or_(baseline, _table.c.created < before))
    by_team: dict[int, list[Row]] = {}
    for row in connection.execute(query):
        by_team.setdefault(row.team, []).append(row)
    return by_team


def counting(
    connection: sa.Connection, track: str, phase: str, rows: Mapping[int, Sequence[Row]], before: str | None
) -> dict[int, Row]:
    """The submission of each team that counts: the one it chose, otherwise the last one.

    A team whose final submission was withdrawn after the end of the phase has none.
    """
    table = schema.choices
    query = sa.select(table).where(table.c.track == track, table.c.phase == phase).order_by(table.c.id)
    if before is not None:
        query = query.where(table.c.created < before)
    chosen = {row.team: row.submission for row in connection.execute(query)}
    final = {
        team: next((row for row in mine if row.id == chosen.get(team)), mine[-1])
        for team, mine in rows.items()
    }
    return {team: row for team, row in final.items() if not row.gone}


def views(store: TaskStore, connection: sa.Connection, track: str, phase: str) -> dict[str, list[int]]:
    """The submissions on a leaderboard now (`all`) and, if it is frozen, in its `frozen` state."""
    numbers_of = {}
    frozen = _frozen_at(store, connection, store.settings.phase(phase))
    for view, before in [("all", None)] + ([("frozen", frozen)] if frozen is not None else []):
        rows = scored(connection, track, phase, before)
        numbers_of[view] = sorted(row.id for row in counting(connection, track, phase, rows, before).values())
    return numbers_of


def _people_of(connection: sa.Connection, track: str, phase: str) -> dict[str, Any]:
    """The ranking of the submissions by people; empty if there is none."""
    table = schema.people
    query = sa.select(table.c.content).where(table.c.track == track, table.c.phase == phase)
    content = connection.scalar(query.order_by(table.c.id.desc()).limit(1))
    return {} if content is None else dict(json.loads(content))


class Boards:
    """Makes leaderboards for viewers. Scores never change, so each is read once."""

    def __init__(self, store: TaskStore) -> None:
        self.store = store
        self._scores: dict[int, dict[str, Any]] = {}

    def scores(self, connection: sa.Connection, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
        """The scores of submissions, by number."""
        scores = {number: self._scores[number] for number in numbers if number in self._scores}
        missing = [number for number in numbers if number not in scores]
        for start in range(0, len(missing), 500):
            part = missing[start : start + 500]
            query = sa.select(_results.c.submission, _results.c.scores)
            for row in connection.execute(query.where(_results.c.submission.in_(part))):
                scores[row.submission] = json.loads(row.scores)
                if len(self._scores) < _CACHED:
                    self._scores[row.submission] = scores[row.submission]
        return scores

    def board(self, connection: sa.Connection, track: str, phase: str, viewer: Viewer) -> dict[str, Any]:
        """A leaderboard as a viewer may see it, as plain data."""
        store = self.store
        settings = store.settings.phase(phase)
        level = shown(store, connection, phase, viewer)
        frozen = None if viewer.staff else _frozen_at(store, connection, settings)
        before = frozen if level == "leaderboard" else None
        board: dict[str, Any] = {
            "task": store.name, "track": track, "phase": phase, "shows": level, "frozen": before,
            "state": store.phase_states(connection)[phase], "metrics": [], "rows": [],
            "tests": None, "people": None, "public_part": hides_ranking(store, connection, phase, viewer),
        }  # fmt: skip
        if level == "nothing":
            return board
        rows = scored(connection, track, phase, before)
        teams = {row.id: row for row in connection.execute(sa.select(schema.teams))}
        if level == "own":
            rows = {
                team: mine
                for team, mine in rows.items()
                if team == viewer.team or teams[team].kind == "baseline"
            }
        final = counting(connection, track, phase, rows, before)
        numbers = [row.id for mine in rows.values() for row in mine]
        scores = {
            number: visible_scores(each, board["public_part"])
            for number, each in self.scores(connection, numbers).items()
        }
        view = "all" if before is None else "frozen"
        tests = (
            None if level == "own" or board["public_part"] else self._tests(connection, track, phase, view)
        )
        clusters = [] if tests is None else tests.pop("clusters")
        if tests is not None:
            tested = {int(number) for each in clusters[:1] for number in each}
            board["tests"] = tests | {"current": tested == {row.id for row in final.values()}}
        anonymous = self._is_anonymous(connection, viewer)
        people = _people_of(connection, track, phase) if level == "leaderboard" else {}
        judged = people.pop("systems", {})
        board["people"] = people or None
        for team, row in final.items():
            entry = self._entry(row, scores[row.id], clusters)
            entry |= self._named(teams[team], viewer, anonymous) | {"people": judged.get(row.uid)}
            entry["history"] = [
                {"time": each.created, "values": [m["value"] for m in scores[each.id]["metrics"]]}
                for each in rows[team]
                if not each.gone
            ]
            board["rows"].append(entry)
        self._order(board)
        return board

    def _is_anonymous(self, connection: sa.Connection, viewer: Viewer) -> bool:
        settings = self.store.settings
        return settings.anonymous and not viewer.staff and self.store.state(connection) != "closed"

    def _named(self, team: Row, viewer: Viewer, anonymous: bool) -> dict[str, Any]:
        mine = team.id == viewer.team
        name = team.alias if anonymous and not mine else team.name
        return {"team": name, "mine": mine, "baseline": team.kind == "baseline"}

    def _entry(
        self, row: Row, scores: Mapping[str, Any], clusters: Sequence[Mapping[str, int]]
    ) -> dict[str, Any]:
        metrics = [
            {key: metric[key] for key in ("name", "value", "low", "high", "parts")}
            | {"cluster": clusters[number].get(str(row.id)) if number < len(clusters) else None}
            for number, metric in enumerate(scores["metrics"])
        ]
        return {
            "time": row.created, "scores": metrics, "groups": scores["groups"],
            "types": scores.get("types", []), "segments": scores["segments"], "metrics": scores["metrics"],
        }  # fmt: skip

    def _tests(self, connection: sa.Connection, track: str, phase: str, view: str) -> dict[str, Any] | None:
        """The results of the tests for a view; both views are equal until there is another submission."""
        table = schema.boards
        mine = sa.and_(table.c.track == track, table.c.phase == phase)
        by_view = {row.view: row for row in connection.execute(sa.select(table).where(mine))}
        stored = by_view.get(view, by_view.get("all"))
        return None if stored is None else {**json.loads(stored.content), "time": stored.created}

    def _order(self, board: dict[str, Any]) -> None:
        """The best first, by the first metric; ranks are shared by equal scores."""
        rows = board["rows"]
        if not rows:
            return
        first = rows[0]["metrics"]
        board["metrics"] = [
            {key: metric[key] for key in ("name", "metric", "signature", "decimals", "higher_is_better")}
            for metric in first
        ]
        sign = -1 if first[0]["higher_is_better"] else 1
        rows.sort(key=lambda row: (sign * row["scores"][0]["value"], row["time"]))
        for place, row in enumerate(rows):
            del row["metrics"]
            tied = place and rows[place - 1]["scores"][0]["value"] == row["scores"][0]["value"]
            row["rank"] = rows[place - 1]["rank"] if tied else place + 1


def chart(history: Sequence[Mapping[str, Any]], width: int = 80, height: int = 24) -> str:
    """The points of a line through a team's scores, in the order of its submissions."""
    values = [each["values"][0] for each in history]
    low, high = min(values), max(values)
    scale = (height - 4) / ((high - low) or 1.0)
    step = width / (len(values) - 1)
    return " ".join(f"{i * step:.1f},{2 + scale * (high - value):.1f}" for i, value in enumerate(values))


def plotted(board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The scores of the first metric and their intervals as places from 0 to 100, for a plot."""
    scores = [row["scores"][0] for row in board["rows"]]
    low, high = min(each["low"] for each in scores), max(each["high"] for each in scores)
    scale = 96 / ((high - low) or 1.0)
    return [
        {"row": row} | {end: f"{2 + scale * (each[end] - low):.2f}" for end in ("low", "value", "high")}
        for row, each in zip(board["rows"], scores, strict=True)
    ]
