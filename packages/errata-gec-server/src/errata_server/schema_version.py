"""The schema of an application's database and its version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.database import Database, reason


@dataclass(frozen=True)
class Schema:
    """Tables with a version number, which the application's one-row table stores in `version_column`.

    A database of another version is refused: there are no migrations.
    """

    name: str  # of the application, for messages: campaign, task
    tables: sa.MetaData
    version: int
    version_column: sa.Column[int]
    # Statements that complete new tables, by SQLAlchemy's name of the dialect
    triggers: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def create(self, connection: sa.Connection) -> None:
        """Create the tables in an empty database."""
        if sa.inspect(connection).has_table(self.version_column.table.name):
            raise DataError(f"this database holds a {self.name} already")
        self.tables.create_all(connection)
        for statement in self.triggers.get(connection.dialect.name, ()):
            connection.exec_driver_sql(statement)

    def is_in(self, place: str) -> bool:
        """Whether a database belongs to this application, whatever its version."""
        with closing(Database(place)) as database:
            try:
                with database.read() as connection:
                    return sa.inspect(connection).has_table(self.version_column.table.name)
            except sa.exc.SQLAlchemyError as error:
                raise DataError(f"not a database: {reason(error)}", path=database.shown) from None

    def check(self, database: Database) -> None:
        """Raise an error unless the database belongs to this application and has this version."""
        try:
            with database.read() as connection:
                version = int(connection.execute(sa.select(self.version_column)).scalar_one())
        except (sa.exc.SQLAlchemyError, TypeError, ValueError) as error:
            raise DataError(f"not a {self.name}: {reason(error)}", path=database.shown) from None
        if version != self.version:
            raise DataError(
                f"the {self.name} has schema version {version}, but this release needs {self.version}",
                path=database.shown,
                hint=f"open it with the release of errata that made it, and export its data: "
                f"errata {self.name} export",
            )
