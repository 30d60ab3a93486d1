"""The database of a campaign: annotators, segments, items and judgments."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import sqlalchemy as sa

from errata.errors import DataError
from errata.tables import Column, Table
from errata_server.application_store import ApplicationStore, Row, inserted
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.annotation_tasks import annotation_task
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.items import Content, Item, Segment, Selection
from errata_server.database import Database
from errata_server.sessions import new_token, token_hash

WORK = ("main", "control", "imported")  # kinds of items whose judgments count


class CampaignStore(ApplicationStore):
    """An open campaign; `row` is its row in the table of that name."""

    SCHEMA = schema.SCHEMA
    LINKS = {"admin": (schema.campaign, "/admin"), "annotator": (schema.annotators, "/work")}  # noqa: RUF012

    def __init__(self, database: Database, row: Row) -> None:
        super().__init__(database, row)
        self.settings = CampaignSettings.from_json(row.settings)
        self.task = annotation_task(self.settings)
        self.selection = Selection(**json.loads(row.selection))
        self._secret = [int(row.secret[i : i + 8], 16) for i in range(0, len(row.secret), 8)]

    def order(self, annotator: int, position: int, cards: int) -> list[int]:
        """The order of the cards on a screen; it cannot be predicted without the campaign's secret."""
        random = np.random.default_rng([*self._secret, annotator, position])
        return [int(place) for place in random.permutation(cards)]

    def set_state(self, connection: sa.Connection, state: str) -> None:
        connection.execute(sa.update(schema.campaign).values(state=state))

    def annotators(self, connection: sa.Connection) -> Sequence[Row]:
        return connection.execute(sa.select(schema.annotators).order_by(schema.annotators.c.id)).all()

    def annotator(self, connection: sa.Connection, number: int) -> Row:
        return connection.execute(sa.select(schema.annotators).where(schema.annotators.c.id == number)).one()

    def add_annotator(self, connection: sa.Connection, name: str, *, link: bool = True) -> tuple[int, str]:
        """A new annotator's number and token (without `link` there is no way to sign in)."""
        table = schema.annotators
        if connection.execute(sa.select(table.c.id).where(table.c.name == name)).first():
            raise DataError(f"there is an annotator {name!r} already")
        token = new_token()
        values = {
            "name": name,
            "token_hash": token_hash(token) if link else None,
            "state": "active" if link else "imported",
            "qualified": "no" if self.settings.qualification and link else "passed",
            "quota": self.settings.quota,
        }
        return inserted(connection, table, **values), token

    def add_participant(self, connection: sa.Connection, participant: str, code: str) -> int:
        """Add an annotator who signed up; returns the annotator's number."""
        number = self.add_annotator(connection, f"participant {participant}")[0]
        self.set_annotator(connection, number, participant=participant, code=code)
        return number

    def taken(self, connection: sa.Connection) -> int:
        """The number of places taken by sign-up. Declining consent frees the place."""
        table = schema.annotators
        query = sa.select(sa.func.count()).where(table.c.participant.is_not(None))
        return int(connection.scalar(query.where(table.c.state != "declined")) or 0)

    def set_sign_up(self, connection: sa.Connection, state: str, places: int | None = None) -> None:
        """Open or close the sign-up; opening it for the first time creates its link."""
        if state == "open" and self.settings.assignment == "fixed":
            raise DataError("a fixed plan has no work for people who sign up")
        table = schema.campaign
        values: dict[str, Any] = {"sign_up": state}
        if places is not None:
            values["places"] = places
        if connection.scalar(sa.select(table.c.sign_up_key)) is None:
            values["sign_up_key"] = new_token()
        connection.execute(sa.update(table).values(values))

    def sign_up_link(self, row: Row, base: str) -> str | None:
        """The link for sign-up; `row` is the campaign's. The platform replaces ID."""
        if row.sign_up_key is None:
            return None
        return f"{base}/join?key={row.sign_up_key}&{self.settings.participant}=ID"

    def link_table(self, tokens: Mapping[str, str], address: str) -> Table:
        """The secret links of the people with these tokens, and the next commands."""
        rows = [(name, f"{address}/enter#{token}") for name, token in tokens.items()]
        notes = [f"start it: errata campaign serve {self.place}", "links are shown once; keep them"]
        if self.settings.places:
            notes.append(f"let people sign up: errata campaign sign-up {self.place} --open")
        notes.append(self.selection.text())
        return Table([Column("annotator"), Column("secret link")], rows, self.name, notes)

    def set_annotator(self, connection: sa.Connection, annotator: int, **values: Any) -> None:
        table = schema.annotators
        connection.execute(sa.update(table).where(table.c.id == annotator).values(values))

    def set_grade(self, connection: sa.Connection, annotator: int, grade: float) -> bool:
        """Store the grade of a qualification; returns whether the annotator has passed."""
        passed = grade >= self.settings.pass_share
        self.set_annotator(connection, annotator, grade=grade, qualified="passed" if passed else "failed")
        return passed

    def answered(self, connection: sa.Connection) -> dict[int, int]:
        """The number of screens that each annotator has answered."""
        table = schema.assignments
        query = sa.select(table.c.annotator, sa.func.count()).where(table.c.answered)
        return {row[0]: row[1] for row in connection.execute(query.group_by(table.c.annotator))}

    def add_items(self, connection: sa.Connection, new: Sequence[Item], places: Sequence[int]) -> None:
        rows = [
            {
                "segment": item.segment, "kind": item.kind, "content": item.content.to_json(),
                "version": secrets.token_hex(8), "needed": item.needed, "assigned": 0, "place": place,
            }
            for item, place in zip(new, places, strict=True)
        ]  # fmt: skip
        if rows:
            connection.execute(sa.insert(schema.items), rows)

    def segments(self, connection: sa.Connection, *, chosen: bool = False) -> list[Segment]:
        """All segments (or only those to be judged), with the outputs of the systems."""
        table = schema.segments
        query = sa.select(table).order_by(table.c.id)
        rows = connection.execute(query.where(table.c.chosen) if chosen else query)
        return [
            Segment(
                row.id, row.source, row.document, row.reference, *map(json.loads, (row.outputs, row.scores))
            )
            for row in rows
        ]

    def contents(self, connection: sa.Connection) -> dict[int, tuple[Row, Content]]:
        """Every item with its content, by number."""
        rows = connection.execute(sa.select(schema.items).order_by(schema.items.c.id))
        return {row.id: (row, Content.from_json(row.content)) for row in rows}


