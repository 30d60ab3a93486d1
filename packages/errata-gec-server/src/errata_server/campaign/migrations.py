"""How campaigns of earlier versions become those of the present one; each step stands for itself."""

from __future__ import annotations

import secrets

import sqlalchemy as sa


def _from_1(connection: sa.Connection) -> None:
    """Version 2: sessions apart from links, sums of judgments, a secret, and versions that tell nothing.

    In version 1 the version of an item was a hash of what it shows, systems' names and right answers
    included: whoever could guess those could check the guess.
    """
    for statement in (
        "ALTER TABLE campaign ADD COLUMN secret TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE campaign ADD COLUMN url TEXT",
        "ALTER TABLE annotators ADD COLUMN given INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE annotators ADD COLUMN done INTEGER NOT NULL DEFAULT 0",
        "UPDATE annotators SET given = (SELECT count(*) FROM assignments WHERE annotator = annotators.id), "
        "done = (SELECT count(*) FROM assignments WHERE annotator = annotators.id AND answered)",
        "CREATE TABLE sessions (hash TEXT NOT NULL PRIMARY KEY, role TEXT NOT NULL, number INTEGER NOT NULL, "
        "began BIGINT NOT NULL)",
        "CREATE INDEX sessions_by_subject ON sessions (role, number, began)",
        "CREATE TABLE figures (id INTEGER NOT NULL PRIMARY KEY, upto INTEGER NOT NULL, sums TEXT NOT NULL)",
        "CREATE INDEX items_by_kind ON items (kind, needed)",
        "CREATE INDEX judgments_by_annotator ON judgments (annotator, id)",
    ):
        connection.exec_driver_sql(statement)
    connection.execute(sa.text("UPDATE campaign SET secret = :secret"), {"secret": secrets.token_hex(16)})
    items = connection.execute(sa.text("SELECT id FROM items")).scalars().all()
    if items:
        connection.execute(
            sa.text("UPDATE items SET version = :version WHERE id = :id"),
            [{"id": item, "version": secrets.token_hex(8)} for item in items],
        )


def _from_2(connection: sa.Connection) -> None:
    """Version 3: samples of segments, consent, people who sign up, and sums with flags."""
    for statement in (
        "ALTER TABLE campaign ADD COLUMN selection TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE campaign ADD COLUMN sign_up TEXT NOT NULL DEFAULT 'closed'",
        "ALTER TABLE campaign ADD COLUMN sign_up_key TEXT",
        "ALTER TABLE campaign ADD COLUMN places INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE annotators ADD COLUMN participant TEXT",
        "ALTER TABLE annotators ADD COLUMN code TEXT",
        "ALTER TABLE annotators ADD COLUMN consent TEXT",
        "ALTER TABLE annotators ADD COLUMN consented TEXT",
        "CREATE UNIQUE INDEX annotators_by_participant ON annotators (participant)",
        "ALTER TABLE segments ADD COLUMN chosen BOOLEAN NOT NULL DEFAULT TRUE",
        "DELETE FROM figures",  # the sums of version 2 have no flags: judgments are counted again
    ):
        connection.exec_driver_sql(statement)


MIGRATIONS = {1: _from_1, 2: _from_2}
