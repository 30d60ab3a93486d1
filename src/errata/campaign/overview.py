"""How a campaign stands: progress, speed, controls, agreement and the ranking so far, as tables."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter, defaultdict
from dataclasses import dataclass

import sqlalchemy as sa

from errata.campaign import schema
from errata.campaign.answers import failed_control
from errata.campaign.exporting import judgments_of, scalars_of
from errata.campaign.store import Store, current_judgments
from errata.errors import DataError
from errata.report.table import Cell, Column, Table

RUNS = 200  # resamples behind the ranges; a live page need not be exact to the last digit


@dataclass(frozen=True)
class Progress:
    """Counts over the whole campaign."""

    state: str
    done: int  # current judgments of items that count
    wanted: int
    annotators: int
    rows: int  # with changes of mind


def progress(store: Store, connection: sa.Connection) -> Progress:
    items, rows = schema.items, schema.judgments
    counted = sa.select(sa.func.count(sa.distinct(rows.c.assignment))).join(items, items.c.id == rows.c.item)
    done = connection.scalar(counted.where(items.c.kind != "qualification")) or 0
    wanted = connection.scalar(sa.select(sa.func.sum(items.c.needed)).where(items.c.kind != "qualification"))
    people = [row for row in store.annotators(connection) if row.token_hash is not None]
    total = int(wanted or 0)
    if store.settings.assignment == "adaptive" and store.settings.task != "scalars":
        total = sum(row.quota or 0 for row in people)
    return Progress(
        store.state(connection),
        int(done),
        max(total, int(done)),
        len(people),
        int(connection.scalar(sa.select(sa.func.count()).select_from(rows)) or 0),
    )


def annotator_table(store: Store, connection: sa.Connection) -> Table:
    """What each annotator has done, how fast, and how controls came out."""
    contents = store.contents(connection)
    by_person = defaultdict(list)
    failures: Counter[int] = Counter()
    controls: Counter[int] = Counter()
    for row in current_judgments(connection):
        by_person[row.annotator].append(row)
        item, content = contents[row.item]
        if item.kind == "control" and row.answer is not None:
            controls[row.annotator] += 1
            failures[row.annotator] += failed_control(content, json.loads(row.answer))
    rows: list[list[Cell]] = []
    for person in store.annotators(connection):
        mine = by_person[person.id]
        seconds = [row.seconds for row in mine if row.seconds is not None]
        hours = sum(seconds) / 3600
        rows.append(
            [
                person.name,
                person.state if person.qualified == "passed" else f"qualification: {person.qualified}",
                len(mine),
                sum(row.skipped is not None for row in mine),
                statistics.median(seconds) if seconds else None,
                len(seconds) / hours if hours else None,
                f"{failures[person.id]} of {controls[person.id]}" if controls[person.id] else None,
                max((row.created for row in mine), default="–")[:16].replace("T", " "),
            ]
        )
    columns = [
        Column("annotator"), Column("state"), Column("done"), Column("skipped"), Column("median s", 1),
        Column("per hour", 0), Column("failed controls"), Column("last judgment (UTC)"),
    ]  # fmt: skip
    return Table(columns, list(rows), title="Annotators")


def ranking_so_far(store: Store, connection: sa.Connection) -> Table | None:
    """Systems from best to worst with the range of ranks each may claim; None before there is one."""
    from errata.human.pairs import pairs_of
    from errata.human.rankings import rank
    from errata.human.scalars import rank_scalars
    from errata.report.rankings import ranking_table

    try:
        if store.settings.task == "scalars":
            scalars = scalars_of(store, connection)
            return ranking_table(rank_scalars(scalars, "mean", runs=RUNS), "Mean score")
        pairs = pairs_of(judgments_of(store, connection).filtered(), "expanded")
        return ranking_table(rank(pairs, "ew", runs=RUNS, jobs=1), "Expected Wins")
    except DataError:
        return None


def agreement_so_far(store: Store, connection: sa.Connection) -> Table | None:
    """Agreement among annotators and with themselves; None where nothing can be compared yet."""
    from errata.human.agreement import agreement, scalar_agreement

    rows: list[list[Cell]] = []
    if store.settings.task == "scalars":
        scalars = scalars_of(store, connection)
        if len(scalars):
            found = scalar_agreement(scalars)
            rows = [
                ["Krippendorff's α (interval)", found.alpha],
                ["Pearson by sentence", found.sentence_pearson],
                ["Spearman by sentence", found.sentence_spearman],
                ["Pearson by system", found.system_pearson],
            ]
    else:
        judged = judgments_of(store, connection).filtered()
        if len(judged):
            result = agreement(judged, minimum=1)
            rows = [
                ["κ between annotators", result.overall(result.inter)],
                ["κ with oneself", result.overall(result.intra)],
                ["Krippendorff's α", result.alpha],
                ["shared comparisons", sum(k.comparisons for k in result.inter)],
                ["repeated comparisons", sum(k.comparisons for k in result.intra)],
            ]
    kept: list[list[Cell]] = [row for row in rows if not (isinstance(row[1], float) and math.isnan(row[1]))]
    return Table([Column("measure"), Column("value", 3)], list(kept), title="Agreement") if kept else None


def correction_table(store: Store, connection: sa.Connection) -> Table | None:
    """Corrections so far: how many changed the source, how many proofreading changed."""
    contents = store.contents(connection)
    rows = [row for row in current_judgments(connection) if row.answer is not None]
    texts = {row.id: json.loads(row.answer)["text"] for row in rows}
    every = {
        row.id: row.answer
        for row in connection.execute(sa.select(schema.judgments))
        if row.answer is not None
    }
    first = [row for row in rows if row.proposal is None and contents[row.item][0].kind != "qualification"]
    second = [row for row in rows if row.proposal is not None]
    if not first:
        return None
    changed = sum(_words(texts[row.id]) != _words(contents[row.item][1].source) for row in first)
    fixed = sum(
        _words(texts[row.id]) != _words(json.loads(every[json.loads(row.answer)["of"]])["text"])
        for row in second
    )
    cells: list[list[Cell]] = [
        ["corrections", len(first)],
        ["that change the source", changed],
        ["proofread", len(second)],
        ["that proofreading changed", fixed],
    ]
    return Table([Column("what"), Column("number")], list(cells), title="Corrections")


def _words(text: str) -> list[str]:
    return text.split()


def tables(store: Store, connection: sa.Connection) -> list[Table]:
    """All there is to say, for `errata campaign status` and the admin page."""
    found = [annotator_table(store, connection)]
    if store.settings.task == "correction":
        extra = [correction_table(store, connection)]
    else:
        extra = [ranking_so_far(store, connection), agreement_so_far(store, connection)]
    return found + [table for table in extra if table is not None]
