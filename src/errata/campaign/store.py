"""A campaign's database: made once, then read by anyone and written in short transactions."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import numpy as np
import sqlalchemy as sa

from errata.campaign import schema
from errata.campaign.items import Content, Item, Segment, version_of
from errata.campaign.settings import Settings
from errata.campaign.tokens import new_token, same, token_hash
from errata.errors import DataError

Row = Any  # a row of a query, its columns as attributes


def now() -> str:
    """UTC, to the millisecond, as all times are stored."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Store:
    """An open campaign."""

    def __init__(self, engine: sa.Engine, place: str) -> None:
        self.engine = engine
        self.place = place
        self._readers = engine.execution_options(reading=True)
        try:
            with self.read() as connection:
                row = connection.execute(sa.select(schema.campaign)).one()
        except (sa.exc.DatabaseError, sa.exc.NoResultFound) as error:
            engine.dispose()
            reason = str(getattr(error, "orig", error)).strip().split("\n")[0]
            raise DataError(f"not a campaign: {reason}", path=place) from None
        if row.schema != schema.SCHEMA:
            raise DataError(f"a campaign of layout {row.schema}, not {schema.SCHEMA}", path=place)
        self.name: str = row.name
        self.uid: str = row.uid
        self.settings = Settings.from_json(row.settings)

    @classmethod
    def open(cls, place: str | os.PathLike[str]) -> Store:
        return cls(schema.open_engine(place), os.fspath(place))

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection whose queries all see the same state."""
        with self._readers.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction: all of it or nothing."""
        with self.engine.begin() as connection:
            yield connection

    def close(self) -> None:
        self.engine.dispose()

    def state(self, connection: sa.Connection) -> str:
        """open, paused or closed."""
        return str(connection.scalar(sa.select(schema.campaign.c.state)))

    def set_state(self, connection: sa.Connection, state: str) -> None:
        connection.execute(sa.update(schema.campaign).values(state=state))

    def is_admin(self, connection: sa.Connection, token: str) -> bool:
        stored = str(connection.scalar(sa.select(schema.campaign.c.admin_hash)))
        return same(stored, token_hash(token))

    def new_admin_link(self, connection: sa.Connection) -> str:
        token = new_token()
        connection.execute(sa.update(schema.campaign).values(admin_hash=token_hash(token)))
        return token

    def annotator_of(self, connection: sa.Connection, token: str) -> Row | None:
        """The annotator with this token. It is found by its hash, which tells nothing about the token."""
        hashed = token_hash(token)
        table = schema.annotators
        row = connection.execute(sa.select(table).where(table.c.token_hash == hashed)).first()
        return row if row is not None and same(str(row.token_hash), hashed) else None

    def annotators(self, connection: sa.Connection) -> Sequence[Row]:
        return connection.execute(sa.select(schema.annotators).order_by(schema.annotators.c.id)).all()

    def add_annotator(self, connection: sa.Connection, name: str, *, link: bool = True) -> tuple[int, str]:
        """A new annotator's number and token (without `link` nobody can sign in as that one)."""
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
        result = connection.execute(sa.insert(table).values(values))
        assert result.inserted_primary_key is not None
        return int(result.inserted_primary_key[0]), token

    def new_link(self, connection: sa.Connection, annotator: int) -> str:
        """Another token for an annotator; the old one is void."""
        token = new_token()
        self.set_annotator(connection, annotator, token_hash=token_hash(token))
        return token

    def set_annotator(self, connection: sa.Connection, annotator: int, **values: Any) -> None:
        table = schema.annotators
        connection.execute(sa.update(table).where(table.c.id == annotator).values(values))

    def add_items(self, connection: sa.Connection, new: Sequence[Item], places: Sequence[int]) -> None:
        rows = []
        for item, place in zip(new, places, strict=True):
            content = item.content.to_json()
            rows.append(
                {
                    "segment": item.segment,
                    "kind": item.kind,
                    "content": content,
                    "version": version_of(content),
                    "needed": item.needed,
                    "assigned": 0,
                    "place": place,
                }
            )
        if rows:
            connection.execute(sa.insert(schema.items), rows)

    def segments(self, connection: sa.Connection) -> list[Segment]:
        """All segments, with what the systems made of them."""
        import json

        table = schema.segments
        rows = connection.execute(sa.select(table).order_by(table.c.id))
        return [
            Segment(row.id, row.source, row.document, row.reference, json.loads(row.outputs)) for row in rows
        ]

    def contents(self, connection: sa.Connection) -> dict[int, tuple[Row, Content]]:
        """Every item with its content, by number."""
        rows = connection.execute(sa.select(schema.items).order_by(schema.items.c.id))
        return {row.id: (row, Content.from_json(row.content)) for row in rows}


