"""A database with one writer and many readers: SQLite (WAL) by its path, PostgreSQL by its URL."""

from __future__ import annotations

import os
import queue
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar
from urllib.parse import urlsplit

import sqlalchemy as sa

from errata.errors import DataError, needs_extra

T = TypeVar("T")
_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_SUFFIXES = ("", "-wal", "-shm")  # of the files of a SQLite database
# Keys of PostgreSQL's advisory locks, which are per database.
_WRITE_LOCK, _SERVE_LOCK = 0x6572_7261_7461_01, 0x6572_7261_7461_02
_CLAIM_SECONDS = 5.0  # the lock of a killed server may last for a moment
_EFFECTS = "errata after commit"
READERS = 10  # connections


class Database:
    """Transactions of one writer at a time, and of readers, which never wait for others."""

    def __init__(self, place: str | os.PathLike[str], *, create: bool = False) -> None:
        self.place = os.fspath(place)
        self.shown = shown(self.place)
        self.is_file = not is_url(self.place)
        if self.is_file and create:
            _create_private(self.place)
        elif self.is_file and not os.path.isfile(self.place):
            raise DataError(
                "there is no database", path=self.place, hint="check the name, or create it with `new`"
            )
        elif self.is_file and os.path.getsize(self.place) < 2:  # SQLite would make a database of such a file
            raise DataError("not a database: the file is empty", path=self.place, hint="check the name")
        self.writer = self._engine(pool=1)
        self._readers = self._engine(pool=READERS, reading=True)
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
        engine = sa.create_engine(_parsed_url(self.place), pool_pre_ping=True, **limits)
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
    def write(self) -> Iterator[sa.Connection]:
        """A transaction. The effects of `after_commit` run once it is stored."""
        effects: list[Callable[[], None]] = []
        with self.writer.begin() as connection:
            connection.info[_EFFECTS] = effects
            yield connection
        for effect in effects:
            effect()

    def claim(self) -> None:
        """Become the only server of this database until `close`; an error if there is another one."""
        if self.is_file:
            self._lock_file = _locked(f"{self.place}.lock", self.shown)
            return
        self._is_server = True
        self.writer.dispose()
        with self.writer.connect():
            pass  # a new connection takes the lock, see _claim_session

    def _claim_session(self, connection: Any, record: object) -> None:
        """Take the server's lock, which one session can hold, with the writing connection.

        All writing uses this connection, so a server without the lock cannot write.
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
        """Move SQLite's log into its file; within a commit, this would delay all requests."""
        with closing(self._readers.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(PASSIVE)")

    def to_single_file(self) -> None:
        """Close a SQLite database, and leave no log beside it."""
        with closing(self.writer.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA journal_mode=DELETE")
        self.close()

    def disconnect(self) -> None:
        """Close idle connections; they are opened again when needed."""
        for engine in (self.writer, self._readers):
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
            for suffix in _SUFFIXES:
                Path(self.place + suffix).unlink(missing_ok=True)


def part(
    connection: sa.Connection, job: Callable[[sa.Connection], T], name: str = "part"
) -> tuple[T | None, Exception | None]:
    """Run a job as a part of a transaction; if it fails, only its changes and effects are undone.

    Returns the job's result, or its error. `name` is that of the savepoint, which is not released.
    """
    effects = connection.info[_EFFECTS]
    before = len(effects)
    connection.exec_driver_sql(f"SAVEPOINT {name}")  # `begin_nested` compiles its statements every time
    try:
        return job(connection), None
    except Exception as error:
        del effects[before:]
        connection.exec_driver_sql(f"ROLLBACK TO SAVEPOINT {name}")
        return None, error


def after_commit(connection: sa.Connection, effect: Callable[[], None]) -> None:
    """Call `effect` when the present write transaction is stored; never if it fails."""
    connection.info[_EFFECTS].append(effect)


def reason(error: BaseException) -> str:
    """The first line of a database driver's message, without a password."""
    lines = str(getattr(error, "orig", None) or error).strip().split("\n")
    return shown(lines[0]) if lines[0].startswith("postgres") else lines[0]


def _parsed_url(place: str) -> sa.URL:
    with needs_extra("a PostgreSQL database", "postgres", "errata-gec-server"):
        import psycopg  # noqa: F401
    scheme, _, rest = place.partition("://")
    if scheme not in _SCHEMES:
        raise DataError(f"no database is called {scheme!r}", hint="a path (SQLite), or postgresql://…")
    try:
        url = sa.make_url(f"postgresql+psycopg://{rest}")
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
    connection.isolation_level = None  # `Database` begins transactions
    cursor = connection.cursor()
    # FULL: an acknowledged row survives a power cut, not only the end of the process.
    # `checkpoint` moves the log into the file; wal_autocheckpoint is for the case that it cannot keep up.
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
    return DataError("another server has this database", path=place, hint="stop it first")


def is_url(place: str) -> bool:
    return "://" in place


def shown(place: str) -> str:
    """The place without a password, for messages and logs."""
    if not is_url(place):
        return place
    scheme, _, rest = place.partition("://")
    rest = re.sub(r"(?i)((?:ssl)?password=)[^&]*", r"\1***", rest)
    # A password may contain any character, so everything from the first colon to the last @ is hidden.
    address = re.sub(r"^([^:/?#]*):.*@", r"\1:***@", rest, flags=re.DOTALL)
    return f"{scheme}://{address}"


def public_address(url: str) -> str:
    """The address of a server as browsers write it: scheme, host and port, without a path."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise DataError(f"{url!r} is not the address of a server", hint="as in https://judge.example.org")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def _create_private(path: str) -> None:
    """Create an empty file that only its owner can read; an error if it exists already."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise DataError("this file exists already", path=path, hint="choose another name") from None
    except OSError as error:
        raise DataError(f"cannot create the file: {error.strerror}", path=path) from None


Job = Callable[[sa.Connection], Any]
_BATCH = 64
_CHECKPOINT_SECONDS = 1.0


class Writer:
    """Runs jobs in order, many in one transaction (group commit). A failing job affects no other."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._jobs: queue.SimpleQueue[tuple[Job, Future[Any]] | None] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="errata-writer", daemon=True)
        self._thread.start()
        if database.is_file:
            threading.Thread(target=self._checkpoint, name="errata-checkpoints", daemon=True).start()

    def submit(self, job: Callable[[sa.Connection], T]) -> Future[T]:
        """The job's result, known when it is on disk."""
        future: Future[T] = Future()
        self._jobs.put((job, future))
        return future

    def close(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        self._ended.set()

    def _checkpoint(self) -> None:
        while not self._ended.wait(_CHECKPOINT_SECONDS):
            # If another process makes a checkpoint, or the disk is full, the next one moves the log.
            with suppress(sqlite3.Error, sa.exc.SQLAlchemyError):
                self.database.checkpoint()

    def _run(self) -> None:
        while True:
            batch = [self._jobs.get()]
            while len(batch) < _BATCH and batch[-1] is not None and not self._jobs.empty():
                batch.append(self._jobs.get())
            # From here on, a job cannot be cancelled.
            jobs = [entry for entry in batch if entry is not None and entry[1].set_running_or_notify_cancel()]
            if jobs:
                self._commit(jobs)
            if batch[-1] is None:
                return

    def _commit(self, jobs: list[tuple[Job, Future[Any]]]) -> None:
        outcomes: list[tuple[Any, Exception | None]] = []
        try:
            with self.database.write() as connection:
                outcomes += [part(connection, job, f"part{n}") for n, (job, _) in enumerate(jobs)]
                # This fails if the database has ended the transaction, as SQLite may do on a full disk.
                connection.exec_driver_sql("RELEASE SAVEPOINT part0")
        except BaseException as error:  # nothing of the batch is stored
            outcomes = [(None, error)] * len(jobs)  # type: ignore[list-item]
        for (_, future), (result, problem) in zip(jobs, outcomes, strict=True):
            if problem is None:
                future.set_result(result)
            else:
                future.set_exception(problem)
