"""Checks of judgments made elsewhere: each field, and whether they fit the campaign and each other."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from errata.errors import DataError
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.answer_validation import (
    Answer,
    BadAnswerError,
    Comment,
    Key,
    Reason,
    Revision,
    Seconds,
    parsed,
)
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.items import CONTROLS, Card, Content, Segment
from errata_server.validation import Text, read_whole

_MOST_CARDS = 100


def _printable(name: str) -> str:
    if not name.strip() or not name.isprintable():
        raise ValueError("a name of printable characters")
    return name


def _readable(time: str) -> str:
    try:
        datetime.fromisoformat(time.replace("Z", "+00:00"))
    except ValueError:
        raise ValueError("a time as in 2026-05-31T12:30:00.000Z") from None
    return time


Systems = Annotated[list[str], Field(min_length=1, max_length=_MOST_CARDS)]
LongText = Annotated[Text, Field(max_length=10**6)]


class ImportedCard(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid")
    text: LongText | None = None
    systems: Systems


class ImportedJudgment(BaseModel):
    """What `errata campaign export` writes; other formats have `systems` instead of `cards`.

    Some fields are not needed, but a file in which they are wrong is something else.
    """

    model_config = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
    key: Key
    judge: Annotated[Text, Field(max_length=200), AfterValidator(_printable)]
    segment: int | str
    campaign: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    source: LongText | None = None
    cards: Annotated[list[ImportedCard], Field(max_length=_MOST_CARDS)] | None = None
    systems: Annotated[list[Systems], Field(max_length=_MOST_CARDS)] | None = None
    answer: Any = None
    skipped: Reason | None = None
    comment: Comment = ""
    seconds: Seconds | None = None
    position: Annotated[int, Field(ge=1, le=2**31 - 1)] | None = None
    revision: Revision = 1
    repeat: bool = False
    proofreads: str | None = None
    shown: Annotated[list[int], Field(max_length=_MOST_CARDS)] | None = None
    time: Annotated[str, Field(max_length=40), AfterValidator(_readable)] | None = None
    kind: Literal["main", "control", "imported"] = "imported"
    reading: Literal[1, 2] = Field(default=1, alias="pass")
    current: bool = True
    item: int = 0
    version: str = ""
    document: str = ""
    flags: list[str] = []
    selection: Any = None


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

    def __init__(self, store: CampaignStore, connection: sa.Connection, *, by_line: bool) -> None:
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
        judgment = parsed(ImportedJudgment, values)
        segment = self._segment(judgment.segment)
        content = self._content(judgment, segment)
        answer = None
        if judgment.skipped is None:
            answer = self.task.check_imported(judgment.answer, content)
        if judgment.proofreads is not None and judgment.proofreads not in self._corrections:
            raise DataError(f"proofreads a judgment {judgment.proofreads!r} that is not there")
        shown = list(range(len(content.cards))) if judgment.shown is None else judgment.shown
        if sorted(shown) != list(range(len(content.cards))):
            raise DataError("shown is not an order of the cards")
        # Judges of different campaigns have the same pseudonyms: the campaign is part of the name.
        campaign = "" if judgment.campaign is None else f"@{judgment.campaign[:8]}"
        return Entry(
            key=judgment.key,
            judge=f"imported:{judgment.judge}{campaign}",
            segment=segment.id,
            content=content,
            answer=answer,
            skipped=judgment.skipped,
            comment=judgment.comment,
            seconds=judgment.seconds,
            position=judgment.position,
            revision=judgment.revision,
            repeat=judgment.repeat,
            proofreads=judgment.proofreads,
            shown=json.dumps(shown),
            time=judgment.time,
        )

    def _segment(self, name: int | str) -> Segment:
        number = read_whole(str(name), 10**9 - 1)
        if number in self.segments:
            return self.segments[number]
        raise DataError(
            f"segment {name!r} is not of this campaign",
            hint=f"segments are numbered from 0 to {max(self.segments, default=0)}",
        )

    def _content(self, judgment: ImportedJudgment, segment: Segment) -> Content:
        if judgment.source is not None and judgment.source.split() != segment.source.split():
            raise DataError(f"segment {segment.id} has another source in this campaign")
        listed = judgment.cards
        if listed is None:
            if judgment.systems is None:
                raise DataError("neither cards nor systems")
            listed = [ImportedCard(systems=names) for names in judgment.systems]
        cards = tuple(self._card(card, segment) for card in listed)
        names = [name for card in cards for name in card.systems]
        if len(set(names)) < len(names):
            raise DataError("a system is on two cards, or on one twice")
        self.task.check_cards(len(cards))
        return Content(segment.source, None, cards, document=segment.document)

    def _card(self, card: ImportedCard, segment: Segment) -> Card:
        texts = []
        for name in card.systems:
            if name in segment.outputs:
                texts.append(segment.outputs[name])
            elif name == CONTROLS[1]:
                texts.append(segment.source)
            elif name not in CONTROLS:
                raise DataError(
                    f"no system {name!r} in this campaign", hint=f"there are {', '.join(segment.outputs)}"
                )
        text = texts[0] if card.text is None and texts else card.text
        if text is None:
            raise DataError("a card of a control needs its text")
        if any(text.split() != other.split() for other in texts):
            wrote = ", ".join(card.systems)
            raise DataError(f"segment {segment.id}: {wrote} wrote another text in this campaign")
        return Card(" ".join(text.split()), tuple(card.systems))

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
