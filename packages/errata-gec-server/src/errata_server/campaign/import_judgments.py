"""Import of judgments made elsewhere: another campaign's JSONL, rankings in any format, scores in TSV."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

import sqlalchemy as sa
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from errata.corpus.files import peek, read_lines
from errata.errors import DataError
from errata.human.judgment_files import read_judgments, read_scalars
from errata_server.application_store import inserted, now
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.answer_validation import (
    BadAnswerError,
    Comment,
    Key,
    Reason,
    Revision,
    Seconds,
    parsed,
)
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.items import CONTROLS, Card, Content, Item, Segment
from errata_server.database import reason
from errata_server.validation import Text, read_json, read_whole

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
    """A judgment as `errata campaign export` writes it; other formats have `systems` instead of `cards`.

    Some fields are not used, but a file in which they are wrong is refused.
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
    edits: Any = None
    chances: Any = None


def import_file(store: CampaignStore, path: str | os.PathLike[str]) -> tuple[int, int]:
    """Import a file; returns the numbers of new judgments and of those that the campaign already has.

    Everything is one transaction, so that nothing of a file with a mistake is stored.
    """
    by_line = peek(path).lstrip().startswith("{")
    if by_line:
        numbered = _from_jsonl(path)
    elif store.task.result == "scores":
        numbered = enumerate(_from_scalars(path), start=1)
    else:
        numbered = _from_rankings(path)
    number, new, total = 0, 0, 0
    try:
        with store.write() as connection:
            importer = _Importer(store, connection)
            for number, values in numbered:  # noqa: B007 (errors name the number)
                new += importer.add(parsed(ImportedJudgment, values))
                total += 1
    except sa.exc.SQLAlchemyError as error:
        raise DataError(f"nothing was stored: {reason(error)}", path=store.place) from None
    except (_WrongJudgmentError, BadAnswerError) as error:
        line, hint = number if by_line else None, getattr(error, "hint", None)
        raise DataError(f"judgment {number}: {error}", path=path, line=line, hint=hint) from None
    return new, total - new


def _from_jsonl(path: str | os.PathLike[str]) -> Iterable[tuple[int, Mapping[str, Any]]]:
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
    seen: Counter[str] = Counter()
    for number, item in enumerate(read_judgments(path).items(), start=1):
        if item.skipped and not item.texts:
            continue  # the outputs that were shown are unknown
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
    """A key from the content of the judgment, so that importing a file twice adds nothing."""
    text = json.dumps(entry, sort_keys=True)
    seen[text] += 1
    return hashlib.sha256(f"{text}#{seen[text]}".encode()).hexdigest()[:32]


