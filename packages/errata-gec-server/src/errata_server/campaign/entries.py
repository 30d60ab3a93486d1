"""Checks of judgments made elsewhere: each field, and whether they fit the campaign and each other."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.campaign import schema
from errata_server.campaign.answers import (
    KEY,
    MAX_REVISION,
    REASONS,
    Answer,
    BadAnswerError,
    check_comment,
    check_seconds,
    check_text,
    check_whole,
)
from errata_server.campaign.items import CONTROLS, Card, Content, Segment
from errata_server.campaign.store import Store
from errata_server.site import read_whole

_UID = re.compile(r"[0-9a-f]{32}")
_MOST_CARDS = 100
# What `errata campaign export` writes, and `systems`, which stands for cards in other formats.
_FIELDS = {
    "campaign", "key", "judge", "segment", "document", "kind", "item", "version", "source", "cards",
    "answer", "skipped", "comment", "seconds", "shown", "position", "revision", "repeat", "pass",
    "proofreads", "current", "time", "selection", "flags", "systems",
}  # fmt: skip
# Fields that are not needed, but tell that a file is something else where they are wrong.
_OTHERS: Mapping[str, tuple[object, ...] | type] = {
    "kind": ("main", "control", "imported"),
    "pass": (1, 2),
    "current": bool,
    "item": int,
    "version": str,
    "document": str,
    "flags": list,
}


@dataclass(frozen=True)
class Entry:
    """A judgment that can be stored as it is."""

    key: str
    judge: str  # the annotator's name in this campaign
    segment: int
    content: Content
    answer: Answer | None
    skipped: str | None
    comment: str
    seconds: float | None
    position: int | None
    revision: int
    repeat: bool
    proofreads: str | None
    shown: str
    time: str | None

    @property
    def said(self) -> tuple[object, ...]:
        """What makes two judgments of one key the same judgment."""
        return self.judge, self.segment, json.dumps(self.answer), self.skipped, self.revision


class Checker:
    """Knows the campaign, and what was in the file so far; `by_line` says that entries are lines of it."""

    def __init__(self, store: Store, connection: sa.Connection, *, by_line: bool) -> None:
        self.by_line = by_line
        self.task = store.task
        self.segments = {segment.id: segment for segment in store.segments(connection)}
        self._said: dict[str, tuple[object, ...]] = {}  # by key
        self._places: dict[tuple[str, int], tuple[int, str, bool, str | None]] = {}  # by judge and position
        self._corrections: set[str] = set()  # keys of judgments that can be proofread
        names = {row.id: row.name for row in store.annotators(connection)}
        rows, given, items = schema.judgments, schema.assignments, schema.items
        joined = sa.select(
            rows.c.key, rows.c.annotator, rows.c.answer, rows.c.skipped, rows.c.revision, items.c.segment,
            items.c.content, given.c.position, given.c.repeat, given.c.proposal,
        ).join(given, given.c.id == rows.c.assignment).join(items, items.c.id == rows.c.item)  # fmt: skip
        for row in connection.execute(joined):
            judge = names[row.annotator]
            answer = None if row.answer is None else json.loads(row.answer)
            if answer is not None:
                answer.pop("of", None)
                self._corrections.add(row.key)
            self._said[row.key] = (judge, row.segment, json.dumps(answer), row.skipped, row.revision)
            if judge.startswith("imported:"):
                proofreading = None if row.proposal is None else "stored"
                self._places[judge, row.position] = (row.segment, row.content, row.repeat, proofreading)

    def entry(self, values: Mapping[str, Any], path: str | os.PathLike[str], number: int) -> Entry:
        """The judgment with this number; an error that names it where anything is wrong with it."""
        try:
            entry = self._entry(values)
            self._check_place(entry)
            return entry
        except (DataError, BadAnswerError) as error:
            message = error.message if isinstance(error, DataError) else str(error)
            hint = error.hint if isinstance(error, DataError) else None
            line = number if self.by_line else None
            raise DataError(f"judgment {number}: {message}", path=path, line=line, hint=hint) from None

    def _entry(self, values: Mapping[str, Any]) -> Entry:
        unknown = sorted(set(values) - _FIELDS)
        if unknown:
            raise DataError(f"unknown field {unknown[0]!r}", hint=f"there are {', '.join(sorted(_FIELDS))}")
        for name, allowed in _OTHERS.items():
            value = values.get(name)
            fits = isinstance(value, allowed) if isinstance(allowed, type) else value in allowed
            if name in values and not fits:
                raise DataError(f"{name} is {value!r}", hint="as `errata campaign export` writes it")
        segment = self._segment(values.get("segment"))
        content = self._content(values, segment)
        skipped = values.get("skipped")
        if skipped is not None and skipped not in REASONS:
            raise DataError(f"skipped is {skipped!r}", hint=f"null, or one of {', '.join(REASONS)}")
        answer = None
        if skipped is None:
            answer = self.task.check_imported(values.get("answer"), content)
        revision = values.get("revision", 1)
        position = values.get("position")
        return Entry(
            key=_matching(values.get("key"), KEY, "key"),
            judge=_judge(values),
            segment=segment.id,
            content=content,
            answer=answer,
            skipped=skipped,
            comment=check_comment(values.get("comment", "")),
            seconds=check_seconds(values.get("seconds")),
            position=None if position is None else check_whole(position, 1, 2**31 - 1, "position"),
            revision=check_whole(revision, 1, MAX_REVISION, "revision"),
            repeat=_flag(values, "repeat"),
            proofreads=self._proofreads(values),
            shown=_shown(values, len(content.cards)),
            time=_time(values.get("time")),
        )

    def _segment(self, name: object) -> Segment:
        text = str(name) if isinstance(name, int | str) and not isinstance(name, bool) else ""
        number = read_whole(text, 10**9 - 1)
        if number in self.segments:
            return self.segments[number]
        raise DataError(
            f"segment {name!r} is not of this campaign",
            hint=f"segments are numbered from 0 to {max(self.segments, default=0)}",
        )

    def _content(self, values: Mapping[str, Any], segment: Segment) -> Content:
        source = check_text(values.get("source", segment.source), 10**6, "source")
        if source.split() != segment.source.split():
            raise DataError(f"segment {segment.id} has another source in this campaign")
        given = values.get("cards")
        if given is None:
            given = [{"systems": names} for names in _list(values.get("systems"), "systems")]
        cards = tuple(self._card(card, segment) for card in _list(given, "cards"))
        names = [name for card in cards for name in card.systems]
        if len(set(names)) < len(names):
            raise DataError("a system is on two cards, or on one twice")
        self.task.check_cards(len(cards))
        return Content(segment.source, None, cards, document=segment.document)

    def _card(self, card: object, segment: Segment) -> Card:
        if not isinstance(card, Mapping) or not set(card) <= {"text", "systems"}:
            raise DataError("a card is an object with text and systems")
        names = _list(card.get("systems"), "systems")
        if not names:
            raise DataError("a card needs a system that wrote it")
        texts = []
        for name in names:
            if isinstance(name, str) and name in segment.outputs:
                texts.append(segment.outputs[name])
            elif name == CONTROLS[1]:
                texts.append(segment.source)
            elif name not in CONTROLS:
                raise DataError(
                    f"no system {name!r} in this campaign", hint=f"there are {', '.join(segment.outputs)}"
                )
        text = check_text(card.get("text", texts[0] if texts else None), 10**6, "the text of a card")
        if any(text.split() != other.split() for other in texts):
            raise DataError(f"segment {segment.id}: {', '.join(names)} wrote another text in this campaign")
        return Card(" ".join(text.split()), tuple(names))

    def _proofreads(self, values: Mapping[str, Any]) -> str | None:
        key = values.get("proofreads")
        if key is None:
            return None
        if not isinstance(key, str) or key not in self._corrections:
            raise DataError(f"proofreads a judgment {key!r} that is not there")
        return key

    def _check_place(self, entry: Entry) -> None:
        """One key is one judgment, and one place in a judge's work is one screen."""
        if self._said.setdefault(entry.key, entry.said) != entry.said and not self._is_own(entry):
            raise DataError(f"the key {entry.key!r} belongs to another judgment")
        if entry.position is not None:
            screen = (entry.segment, entry.content.to_json(), entry.repeat, entry.proofreads and "stored")
            if self._places.setdefault((entry.judge, entry.position), screen) != screen:
                raise DataError(f"{entry.judge} judged something else at position {entry.position}")
        if entry.answer is not None:
            self._corrections.add(entry.key)

    def _is_own(self, entry: Entry) -> bool:
        """Whether it is a judgment of this very campaign coming back, under its judge's real name."""
        return not str(self._said[entry.key][0]).startswith("imported:") and (
            self._said[entry.key][1:] == entry.said[1:]
        )


