"""The statements of the busy path."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa

from errata_server.campaign import schema
from errata_server.statements import Statement, insertion

_given, _items, _rows = schema.assignments, schema.items, schema.judgments
_who: sa.BindParameter[int] = sa.bindparam("who")


class Given(NamedTuple):
    """A screen given to an annotator with the item it shows."""

    id: int
    annotator: int
    position: int
    item: int
    repeat: bool
    proposal: int | None
    shown: str
    answered: bool
    kind: str
    content: str
    version: str
    segment: int | None


_WITH_ITEM = sa.select(_given, _items.c.kind, _items.c.content, _items.c.version, _items.c.segment).join(
    _items, _items.c.id == _given.c.item
)

_GIVEN = Statement(_WITH_ITEM.where(_given.c.id == sa.bindparam("given")))
_GIVEN_AT = Statement(
    _WITH_ITEM.where(_given.c.annotator == _who, _given.c.position == sa.bindparam("position"))
)


def given(connection: sa.Connection, number: int) -> Given | None:
    row = _GIVEN.first(connection, given=number)
    return None if row is None else Given._make(row)


def given_at(connection: sa.Connection, annotator: int, position: int) -> Given | None:
    row = _GIVEN_AT.first(connection, who=annotator, position=position)
    return None if row is None else Given._make(row)


# The annotator with the state of the campaign.
PERSON = Statement(
    sa.select(
        schema.annotators, sa.select(schema.campaign.c.state).scalar_subquery().label("campaign_state")
    ).where(schema.annotators.c.id == _who)
)

# How far an annotator is: screens given and answered, the last position, and the first open one.
_people = schema.annotators
SUMMARY = Statement(
    sa.select(
        _people.c.given,
        _people.c.done,
        sa.func.coalesce(
            sa.select(sa.func.max(_given.c.position)).where(_given.c.annotator == _who).scalar_subquery(), 0
        ).label("last"),
        sa.select(sa.func.min(_given.c.position))
        .where(_given.c.annotator == _who, sa.not_(_given.c.answered))
        .scalar_subquery()
        .label("open"),
    ).where(_people.c.id == _who)
)

# The annotator's oldest item up to a position that was not shown twice.
_again = schema.assignments.alias("again")
REPEATABLE = Statement(
    sa.select(_given.c.item)
    .join(_items, _items.c.id == _given.c.item)
    .where(
        _given.c.annotator == _who,
        _given.c.position <= sa.bindparam("upto"),
        _items.c.kind == "main",
        sa.not_(
            sa.exists().where(
                _again.c.item == _given.c.item, _again.c.annotator == _who, _again.c.id != _given.c.id
            )
        ),
    )
    .order_by(_given.c.position)
    .limit(1)
)

_seen = sa.exists().where(_given.c.item == _items.c.id, _given.c.annotator == _who)
# Items that need judgments and that the annotator has not seen.
FREE = sa.select(_items).where(_items.c.assigned < _items.c.needed, sa.not_(_seen))
FREE_BY_NEED = Statement(FREE.order_by(_items.c.assigned, _items.c.place).limit(1))
FREE_BY_PLACE = Statement(FREE.order_by(_items.c.place).limit(1))  # through a document, not across the corpus
ITEM = Statement(sa.select(_items).where(_items.c.id == sa.bindparam("item")))

GIVE = insertion(_given)
COUNT_GIVEN = Statement(
    sa.update(_items).where(_items.c.id == sa.bindparam("number")).values(assigned=_items.c.assigned + 1)
)
KEEP = insertion(_rows)
BY_KEY = Statement(sa.select(_rows).where(_rows.c.key == sa.bindparam("wanted")))
COUNT_SCREEN = Statement(
    sa.update(_people).where(_people.c.id == sa.bindparam("number")).values(given=_people.c.given + 1)
)
COUNT_ANSWER = Statement(
    sa.update(_people).where(_people.c.id == sa.bindparam("number")).values(done=_people.c.done + 1)
)
ANSWERED = Statement(sa.update(_given).where(_given.c.id == sa.bindparam("given")).values(answered=True))
LATEST = Statement(
    sa.select(_rows)
    .where(_rows.c.assignment == sa.bindparam("given"))
    .order_by(_rows.c.revision.desc(), _rows.c.id.desc())
    .limit(1)
)
DRAFT = Statement(
    sa.select(schema.drafts.c.answer).where(schema.drafts.c.assignment == sa.bindparam("given"))
)
FORGET_DRAFT = Statement(sa.delete(schema.drafts).where(schema.drafts.c.assignment == sa.bindparam("given")))
ACTIVE = Statement(sa.select(sa.func.count().label("number")).where(_people.c.state == "active"))