class _WrongJudgmentError(Exception):
    """A judgment that does not fit the campaign."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class _Stored(NamedTuple):
    """A stored judgment. Judgments with one key must agree in everything but the two numbers."""

    id: int
    assignment: int
    judge: str
    content: tuple[object, ...]  # segment, answer, reason for skipping, revision
    has_answer: bool


class _Importer:
    """Adds judgments to a campaign, with the people, items and assignments that they need."""

    def __init__(self, store: CampaignStore, connection: sa.Connection) -> None:
        self.store = store
        self.task = store.task
        self.connection = connection
        self.segments = {segment.id: segment for segment in store.segments(connection)}
        self.people = {row.name: row.id for row in store.annotators(connection)}
        names = {number: name for name, number in self.people.items()}
        rows, assigned, items = schema.judgments, schema.assignments, schema.items
        shown = connection.execute(sa.select(items).where(items.c.kind != "qualification"))
        self.items = {(row.segment, row.content): row.id for row in shown}
        self.stored: dict[str, _Stored] = {}  # by key
        self.screens: dict[tuple[str, int], tuple[int, tuple[object, ...]]] = {}  # by judge and position
        self.last: Counter[str] = Counter()
        joined = sa.select(assigned, items.c.segment, items.c.content).join(
            items, items.c.id == assigned.c.item
        )
        for row in connection.execute(joined):
            screen = (row.segment, row.content, row.repeat, row.proposal is not None)
            self.screens[names[row.annotator], row.position] = row.id, screen
            self.last[names[row.annotator]] = max(self.last[names[row.annotator]], row.position)
        for row in connection.execute(
            sa.select(rows, items.c.segment).join(items, items.c.id == rows.c.item)
        ):
            answer = None if row.answer is None else json.loads(row.answer)
            self._remember(row.id, row.assignment, names[row.annotator], row.segment, answer, row)

    def _remember(
        self, number: int, assignment: int, judge: str, segment: int, answer: Any, row: Any
    ) -> None:  # fmt: skip
        content = _content(segment, answer, row)
        self.stored[row.key] = _Stored(number, assignment, judge, content, answer is not None)

    def add(self, judgment: ImportedJudgment) -> bool:
        """Add a judgment, unless it is there already; returns whether it is new."""
        segment = self._segment(judgment.segment)
        content = self._content(judgment, segment)
        answer = None if judgment.skipped else self.task.check_imported(judgment.answer, content)
        first = None if judgment.proofreads is None else self.stored.get(judgment.proofreads)
        if judgment.proofreads is not None and (first is None or not first.has_answer):
            raise _WrongJudgmentError(f"proofreads a judgment {judgment.proofreads!r} that is not there")
        order = list(range(len(content.cards)))
        shown = order if judgment.shown is None else judgment.shown
        if sorted(shown) != order:
            raise _WrongJudgmentError("shown is not an order of the cards")
        # Judges of different campaigns have the same pseudonyms: the campaign is part of the name.
        campaign = "" if judgment.campaign is None else f"@{judgment.campaign[:8]}"
        judge = f"imported:{judgment.judge}{campaign}"
        screen = (segment.id, content.to_json(), judgment.repeat, first is not None)
        position = judgment.position or self.last[judge] + 1
        if judgment.position and self.screens.get((judge, position), (0, screen))[1] != screen:
            raise _WrongJudgmentError(f"{judge} judged something else at position {position}")
        if self._is_stored(judgment, judge, _content(segment.id, answer, judgment)):
            return False
        stored = answer if answer is None or first is None else {**answer, "of": first.id}
        person, item = self._person(judge), self._item(segment.id, content)
        if (judge, position) not in self.screens:
            number = inserted(
                self.connection, schema.assignments, annotator=person, position=position, item=item,
                repeat=judgment.repeat, proposal=first and first.assignment,
                shown=json.dumps(shown), answered=True,
            )  # fmt: skip
            self.screens[judge, position] = number, screen
            self.last[judge] = max(self.last[judge], position)
        assignment = self.screens[judge, position][0]
        number = inserted(
            self.connection, schema.judgments, key=judgment.key, assignment=assignment, annotator=person,
            item=item, version="imported", revision=judgment.revision, shown=json.dumps(shown),
            answer=None if stored is None else json.dumps(stored, ensure_ascii=False),
            skipped=judgment.skipped, comment=judgment.comment, seconds=judgment.seconds,
            created=judgment.time or now(),
        )  # fmt: skip
        self._remember(number, assignment, judge, segment.id, answer, judgment)
        return True

    def _is_stored(self, judgment: ImportedJudgment, judge: str, content: tuple[object, ...]) -> bool:
        stored = self.stored.get(judgment.key)
        if stored is None:
            return False
        # A judgment of this same campaign has its judge's real name.
        is_own = not stored.judge.startswith("imported:")
        if stored.content != content or not (stored.judge == judge or is_own):
            raise _WrongJudgmentError(f"the key {judgment.key!r} belongs to another judgment")
        return True

    def _person(self, judge: str) -> int:
        if judge not in self.people:
            self.people[judge] = self.store.add_annotator(self.connection, judge, link=False)[0]
        return int(self.people[judge])

    def _item(self, segment: int, content: Content) -> int:
        key = segment, content.to_json()
        if key not in self.items:
            self.store.add_items(self.connection, [Item(content, "imported", segment, 0)], [0])
            self.items[key] = int(self.connection.scalar(sa.select(sa.func.max(schema.items.c.id))) or 0)
        return int(self.items[key])

    def _segment(self, name: int | str) -> Segment:
        number = read_whole(str(name), 10**9 - 1)
        if number in self.segments:
            return self.segments[number]
        raise _WrongJudgmentError(
            f"this campaign has no segment {name!r}",
            hint=f"segments are numbered from 0 to {max(self.segments, default=0)}",
        )

    def _content(self, judgment: ImportedJudgment, segment: Segment) -> Content:
        if judgment.source is not None and judgment.source.split() != segment.source.split():
            raise _WrongJudgmentError(f"segment {segment.id} has another source in this campaign")
        listed = judgment.cards
        if listed is None:
            if judgment.systems is None:
                raise _WrongJudgmentError("neither cards nor systems")
            listed = [ImportedCard(systems=names) for names in judgment.systems]
        cards = tuple(self._card(card, segment) for card in listed)
        names = [name for card in cards for name in card.systems]
        if len(set(names)) < len(names):
            raise _WrongJudgmentError("a system is on two cards, or on one twice")
        self.task.check_cards(len(cards))
        return self.task.prepared(Content(segment.source, None, cards, document=segment.document), segment)

    def _card(self, card: ImportedCard, segment: Segment) -> Card:
        texts = []
        for name in card.systems:
            if name in segment.outputs:
                texts.append(segment.outputs[name])
            elif name == CONTROLS[1]:
                texts.append(segment.source)
            elif name not in CONTROLS:
                raise _WrongJudgmentError(
                    f"no system {name!r} in this campaign", hint=f"there are {', '.join(segment.outputs)}"
                )
        text = texts[0] if card.text is None and texts else card.text
        if text is None:
            raise _WrongJudgmentError("a card of a control needs its text")
        if any(text.split() != other.split() for other in texts):
            wrote = ", ".join(card.systems)
            raise _WrongJudgmentError(f"segment {segment.id}: {wrote} wrote another text in this campaign")
        return Card(" ".join(text.split()), tuple(card.systems))


def _content(segment: int, answer: Any, row: Any) -> tuple[object, ...]:
    """The values in which two judgments with one key must agree."""
    plain = None if answer is None else {name: value for name, value in answer.items() if name != "of"}
    return segment, json.dumps(plain), row.skipped, row.revision
