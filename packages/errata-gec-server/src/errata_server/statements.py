"""Statements of the busy path: compiled once, and run by the database's driver.

SQLAlchemy's own way of running a statement takes several times as long as SQLite does.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

Row = Any  # a row of a query, its columns as attributes


class Statement:
    """A statement whose parameters are given by name. Rows come as the driver gives them.

    SQLite has no booleans: it gives 0 and 1.

    Parameters:
        clause: A query, or a change of a table.
        number: The column that numbers the rows of a table, for `inserted`.
    """

    def __init__(self, clause: Any, number: sa.Column[int] | None = None) -> None:
        self._clause = clause
        self._number = number
        self._compiled: dict[str, tuple[str, dict[str, Any]]] = {}  # by the name of the kind of database
        columns = clause.selected_columns if isinstance(clause, sa.Select) else ()
        make: Any = namedtuple  # the columns are known when the program runs
        self._row: Callable[..., Row] = make("Row", [column.key for column in columns])._make

    def run(self, connection: sa.Connection, **values: Any) -> Any:
        """Run it; gives the driver's cursor."""
        dialect = connection.dialect
        text, known = self._compiled.get(dialect.name) or self._compile(dialect)
        driver: Any = connection.connection.driver_connection
        errors = dialect.loaded_dbapi.Error
        try:
            return driver.execute(text, {**known, **values})
        except errors as error:  # as SQLAlchemy would have raised it
            raise sa.exc.DBAPIError.instance(text, None, error, errors, dialect=dialect) from error

    def first(self, connection: sa.Connection, **values: Any) -> Row | None:
        """The first row; None where there is none."""
        found = self.run(connection, **values).fetchone()
        return None if found is None else self._row(found)

    def one(self, connection: sa.Connection, **values: Any) -> Row:
        """The only row."""
        found = self.first(connection, **values)
        if found is None:
            raise sa.exc.NoResultFound("a row was expected, and there is none")
        return found

    def inserted(self, connection: sa.Connection, **values: Any) -> int:
        """Insert a row; gives its number."""
        cursor = self.run(connection, **values)
        return int(cursor.lastrowid if connection.dialect.name == "sqlite" else cursor.fetchone()[0])

    def _compile(self, dialect: sa.Dialect) -> tuple[str, dict[str, Any]]:
        clause = self._clause
        if self._number is not None and dialect.name != "sqlite":
            clause = clause.returning(self._number)
        style = "named" if dialect.name == "sqlite" else "pyformat"
        kind: Any = type(dialect)
        compiled = clause.compile(dialect=kind(paramstyle=style))
        found = self._compiled[dialect.name] = str(compiled), dict(compiled.params)
        return found


def insertion(table: sa.Table) -> Statement:
    """The statement that inserts one row with all columns but its number."""
    (number,) = table.primary_key.columns
    values: dict[str, Any] = {
        column.name: sa.bindparam(column.name) for column in table.c if column is not number
    }
    return Statement(sa.insert(table).values(values), number)