def _judge(values: Mapping[str, Any]) -> str:
    """Judges of different campaigns have the same pseudonyms: the campaign is part of the name."""
    name = check_text(values.get("judge"), 200, "judge")
    if not name.strip() or not name.isprintable():
        raise DataError(f"judge is {name!r}", hint="a name of printable characters")
    campaign = values.get("campaign")
    if campaign is None:
        return f"imported:{name}"
    return f"imported:{name}@{_matching(campaign, _UID, 'campaign')[:8]}"


def _matching(value: object, pattern: re.Pattern[str], what: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise DataError(f"{what} is {value!r}", hint=f"a text that matches {pattern.pattern}")
    return value


def _list(value: object, what: str) -> list[Any]:
    if not isinstance(value, list) or len(value) > _MOST_CARDS:
        raise DataError(f"{what} is a list of at most {_MOST_CARDS}")
    return value


def _flag(values: Mapping[str, Any], name: str) -> bool:
    value = values.get(name, False)
    if not isinstance(value, bool):
        raise DataError(f"{name} is {value!r}", hint="true or false")
    return value


def _shown(values: Mapping[str, Any], cards: int) -> str:
    """The order of the cards on the screen; as they are where it is not known."""
    order = _list(values.get("shown", list(range(cards))), "shown")
    if any(isinstance(place, bool) for place in order) or sorted(map(repr, order)) != sorted(
        map(repr, range(cards))
    ):
        raise DataError("shown is not an order of the cards")
    return json.dumps(order)


def _time(value: object) -> str | None:
    if value is None:
        return None
    try:
        if not isinstance(value, str) or len(value) > 40:
            raise ValueError
        datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        raise DataError(f"time is {value!r}", hint="as in 2026-05-31T12:30:00.000Z") from None
    return value
