"""Statistics of a campaign's judgments, by the same code as `errata rank` and `errata agree`."""

from __future__ import annotations

import json
import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from statistics import median

import numpy as np
import sqlalchemy as sa

from errata.errors import DataError
from errata.human.agreement import agreement, scalar_agreement
from errata.human.corrections import acceptance
from errata.human.edit_labels import LabelledEdit
from errata.human.judgments import Judgments
from errata.human.pairs import expanded_pairs
from errata.human.rankings import METHODS, rank
from errata.human.scalars import METHODS as SCALAR_METHODS
from errata.human.scalars import MarkedScores, Scalars, rank_scalars
from errata.meta.edit_judgments import EditAgreement
from errata.meta.prediction_powered import estimate, observe
from errata.tables import Cell, Column, Table
from errata_server.application_store import Row, now, stored_time
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.answer_validation import PRIVATE
from errata_server.campaign.campaign_store import WORK, CampaignStore, current_judgments, not_erased
from errata_server.campaign.export_judgments import (
    Run,
    Work,
    accepted_of,
    chances_of,
    edit_labels_of,
    flags_text,
    is_fast,
    judgments_of,
    kind_of_answer,
    scalars_of,
)
from errata_server.campaign.items import Content

_MOST_DAYS = 3650  # of a forecast
_NICENESS = 10  # requests of annotators have priority


@dataclass
class AnnotatorStatistics(Work):
    """The work of one annotator, with times and flags."""

    times: list[float] = field(default_factory=list)  # seconds of every screen
    first_answers: int = 0  # without changed and imported ones
    fast: int = 0  # first answers that came too fast
    run: Run = field(default_factory=Run)

    @property
    def seconds(self) -> float:
        return sum(self.times)

    @property
    def median_seconds(self) -> float | None:
        return median(self.times) if self.times else None


@dataclass(frozen=True)
class Statistics:
    """Statistics that need all judgments, up to the judgment `last_judgment`."""

    last_judgment: int  # its number; 0 if there is none
    computed: str  # when
    annotators: Mapping[int, AnnotatorStatistics]
    tables: list[Table]  # ranking and agreement, or corrections
    pace: Pace


def compute_statistics(store: CampaignStore, connection: sa.Connection) -> Statistics:
    """Read all judgments."""
    contents = store.contents(connection)
    annotators: defaultdict[int, AnnotatorStatistics] = defaultdict(AnnotatorStatistics)
    counted = current_judgments(connection)
    for row in counted:
        item, content = contents[row.item]
        person = annotators[row.annotator]
        person.add(store.task, item, row)
        if row.seconds is not None:
            person.times.append(row.seconds)
    rows = schema.judgments
    first = (
        sa.select(rows)
        .where(rows.c.revision == 1, rows.c.version != "imported", not_erased(rows))
        .order_by(rows.c.id)
    )
    for row in connection.execute(first):
        _, content = contents[row.item]
        person = annotators[row.annotator]
        person.first_answers += 1
        person.fast += is_fast(store.task, content, row.seconds)
        answer = None if row.answer is None else json.loads(row.answer)
        person.run.add(*kind_of_answer(store.task, answer, row.skipped, row.shown, content))
    return Statistics(
        last_judgment(connection),
        now(),
        dict(annotators),
        _tables(store, connection, counted, contents),
        pace(connection, progress(store, connection)),
    )


def statistics_of(place: str) -> Statistics:
    """The statistics of a campaign, computed in a separate process."""
    if hasattr(os, "nice"):  # not on Windows
        os.nice(_NICENESS)
    with CampaignStore.open(place) as store, store.read() as connection:
        return compute_statistics(store, connection)


def last_judgment(connection: sa.Connection) -> int:
    """The number of the last judgment; 0 if there is none."""
    return int(connection.scalar(sa.select(sa.func.max(schema.judgments.c.id))) or 0)


