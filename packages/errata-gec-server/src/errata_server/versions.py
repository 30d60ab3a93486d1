"""The layout of an application's database: its tables, its version, and the way from earlier versions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.database import Database, reason
from errata_server.places import make_private


@dataclass(frozen=True)
class Layout:
    """Tables with a version, which the application's one-row table stores in the column `stored`."""

    name: str  # what a message calls the database: campaign
    tables: sa.MetaData  # of the present version
    version: int  # the present one
    stored: sa.Column[int]
    # Statements that complete new tables, by SQLAlchemy's name of the kind of database
    guards: Mapping[str, Sequence[str]] = field(default_factory=dict)
    # For every earlier version, what turns a database into the one after it
    migrations: Mapping[int, Callable[[sa.Connection], None]] = field(default_factory=dict)

    def create(self, connection: sa.Connection) -> None:
        """Make the tables in an empty database."""
        if sa.inspect(connection).has_table(self.stored.table.name):
            raise DataError(f"this database holds a {self.name} already")
        self.tables.create_all(connection)
        for statement in self.guards.get(connection.dialect.name, ()):
            connection.exec_driver_sql(statement)

    def found(self, database: Database) -> int:
        """The version of a database; an error where it is of another application or of none."""
        try:
            with database.read() as connection:
                return int(connection.execute(sa.select(self.stored)).scalar_one())
        except (sa.exc.SQLAlchemyError, TypeError, ValueError) as error:
            raise DataError(f"not a {self.name}: {reason(error)}", path=database.shown) from None

    def is_in(self, place: str) -> bool:
        """Whether a database is of this application, of whatever version."""
        with closing(Database(place)) as database:
            try:
                with database.read() as connection:
                    return sa.inspect(connection).has_table(self.stored.table.name)
            except sa.exc.SQLAlchemyError as error:
                raise DataError(f"not a database: {reason(error)}", path=database.shown) from None

    def check(self, database: Database) -> None:
        """An error unless the database has the present version."""
        found = self.found(database)
        if found == self.version:
            return
        raise DataError(
            f"a {self.name} of version {found}, but this release works with version {self.version}",
            path=database.shown,
            hint=f"stop its server, then: errata {self.name} upgrade {database.shown}"
            if found in self.migrations
            else "use the release of errata that made it",
        )

    def upgrade(self, database: Database) -> int:
        """Bring a database to the present version, in one transaction; gives the version it had."""
        before = self.found(database)
        if before != self.version and before not in self.migrations:
            self.check(database)
        with database.write() as connection:
            for version in range(before, self.version):
                self.migrations[version](connection)
                connection.execute(sa.update(self.stored.table).values({self.stored.name: version + 1}))
        if database.is_file:
            make_private(database.place)
        return before
