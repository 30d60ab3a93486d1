"""The database of an application (a campaign or a task): schema, head row, links and backups."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import lru_cache
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sa

from errata.errors import DataError, ErrataError
from errata_server.database import Database, reason
from errata_server.sessions import Session, Subject, new_token, token_hash

Row = Any  # a row of a query, its columns as attributes
OpenStore = TypeVar("OpenStore", bound="ApplicationStore")


def now() -> str:
    """The present time as stored, such as 2026-05-31T12:30:00.000Z; texts sort in the order of times."""
    return stored_time(datetime.now(timezone.utc))


def stored_time(time: datetime) -> str:
    """A time in UTC to the millisecond; one without a zone is UTC."""
    if time.tzinfo is None:
        time = time.replace(tzinfo=timezone.utc)
    return time.astimezone(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Schema:
    """Tables with a version number. A database of another version is refused: there are no migrations."""

    name: str  # of the application, for messages: campaign, task
    tables: sa.MetaData
    version: int
    head: sa.Table  # it has one row, which describes the application
    append_only: Sequence[str] = ()  # tables whose rows can be neither changed nor deleted

    def create(self, connection: sa.Connection) -> None:
        """Create the tables in an empty database."""
        if sa.inspect(connection).has_table(self.head.name):
            raise DataError(f"this database holds a {self.name} already")
        self.tables.create_all(connection)
        for statement in _triggers(connection.dialect.name, self.append_only):
            connection.exec_driver_sql(statement)

    def read_head(self, database: Database) -> Row:
        """The head row; an error if the database belongs to another application or version."""
        try:
            with database.read() as connection:
                version = int(connection.execute(sa.select(self.head.c.schema)).scalar_one())
                if version == self.version:
                    return connection.execute(sa.select(self.head)).one()
        except (sa.exc.SQLAlchemyError, TypeError, ValueError) as error:
            raise DataError(f"not a {self.name}: {reason(error)}", path=database.shown) from None
        raise DataError(
            f"the {self.name} has schema version {version}, but this release needs {self.version}",
            path=database.shown,
            hint="open it with the release of errata that created it, and export its data: "
            f"errata {self.name} export",
        )


def _triggers(dialect: str, tables: Sequence[str]) -> list[str]:
    """Statements that make tables append-only."""
    if dialect == "sqlite":
        return [
            f"CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} are append-only'); END"
            for table in tables
            for verb in ("UPDATE", "DELETE")
        ]
    function = (
        "CREATE OR REPLACE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION USING MESSAGE = TG_TABLE_NAME || ' are append-only'; END $$"
    )
    trigger = (
        "CREATE TRIGGER {0}_append_only BEFORE UPDATE OR DELETE ON {0} "
        "FOR EACH ROW EXECUTE FUNCTION append_only()"
    )
    return [function, *(trigger.format(table) for table in tables)]


def head_table(name: str, tables: sa.MetaData, *columns: sa.Column[Any]) -> sa.Table:
    """The table with the one row that describes an application."""
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


def link_columns() -> tuple[sa.Column[Any], ...]:
    """The columns of a person with a secret link."""
    return (
        sa.Column("token_hash", sa.Text, unique=True),  # NULL: cannot sign in
        sa.Column("epoch", sa.Integer, nullable=False, server_default="0"),  # see `errata_server.sessions`
    )


_insertion = lru_cache(sa.insert)  # building the statement takes longer than running it


def inserted(connection: sa.Connection, table: sa.Table, **values: Any) -> int:
    """Insert a row; returns its number."""
    result = connection.execute(_insertion(table), values)
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


@contextmanager
def _damage_reported(place: str) -> Iterator[None]:
    """Report errors of a database whose content is not what it should be as errors of its file."""
    hint = "restore a copy that `errata campaign backup` or `errata task backup` has made"
    try:
        yield
    except DataError as error:
        raise DataError(error.message, path=error.path or place, line=error.line, hint=error.hint) from None
    except ErrataError:
        raise
    except sa.exc.SQLAlchemyError as error:
        raise DataError(f"cannot use the database: {reason(error)}", path=place, hint=hint) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        message = f"the database seems to be damaged: {type(error).__name__}: {error}"
        raise DataError(message, path=place, hint=hint) from error


class ApplicationStore:
    """An open database of an application, which `with` closes."""

    SCHEMA: ClassVar[Schema]
    LINKS: ClassVar[Mapping[str, tuple[sa.Table, str]]]  # role -> table with `link_columns`, first page

    def __init__(self, database: Database, head: Row) -> None:
        self.database = database
        self.place = database.shown
        self.read, self.write = database.read, database.write
        self.name: str = head.name
        self.uid: str = head.uid
        self.url: str | None = head.url

    @classmethod
    def open(cls: type[OpenStore], place: str | os.PathLike[str]) -> OpenStore:
        """Open a database of the present version."""
        database = Database(place)
        try:
            with _damage_reported(database.shown):
                return cls(database, cls.SCHEMA.read_head(database))
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
        """Create a database in one transaction; if that fails, nothing is left.

        Yields the store and the connection that writes it. `columns` are further values of the head row.
        """
        database, head = Database(place, create=True), cls.SCHEMA.head
        row = {"name": name, "uid": uuid.uuid4().hex, "schema": cls.SCHEMA.version, "settings": settings}
        try:
            with database.write() as connection:
                cls.SCHEMA.create(connection)
                values = {**row, "state": "open", "created": now(), "url": url, **columns}
                connection.execute(sa.insert(head).values(values))
                yield cls(database, connection.execute(sa.select(head)).one()), connection
        except BaseException as error:
            database.discard()
            if isinstance(error, sa.exc.SQLAlchemyError):
                raise DataError(f"cannot make the database: {reason(error)}", path=database.shown) from None
            if isinstance(error, DataError):
                raise DataError(error.message, path=error.path or database.shown, hint=error.hint) from None
            raise

    def __enter__(self: OpenStore) -> OpenStore:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self.close()
        if error is not None:
            with _damage_reported(self.place):
                raise error

    def close(self) -> None:
        self.database.close()

    def set_url(self, connection: sa.Connection, url: str) -> None:
        """Remember where browsers find the server."""
        connection.execute(sa.update(self.SCHEMA.head).values(url=url))
        self.url = url

    def state(self, connection: sa.Connection) -> str:
        """The state, such as open or closed."""
        return str(connection.scalar(sa.select(self.SCHEMA.head.c.state)))

    def link_holder(self, connection: sa.Connection, token: str) -> tuple[Session, str] | None:
        """A session of the person whose link has this token, and this person's first page."""
        hashed = token_hash(token)
        for role, (table, page) in self.LINKS.items():
            person = sa.select(table.c.id, table.c.epoch).where(table.c.token_hash == hashed)
            row = connection.execute(person).first()
            if row is not None:
                return Session(Subject(role, row.id), row.epoch), page
        return None

    def epoch(self, connection: sa.Connection, subject: Subject) -> int | None:
        """The epoch in which sessions of a person are valid; None for a person without a link."""
        table = self.LINKS[subject.role][0]
        query = sa.select(table.c.epoch).where(table.c.id == subject.number, table.c.token_hash.is_not(None))
        return connection.scalar(query)

    def end_sessions(self, connection: sa.Connection, subject: Subject, **changes: Any) -> None:
        """End all sessions of a person, and change other columns of the same row."""
        table = self.LINKS[subject.role][0]
        values = {"epoch": table.c.epoch + 1, **changes}
        connection.execute(sa.update(table).where(table.c.id == subject.number).values(values))

    def new_link(self, connection: sa.Connection, subject: Subject) -> str:
        """Replace a person's token; the old one becomes invalid, and sessions end."""
        token = new_token()
        self.end_sessions(connection, subject, token_hash=token_hash(token))
        return token

    def backup(self, target: str | os.PathLike[str]) -> None:
        """Copy the database, even while it is in use, to a new SQLite file that only its owner can read."""
        name = os.fspath(target)
        if os.path.exists(name):
            raise DataError("this file exists already", path=name, hint="choose another name")
        copy = Database(f"{name}.{os.getpid()}.part", create=True)
        try:
            with self.read() as source, copy.write() as connection:
                self.SCHEMA.create(connection)
                for table in self.SCHEMA.tables.sorted_tables:
                    result = source.execution_options(yield_per=1000).execute(sa.select(table)).mappings()
                    for rows in result.partitions():
                        connection.execute(sa.insert(table), [dict(row) for row in rows])
            copy.to_single_file()
            os.replace(copy.place, name)
        except BaseException as error:
            copy.discard()
            if isinstance(error, sa.exc.SQLAlchemyError | OSError):
                raise DataError(f"cannot copy it to {name}: {reason(error)}", path=self.place) from None
            raise
