"""Sums over a campaign's judgments, kept up to date by reading only what is new."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

import sqlalchemy as sa

from errata.human.spans import span_sums
from errata.human.sums import Totals, ranking_sums, scalar_sums
from errata_server.campaign import schema
from errata_server.campaign.answers import failed_control
from errata_server.campaign.exporting import WORK, counted_texts, judged_item, system_scores
from errata_server.campaign.flags import Run, is_fast, kind_of_answer
from errata_server.campaign.items import Content, content_of
from errata_server.campaign.store import Store
from errata_server.store import Row

ROWS = 500  # judgments taken in at a time
_NAMED = 400  # numbers named in one query

_given, _items, _rows = schema.assignments, schema.items, schema.judgments
_RUN = (
    "last kind",
    "run",
    "longest run",
)  # of an annotator's answers, see `errata_server.campaign.flags.Run`
_NEEDED = ("id", "item", "annotator", "answer", "shown", "skipped", "revision", "version")
_NEW = (
    sa.select(*(_rows.c[name] for name in _NEEDED), _items.c.segment, _items.c.content)
    .join(_items, _items.c.id == _rows.c.item)
    .where(_rows.c.id > sa.bindparam("upto"))
    .order_by(_rows.c.id)
    .limit(sa.bindparam("most"))
)
_OF_ITEMS = (
    sa.select(_rows, _given.c.proposal, _items.c.segment, _items.c.kind, _items.c.content)
    .join(_given, _given.c.id == _rows.c.assignment)
    .join(_items, _items.c.id == _given.c.item)
    .order_by(_rows.c.id)
)


class Figures:
    """The sums up to the judgment `upto`.

    What the judgments of one segment add depends on them alone (see `errata.human.sums`), so a new
    judgment costs reading those of its segment. Qualification items belong to no segment and stand for
    themselves. `read` counts the rows that were read.
    """

    def __init__(self, store: Store, connection: sa.Connection) -> None:
        self.store = store
        self.upto = self.saved = self.read = 0
        self.sums: Totals = defaultdict(float)
        kept = connection.execute(sa.select(schema.figures)).first()
        if kept is not None:
            self.upto = self.saved = kept.upto
            self.sums.update({tuple(key): number for key, number in json.loads(kept.sums)})

    def missing(self, connection: sa.Connection) -> int:
        """About how many judgments are not in the sums yet."""
        last = connection.scalar(sa.select(sa.func.max(_rows.c.id)))
        return max(0, int(last or 0) - self.upto)

    def take_in(self, connection: sa.Connection, most: int = ROWS) -> int:
        """Add judgments that are not in the sums yet; gives how many there were."""
        new = connection.execute(_NEW, {"upto": self.upto, "most": most}).all()
        if not new:
            return 0
        last = int(new[-1].id)
        self._runs(new)
        change: Totals = defaultdict(float)
        for rows in self._units(connection, new, last):
            self.read += len(rows)
            before = [row for row in rows if row.id <= self.upto]
            for sign, part in ((-1, before), (1, rows)):
                for key, number in self._contribution(part).items():
                    change[key] += sign * number
        for key, number in change.items():
            self.sums[key] += number
            if not self.sums[key]:
                del self.sums[key]
        self.upto = last
        return len(new)

    def _runs(self, new: Sequence[Row]) -> None:
        """Follow runs of the same answer through first answers, in the order in which they came."""
        for row in new:
            if row.revision != 1 or row.version == "imported":
                continue
            who = int(row.annotator)
            run = Run(*(self.sums.get((name, who), 0) for name in _RUN))
            answer = None if row.answer is None else json.loads(row.answer)
            run.add(*kind_of_answer(answer, row.skipped, row.shown, content_of(row.content)))
            for name, value in zip(_RUN, (run.kind, run.length, run.longest), strict=True):
                self.sums[name, who] = value

    def take_in_all(self, connection: sa.Connection) -> None:
        while self.take_in(connection):
            pass

    def snapshot(self) -> tuple[int, str]:
        """The present state, for `keep`."""
        return self.upto, json.dumps([[key, number] for key, number in self.sums.items()])

    def keep(self, connection: sa.Connection, snapshot: tuple[int, str]) -> None:
        """Store a state, so that the next server begins there."""
        upto, sums = snapshot
        connection.execute(sa.delete(schema.figures))
        connection.execute(sa.insert(schema.figures).values(id=1, upto=upto, sums=sums))
        self.saved = upto

    def _units(self, connection: sa.Connection, new: Sequence[Row], last: int) -> Iterator[list[Row]]:
        """All judgments so far of the segments (or qualification items) that the new ones are about."""
        segments = sorted({row.segment for row in new if row.segment is not None})
        alone = sorted({row.item for row in new if row.segment is None})
        for column, numbers in ((_items.c.segment, segments), (_items.c.id, alone)):
            for start in range(0, len(numbers), _NAMED):
                named = column.in_(numbers[start : start + _NAMED])
                units: dict[int, list[Row]] = {}
                for row in connection.execute(_OF_ITEMS.where(named, _rows.c.id <= last)):
                    units.setdefault(row.item if row.segment is None else row.segment, []).append(row)
                yield from units.values()

    def _contribution(self, rows: Sequence[Row]) -> Totals:
        if not rows:
            return defaultdict(float)
        current: dict[int, Row] = {}
        for row in rows:
            other = current.get(row.assignment)
            if other is None or (row.revision, row.id) >= (other.revision, other.id):
                current[row.assignment] = row
        counted = sorted(current.values(), key=lambda row: int(row.id))
        contents = {row.item: content_of(row.content) for row in counted}
        judged = [(row, contents[row.item]) for row in counted if row.kind in WORK and row.answer is not None]
        task = self.store.settings.task
        if task == "correction":
            sums = _correction_sums(rows, judged)
        elif task in ("scalars", "spans"):
            weights = self.store.settings.weights
            sums = scalar_sums(
                (str(row.annotator), *score)
                for row, content in judged
                for score in system_scores(row, content, weights)
            )
            if task == "spans":
                texts = [counted_texts(row, content, str(row.annotator)) for row, content in judged]
                sums.update(span_sums([text for each in texts for _, text in each]))
        else:
            items = [judged_item(row, row, content, str(row.annotator)) for row, content in judged]
            sums = ranking_sums([item for item in items if item is not None])
        sums["rows",] += len(rows)
        for row in rows:
            if row.revision == 1 and row.version != "imported":
                sums["first", int(row.annotator)] += 1
                sums["fast", int(row.annotator)] += is_fast(content_of(row.content), row.seconds)
        for row in counted:
            _count(sums, row, contents[row.item])
        return sums


def _count(sums: Totals, row: Row, content: Content) -> None:
    """What one answer adds to the figures of its annotator."""
    who = int(row.annotator)
    sums["done", who] += 1
    sums["work",] += row.kind != "qualification"
    sums["skipped", who] += row.skipped is not None
    if row.seconds is not None:
        sums["seconds", who] += row.seconds
        sums["time", who, round(10 * row.seconds)] += 1
    if row.kind == "control" and row.answer is not None:
        sums["controls", who] += 1
        sums["failed", who] += failed_control(content, json.loads(row.answer))


def _correction_sums(rows: Sequence[Row], judged: Sequence[tuple[Row, Content]]) -> Totals:
    """Corrections and proofreadings, and how many of them changed something."""
    sums: Totals = defaultdict(float)
    texts = {row.id: json.loads(row.answer)["text"].split() for row in rows if row.answer is not None}
    for row, content in judged:
        kind = "corrections" if row.proposal is None else "proofread"
        of = json.loads(row.answer).get("of")
        earlier = content.source.split() if of is None else texts.get(of)
        sums[kind,] += 1
        sums[kind, "changed"] += texts[row.id] != earlier
        sums["inexact",] += json.loads(row.answer).get("exact") is False
    return sums
