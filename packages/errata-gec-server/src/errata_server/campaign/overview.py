"""How a campaign stands: progress, speed, controls, agreement and the ranking so far, as tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import sqlalchemy as sa

from errata.human.spans import span_agreement_of_sums
from errata.human.sums import (
    Sums,
    agreement_of_sums,
    rank_scalar_sums,
    rank_sums,
    scalar_agreement_of_sums,
)
from errata.tables import Cell, Column, Table
from errata_server.campaign import schema
from errata_server.campaign.exporting import WORK
from errata_server.campaign.figures import Figures
from errata_server.campaign.flags import said_of
from errata_server.campaign.store import Store

RUNS = 200  # resamples behind the ranges; a live page need not be exact to the last digit


@dataclass(frozen=True)
class Progress:
    """Counts over the whole campaign."""

    state: str
    done: int  # current judgments of items that count
    wanted: int
    annotators: int
    rows: int  # with changes of mind
    missing: int  # judgments that are not in the figures yet


def progress(store: Store, connection: sa.Connection, figures: Figures) -> Progress:
    items = schema.items
    wanted = connection.scalar(sa.select(sa.func.sum(items.c.needed)).where(items.c.kind.in_(WORK)))
    people = [row for row in store.annotators(connection) if row.token_hash is not None]
    total = int(wanted or 0)
    if store.settings.assignment == "adaptive" and store.settings.task != "scalars":
        total = sum(row.quota or 0 for row in people)
    done = int(figures.sums.get(("work",), 0))
    return Progress(
        store.state(connection),
        done,
        max(total, done),
        len(people),
        int(figures.sums.get(("rows",), 0)),
        figures.missing(connection),
    )


def annotator_table(store: Store, connection: sa.Connection, figures: Figures) -> Table:
    """What each annotator has done, how fast, and how controls came out."""
    last = _last_judgments(connection)
    times: dict[int, dict[int, float]] = {}
    for key, number in figures.sums.items():
        if key[0] == "time":
            times.setdefault(int(key[1]), {})[int(key[2])] = number
    rows: list[list[Cell]] = []
    for person in store.annotators(connection):
        get = {name: figures.sums.get((name, person.id), 0) for name in _COUNTS}
        timed = sum(times.get(person.id, {}).values())
        hours = get["seconds"] / 3600
        rows.append(
            [
                person.name,
                person.state if person.qualified == "passed" else f"qualification: {person.qualified}",
                int(get["done"]),
                int(get["skipped"]),
                _median(times.get(person.id, {})),
                timed / hours if hours > 0 else None,
                f"{int(get['failed'])} of {int(get['controls'])}" if get["controls"] else None,
                said_of(int(get["first"]), int(get["fast"]), int(get["longest run"])) or None,
                last.get(person.id, "–")[:16].replace("T", " "),
            ]
        )
    columns = [
        Column("annotator"), Column("state"), Column("done"), Column("skipped"), Column("median s", 1),
        Column("per hour", 0), Column("failed controls"), Column("flags"), Column("last judgment (UTC)"),
    ]  # fmt: skip
    return Table(columns, rows, title="Annotators")


def people_table(store: Store, connection: sa.Connection, figures: Figures) -> Table:
    """The annotators for whoever pays or checks them: ids and codes, consent, work and flags."""
    rows: list[list[Cell]] = []
    for n, person in enumerate(store.annotators(connection), start=1):
        get = {name: figures.sums.get((name, person.id), 0) for name in _COUNTS}
        rows.append(
            [
                person.name, f"judge-{n}", person.state, person.participant, person.code, int(get["done"]),
                round(get["seconds"] / 60, 1), person.consent, person.consented, int(get["fast"]),
                int(get["longest run"]),
                said_of(int(get["first"]), int(get["fast"]), int(get["longest run"])) or None,
            ]
        )  # fmt: skip
    names = (
        "annotator", "judge", "state", "participant", "code", "done", "minutes", "consent", "consent time",
        "fast answers", "longest run", "flags",
    )  # fmt: skip
    return Table([Column(name, 1 if name == "minutes" else None) for name in names], rows)


def _last_judgments(connection: sa.Connection) -> dict[int, str]:
    """When each annotator last judged something; one look into an index per annotator."""
    people, rows = schema.annotators, schema.judgments
    last = (
        sa.select(rows.c.created)
        .where(rows.c.annotator == people.c.id)
        .order_by(rows.c.id.desc())
        .limit(1)
        .scalar_subquery()
    )
    found = connection.execute(sa.select(people.c.id, last))
    return {number: created for number, created in found if created is not None}


def _median(times: dict[int, float]) -> float | None:
    """The median of numbers of tenths of seconds that are counted, in seconds."""
    tenths = np.repeat(list(times), np.array(list(times.values()), dtype=np.int64))
    return float(np.median(tenths)) / 10 if len(tenths) else None


def ranking_so_far(store: Store, sums: Sums) -> Table | None:
    """Systems from best to worst with the range of ranks each may claim; None before there is one."""
    if store.settings.task in ("scalars", "spans"):
        title = "Mean score" if store.settings.task == "scalars" else "Mean score, minus penalties"
        ranking = rank_scalar_sums(sums, runs=RUNS)
    else:
        ranking, title = rank_sums(sums, runs=RUNS), "Expected Wins"
    return None if ranking is None else ranking.table(title)


def agreement_so_far(store: Store, sums: Sums) -> Table | None:
    """Agreement among annotators and with themselves; None where nothing can be compared yet."""
    if store.settings.task == "scalars":
        names = ("Krippendorff's α (interval)", "Pearson by sentence", "Spearman by sentence")
        rows = list(zip(names, scalar_agreement_of_sums(sums), strict=True))
    elif store.settings.task == "spans":
        found_spans = span_agreement_of_sums(sums)
        if not found_spans[-1][1]:
            return None
        alpha = scalar_agreement_of_sums(sums)[0]
        rows = [*found_spans, ("α of penalties (interval)", alpha)]
    else:
        found = agreement_of_sums(sums)
        if not found.inter and not found.intra:
            return None
        rows = [
            ("κ between annotators", found.overall(found.inter)),
            ("κ with oneself", found.overall(found.intra)),
            ("Krippendorff's α", found.alpha),
            ("shared comparisons", sum(k.comparisons for k in found.inter)),
            ("repeated comparisons", sum(k.comparisons for k in found.intra)),
        ]
    kept = [(name, value) for name, value in rows if not math.isnan(value)]
    return Table([Column("measure"), Column("value", 3)], kept, title="Agreement") if kept else None


def correction_table(sums: Sums) -> Table | None:
    """Corrections so far: how many changed the source, how many proofreading changed."""
    if not sums.get(("corrections",)):
        return None
    rows = [
        ("corrections", int(sums["corrections",])),
        ("that change the source", int(sums.get(("corrections", "changed"), 0))),
        ("proofread", int(sums.get(("proofread",), 0))),
        ("that proofreading changed", int(sums.get(("proofread", "changed"), 0))),
        ("whose tokens need a look", int(sums.get(("inexact",), 0))),
    ]
    return Table([Column("what"), Column("number")], rows, title="Corrections")


def tables(store: Store, connection: sa.Connection, figures: Figures) -> list[Table]:
    """Everything there is to say, for `errata campaign status` and the admin page."""
    sums = figures.sums
    if store.settings.task == "correction":
        extra = [correction_table(sums)]
    else:
        extra = [ranking_so_far(store, sums), agreement_so_far(store, sums)]
    return [annotator_table(store, connection, figures), *(table for table in extra if table is not None)]


_COUNTS = ("done", "skipped", "seconds", "controls", "failed", "first", "fast", "longest run")
