"""The annotators' side of a campaign: screens to show, answers and drafts to store."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from starlette.exceptions import HTTPException

from errata_server.application_store import Row, inserted, now
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.answer_validation import (
    DraftPost,
    JudgmentPost,
    parsed,
    to_item_order,
    to_shown_order,
)
from errata_server.campaign.assignment import SCREEN, AssignedScreen, Assigner, screen_at
from errata_server.campaign.campaign_settings import consent_version
from errata_server.campaign.campaign_store import CampaignStore, current_judgments
from errata_server.campaign.detokenised_view import DetokenisedView
from errata_server.campaign.export_judgments import Work
from errata_server.campaign.items import Content, content_of

_CONTEXT = 40  # sentences of a document shown on either side
Screen = dict[str, Any]

_people, _assignments, _rows, _drafts = schema.annotators, schema.assignments, schema.judgments, schema.drafts
# Every judgment needs these statements, so they are built once, and ask for as much as possible at a time.
_is_open = sa.and_(sa.not_(_assignments.c.answered), _assignments.c.id != sa.bindparam("assignment"))
_summary = (  # screens assigned and answered, the last position, and the first open one besides an assignment
    sa.select(
        sa.func.count().label("assigned"),
        sa.func.count().filter(_assignments.c.answered).label("done"),
        sa.func.coalesce(sa.func.max(_assignments.c.position), 0).label("last"),
        sa.func.min(_assignments.c.position).filter(_is_open).label("open"),
    )
    .where(_assignments.c.annotator == sa.bindparam("annotator"))
    .subquery()
)
_others = _people.alias()
_active = sa.select(sa.func.count()).where(_others.c.state == "active").scalar_subquery()
_PERSON = (
    sa.select(
        *(_people.c[name] for name in ("id", "state", "qualified", "quota", "code", "consent", "withdrawn")),
        _summary,
        sa.select(schema.campaign.c.state).scalar_subquery().label("campaign_state"),
        _active.label("active"),
    )
    .join_from(_people, _summary, sa.true())
    .where(_people.c.id == sa.bindparam("annotator"))
)
# Columns of a stored judgment that a retry is compared with.
_STORED = ("id", "annotator", "assignment", "revision", "answer", "skipped", "comment")
# A screen of a person, the person, and the judgment that has a key, if it is stored already.
_SCREEN_AND_PERSON = (
    SCREEN.with_only_columns(
        *(column.label(f"screen_{column.name}") for column in SCREEN.selected_columns),
        *_PERSON.selected_columns,
        *(_rows.c[name].label(f"stored_{name}") for name in _STORED),
        maintain_column_froms=True,
    )
    .join(_people, _people.c.id == _assignments.c.annotator)
    .join(_summary, sa.true())
    .outerjoin(_rows, _rows.c.key == sa.bindparam("key"))
    .where(_assignments.c.id == sa.bindparam("assignment"), _people.c.id == sa.bindparam("annotator"))
)
_ANSWERED = sa.update(_assignments).where(_assignments.c.id == sa.bindparam("number")).values(answered=True)


class AnnotatorService:
    """The annotators' side of a campaign; all methods run in the writer's transaction."""

    def __init__(self, store: CampaignStore, connection: sa.Connection) -> None:
        self.store = store
        self.settings = store.settings
        self.task = store.task
        self.assigner = Assigner(store, connection)
        self.display = DetokenisedView(store.settings)
        self._consent = consent_version(store.settings)
        self._began = time.monotonic()
        self._sent: dict[int, float] = {}  # when the server first sent a screen without an answer yet

    def screen(self, connection: sa.Connection, annotator: int, position: int | None = None) -> Screen:
        """The screen at an earlier position of the annotator, or the one to work on now."""
        person = self._person(connection, annotator)
        self._check_consent(person)
        if position is None or person.campaign_state == "closed":
            return self._now(connection, person)
        assigned = screen_at(connection, annotator, position)
        if assigned is None or (person.open is not None and position > person.open):
            raise HTTPException(404, "there is no such screen")
        return self._show(connection, assigned, self._progress(person))

    def _now(self, connection: sa.Connection, person: Row, answered: int = 0) -> Screen:
        """The screen to work on now, or the reason why there is none.

        `answered` is the number of screens that were answered since the person was read.
        """
        if person.campaign_state == "closed":
            return {"state": "closed", **self._progress(person, answered)}
        if person.campaign_state == "paused" or person.state != "active":
            return {"state": "paused", **self._progress(person, answered)}
        assigned = self.assigner.next(connection, person)
        if assigned is None:
            state = {"failed": "disqualified", "waiting": "waiting"}.get(person.qualified, "done")
            code = {}
            if state == "done" and person.code and person.done + answered:
                earned = not self._work(connection, person.id).lacks(self.settings)
                code = {"code": person.code if earned else ""}
            return {"state": state, **code, **self._progress(person, answered)}
        progress = self._progress(person, answered, new=assigned.position > person.last)
        return self._show(connection, assigned, progress)

    def _work(self, connection: sa.Connection, annotator: int) -> Work:
        """What an annotator has done: screens, skipped ones and controls."""
        work, items = Work(), schema.items
        mine = sa.select(items).join(_assignments, _assignments.c.item == items.c.id)
        rows = connection.execute(mine.where(_assignments.c.annotator == annotator))
        by_number = {row.id: row for row in rows}
        for judgment in current_judgments(connection, annotator=annotator):
            work.add(self.task, by_number[judgment.item], judgment)
        return work

    def _person(self, connection: sa.Connection, annotator: int) -> Row:
        return connection.execute(_PERSON, {"annotator": annotator, "assignment": 0}).one()

    def _progress(self, person: Row, answered: int = 0, new: bool = False) -> Screen:
        assigned, done = person.assigned + new, person.done + answered
        if person.qualified != "passed":
            total, exact = len(self.assigner.qualification), True
        elif self.settings.assignment == "fixed":
            total, exact = assigned, True
        elif person.quota is not None:
            total, exact = person.quota + min(assigned, len(self.assigner.qualification)), False
        else:  # about as many for each active annotator
            left = math.ceil(max(0, self.assigner.missing) / max(1, person.active))
            total, exact = assigned + left, False
        return {"done": done, "total": max(total, done), "exact": exact, "last": person.last + new}

    def _show(self, connection: sa.Connection, row: AssignedScreen, progress: Screen) -> Screen:
        content = content_of(row.content)
        shown = json.loads(row.shown)
        last = self._latest(connection, row.id) if row.answered else None
        answer = None
        if last is not None and last.answer is not None:
            answer = to_shown_order(json.loads(last.answer), shown)
            answer.pop("of", None)
            if "text" in answer:
                answer = {"text": answer["typed"] if "typed" in answer else self.display.text(answer["text"])}
        texts = self.display.content(row.content)
        self._sent.setdefault(row.id, time.monotonic())
        screen: Screen = {
            "state": "work", "phase": "qualification" if row.kind == "qualification" else "work",
            "assignment": row.id, "position": row.position, "version": row.version,
            "revision": last.revision if last is not None else 0,
            "source": texts.source if self.task.shows_source else "", "reference": texts.reference,
            "cards": [texts.cards[i] for i in shown], "answer": answer,
            "draft": None if row.draft is None else json.loads(row.draft),
            "comment": last.comment if last is not None else "",
            "skipped": last.skipped if last is not None else None,
            **progress,
        }  # fmt: skip
        if self.task.marks_tokens:
            screen["tokens"] = [
                self.display.spaced_tokens(content.cards[i].text, texts.natural) for i in shown
            ]
        if self.task.field == "labels":
            screen["tokens"] = [self.display.spaced_tokens(content.source, texts.natural)]
        if content.edits:
            screen["edits"] = [content.edits[i] for i in shown]
        if self.task.has_context and row.segment is not None and content.document:
            screen["context"] = self._context(connection, content.document, row.segment)
        if row.proposal is not None:
            screen["proposal"] = self.display.text(self._proposal(connection, row.proposal)[1])
        return screen

    def _delete_draft(self, connection: sa.Connection, row: AssignedScreen) -> None:
        if row.draft is not None:
            connection.execute(sa.delete(_drafts).where(_drafts.c.assignment == row.id))

    def _latest(self, connection: sa.Connection, assignment: int) -> Row | None:
        """The judgment of a screen that counts."""
        table = schema.judgments
        query = sa.select(table).where(table.c.assignment == assignment)
        return connection.execute(query.order_by(table.c.revision.desc(), table.c.id.desc()).limit(1)).first()

    def _context(self, connection: sa.Connection, document: str, segment: int) -> Screen:
        table = schema.segments
        near = sa.and_(table.c.id >= segment - _CONTEXT, table.c.id <= segment + _CONTEXT)
        query = sa.select(table.c.id, table.c.source).where(table.c.document == document, near)
        rows = connection.execute(query.order_by(table.c.id)).all()
        before = [self.display.text(row.source) for row in rows if row.id < segment]
        return {
            "before": before,
            "after": [self.display.text(row.source) for row in rows if row.id > segment],
        }

    def _proposal(self, connection: sa.Connection, assignment: int) -> tuple[int, str]:
        last = self._latest(connection, assignment)
        assert last is not None
        return last.id, str(json.loads(last.answer)["text"]) if last.answer else ""

    def judge(self, connection: sa.Connection, annotator: int, post: Mapping[str, Any]) -> Screen:
        """Store an answer, once even if it is sent again, and give the next screen."""
        sent = parsed(JudgmentPost, post)
        row, person = self._own(connection, annotator, sent.assignment, sent.key)
        self._check_consent(person)
        if person.stored_id is not None:  # sent again, since the response was lost on its way to the page
            if person.stored_annotator != annotator or not self._is_stored(connection, person, row, sent):
                raise HTTPException(409, "this key belongs to another judgment")
            return {"saved": sent.key, "again": True, "next": self._now(connection, person)}
        self._check_open(person)
        if sent.version != row.version:
            raise HTTPException(409, "the item has changed: load it again")
        if row.kind == "qualification" and person.qualified != "no":
            raise HTTPException(409, "the qualification is over")
        if row.kind != "qualification" and person.qualified != "passed":
            raise HTTPException(409, "the qualification comes first")
        same = sa.and_(_rows.c.assignment == row.id, _rows.c.revision == sent.revision)
        if row.answered and connection.scalar(sa.select(_rows.c.id).where(same)) is not None:
            raise HTTPException(409, "this screen has another answer by now")
        self._keep(connection, row, sent)
        answered = int(not row.answered)
        if row.kind == "qualification":
            self._qualify(connection, annotator)
            person, answered = self._person(connection, annotator), 0
        return {"saved": sent.key, "again": False, "next": self._now(connection, person, answered)}

    def _is_stored(
        self, connection: sa.Connection, person: Row, row: AssignedScreen, sent: JudgmentPost
    ) -> bool:
        """Whether a judgment with the same key says the same."""
        answer = self._answer(connection, sent, content_of(row.content), row)
        stored = None if person.stored_answer is None else json.loads(person.stored_answer)
        for each in (answer, stored):
            (each or {}).pop("of", None)  # the judgment that was proofread, which may have been changed since
        return (row.id, sent.revision, answer, sent.skipped, sent.comment) == (
            person.stored_assignment, person.stored_revision, stored, person.stored_skipped,
            person.stored_comment,
        )  # fmt: skip

    def _check_consent(self, person: Row) -> None:
        """Raise an error until the annotator has agreed to the consent text, if there is one."""
        if person.withdrawn is not None:
            raise HTTPException(403, "consent was withdrawn")
        if self._consent and person.consent != self._consent:
            raise HTTPException(403, "consent comes first")

    def _check_open(self, person: Row) -> None:
        """Raise an error while work is paused or over; pages keep answers during a pause (423)."""
        if person.campaign_state == "closed":
            raise HTTPException(409, "the campaign is closed")
        if person.campaign_state == "paused" or person.state != "active":
            raise HTTPException(423, "the campaign is paused")

    def _keep(self, connection: sa.Connection, row: AssignedScreen, sent: JudgmentPost) -> None:
        """Store an answer."""
        content = content_of(row.content)
        answer = self._answer(connection, sent, content, row)
        inserted(
            connection, _rows, key=sent.key, assignment=row.id, annotator=row.annotator, item=row.item,
            version=row.version, revision=sent.revision, shown=row.shown, skipped=sent.skipped,
            answer=None if answer is None else json.dumps(answer, ensure_ascii=False),
            comment=sent.comment, seconds=self._seconds(row.id, sent.seconds), created=now(),
        )  # fmt: skip
        self._delete_draft(connection, row)
        if not row.answered:
            connection.execute(_ANSWERED, {"number": row.id})
            if answer is not None and row.kind in ("main", "control"):
                self.assigner.learn(connection, row.item, content, answer)

    def _seconds(self, assignment: int, claimed: float | None) -> float:
        """The time that the page measured, at most that since the server sent the screen."""
        elapsed = time.monotonic() - self._sent.pop(assignment, self._began)
        return round(elapsed if claimed is None else min(claimed, elapsed), 3)

    def _own(
        self, connection: sa.Connection, annotator: int, assignment: int, key: str = ""
    ) -> tuple[AssignedScreen, Row]:
        """An assignment of this annotator, and the annotator; anyone else's does not exist."""
        values = {"annotator": annotator, "assignment": assignment, "key": key}
        row = connection.execute(_SCREEN_AND_PERSON, values).first()
        if row is None:
            raise HTTPException(404, "there is no such screen")
        return AssignedScreen(*row[: len(AssignedScreen._fields)]), row

    def _answer(
        self, connection: sa.Connection, sent: JudgmentPost, content: Content, row: AssignedScreen
    ) -> dict[str, Any] | None:
        """The answer as it is stored; None for a screen that was skipped."""
        if sent.skipped is not None:
            return None
        answer = self.task.check_answer(sent.answer, content)
        answer = to_item_order(answer, json.loads(row.shown))
        before = content.source
        if row.proposal is not None:
            answer["of"], before = self._proposal(connection, row.proposal)
        if "text" in answer:
            tokens = self.display.tokens(before, answer["text"])
            if tokens is not None:
                answer = {**answer, "text": tokens[0], "typed": answer["text"], "exact": tokens[1]}
        return answer

    def _qualify(self, connection: sa.Connection, annotator: int) -> None:
        """After the last qualification item, grade the annotator, or leave this to an expert."""
        items = schema.items
        query = sa.select(_assignments.c.id, _assignments.c.answered, items.c.content).join(
            items, items.c.id == _assignments.c.item
        )
        own = query.where(_assignments.c.annotator == annotator, items.c.kind == "qualification")
        rows = connection.execute(own).all()
        if len(rows) < len(self.assigner.qualification) or not all(row.answered for row in rows):
            return
        if self.settings.grading == "expert":
            self.store.set_annotator(connection, annotator, qualified="waiting")
            return
        total = 0.0
        for row in rows:
            last, right = self._latest(connection, row.id), Content.from_json(row.content).answer
            if last is not None and last.answer is not None and right is not None:
                total += self.task.similarity(dict(right), json.loads(last.answer))
        self.store.set_grade(connection, annotator, total / len(rows))

    def draft(self, connection: sa.Connection, annotator: int, post: Mapping[str, Any]) -> Screen:
        """Store unfinished work, so that the annotator can continue on another device."""
        sent = parsed(DraftPost, post)
        row, person = self._own(connection, annotator, sent.assignment)
        self._check_consent(person)
        self._check_open(person)
        answer = self.task.check_draft(sent.draft.answer, content_of(row.content))
        draft = {"answer": answer, "comment": sent.draft.comment}
        self._delete_draft(connection, row)
        text = json.dumps(draft, ensure_ascii=False, allow_nan=False)
        connection.execute(sa.insert(_drafts).values(assignment=row.id, answer=text))
        return {"saved": True}