def current_judgments(connection: sa.Connection) -> Sequence[Row]:
    """The row that counts of every assignment (its highest revision, the later one of equals), in order."""
    table, assignments = schema.judgments, schema.assignments
    number = sa.func.row_number().over(
        partition_by=table.c.assignment, order_by=(table.c.revision.desc(), table.c.id.desc())
    )
    ranked = sa.select(table, number.label("number")).subquery()
    columns = [ranked.c[column.name] for column in table.c]
    query = (
        sa.select(*columns, assignments.c.repeat, assignments.c.proposal, assignments.c.position)
        .join(assignments, assignments.c.id == ranked.c.assignment)
        .where(ranked.c.number == 1)
        .order_by(ranked.c.id)
    )
    return connection.execute(query).all()


def create(
    place: str | os.PathLike[str],
    settings: Settings,
    segments: Sequence[Segment],
    items: Sequence[Item],
) -> tuple[Store, dict[str, str], str]:
    """Make a campaign; gives the store, each annotator's token and the admin's, which are not kept."""
    import json

    name = os.fspath(place)
    if not schema.is_url(name) and os.path.exists(name):
        raise DataError("there is a file of this name already", path=name, hint="choose another one")
    engine = schema.open_engine(name, create=True)
    admin = new_token()
    values: Mapping[str, Any] = {
        "name": settings.name,
        "uid": uuid.uuid4().hex,
        "schema": schema.SCHEMA,
        "settings": settings.to_json(),
        "state": "open",
        "admin_hash": token_hash(admin),
        "created": now(),
    }
    try:
        with engine.begin() as connection:
            if sa.inspect(connection).has_table("campaign"):
                raise DataError("this database holds a campaign already", path=name)
            schema.create_tables(connection)
            connection.execute(sa.insert(schema.campaign).values(values))
            rows = [
                {
                    "id": segment.id,
                    "document": segment.document,
                    "source": segment.source,
                    "reference": segment.reference,
                    "outputs": json.dumps(dict(segment.outputs), ensure_ascii=False),
                }
                for segment in segments
            ]
            connection.execute(sa.insert(schema.segments), rows)
        store = Store(engine, name)
        places = np.random.default_rng([settings.seed, 2]).permutation(len(items)).tolist()
        if settings.task in ("scalars", "correction"):  # people read a document from its beginning
            places = list(range(len(items)))
        with store.write() as connection:
            tokens = {name: store.add_annotator(connection, name)[1] for name in settings.annotators}
            store.add_items(connection, items, places)
            if settings.assignment == "fixed":
                from errata.campaign.assignment import Assigner

                Assigner(store, connection).deal(connection)
    except sa.exc.OperationalError as error:
        raise DataError(f"cannot make the database: {str(error.orig).strip()}", path=name) from None
    except BaseException:
        engine.dispose()
        if not schema.is_url(name):
            for suffix in ("", "-wal", "-shm"):
                Path(name + suffix).unlink(missing_ok=True)
        raise
    return store, tokens, admin
