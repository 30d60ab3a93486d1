"""Import of judgments made elsewhere: another campaign's JSONL, rankings in any format, scores in TSV."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.application_store import inserted, now
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.import_validation import Checker, Entry
from errata_server.campaign.items import Item
from errata_server.database import reason
from errata_server.validation import read_json


def import_file(store: CampaignStore, path: str | os.PathLike[str]) -> tuple[int, int]:
    """Import a file; returns the number of new judgments and of those that were there already.

    The whole file is checked before anything is stored.
    """
    from errata.corpus.files import peek

    by_line = peek(path).lstrip().startswith("{")
    numbered: Iterable[tuple[int, Mapping[str, Any]]]
    if by_line:
        numbered = _from_jsonl(path)
    elif store.task.result == "scores":
        numbered = enumerate(_from_scalars(path), start=1)
    else:
        numbered = _from_rankings(path)
    with store.read() as connection:
        checker = Checker(store, connection, by_line=by_line)
    entries = [checker.entry(values, path, number) for number, values in numbered]
    try:
        with store.write() as connection:
            return _store(store, connection, entries)
    except sa.exc.SQLAlchemyError as error:
        raise DataError(f"nothing was stored: {reason(error)}", path=store.place) from None


def _from_jsonl(path: str | os.PathLike[str]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    from errata.corpus.files import read_lines

    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            values = read_json(line)
        except ValueError as error:
            raise DataError(f"not a JSON object: {error}", path=path, line=number) from None
        if values.get("kind") != "qualification":
            yield number, values


def _from_rankings(path: str | os.PathLike[str]) -> Iterable[tuple[int, Mapping[str, Any]]]:
    from errata.human.judgment_files import read_judgments

    seen: Counter[str] = Counter()
    for number, item in enumerate(read_judgments(path).items(), start=1):
        if item.skipped and not item.texts:
            continue  # nothing says which outputs were shown
        # Ranks may have gaps (a control was left out): only their order counts.
        ranks = [1 + sum(other < rank for other in item.ranks) for rank in item.ranks]
        entry = {
            "judge": item.judge,
            "segment": item.segment,
            "systems": [list(text) for text in item.texts],
            "answer": {"ranks": ranks},
            "skipped": "other" if item.skipped else None,
            "seconds": item.duration,
        }
        yield number, {**entry, "key": _key(entry, seen)}


def _from_scalars(path: str | os.PathLike[str]) -> Iterable[Mapping[str, Any]]:
    from errata.human.judgment_files import read_scalars

    scalars = read_scalars(path)
    screens: dict[tuple[int, int, int], list[tuple[str, float]]] = {}
    times: Counter[tuple[int, int, int]] = Counter()
    for judge, segment, system, score in zip(
        scalars.judge.tolist(), scalars.segment.tolist(), scalars.system.tolist(), scalars.score.tolist(),
        strict=True,
    ):  # fmt: skip
        again = times[judge, segment, system]  # a judge who scores a system again repeats the screen
        times[judge, segment, system] += 1
        screens.setdefault((judge, segment, again), []).append((scalars.systems[system], score))
    seen: Counter[str] = Counter()
    for (judge, segment, _), scores in screens.items():
        entry = {
            "judge": scalars.judges[judge],
            "segment": scalars.segments[segment][1],
            "systems": [[name] for name, _ in scores],
            "answer": {"scores": [score for _, score in scores]},
        }
        yield {**entry, "key": _key(entry, seen)}


def _key(entry: Mapping[str, Any], seen: Counter[str]) -> str:
    """A key made of what the judgment says, so that importing a file twice adds nothing."""
    text = json.dumps(entry, sort_keys=True)
    seen[text] += 1
    return hashlib.sha256(f"{text}#{seen[text]}".encode()).hexdigest()[:32]


def _store(store: CampaignStore, connection: sa.Connection, entries: Sequence[Entry]) -> tuple[int, int]:
    """Add checked judgments; those that are there already are not added again."""
    rows = schema.judgments
    known = {
        row.key: (row.id, row.assignment)
        for row in connection.execute(sa.select(rows.c.key, rows.c.id, rows.c.assignment))
    }
    places = _Places(store, connection)
    new = 0
    for entry in entries:
        if entry.key in known:
            continue
        item = places.item(connection, entry)
        person = places.person(connection, entry.judge)
        answer, proposal = entry.answer, None
        if entry.proofreads is not None:
            of, proposal = known[entry.proofreads]
            answer = None if answer is None else {**answer, "of": of}
        assignment = places.assignment(connection, person, item, entry, proposal)
        values = {
            "key": entry.key,
            "assignment": assignment,
            "annotator": person,
            "item": item,
            "version": "imported",
            "revision": entry.revision,
            "answer": None if answer is None else json.dumps(answer, ensure_ascii=False),
            "shown": entry.shown,
            "skipped": entry.skipped,
            "comment": entry.comment,
            "seconds": entry.seconds,
            "created": entry.time or now(),
        }
        known[entry.key] = inserted(connection, rows, **values), assignment
        new += 1
    return new, len(entries) - new


class _Places:
    """Where imported judgments go: people, items and assignments, made where they are missing."""

    def __init__(self, store: CampaignStore, connection: sa.Connection) -> None:
        self.store = store
        self.people = {row.name: row.id for row in store.annotators(connection)}
        items = schema.items.c
        query = sa.select(items.id, items.segment, items.content).where(items.kind != "qualification")
        self.items = {(row.segment, row.content): row.id for row in connection.execute(query)}
        self.assignments: dict[tuple[int, int], int] = {}
        self.last: Counter[int] = Counter()
        table = schema.assignments
        for row in connection.execute(sa.select(table.c.id, table.c.annotator, table.c.position)):
            self.assignments[row.annotator, row.position] = row.id
            self.last[row.annotator] = max(self.last[row.annotator], row.position)

    def person(self, connection: sa.Connection, judge: str) -> int:
        if judge not in self.people:
            self.people[judge] = self.store.add_annotator(connection, judge, link=False)[0]
        return int(self.people[judge])

    def item(self, connection: sa.Connection, entry: Entry) -> int:
        key = entry.segment, entry.content.to_json()
        if key not in self.items:
            self.store.add_items(connection, [Item(entry.content, "imported", entry.segment, 0)], [0])
            self.items[key] = int(connection.scalar(sa.select(sa.func.max(schema.items.c.id))) or 0)
        return int(self.items[key])

    def assignment(
        self, connection: sa.Connection, person: int, item: int, entry: Entry, proposal: int | None
    ) -> int:
        """The place of a judgment in its judge's work; revisions of one judgment share it."""
        position = entry.position or self.last[person] + 1
        if (person, position) not in self.assignments:
            values = {
                "annotator": person,
                "position": position,
                "item": item,
                "repeat": entry.repeat,
                "proposal": proposal,
                "shown": entry.shown,
                "answered": True,
            }
            self.assignments[person, position] = inserted(connection, schema.assignments, **values)
            self.store.count_screens(connection, person, given=1, done=1)
            self.last[person] = max(self.last[person], position)
        return self.assignments[person, position]
