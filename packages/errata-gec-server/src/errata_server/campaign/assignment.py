"""Who judges what next: a fixed plan, whatever has been judged least, or what is worth most."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np
import sqlalchemy as sa

from errata_server.application_store import Row, inserted
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.adaptive import AdaptiveRanking, AdaptiveScalars
from errata_server.campaign.answer_validation import Answer
from errata_server.campaign.campaign_store import CampaignStore, current_judgments
from errata_server.campaign.items import Card, Content, Item, content_of, merged
from errata_server.database import after_commit

REPEAT_AFTER = 10  # screens between an item and its repetition
_TRIES = 50  # segments tried until the chosen systems differ on one


class AssignedScreen(NamedTuple):
    """A screen that an annotator was given, with the item that it shows."""

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


# Statements that every judgment needs are built once.
_given, _items, _again = schema.assignments, schema.items, schema.assignments.alias("again")
_annotator: sa.BindParameter[int] = sa.bindparam("annotator")
_SCREEN = sa.select(_given, _items.c.kind, _items.c.content, _items.c.version, _items.c.segment).join(
    _items, _items.c.id == _given.c.item
)
_SCREEN_BY_NUMBER = _SCREEN.where(_given.c.id == sa.bindparam("number"))
_SCREEN_AT = _SCREEN.where(_given.c.annotator == _annotator, _given.c.position == sa.bindparam("position"))
# Items that need judgments and that the annotator has not seen.
_UNSEEN = sa.select(_items).where(
    _items.c.assigned < _items.c.needed,
    sa.not_(sa.exists().where(_given.c.item == _items.c.id, _given.c.annotator == _annotator)),
)
_NEXT_IN_ORDER = _UNSEEN.order_by(_items.c.place).limit(1)
_NEXT_BY_NEED = _UNSEEN.order_by(_items.c.assigned, _items.c.place).limit(1)
# The annotator's oldest item up to a position that was not shown twice.
_REPEATABLE = (
    sa.select(_given.c.item)
    .join(_items, _items.c.id == _given.c.item)
    .where(
        _given.c.annotator == _annotator,
        _given.c.position <= sa.bindparam("upto"),
        _items.c.kind == "main",
        sa.not_(
            sa.exists().where(
                _again.c.item == _given.c.item, _again.c.annotator == _annotator, _again.c.id != _given.c.id
            )
        ),
    )
    .order_by(_given.c.position)
    .limit(1)
)
_COUNT_ASSIGNED = (
    sa.update(_items).where(_items.c.id == sa.bindparam("number")).values(assigned=_items.c.assigned + 1)
)


def screen_by_number(connection: sa.Connection, number: int) -> AssignedScreen | None:
    row = connection.execute(_SCREEN_BY_NUMBER, {"number": number}).first()
    return None if row is None else AssignedScreen._make(row)


def screen_at(connection: sa.Connection, annotator: int, position: int) -> AssignedScreen | None:
    """The screen at a position of an annotator's work."""
    row = connection.execute(_SCREEN_AT, {"annotator": annotator, "position": position}).first()
    return None if row is None else AssignedScreen._make(row)


