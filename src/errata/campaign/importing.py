"""Judgments made elsewhere, taken into a campaign: another campaign's JSONL, or any format of rankings."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from errata.campaign import schema
from errata.campaign.answers import BadAnswerError, check_answer
from errata.campaign.items import Card, Content, Item, Segment, version_of
from errata.campaign.store import Store, now
from errata.errors import DataError


def import_file(store: Store, path: str | os.PathLike[str]) -> tuple[int, int]:
    """Take in a file; gives how many judgments are new and how many were there already."""
    from errata.corpus.files import peek

    if peek(path).startswith('{"'):
        entries = _from_jsonl(path)
    elif store.settings.task == "scalars":
        entries = _from_scalars(path)
    else:
        entries = _from_rankings(path)
    importer = _Importer(store)
    with store.write() as connection:
        importer.prepare(connection)
        for number, entry in enumerate(entries, start=1):
            try:
                importer.add(connection, entry)
            except (DataError, BadAnswerError, KeyError, TypeError, ValueError) as error:
                raise DataError(f"judgment {number}: {error}", path=path) from None
    return importer.new, importer.known


def _from_jsonl(path: str | os.PathLike[str]) -> Iterable[Mapping[str, Any]]:
    from errata.corpus.files import read_lines

    for number, line in enumerate(read_lines(path), start=1):
        try:
            entry = json.loads(line)
            if not isinstance(entry, dict):
                raise ValueError("not an object")
        except ValueError as error:
            raise DataError(f"not JSON: {error}", path=path, line=number) from None
        if entry.get("kind") != "qualification":
            yield entry


def _from_rankings(path: str | os.PathLike[str]) -> Iterable[Mapping[str, Any]]:
    from errata.human.formats import read_judgments

    seen: Counter[str] = Counter()
    for item in read_judgments(path).items():
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
        yield {**entry, "key": _key(entry, seen)}


def _from_scalars(path: str | os.PathLike[str]) -> Iterable[Mapping[str, Any]]:
    from errata.human.csv_formats import read_scalars

    scalars = read_scalars(path)
    grouped: dict[tuple[int, int], list[tuple[str, float]]] = {}
    for judge, segment, system, score in zip(
        scalars.judge.tolist(), scalars.segment.tolist(), scalars.system.tolist(), scalars.score.tolist(),
        strict=True,
    ):  # fmt: skip
        grouped.setdefault((judge, segment), []).append((scalars.systems[system], score))
    seen: Counter[str] = Counter()
    for (judge, segment), scores in grouped.items():
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


class _Importer:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.new = self.known = 0

    def prepare(self, connection: sa.Connection) -> None:
        self.keys = set(connection.scalars(sa.select(schema.judgments.c.key)))
        self.segments = {segment.id: segment for segment in self.store.segments(connection)}
        self.people = {row.name: row.id for row in self.store.annotators(connection)}
        self.last: Counter[int] = Counter()
        self.assignments: dict[tuple[int, int], int] = {}
        table = schema.assignments
        for row in connection.execute(sa.select(table.c.id, table.c.annotator, table.c.position)):
            self.assignments[row.annotator, row.position] = row.id
            self.last[row.annotator] = max(self.last[row.annotator], row.position)
        self.items: dict[str, int] = {
            row.version: row.id for row in connection.execute(sa.select(schema.items))
        }

    def add(self, connection: sa.Connection, entry: Mapping[str, Any]) -> None:
        key = str(entry["key"])
        if key in self.keys:
            self.known += 1
            return
        segment = self._segment(entry["segment"])
        content = self._content(entry, segment)
        skipped = entry.get("skipped")
        answer = None
        if not skipped:
            answer = check_answer(
                self.store.settings.task, entry["answer"], content, self.store.settings.scale
            )
        judge = f"imported:{entry['judge']}"
        if judge not in self.people:
            self.people[judge] = self.store.add_annotator(connection, judge, link=False)[0]
        person = self.people[judge]
        item = self._item(connection, content, segment.id)
        shown = json.dumps(list(range(len(content.cards))))
        assignment = self._assignment(connection, person, item, entry, shown)
        values = {
            "key": key,
            "assignment": assignment,
            "annotator": person,
            "item": item,
            "version": version_of(content.to_json()),
            "revision": int(entry.get("revision", 1)),
            "answer": None if answer is None else json.dumps(answer, ensure_ascii=False),
            "shown": shown,
            "skipped": skipped,
            "comment": str(entry.get("comment", "")),
            "seconds": entry.get("seconds"),
            "created": str(entry.get("time") or now()),
        }
        connection.execute(sa.insert(schema.judgments).values(values))
        self.keys.add(key)
        self.new += 1

    def _segment(self, name: object) -> Segment:
        try:
            return self.segments[int(str(name))]
        except (ValueError, KeyError):
            raise DataError(
                f"segment {name!r} is not of this campaign",
                hint=f"segments are numbered from 0 to {max(self.segments, default=0)}",
            ) from None

    def _content(self, entry: Mapping[str, Any], segment: Segment) -> Content:
        if "cards" in entry:
            cards = tuple(Card(str(card["text"]), tuple(card["systems"])) for card in entry["cards"])
            if " ".join(str(entry.get("source", segment.source)).split()) != " ".join(segment.source.split()):
                raise DataError(f"segment {segment.id} has another source in this campaign")
        else:
            cards = tuple(Card(self._output(segment, names), tuple(names)) for names in entry["systems"])
        return Content(segment.source, None, cards, document=segment.document)

    def _output(self, segment: Segment, names: list[str]) -> str:
        for name in names:
            if name not in segment.outputs:
                raise DataError(
                    f"no system {name!r} in this campaign", hint=f"there are {', '.join(segment.outputs)}"
                )
        return segment.outputs[names[0]]

    def _item(self, connection: sa.Connection, content: Content, segment: int) -> int:
        version = version_of(content.to_json())
        if version not in self.items:
            self.store.add_items(connection, [Item(content, "imported", segment, 0)], [0])
            self.items[version] = int(connection.scalar(sa.select(sa.func.max(schema.items.c.id))) or 0)
        return self.items[version]

    def _assignment(
        self, connection: sa.Connection, person: int, item: int, entry: Mapping[str, Any], shown: str
    ) -> int:
        """The place of a judgment in its judge's work; revisions of one judgment share it."""
        position = entry.get("position") or self.last[person] + 1
        if (person, position) not in self.assignments:
            proofreads = entry.get("proofreads")
            proposal = None
            if proofreads is not None:
                table = schema.judgments
                found = sa.select(table.c.assignment).where(table.c.key == proofreads)
                proposal = connection.scalar(found)
                if proposal is None:
                    raise DataError(f"proofreads a judgment {proofreads!r} that is not there")
            values = {
                "annotator": person,
                "position": position,
                "item": item,
                "repeat": bool(entry.get("repeat")),
                "proposal": proposal,
                "shown": shown,
                "answered": True,
            }
            result = connection.execute(sa.insert(schema.assignments).values(values))
            assert result.inserted_primary_key is not None
            self.assignments[person, position] = int(result.inserted_primary_key[0])
            self.last[person] = max(self.last[person], position)
        return self.assignments[person, position]