def _tables(
    store: CampaignStore,
    connection: sa.Connection,
    counted: list[Row],
    contents: Mapping[int, tuple[Row, Content]],
) -> list[Table]:
    if store.task.result == "corrections":
        tables: list[Table | None] = [_correction_table(connection, counted, contents)]
    elif store.task.result == "acceptance":
        accepted = [row[:3] for row in accepted_of(store, connection)]
        tables = [acceptance(accepted).table()] if accepted else []
    elif store.task.result == "edits":
        tables = _edit_tables([*edit_labels_of(store, connection)])
    elif store.task.result == "scores":
        scalars = scalars_of(store, connection)
        tables = [_scalar_ranking(scalars), _scalar_agreement(scalars)]
        tables += _separations(store, connection, scalars.standardised())
    else:
        judgments = judgments_of(store, connection).filtered()
        tables = [_ranking(judgments), _ranking_agreement(judgments)]
        tables += _separations(store, connection, judgments.filtered(controls="drop"))
    return [table for table in tables if table is not None]


def _edit_tables(labels: Sequence[LabelledEdit]) -> list[Table | None]:
    """The share of useful edits by system, and the agreement about edits that several annotators labelled."""
    if not labels:
        return []
    agreed = EditAgreement(labels, {}, ())
    systems = sorted(agreed.by_system().items(), key=lambda each: -each[1].useful)
    columns = [Column("system"), Column("labels"), Column("useful", 3, "max")]
    table = Table(columns, [(name, row.edits, row.useful) for name, row in systems], "Edits")
    twice = [("edits labelled twice", len(agreed.pairs)), ("Krippendorff's α", agreed.alpha)]
    return [table, _agreement_table(twice) if agreed.pairs else None]


def _ranking(judgments: Judgments) -> Table | None:
    """Expected Wins with rank ranges, as `errata rank` computes them; None before the first pair."""
    pairs = expanded_pairs(judgments)
    return rank(pairs, "ew", jobs=1).table(METHODS["ew"]) if len(pairs) else None


def _scalar_ranking(scalars: Scalars) -> Table | None:
    """Mean z-scores with rank ranges, as `errata rank` computes them; None before the first score."""
    return rank_scalars(scalars, "z").table(SCALAR_METHODS["z"]) if len(scalars) else None


def _separations(store: CampaignStore, connection: sa.Connection, judged: Judgments | Scalars) -> list[Table]:
    """Which systems are separated, by intervals that are valid at any time; with metrics also the scores."""
    segments = store.segments(connection)
    if (
        not len(judged)
        or len(judged.systems) < 2
        or not all(set(judged.systems) <= set(each.outputs) for each in segments)
    ):
        return []  # judgments of other systems were imported
    names = store.settings.metrics
    outputs = {system: [each.outputs[system] for each in segments] for system in judged.systems}
    sentences = [
        {system: np.array([each.scores[name][system] for each in segments]) for system in judged.systems}
        for name in names
    ]
    chances = None
    if isinstance(judged, Judgments):
        chances = chances_of(store, connection, {each.id: each for each in segments})
    try:
        scores = estimate(observe(judged, outputs, sentences, chances=chances))
    except DataError as error:
        return [Table([Column("better"), Column("worse")], [], "Pairs of systems", [error.message])]
    planned = store.settings.planned or 2
    tables = []
    if names:
        title = "Win rate" if isinstance(judged, Judgments) else "Mean score (z)"
        tables.append(
            scores.table(judged.systems, title, [f"with {', '.join(names)}"], level=0.95, planned=planned)
        )
    return [*tables, scores.separations(judged.systems, len(judged), planned=planned)]


def _ranking_agreement(judgments: Judgments) -> Table | None:
    agreed = agreement(judgments, minimum=1)
    rows = [
        ("κ between annotators", agreed.overall(agreed.inter)),
        ("κ with oneself", agreed.overall(agreed.intra)),
        ("Krippendorff's α", agreed.alpha),
        ("shared comparisons", sum(kappa.comparisons for kappa in agreed.inter)),
        ("repeated comparisons", sum(kappa.comparisons for kappa in agreed.intra)),
    ]
    return _agreement_table(rows) if agreed.inter or agreed.intra else None