def not_erased(judgments: sa.FromClause) -> sa.ColumnElement[bool]:
    """The judgments without those of people who withdrew their consent and want their answers deleted."""
    people = schema.annotators
    return judgments.c.annotator.not_in(sa.select(people.c.id).where(people.c.erased))


def current_judgments(
    connection: sa.Connection, item: int | None = None, annotator: int | None = None
) -> list[Row]:
    """The row that counts for every assignment: the last one of its highest revision.

    With `item` or `annotator`, only those about one item, or by one annotator.
    """
    table, assignments = schema.judgments, schema.assignments
    number = sa.func.row_number().over(
        partition_by=table.c.assignment, order_by=(table.c.revision.desc(), table.c.id.desc())
    )
    numbered = sa.select(table, number.label("number")).where(not_erased(table))
    if annotator is not None:
        numbered = numbered.where(table.c.annotator == annotator)
    if item is not None:  # by way of the assignments, which have an index
        numbered = numbered.join(assignments, assignments.c.id == table.c.assignment)
        numbered = numbered.where(assignments.c.item == item)
    ranked = numbered.subquery()
    columns = [ranked.c[column.name] for column in table.c]
    query = (
        sa.select(*columns, assignments.c.repeat, assignments.c.proposal, assignments.c.position)
        .join(assignments, assignments.c.id == ranked.c.assignment)
        .where(ranked.c.number == 1)
        .order_by(ranked.c.id)
    )
    return list(connection.execute(query))
