"""A database with one writer and separate readers: SQLite (WAL) by path, PostgreSQL by URL."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import IO, Any

import sqlalchemy as sa

from errata.errors import DataError, needs_extra
from errata_server.database_url import create_private, is_url, postgres_url, remove, shown

# Keys of PostgreSQL's advisory locks, which are per database.
_WRITE_LOCK, _SERVE_LOCK = 0x6572_7261_7461_01, 0x6572_7261_7461_02
_CLAIM_SECONDS = 5.0  # a server that was killed may need a moment to disappear
_EFFECTS = "errata after commit"


class Database:
    """Transactions of one writer at a time, and of readers that never wait for it nor for each other.

    Requests read through one pool and reports through another, so that slow reports leave connections to
    those who work.
    """

    def __init__(self, place: str | os.PathLike[str], *, create: bool = False) -> None:
        self.place = os.fspath(place)
        self.shown = shown(self.place)
        self.is_file = not is_url(self.place)
        if self.is_file and create:
            create_private(self.place)
        elif self.is_file and not os.path.isfile(self.place):
            raise DataError(
                "there is no database", path=self.place, hint="check the name, or create it with `new`"
            )
        elif self.is_file and os.path.getsize(self.place) < 2:  # SQLite would make a database of such a file
            raise DataError("not a database: the file is empty", path=self.place, hint="check the name")
        self.writer = self._engine(pool=1)
        self._readers = self._engine(pool=8, reading=True)
        self._reports = self._engine(pool=2, reading=True)
        self._lock_file: IO[bytes] | None = None
        self._is_server = False

    def _engine(self, *, pool: int, reading: bool = False) -> sa.Engine:
        limits: dict[str, Any] = {"pool_size": pool, "max_overflow": 0, "pool_timeout": 60}
        if self.is_file:
            values = {"timeout": 20, "check_same_thread": False}
            url = sa.URL.create("sqlite", database=self.place)
            engine = sa.create_engine(url, poolclass=sa.QueuePool, connect_args=values, **limits)
            sa.event.listen(engine, "connect", _prepare_sqlite)
            begin = "BEGIN" if reading else "BEGIN IMMEDIATE"  # upgrading a lock later could fail halfway
            sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
            return engine
        engine = sa.create_engine(_parsed(self.place), pool_pre_ping=True, **limits)
        if reading:  # all queries of a reader see the same state, as in SQLite
            return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        sa.event.listen(engine, "connect", self._claim_session)
        # Rows get their numbers in the order in which they are committed, as in SQLite.
        lock = f"SELECT pg_advisory_xact_lock({_WRITE_LOCK})"
        sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(lock))
        return engine

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A connection whose queries all see the same state."""
        with self._readers.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def report(self) -> Iterator[sa.Connection]:
        """The same for a reader that takes its time."""
        with self._reports.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction: all of it or nothing. What `after_commit` was given runs once it is stored."""
        effects: list[Callable[[], None]] = []
        with self.writer.begin() as connection:
            connection.info[_EFFECTS] = effects
            yield connection
        for effect in effects:
            effect()

    @contextmanager
    def part(self, connection: sa.Connection) -> Iterator[None]:
        """A part of a transaction that fails alone: what it wrote and its effects are taken back.

        Raises `LostTransactionError` where the database has given up the whole transaction.
        """
        effects = connection.info[_EFFECTS]
        kept = len(effects)
        _within(connection, "SAVEPOINT part")
        try:
            yield
        except BaseException:
            del effects[kept:]
            _within(connection, "ROLLBACK TO SAVEPOINT part")
            raise
        _within(connection, "RELEASE SAVEPOINT part")

    def claim(self) -> None:
        """Be the only server of this database until `close`; an error where there is another one."""
        if self.is_file:
            self._lock_file = _locked(f"{self.place}.lock", self.shown)
            return
        self._is_server = True
        self.writer.dispose()
        with self.writer.connect():
            pass  # a new connection takes the lock, see _claim_session

    def _claim_session(self, connection: Any, record: object) -> None:
        """Give a server's writing connection the lock that only one session can have.

        All writing happens through this connection, so a server that lost the lock cannot write.
        """
        if not self._is_server:
            return
        end = time.monotonic() + _CLAIM_SECONDS
        while not connection.execute(f"SELECT pg_try_advisory_lock({_SERVE_LOCK})").fetchone()[0]:
            if time.monotonic() > end:
                raise _taken(self.shown)
            time.sleep(0.1)
        connection.commit()

    def checkpoint(self) -> None:
        """Move SQLite's log into its file beside the work: within a commit it would delay all requests."""
        with closing(self._readers.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def disconnect(self) -> None:
        """Close idle connections; they are opened again when needed."""
        for engine in (self.writer, self._readers, self._reports):
            engine.dispose()

    def close(self) -> None:
        self.disconnect()
        if self._lock_file is not None:
            self._lock_file.close()
            self._lock_file = None

    def discard(self) -> None:
        """Close a database that could not be completed, and remove its file."""
        self.close()
        if self.is_file:
            remove(self.place)


class LostTransactionError(DataError):
    """A transaction that the database took back by itself, as SQLite may do on a full disk."""


def _within(connection: sa.Connection, statement: str) -> None:
    """Run a statement about a savepoint, which fails where there is no transaction any more."""
    driver: Any = connection.connection.driver_connection
    try:
        if not getattr(driver, "in_transaction", True):  # SQLite would begin another one
            raise LostTransactionError("the transaction was lost")
        driver.execute(statement)
    except connection.dialect.loaded_dbapi.Error as error:
        raise LostTransactionError(f"the transaction was lost: {reason(error)}") from None


def after_commit(connection: sa.Connection, effect: Callable[[], None]) -> None:
    """Run something when the present write transaction is stored, and not at all if it fails."""
    connection.info[_EFFECTS].append(effect)


def reason(error: BaseException) -> str:
    """The first line of what a database driver says, without a password."""
    lines = str(getattr(error, "orig", None) or error).strip().split("\n")
    return shown(lines[0]) if lines[0].startswith("postgres") else lines[0]


def _parsed(place: str) -> sa.URL:
    with needs_extra("a PostgreSQL database", "postgres", "errata-gec-server"):
        import psycopg  # noqa: F401
    wanted = postgres_url(place)
    try:
        url = sa.make_url(wanted)
        if "@" in (url.host or "") or "@" in (url.database or ""):
            raise ValueError("a password with an @")
        return url
    except (sa.exc.ArgumentError, ValueError):  # messages about it would quote a part of the password
        raise DataError(
            "this is not the URL of a PostgreSQL database",
            path=shown(place),
            hint="postgresql://USER@HOST:PORT/NAME; special characters of a password are written as %40",
        ) from None


def _prepare_sqlite(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin where `Database` says
    cursor = connection.cursor()
    # FULL: an acknowledged row survives a power cut too, not only the end of the process.
    # The writer moves the log into the file (see checkpoint); this is for when it cannot keep up.
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=20000",
                   "wal_autocheckpoint=20000"):  # fmt: skip
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _locked(path: str, place: str) -> IO[bytes]:
    """An open file that no other process can lock; the system frees it when the process ends."""
    descriptor = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
    file = os.fdopen(descriptor, "rb+")
    try:
        import fcntl
    except ImportError:  # Windows: a file that is open for writing cannot be removed, but can be shared
        return file
    end = time.monotonic() + _CLAIM_SECONDS
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return file
        except BlockingIOError:
            if time.monotonic() > end:
                file.close()
                raise _taken(place) from None
            time.sleep(0.1)


def _taken(place: str) -> DataError:
    return DataError(
        "another server is serving this database", path=place, hint="stop it first; one process serves it"
    )