def _scalar_agreement(scalars: Scalars) -> Table | None:
    if not len(scalars):
        return None
    agreed = scalar_agreement(scalars, samples=1)  # samples are for correlations that are not shown
    if isinstance(scalars, MarkedScores):
        spans = scalars.agreement()
        return _agreement_table([*spans, ("α of scores (interval)", agreed.alpha)]) if spans[-1][1] else None
    return _agreement_table(
        [
            ("Krippendorff's α (interval)", agreed.alpha),
            ("Pearson by sentence", agreed.sentence_pearson),
            ("Spearman by sentence", agreed.sentence_spearman),
        ]
    )


def _agreement_table(rows: list[tuple[str, float]]) -> Table | None:
    measures = [(name, value) for name, value in rows if not math.isnan(value)]
    return Table([Column("measure"), Column("value", 3)], measures, title="Agreement") if measures else None


def _correction_table(
    connection: sa.Connection, counted: list[Row], contents: Mapping[int, tuple[Row, Content]]
) -> Table | None:
    """The number of corrections that changed the source, and that proofreading changed."""
    rows = schema.judgments
    answers = connection.execute(sa.select(rows.c.id, rows.c.answer).where(rows.c.answer.is_not(None)))
    texts = {row.id: json.loads(row.answer)["text"].split() for row in answers}
    corrections = changed = proofread = rewritten = inexact = 0
    for row in counted:
        item, content = contents[row.item]
        if item.kind not in WORK or row.answer is None:
            continue
        answer = json.loads(row.answer)
        inexact += answer.get("exact") is False
        if row.proposal is None:
            corrections += 1
            changed += texts[row.id] != content.source.split()
        else:
            proofread += 1
            rewritten += texts[row.id] != texts.get(answer.get("of"))
    counts = [
        ("corrections", corrections),
        ("that change the source", changed),
        ("proofread", proofread),
        ("that proofreading changed", rewritten),
        ("whose tokens must be checked", inexact),
        ("skipped as private", sum(row.skipped == PRIVATE for row in counted)),
    ]
    return Table([Column("what"), Column("number")], counts, title="Corrections") if corrections else None


@dataclass(frozen=True)
class Progress:
    """Counts over the whole campaign."""

    state: str
    done: int  # screens answered, without qualification
    wanted: int
    annotators: int
    rows: int  # judgments, changed answers included


def progress(store: CampaignStore, connection: sa.Connection) -> Progress:
    items, assigned = schema.items, schema.assignments
    wanted = connection.scalar(sa.select(sa.func.sum(items.c.needed)).where(items.c.kind.in_(WORK)))
    people = [row for row in store.annotators(connection) if row.token_hash is not None]
    total = int(wanted or 0)
    if store.task.makes_screens:
        total = sum(row.quota or 0 for row in people)
    qualification = (
        sa.select(sa.func.count())
        .join_from(items, assigned, assigned.c.item == items.c.id)
        .where(items.c.kind == "qualification", assigned.c.answered)
    )
    done = sum(store.answered(connection).values()) - int(connection.scalar(qualification) or 0)
    rows = connection.scalar(sa.select(sa.func.count()).select_from(schema.judgments))
    return Progress(store.state(connection), done, max(total, done), len(people), int(rows or 0))


@dataclass(frozen=True)
class Pace:
    """First answers by day, and when the campaign ends if they go on at this pace."""

    days: Mapping[str, int]  # date -> answers, imported ones left out
    per_day: float
    end: str | None  # None if nothing is left, or too little has been done to say

    @property
    def bars(self) -> list[tuple[str, int, float]]:
        """The last thirty days with answers, each with its share of the busiest one."""
        most = max(self.days.values(), default=1)
        return [(day, count, 100 * count / most) for day, count in sorted(self.days.items())[-30:]]


