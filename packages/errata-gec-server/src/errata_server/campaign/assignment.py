"""Assignment of items to annotators: a fixed plan, the least judged item, or the most informative one."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import sqlalchemy as sa

from errata_server.application_store import Row, inserted
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.adaptive import AdaptiveRanking, AdaptiveScalars
from errata_server.campaign.answer_validation import Answer
from errata_server.campaign.campaign_store import CampaignStore, current_judgments, not_erased
from errata_server.campaign.items import Content, Item, content_of, merged
from errata_server.database import after_commit

REPEAT_AFTER = 10  # screens between an item and its repetition
_PREFERRED = 200  # the most uncertain items, of which a free one is chosen
_WORK = ("main", "control")

_assignments, _items, _drafts = schema.assignments, schema.items, schema.drafts


class AssignedScreen(NamedTuple):
    """A screen of an annotator, with its item and the draft of an answer."""

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
    draft: str | None = None


SCREEN = (  # the columns of an AssignedScreen
    sa.select(_assignments, _items.c.kind, _items.c.content, _items.c.version, _items.c.segment)
    .add_columns(_drafts.c.answer.label("draft"))
    .join(_items, _items.c.id == _assignments.c.item)
    .outerjoin(_drafts, _drafts.c.assignment == _assignments.c.id)
)
# Every judgment needs the following statements. Building one takes longer than running it in SQLite, so they
# are built once.
_SCREEN_BY_POSITION = SCREEN.where(
    _assignments.c.annotator == sa.bindparam("annotator"), _assignments.c.position == sa.bindparam("position")
)
_ITEM = sa.select(_items).where(_items.c.id == sa.bindparam("item"))
_COUNT_ASSIGNED = (
    sa.update(_items)
    .where(_items.c.id == sa.bindparam("item"))
    .values(assigned=_items.c.assigned + sa.bindparam("more"))
)
# Items that need judgments and that the annotator has not seen.
_UNSEEN = sa.select(_items).where(
    _items.c.assigned < _items.c.needed,
    sa.not_(
        sa.exists().where(
            _assignments.c.item == _items.c.id, _assignments.c.annotator == sa.bindparam("annotator")
        )
    ),
)
_NEXT_IN_ORDER = _UNSEEN.order_by(_items.c.place).limit(1)
_NEXT_BY_NEED = _UNSEEN.order_by(_items.c.assigned, _items.c.place).limit(1)
_UNSEEN_OF_DOCUMENT = (
    _UNSEEN.join(schema.segments, schema.segments.c.id == _items.c.segment)
    .where(schema.segments.c.document == sa.bindparam("document"))
    .order_by(_items.c.place)
)
_ALL_BY_NEED = _NEXT_BY_NEED.limit(None).execution_options(yield_per=100)


def screen_at(connection: sa.Connection, annotator: int, position: int) -> AssignedScreen | None:
    """The screen of an annotator at a position."""
    place = {"annotator": annotator, "position": position}
    row = connection.execute(_SCREEN_BY_POSITION, place).first()
    return None if row is None else AssignedScreen(*row)


class Assigner:
    """Assigns items. One writer uses it at a time.

    Its state is built from the database, and changes only when a transaction is stored.
    """

    def __init__(self, store: CampaignStore, connection: sa.Connection) -> None:
        self.store = store
        self.settings = store.settings
        self.task = store.task
        first = sa.select(_items).where(_items.c.kind == "qualification").order_by(_items.c.id)
        self.qualification = connection.execute(first).all()
        self.missing = self._missing(connection)
        self.ranking: AdaptiveRanking | None = None
        self.scalars: AdaptiveScalars | None = None
        if self.settings.assignment == "adaptive":
            self._prepare_adaptive(connection)

    def _missing(self, connection: sa.Connection) -> int:
        """The number of judgments still to be assigned."""
        missing = sa.select(sa.func.sum(_items.c.needed - _items.c.assigned)).where(
            _items.c.assigned < _items.c.needed, _items.c.kind.in_(_WORK)
        )
        return int(connection.scalar(missing) or 0)

    def _add_missing(self, more: int) -> None:
        self.missing += more

    def _prepare_adaptive(self, connection: sa.Connection) -> None:
        contents = self.store.contents(connection)
        if not self.task.makes_screens:
            work = {i: content for i, (row, content) in contents.items() if row.kind in _WORK}
            sizes = {i: len(content.cards) for i, content in work.items()}
            whole = self.settings.whole_documents
            documents = [content.document for content in work.values()] if whole else []
            self.scalars = AdaptiveScalars(sizes, self.settings.scale, documents)
        else:
            segments = self.store.segments(connection, chosen=True)
            self.segments = [segment for segment in segments if len(merged(segment.outputs)) > 1]
            self.ranking = AdaptiveRanking(self.settings.judged_systems)
            self.used: Counter[int] = Counter()
            self.seen: dict[int, set[int]] = defaultdict(set)
            for row in connection.execute(sa.select(_assignments.c.annotator, _assignments.c.item)):
                segment = contents[row.item][0].segment
                if segment is not None:
                    self._mark_seen(row.annotator, segment)
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

    def _mark_seen(self, annotator: int, segment: int) -> None:
        self.used[segment] += 1
        self.seen[annotator].add(segment)

    def next(self, connection: sa.Connection, annotator: Row) -> AssignedScreen | None:
        """The screen to work on now: one left open, or a new one; None when there is nothing to do.

        `annotator` has the positions `open` and `last` besides the columns of the table.
        """
        if annotator.qualified == "failed":
            return None
        if annotator.open is not None:
            return screen_at(connection, annotator.id, annotator.open)
        return self._give_next(connection, annotator, annotator.last + 1)

    def _give_next(self, connection: sa.Connection, annotator: Row, position: int) -> AssignedScreen | None:
        """Give an annotator a new screen, if there is one."""
        person = annotator.id
        if annotator.qualified != "passed":
            if position > len(self.qualification):
                return None
            return self._give(connection, person, position, self.qualification[position - 1])
        if annotator.quota is not None and position - len(self.qualification) > annotator.quota:
            return None
        whole = self.settings.whole_documents
        repeated = None if whole else self._give_repeat(connection, person, position)
        if repeated is not None:
            return repeated
        random = self._random(person, position)
        random.random()  # skip the number that decided about a repetition
        item = self._choose(connection, person, random)
        if item is not None and whole:
            return self._give_document(connection, person, position, item)
        if item is not None:
            return self._give(connection, person, position, item)
        first = self._unproofread(connection, person) if self.settings.second_pass else None
        if first is None:
            return None
        item = self._item(connection, first.item)
        return self._give(connection, person, position, item, proposal=int(first.id))

    def _give_document(
        self, connection: sa.Connection, annotator: int, position: int, item: Row
    ) -> AssignedScreen:
        """Give an annotator the document of an item in order, then as many repetitions as are due."""
        values = {"annotator": annotator, "document": content_of(item.content).document}
        items = connection.execute(_UNSEEN_OF_DOCUMENT, values).all()
        screens = [self._give(connection, annotator, position + i, one) for i, one in enumerate(items)]
        self._give_repeats(connection, annotator, position + len(items) - 1, len(items))
        return screens[0]

    def _give_repeats(self, connection: sa.Connection, annotator: int, last: int, screens: int) -> int:
        """Give as many repetitions as are due after some screens; returns the annotator's last position."""
        for _ in range(int(self._random(annotator, last).binomial(screens, self.settings.repeats))):
            last += self._give_repeat(connection, annotator, last + 1, certain=True) is not None
        return last

    def _item(self, connection: sa.Connection, number: int) -> Row:
        return connection.execute(_ITEM, {"item": number}).one()

    def _random(self, annotator: int, position: int) -> np.random.Generator:
        return np.random.default_rng([self.settings.seed, 3, annotator, position])

    def _choose(self, connection: sa.Connection, annotator: int, random: np.random.Generator) -> Row | None:
        """The item to judge next."""
        if self.settings.assignment == "fixed":
            return None  # everything was assigned at the beginning
        if self.ranking is not None:
            return self._adaptive_ranking(connection, annotator, random)
        if self.scalars is not None:
            preferred = self.scalars.order(random)[:_PREFERRED]
            query = _UNSEEN.with_only_columns(_items.c.id).where(_items.c.id.in_(preferred))
            free = set(connection.scalars(query, {"annotator": annotator}))
            best = next((item for item in preferred if item in free), None)
            if best is not None:
                return self._item(connection, best)
        return self._least_judged(connection, annotator)

    def _least_judged(self, connection: sa.Connection, annotator: int) -> Row | None:
        """The unseen item with the fewest judgments, or the next one in the order of the corpus."""
        if self.task.judges_corrections:
            name = self.store.annotator(connection, annotator).name
            with connection.execute(_ALL_BY_NEED, {"annotator": annotator}) as rows:
                return next((row for row in rows if not _is_own(row, name)), None)
        query = _NEXT_IN_ORDER if self.task.in_order else _NEXT_BY_NEED
        return connection.execute(query, {"annotator": annotator}).first()

    def _adaptive_ranking(
        self, connection: sa.Connection, annotator: int, random: np.random.Generator
    ) -> Row | None:
        """Another annotator's item for the overlap, or a new one with systems whose order is uncertain."""
        assert self.ranking is not None
        if random.random() < self.settings.overlap:
            shared = self._least_judged(connection, annotator)
            if shared is not None:
                return shared
        unseen = [segment for segment in self.segments if segment.id not in self.seen[annotator]]
        if not unseen:
            return self._least_judged(connection, annotator)
        fewest = min(self.used[segment.id] for segment in unseen)
        rare = [segment for segment in unseen if self.used[segment.id] == fewest]
        segment = rare[int(random.integers(len(rare)))]
        texts = merged(segment.outputs)
        size = self.task.most_cards or len(texts)
        chosen, chances = self.ranking.draw([card.systems for card in texts], size, random)
        reference = segment.reference if self.settings.show_reference else None
        cards = tuple(texts[i] for i in chosen)
        content: Content = Content(
            segment.source, reference, cards, document=segment.document, chances=chances
        )
        kind = "main"
        if random.random() < self.settings.controls:
            control = self.task.control(content, segment.reference, random)
            content, kind = (content, kind) if control is None else (control, "control")
        needed = 2 if self.settings.people > 1 else 1
        self.store.add_items(connection, [Item(content, kind, segment.id, needed)], [segment.id])
        after_commit(connection, lambda: self._mark_seen(annotator, segment.id))
        return self._item(connection, connection.scalar(sa.select(sa.func.max(_items.c.id))))

    def _unproofread(self, connection: sa.Connection, annotator: int) -> Row | None:
        """Another annotator's correction that is not assigned to a proofreader."""
        second, rows = _assignments.alias("second"), schema.judgments
        query = (
            sa.select(_assignments.c.id, _assignments.c.item)
            .join(_items, _items.c.id == _assignments.c.item)
            .where(
                _assignments.c.annotator != annotator,
                _assignments.c.answered,
                _assignments.c.proposal.is_(None),
                _items.c.kind == "main",
                sa.not_(sa.exists().where(second.c.proposal == _assignments.c.id)),
                sa.exists().where(
                    rows.c.assignment == _assignments.c.id, rows.c.answer.is_not(None), not_erased(rows)
                ),
            )
            .order_by(_assignments.c.id)
            .limit(1)
        )
        return connection.execute(query).first()

    def _give(
        self, connection: sa.Connection, annotator: int, position: int, item: Row,
        *, repeat: bool = False, proposal: int | None = None,
    ) -> AssignedScreen:  # fmt: skip
        """Give an annotator an item."""
        shown = json.dumps(self.store.order(annotator, position, len(content_of(item.content).cards)))
        values = {
            "annotator": annotator, "position": position, "item": item.id, "repeat": repeat,
            "proposal": proposal, "shown": shown, "answered": False,
        }  # fmt: skip
        number = inserted(connection, _assignments, **values)
        if not repeat and proposal is None:
            self._count_assigned(connection, item.id, 1)
        return AssignedScreen(
            number, **values, kind=item.kind, content=item.content, version=item.version, segment=item.segment
        )

    def _count_assigned(self, connection: sa.Connection, item: int, more: int) -> None:
        connection.execute(_COUNT_ASSIGNED, {"item": item, "more": more})
        after_commit(connection, lambda: self._add_missing(-more))

    def _give_repeat(
        self, connection: sa.Connection, annotator: int, position: int, *, certain: bool = False
    ) -> AssignedScreen | None:
        """With the probability `repeats`, or certainly, show the annotator's oldest item a second time."""
        due = certain or self._random(annotator, position).random() < self.settings.repeats
        if not due or not self.task.can_repeat:
            return None
        again = _assignments.alias("again")
        twice = sa.exists().where(
            again.c.item == _assignments.c.item,
            again.c.annotator == annotator,
            again.c.id != _assignments.c.id,
        )
        query = (
            sa.select(_items)
            .join(_assignments, _assignments.c.item == _items.c.id)
            .where(_assignments.c.annotator == annotator, _assignments.c.position <= position - REPEAT_AFTER)
            .where(_items.c.kind == "main", sa.not_(twice))
            .order_by(_assignments.c.position)
            .limit(1)
        )
        item = connection.execute(query).first()
        return None if item is None else self._give(connection, annotator, position, item, repeat=True)

    def deal(self, connection: sa.Connection) -> None:
        """Fixed plan: assign all judgments still needed, evenly."""
        people = [person for person in self.store.annotators(connection) if person.state == "active"]
        seen: dict[int, set[int]] = {person.id: set() for person in people}
        load = {person.id: 0 for person in people}
        for row in connection.execute(sa.select(_assignments.c.annotator, _assignments.c.item)):
            if row.annotator in seen:
                seen[row.annotator].add(row.item)
                load[row.annotator] += 1
        last = {person.id: self._qualify(connection, person) for person in people}
        query = sa.select(_items).where(_items.c.kind.in_(_WORK), _items.c.assigned < _items.c.needed)
        items = connection.execute(query.order_by(_items.c.place)).all()
        for group in self._kept_together(items):
            for turn in range(max(item.needed - item.assigned for item in group)):
                part = [item for item in group if item.needed - item.assigned > turn]
                free = [
                    person.id
                    for person in people
                    if not any(item.id in seen[person.id] for item in part)
                    and (person.quota is None or load[person.id] < person.quota)
                    and not (self.task.judges_corrections and _is_own(part[0], person.name))
                ]
                if not free:
                    break
                chosen = min(free, key=lambda a: (load[a], (a * 7919 + part[0].id) % 104_729))
                for item in part:
                    last[chosen] += 1
                    self._give(connection, chosen, last[chosen], item)
                    seen[chosen].add(item.id)
                    load[chosen] += 1
                last[chosen] = self._give_repeats(connection, chosen, last[chosen], len(part))

    def _kept_together(self, items: Sequence[Row]) -> list[list[Row]]:
        """The items of each document, if documents are kept whole; otherwise every item by itself."""
        if not self.settings.whole_documents:
            return [[item] for item in items]
        groups: dict[str, list[Row]] = {}
        for item in items:
            groups.setdefault(content_of(item.content).document, []).append(item)
        return list(groups.values())

    def _qualify(self, connection: sa.Connection, annotator: Row) -> int:
        """Assign the qualification items unless this was done; returns the annotator's last position."""
        last = self._last_position(connection, annotator.id)
        if last or annotator.qualified != "no":
            return last
        for position, item in enumerate(self.qualification, start=1):
            self._give(connection, annotator.id, position, item)
        return len(self.qualification)

    def _last_position(self, connection: sa.Connection, annotator: int | None) -> int:
        last = sa.select(sa.func.max(_assignments.c.position)).where(_assignments.c.annotator == annotator)
        return int(connection.scalar(last) or 0)

    def extend(self, connection: sa.Connection, more: int) -> None:
        """Request further judgments of every item, or further screens per annotator if adaptive."""
        people = schema.annotators
        if self.ranking is None:
            wanted = sa.update(_items).where(_items.c.kind.in_(_WORK))
            connection.execute(wanted.values(needed=_items.c.needed + more))
        limited = sa.update(people).where(people.c.quota.is_not(None))
        connection.execute(limited.values(quota=people.c.quota + more))
        added = self._missing(connection) - self.missing
        after_commit(connection, lambda: self._add_missing(added))
        if self.settings.assignment == "fixed":
            self.deal(connection)

    def reassign(self, connection: sa.Connection, leaver: int, heir: int | None) -> int:
        """Remove an annotator's unanswered screens; in a fixed plan, `heir` gets them. Their number."""
        unanswered = sa.and_(_assignments.c.annotator == leaver, sa.not_(_assignments.c.answered))
        query = SCREEN.where(unanswered, _items.c.kind.in_(_WORK)).order_by(_assignments.c.position)
        moved = connection.execute(query).all()
        has = set(connection.scalars(sa.select(_assignments.c.item).where(_assignments.c.annotator == heir)))
        position = self._last_position(connection, heir)
        for row in moved:
            connection.execute(sa.delete(_drafts).where(_drafts.c.assignment == row.id))
            connection.execute(sa.delete(_assignments).where(_assignments.c.id == row.id))
            if row.repeat or row.proposal is not None:
                continue
            self._count_assigned(connection, row.item, -1)
            if self.settings.assignment == "fixed" and heir is not None and row.item not in has:
                position += 1
                self._give(connection, heir, position, self._item(connection, row.item))
        return len(moved)


def _is_own(item: Row, name: str) -> bool:
    """Whether an annotator of this name wrote a text of an item."""
    return any(name in card.systems for card in content_of(item.content).cards)
