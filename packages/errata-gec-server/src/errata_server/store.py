"""What the stores of applications share: one row that describes the application, and its columns."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.database import Database, reason
from errata_server.schema_version import Schema
from errata_server.timestamps import now

Row = Any  # a row of a query, its columns as attributes
OpenStore = TypeVar("OpenStore", bound="Store")


def head_table(name: str, tables: sa.MetaData, *columns: sa.Column[Any]) -> sa.Table:
    """The table with the one row that describes an application; `columns` are those of its own."""
    return numbered_table(
        name,
        tables,
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("uid", sa.Text, nullable=False),
        sa.Column("schema", sa.Integer, nullable=False),
        sa.Column("settings", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created", sa.Text, nullable=False),
        sa.Column("url", sa.Text),  # where browsers find the server, if it is known
        *columns,
    )


def numbered_table(name: str, tables: sa.MetaData, *parts: sa.schema.SchemaItem) -> sa.Table:
    """A table whose rows get numbers in the order in which they are inserted."""
    return sa.Table(name, tables, sa.Column("id", sa.Integer, primary_key=True), *parts)


def append_only(tables: Sequence[str]) -> dict[str, list[str]]:
    """Triggers that refuse to change or delete rows of these tables, by the kind of database."""
    lite = [
        f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
        for table in tables
        for verb in ("UPDATE", "DELETE")
    ]
    postgres = [
        "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' are append-only'; END $$",
        *(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION append_only()"
            for table in tables
        ),
    ]
    return {"sqlite": lite, "postgresql": postgres}


def inserted(connection: sa.Connection, table: sa.Table, **values: Any) -> int:
    """Insert a row; returns its number."""
    result = connection.execute(sa.insert(table), values)
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


class Store:
    """An open database of an application, which `with` closes; `row` is the one that describes it."""

    SCHEMA: ClassVar[Schema]

    def __init__(self, database: Database, row: Row) -> None:
        self.database = database
        self.place = database.shown
        self.read, self.report, self.write = database.read, database.report, database.write
        self.name: str = row.name
        self.uid: str = row.uid
        self.url: str | None = row.url

    @classmethod
    def open(cls: type[OpenStore], place: str | os.PathLike[str]) -> OpenStore:
        """Open a database of the present version."""
        database = Database(place)
        try:
            cls.SCHEMA.check(database)
            with database.read() as connection:
                return cls(database, connection.execute(sa.select(cls.SCHEMA.version_column.table)).one())
        except BaseException:
            database.close()
            raise

    @classmethod
    @contextmanager
    def create(
        cls: type[OpenStore],
        place: str | os.PathLike[str],
        name: str,
        settings: str,
        url: str | None,
        **columns: Any,
    ) -> Iterator[tuple[OpenStore, sa.Connection]]:
        """Make a database in one transaction, and leave nothing behind where that fails.

        Returns the store and the connection that writes it. `columns` are those of the application's own in
        the row that describes it.
        """
        database, table = Database(place, create=True), cls.SCHEMA.version_column.table
        row = {
            "name": name,
            "uid": uuid.uuid4().hex,
            "schema": cls.SCHEMA.version,
            "settings": settings,
            "state": "open",
            "created": now(),
            "url": url,
        }
        try:
            with database.write() as connection:
                cls.SCHEMA.create(connection)
                connection.execute(sa.insert(table).values({**row, **columns}))
                yield cls(database, connection.execute(sa.select(table)).one()), connection
        except sa.exc.OperationalError as error:
            database.discard()
            raise DataError(f"cannot make the database: {reason(error)}", path=database.shown) from None
        except DataError as error:
            database.discard()
            raise DataError(error.message, path=error.path or database.shown, hint=error.hint) from None
        except BaseException:
            database.discard()
            raise

    def __enter__(self: OpenStore) -> OpenStore:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def set_url(self, connection: sa.Connection, url: str) -> None:
        """Remember where browsers find the server."""
        connection.execute(sa.update(self.SCHEMA.version_column.table).values(url=url))
        self.url = url

    def state(self, connection: sa.Connection) -> str:
        """Such as open or closed."""
        return str(connection.scalar(sa.select(self.SCHEMA.version_column.table.c.state)))
