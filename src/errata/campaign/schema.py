"""The tables of a campaign, and how its database is opened: SQLite (WAL) by path, PostgreSQL by URL."""

from __future__ import annotations

import os
from typing import Any

import sqlalchemy as sa

from errata.errors import DataError, MissingExtraError

SCHEMA = 1
metadata = sa.MetaData()

campaign = sa.Table(
    "campaign",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("uid", sa.Text, nullable=False),
    sa.Column("schema", sa.Integer, nullable=False),
    sa.Column("settings", sa.Text, nullable=False),
    sa.Column("state", sa.Text, nullable=False),  # open, paused, closed
    sa.Column("admin_hash", sa.Text, nullable=False),
    sa.Column("created", sa.Text, nullable=False),
)

annotators = sa.Table(
    "annotators",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("token_hash", sa.Text, unique=True),  # NULL: has no link (imported)
    sa.Column("state", sa.Text, nullable=False),  # active, paused
    sa.Column("qualified", sa.Text, nullable=False),  # no, passed, failed
    sa.Column("quota", sa.Integer),
)

segments = sa.Table(
    "segments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),  # its place in the corpus
    sa.Column("document", sa.Text, nullable=False),
    sa.Column("source", sa.Text, nullable=False),
    sa.Column("reference", sa.Text),
    sa.Column("outputs", sa.Text, nullable=False),  # JSON: system -> text
    sa.Index("segments_by_document", "document", "id"),
)

items = sa.Table(
    "items",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("segment", sa.Integer),  # NULL for qualification
    sa.Column("kind", sa.Text, nullable=False),  # main, control, qualification, imported
    sa.Column("content", sa.Text, nullable=False),  # JSON: source, reference, cards, expect, answer
    sa.Column("version", sa.Text, nullable=False),  # hash of the content
    sa.Column("needed", sa.Integer, nullable=False),  # judgments wanted; none of qualification items
    sa.Column("assigned", sa.Integer, nullable=False),  # annotators it has been given to
    sa.Column("place", sa.Integer, nullable=False),  # random order in which items are handed out
    sa.Index("items_by_segment", "segment"),
)

# The items still to be handed out, in the two orders in which that is done.
_open = items.c.assigned < items.c.needed
sa.Index("items_by_need", items.c.assigned, items.c.place, sqlite_where=_open, postgresql_where=_open)
sa.Index("items_by_place", items.c.place, sqlite_where=_open, postgresql_where=_open)

assignments = sa.Table(
    "assignments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("annotator", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("repeat", sa.Boolean, nullable=False),
    sa.Column("proposal", sa.Integer),  # second pass: the judgment to proofread
    sa.Column("shown", sa.Text, nullable=False),  # JSON: the cards in the order of the screen
    sa.Column("answered", sa.Boolean, nullable=False),
    sa.UniqueConstraint("annotator", "position"),
    sa.Index("assignments_open", "annotator", "answered", "position"),
    sa.Index("assignments_by_item", "item", "annotator"),
    sa.Index("assignments_by_proposal", "proposal"),
)

judgments = sa.Table(  # append-only: a change of mind is a new row
    "judgments",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False, unique=True),  # made by the page: a retry is no second row
    sa.Column("assignment", sa.ForeignKey("assignments.id"), nullable=False),
    sa.Column("annotator", sa.ForeignKey("annotators.id"), nullable=False),
    sa.Column("item", sa.ForeignKey("items.id"), nullable=False),
    sa.Column("version", sa.Text, nullable=False),  # of the item that was shown
    sa.Column("revision", sa.Integer, nullable=False),  # the highest of an assignment counts
    sa.Column("answer", sa.Text),  # JSON, cards in the item's order; NULL where skipped
    sa.Column("shown", sa.Text, nullable=False),
    sa.Column("skipped", sa.Text),  # the reason
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("seconds", sa.Float),
    sa.Column("created", sa.Text, nullable=False),
    sa.Index("judgments_by_assignment", "assignment", "revision", "id"),
)

drafts = sa.Table(
    "drafts",
    metadata,
    sa.Column("assignment", sa.ForeignKey("assignments.id"), primary_key=True),
    sa.Column("answer", sa.Text, nullable=False),
)

SQLITE_GUARDS = [
    f"CREATE TRIGGER judgments_no_{verb.lower()} BEFORE {verb} ON judgments "
    "BEGIN SELECT RAISE(ABORT, 'judgments are append-only'); END"
    for verb in ("UPDATE", "DELETE")
]
_POSTGRES_GUARDS = [
    "CREATE OR REPLACE FUNCTION judgments_append_only() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'judgments are append-only'; END $$",
    "CREATE TRIGGER judgments_append_only BEFORE UPDATE OR DELETE ON judgments "
    "FOR EACH ROW EXECUTE FUNCTION judgments_append_only()",
]


def is_url(place: str) -> bool:
    return "://" in place


def open_engine(place: str | os.PathLike[str], *, create: bool = False) -> sa.Engine:
    """The database at a path (SQLite) or URL (postgresql://…); it must be there unless `create`."""
    name = os.fspath(place)
    if is_url(name):
        return _postgres(name)
    if not create and not os.path.isfile(name):
        raise DataError("there is no campaign", path=name, hint="make one: errata campaign new CONFIG")
    engine = sa.create_engine(f"sqlite:///{name}", connect_args={"timeout": 20, "check_same_thread": False})
    sa.event.listen(engine, "connect", _on_connect)
    sa.event.listen(engine, "begin", _on_begin)
    return engine


def _postgres(url: str) -> sa.Engine:
    scheme, _, rest = url.partition("://")
    if scheme not in ("postgresql", "postgres", "postgresql+psycopg"):
        raise DataError(f"no database is called {scheme!r}", hint="a path (SQLite), or postgresql://…")
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtraError("a campaign on PostgreSQL", "postgres") from None
    return sa.create_engine(f"postgresql+psycopg://{rest}", pool_pre_ping=True)


def _on_connect(connection: Any, record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say, see _on_begin
    cursor = connection.cursor()
    # FULL: an acknowledged judgment survives a power cut too, not only the end of the process.
    # The server moves the log into the file by itself (see Writer); this is for when it cannot keep up.
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=20000",
                   "wal_autocheckpoint=20000"):  # fmt: skip
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_begin(connection: sa.Connection) -> None:
    # A transaction that will write takes the lock at once: upgrading later could fail halfway.
    reading = connection.get_execution_options().get("reading", False)
    connection.exec_driver_sql("BEGIN" if reading else "BEGIN IMMEDIATE")


def create_tables(connection: sa.Connection) -> None:
    metadata.create_all(connection)
    for statement in SQLITE_GUARDS if connection.dialect.name == "sqlite" else _POSTGRES_GUARDS:
        connection.exec_driver_sql(statement)