def pace(connection: sa.Connection, counts: Progress) -> Pace:
    """The pace since the first answer; less than an hour says nothing about the end."""
    rows, people = schema.judgments, schema.annotators
    firsts = (
        sa.select(rows.c.assignment, sa.func.min(rows.c.created).label("created"))
        .join(people, people.c.id == rows.c.annotator)
        .where(people.c.state != "imported")
        .group_by(rows.c.assignment)
        .subquery()
    )
    day = sa.func.substr(firsts.c.created, 1, 10)
    days = {row[0]: row[1] for row in connection.execute(sa.select(day, sa.func.count()).group_by(day))}
    first = connection.scalar(sa.select(sa.func.min(firsts.c.created)))
    time = datetime.fromisoformat(now().replace("Z", "+00:00"))
    elapsed = time - datetime.fromisoformat((first or now()).replace("Z", "+00:00"))
    left = counts.wanted - counts.done
    if elapsed < timedelta(hours=1):
        return Pace(days, 0.0, None)
    per_day = sum(days.values()) / (elapsed / timedelta(days=1))
    remaining = timedelta(days=min(left / per_day, _MOST_DAYS))
    return Pace(days, per_day, stored_time(time + remaining) if left else None)


def annotator_table(store: CampaignStore, connection: sa.Connection, statistics: Statistics | None) -> Table:
    """The work of each annotator: amount, speed and controls."""
    last, answered = _last_judgments(connection), store.answered(connection)
    rows: list[list[Cell]] = []
    for person in store.annotators(connection):
        work = _work(statistics, person.id)
        hours = work.seconds / 3600
        rows.append(
            [
                person.name,
                person.state if person.qualified == "passed" else f"qualification: {person.qualified}",
                answered.get(person.id, 0),
                work.skipped,
                work.median_seconds,
                len(work.times) / hours if hours > 0 else None,
                f"{work.failed_controls} of {work.controls}" if work.controls else None,
                flags_text(work.first_answers, work.fast, work.run.longest, work.lacks(store.settings))
                or None,
                last.get(person.id, "–")[:16].replace("T", " "),
            ]
        )
    columns = [
        Column("annotator"), Column("state"), Column("done"), Column("skipped"), Column("median s", 1),
        Column("per hour", 0), Column("failed controls"), Column("flags"), Column("last judgment (UTC)"),
    ]  # fmt: skip
    return Table(columns, rows, title="Annotators")


def people_table(store: CampaignStore, connection: sa.Connection, statistics: Statistics) -> Table:
    """The annotators, for payment and checks: ids and codes, consent, work and flags."""
    rows: list[list[Cell]] = []
    for number, person in enumerate(store.annotators(connection), start=1):
        work = _work(statistics, person.id)
        rows.append(
            [
                person.name, f"judge-{number}", person.state, person.participant, person.code, work.done,
                round(work.seconds / 60, 1), person.consent, person.consented,
                person.withdrawn, work.fast, work.run.longest,
                _flags(store, work), None if person.grade is None else round(person.grade, 3),
            ]
        )  # fmt: skip
    names = (
        "annotator", "judge", "state", "participant", "code", "done", "minutes", "consent", "consent time",
        "withdrawn",
        "fast answers", "longest run", "flags", "qualification grade",
    )  # fmt: skip
    return Table([Column(name, 1 if name == "minutes" else None) for name in names], rows)


def _flags(store: CampaignStore, work: AnnotatorStatistics) -> str | None:
    reasons = work.lacks(store.settings)
    return flags_text(work.first_answers, work.fast, work.run.longest, reasons) or None


def _work(statistics: Statistics | None, annotator: int) -> AnnotatorStatistics:
    computed = {} if statistics is None else statistics.annotators
    return computed.get(annotator, AnnotatorStatistics())


def _last_judgments(connection: sa.Connection) -> dict[int, str]:
    """The time of each annotator's last judgment, with one index lookup per annotator."""
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
