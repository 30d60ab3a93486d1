"""A copy of a database while it is in use."""

from __future__ import annotations

import os

import sqlalchemy as sa

from errata.errors import DataError
from errata_server.database import Database, reason
from errata_server.schema_version import Schema


def backup(database: Database, schema: Schema, target: str | os.PathLike[str]) -> None:
    """Copy a SQLite or PostgreSQL database to a new SQLite file, which only its owner can read."""
    name = os.fspath(target)
    if os.path.exists(name):
        raise DataError("there is a file of this name already", path=name, hint="choose another name")
    copy = Database(f"{name}.{os.getpid()}.part", create=True)
    try:
        with database.report() as source, copy.write() as connection:
            schema.create(connection)
            for table in schema.tables.sorted_tables:
                result = source.execution_options(yield_per=1000).execute(sa.select(table)).mappings()
                for rows in result.partitions():
                    connection.execute(sa.insert(table), [dict(row) for row in rows])
        raw = copy.writer.raw_connection()
        raw.cursor().execute("PRAGMA journal_mode=DELETE")  # one file that can be moved
        raw.close()
        copy.close()
        os.replace(copy.place, name)
    except (sa.exc.SQLAlchemyError, OSError) as error:
        copy.discard()
        raise DataError(f"cannot write the copy: {reason(error)}", path=name) from None
    except BaseException:
        copy.discard()
        raise