class Assigner:
    """Hands out items. One writer uses it at a time.

    What it remembers is rebuilt from the database, and changes only when a transaction is stored.
    """

    def __init__(self, store: CampaignStore, connection: sa.Connection) -> None:
        self.store = store
        self.settings = store.settings
        self.task = store.task
        items = schema.items
        first = sa.select(items.c.id).where(items.c.kind == "qualification").order_by(items.c.id)
        self.qualification = [int(number) for number in connection.scalars(first)]
        self.missing = self._missing(connection)
        self.ranking: AdaptiveRanking | None = None
        self.scalars: AdaptiveScalars | None = None
        if self.settings.assignment == "adaptive":
            self._prepare_adaptive(connection)

    def _missing(self, connection: sa.Connection) -> int:
        """How many judgments of items are still to be handed out."""
        items = schema.items
        missing = sa.select(sa.func.sum(items.c.needed - items.c.assigned)).where(
            items.c.assigned < items.c.needed, items.c.kind.in_(_WORK)
        )
        return int(connection.scalar(missing) or 0)

    def _more_missing(self, more: int) -> None:
        self.missing += more

    def _prepare_adaptive(self, connection: sa.Connection) -> None:
        contents = self.store.contents(connection)
        if not self.task.makes_screens:
            sizes = {i: len(content.cards) for i, (row, content) in contents.items() if row.kind in _WORK}
            self.scalars = AdaptiveScalars(sizes, self.settings.scale)
        else:
            self.segments = [
                s for s in self.store.segments(connection, chosen=True) if len(merged(s.outputs)) > 1
            ]
            self.ranking = AdaptiveRanking(list(self.settings.systems))
            self.used: Counter[int] = Counter()
            self.seen: dict[int, set[int]] = defaultdict(set)
            table = schema.assignments
            for row in connection.execute(sa.select(table.c.annotator, table.c.item)):
                segment = contents[row.item][0].segment
                if segment is not None:
                    self._saw(row.annotator, segment)
        for row in current_judgments(connection):
            item, content = contents[row.item]
            if row.answer is not None and item.kind in _WORK:
                self._learn(row.item, content, json.loads(row.answer))

    def learn(self, connection: sa.Connection, item: int, content: Content, answer: Answer) -> None:
        """Update the adaptive model with a new answer once it is stored."""
        after_commit(connection, lambda: self._learn(item, content, answer))

    def _learn(self, item: int, content: Content, answer: Answer) -> None:
        if self.ranking is not None:
            self.ranking.update([card.systems for card in content.cards], answer["ranks"])
        if self.scalars is not None:
            self.scalars.update(item, answer["scores"])

    def _saw(self, annotator: int, segment: int) -> None:
        self.used[segment] += 1
        self.seen[annotator].add(segment)

    def next(self, connection: sa.Connection, annotator: Row, summary: Row) -> AssignedScreen | None:
        """The screen to work on now: one left open, or a new one; None when there is nothing to do."""
        if annotator.qualified == "failed":
            return None
        if summary.open is not None:
            return screen_at(connection, annotator.id, summary.open)
        position = summary.last + 1
        if annotator.qualified != "passed":
            if position > len(self.qualification):
                return None
            return self._give(
                connection, annotator.id, position, self._item(connection, self.qualification[position - 1])
            )
        if annotator.quota is not None and position - len(self.qualification) > annotator.quota:
            return None
        random = np.random.default_rng([self.settings.seed, 3, annotator.id, position])
        if random.random() < self.settings.repeats and self.task.can_repeat:
            again = self._repeatable(connection, annotator.id, position)
            if again is not None:
                return self._give(
                    connection, annotator.id, position, self._item(connection, again), repeat=True
                )
        item = self._choose(connection, annotator.id, random)
        if item is not None:
            return self._give(connection, annotator.id, position, item)
        if self.settings.second_pass:
            first = self._unproofread(connection, annotator.id)
            if first is not None:
                item = self._item(connection, first.item)
                return self._give(connection, annotator.id, position, item, proposal=int(first.id))
        return None

    def _item(self, connection: sa.Connection, number: int) -> Row:
        return connection.execute(sa.select(schema.items).where(schema.items.c.id == number)).one()

    def _choose(self, connection: sa.Connection, annotator: int, random: np.random.Generator) -> Row | None:
        if self.settings.assignment == "fixed":
            return None  # all was dealt beforehand
        if self.ranking is not None:
            return self._adaptive_ranking(connection, annotator, random)
        if self.scalars is not None:
            preferred = self.scalars.order(random)[:200]
            query = _UNSEEN.where(_items.c.id.in_(preferred))
            free = {row.id: row for row in connection.execute(query, {"annotator": annotator})}
            best = next((item for item in preferred if item in free), None)
            if best is not None:
                return free[best]
        return self._neediest(connection, annotator)

    def _neediest(self, connection: sa.Connection, annotator: int) -> Row | None:
        """An item that still needs judgments and that the annotator has not seen; fewest first."""
        query = _NEXT_IN_ORDER if self.task.in_order else _NEXT_BY_NEED
        return connection.execute(query, {"annotator": annotator}).first()

    def _adaptive_ranking(
        self, connection: sa.Connection, annotator: int, random: np.random.Generator
    ) -> Row | None:
        """Another annotator's item for the overlap, or a new one of the systems in doubt."""
        assert self.ranking is not None
        if random.random() < self.settings.overlap:
            shared = self._neediest(connection, annotator)
            if shared is not None:
                return shared
        wanted = self.ranking.preference(random)
        size = min(self.task.most_cards or len(wanted), len(wanted))
        fresh = [s for s in self.segments if s.id not in self.seen[annotator]]
        if not fresh:
            return self._neediest(connection, annotator)
        best, fewest = None, min(self.used[s.id] for s in fresh)
        best_cards: list[Card] = []
        order = sorted(random.permutation(len(fresh)).tolist(), key=lambda i: self.used[fresh[i].id] > fewest)
        for i in order[:_TRIES]:
            by_system = {name: card for card in merged(fresh[i].outputs) for name in card.systems}
            cards = list(dict.fromkeys(by_system[name] for name in wanted[:size]))
            if len(cards) > len(best_cards):
                best, best_cards = fresh[i], cards
            if len(cards) == size:
                break
        if best is None:
            return None
        by_system = {name: card for card in merged(best.outputs) for name in card.systems}
        cards = list(dict.fromkeys(by_system[name] for name in wanted))[:size]
        reference = best.reference if self.settings.show_reference else None
        content: Content = Content(best.source, reference, tuple(cards), document=best.document)
        kind = "main"
        if random.random() < self.settings.controls:
            control = self.task.control(content, best.reference, random)
            content, kind = (content, kind) if control is None else (control, "control")
        needed = 2 if self.settings.people > 1 else 1
        self.store.add_items(connection, [Item(content, kind, best.id, needed)], [best.id])
        chosen = best.id
        after_commit(connection, lambda: self._saw(annotator, chosen))
        return self._item(connection, int(connection.scalar(sa.select(sa.func.max(schema.items.c.id))) or 0))

    def _repeatable(self, connection: sa.Connection, annotator: int, position: int) -> int | None:
        """The annotator's oldest item that was answered long enough ago and not shown twice."""
        upto = position - REPEAT_AFTER
        return connection.scalar(_REPEATABLE, {"annotator": annotator, "upto": upto})

    def _unproofread(self, connection: sa.Connection, annotator: int) -> Row | None:
        """Another annotator's correction that is not assigned to a proofreader."""
        first, second = schema.assignments.alias("first"), schema.assignments.alias("second")
        rows, items = schema.judgments, schema.items
        given = sa.exists().where(second.c.proposal == first.c.id)
        kept = sa.exists().where(rows.c.assignment == first.c.id, rows.c.answer.is_not(None))
        query = (
            sa.select(first.c.id, first.c.item)
            .join(items, items.c.id == first.c.item)
            .where(
                first.c.annotator != annotator,
                first.c.answered,
                first.c.proposal.is_(None),
                items.c.kind == "main",
                sa.not_(given),
                kept,
            )
            .order_by(first.c.id)
            .limit(1)
        )
        return connection.execute(query).first()

    def _give(
        self,
        connection: sa.Connection,
        annotator: int,
        position: int,
        item: Row,
        *,
        repeat: bool = False,
        proposal: int | None = None,
    ) -> AssignedScreen:
        cards = len(content_of(item.content).cards)
        values: dict[str, Any] = {
            "annotator": annotator,
            "position": position,
            "item": item.id,
            "repeat": repeat,
            "proposal": proposal,
            "shown": json.dumps(self.store.order(annotator, position, cards)),
            "answered": False,
        }
        number = inserted(connection, schema.assignments, **values)
        self.store.count_screens(connection, annotator, given=1)
        if not repeat and proposal is None:
            connection.execute(_COUNT_ASSIGNED, {"number": item.id})
            after_commit(connection, lambda: self._more_missing(-1))
        return AssignedScreen(
            id=number,
            kind=item.kind,
            content=item.content,
            version=item.version,
            segment=item.segment,
            **values,
        )

    def deal(self, connection: sa.Connection) -> int:
        """Fixed plan: hand out all judgments still needed, evenly; returns their number."""
        table = schema.assignments
        people = [a for a in self.store.annotators(connection) if a.state == "active"]
        seen: dict[int, set[int]] = {a.id: set() for a in people}
        load = {a.id: 0 for a in people}
        for row in connection.execute(sa.select(table.c.annotator, table.c.item)):
            if row.annotator in seen:
                seen[row.annotator].add(row.item)
                load[row.annotator] += 1
        quota = {a.id: a.quota for a in people}
        last = {a.id: self._qualify(connection, a) for a in people}
        dealt = 0
        items = schema.items
        query = sa.select(items).where(items.c.kind.in_(_WORK), items.c.assigned < items.c.needed)
        for item in connection.execute(query.order_by(items.c.place)).all():
            for _ in range(item.needed - item.assigned):
                free = [
                    a for a in load if item.id not in seen[a] and (quota[a] is None or load[a] < quota[a])
                ]
                if not free:
                    break
                chosen = min(free, key=lambda a: (load[a], (a * 7919 + item.id) % 104_729))
                last[chosen] += 1
                self._give(connection, chosen, last[chosen], item)
                seen[chosen].add(item.id)
                load[chosen] += 1
                dealt += 1
                self._deal_repeat(connection, chosen, last)
        return dealt

    def _qualify(self, connection: sa.Connection, annotator: Row) -> int:
        """Give the qualification items if that has not been done; the annotator's last position."""
        table = schema.assignments
        last = connection.scalar(
            sa.select(sa.func.max(table.c.position)).where(table.c.annotator == annotator.id)
        )
        if last is None and annotator.qualified == "no":
            for position, item in enumerate(self.qualification, start=1):
                self._give(connection, annotator.id, position, self._item(connection, item))
            return len(self.qualification)
        return last or 0

    def _deal_repeat(self, connection: sa.Connection, annotator: int, last: dict[int, int]) -> None:
        position = last[annotator] + 1
        random = np.random.default_rng([self.settings.seed, 3, annotator, position])
        if not self.task.can_repeat or random.random() >= self.settings.repeats:
            return
        again = self._repeatable(connection, annotator, position)
        if again is not None:
            self._give(connection, annotator, position, self._item(connection, again), repeat=True)
            last[annotator] = position

    def extend(self, connection: sa.Connection, more: int) -> None:
        """Ask for further judgments of every item, or further screens per annotator if adaptive."""
        items, people = schema.items, schema.annotators
        if self.ranking is None:
            connection.execute(
                sa.update(items).where(items.c.kind.in_(_WORK)).values(needed=items.c.needed + more)
            )
        connection.execute(
            sa.update(people).where(people.c.quota.is_not(None)).values(quota=people.c.quota + more)
        )
        added = self._missing(connection) - self.missing
        after_commit(connection, lambda: self._more_missing(added))
        if self.settings.assignment == "fixed":
            self.deal(connection)

    def reassign(self, connection: sa.Connection, leaver: int, heir: int | None) -> int:
        """Take the unanswered screens from one annotator; a fixed plan's go to the heir."""
        table, items = schema.assignments, schema.items
        query = sa.select(table.c.id, table.c.item, table.c.repeat, table.c.proposal).join(
            items, items.c.id == table.c.item
        )
        query = query.where(
            table.c.annotator == leaver, sa.not_(table.c.answered), items.c.kind.in_(_WORK)
        ).order_by(table.c.position)
        moved = connection.execute(query).all()
        has = set(connection.scalars(sa.select(table.c.item).where(table.c.annotator == heir)))
        last = connection.scalar(sa.select(sa.func.max(table.c.position)).where(table.c.annotator == heir))
        position = last or 0
        people = schema.annotators
        connection.execute(
            sa.update(people).where(people.c.id == leaver).values(given=people.c.given - len(moved))
        )
        for row in moved:
            connection.execute(sa.delete(schema.drafts).where(schema.drafts.c.assignment == row.id))
            connection.execute(sa.delete(table).where(table.c.id == row.id))
            counted = not row.repeat and row.proposal is None
            if counted:
                connection.execute(
                    sa.update(items).where(items.c.id == row.item).values(assigned=items.c.assigned - 1)
                )
                after_commit(connection, lambda: self._more_missing(1))
            fixed = self.settings.assignment == "fixed"
            if fixed and counted and heir is not None and row.item not in has:
                position += 1
                self._give(connection, heir, position, self._item(connection, row.item))
        return len(moved)


_WORK = ("main", "control")
