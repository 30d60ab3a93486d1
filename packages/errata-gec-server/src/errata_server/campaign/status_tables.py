"""Progress of a campaign and tables of its annotators, for `errata campaign status` and the admin page."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from errata.tables import Cell, Column, Table
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.campaign_statistics import AnnotatorStatistics, Statistics
from errata_server.campaign.campaign_store import WORK, CampaignStore
from errata_server.campaign.quality_flags import flags_text


@dataclass(frozen=True)
class Progress:
    """Counts over the whole campaign."""

    state: str
    done: int  # screens answered, qualification aside
    wanted: int
    annotators: int
    rows: int  # judgments, changes of mind included


def progress(store: CampaignStore, connection: sa.Connection) -> Progress:
    items, given = schema.items, schema.assignments
    wanted = connection.scalar(sa.select(sa.func.sum(items.c.needed)).where(items.c.kind.in_(WORK)))
    everybody = store.annotators(connection)
    people = [row for row in everybody if row.token_hash is not None]
    total = int(wanted or 0)
    if store.task.makes_screens:
        total = sum(row.quota or 0 for row in people)
    qualification = (
        sa.select(sa.func.count())
        .join_from(items, given, given.c.item == items.c.id)
        .where(items.c.kind == "qualification", given.c.answered)
    )
    done = sum(row.done for row in everybody) - int(connection.scalar(qualification) or 0)
    rows = connection.scalar(sa.select(sa.func.count()).select_from(schema.judgments))
    return Progress(store.state(connection), done, max(total, done), len(people), int(rows or 0))


def annotator_table(store: CampaignStore, connection: sa.Connection, statistics: Statistics | None) -> Table:
    """The work of each annotator: how much, how fast, and how controls came out."""
    last = _last_judgments(connection)
    rows: list[list[Cell]] = []
    for person in store.annotators(connection):
        work = _work(statistics, person.id)
        hours = work.seconds / 3600
        rows.append(
            [
                person.name,
                person.state if person.qualified == "passed" else f"qualification: {person.qualified}",
                person.done,
                work.skipped,
                work.median_seconds,
                len(work.times) / hours if hours > 0 else None,
                f"{work.failed_controls} of {work.controls}" if work.controls else None,
                flags_text(work.first_answers, work.fast, work.run.longest) or None,
                last.get(person.id, "–")[:16].replace("T", " "),
            ]
        )
    columns = [
        Column("annotator"), Column("state"), Column("done"), Column("skipped"), Column("median s", 1),
        Column("per hour", 0), Column("failed controls"), Column("flags"), Column("last judgment (UTC)"),
    ]  # fmt: skip
    return Table(columns, rows, title="Annotators")


def people_table(store: CampaignStore, connection: sa.Connection, statistics: Statistics) -> Table:
    """The annotators for those who pay or check them: ids and codes, consent, work and flags."""
    rows: list[list[Cell]] = []
    for number, person in enumerate(store.annotators(connection), start=1):
        work = _work(statistics, person.id)
        rows.append(
            [
                person.name, f"judge-{number}", person.state, person.participant, person.code, work.done,
                round(work.seconds / 60, 1), person.consent, person.consented, work.fast, work.run.longest,
                flags_text(work.first_answers, work.fast, work.run.longest) or None,
            ]
        )  # fmt: skip
    names = (
        "annotator", "judge", "state", "participant", "code", "done", "minutes", "consent", "consent time",
        "fast answers", "longest run", "flags",
    )  # fmt: skip
    return Table([Column(name, 1 if name == "minutes" else None) for name in names], rows)


def _work(statistics: Statistics | None, annotator: int) -> AnnotatorStatistics:
    known = {} if statistics is None else statistics.annotators
    return known.get(annotator, AnnotatorStatistics())


def _last_judgments(connection: sa.Connection) -> dict[int, str]:
    """The time of each annotator's last judgment: one look into an index per annotator."""
    people, rows = schema.annotators, schema.judgments
    last = (
        sa.select(rows.c.created)
        .where(rows.c.annotator == people.c.id)
        .order_by(rows.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    times = connection.execute(sa.select(people.c.id, last))
    return {number: created for number, created in times if created is not None}
