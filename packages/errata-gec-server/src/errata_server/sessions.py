"""Secret links and sessions: long random tokens. Only their hashes are stored, and they can be revoked."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import NamedTuple

import sqlalchemy as sa

DAYS = 60  # that a session lasts
_MOST = 20  # sessions per subject; the oldest ends when another one begins


class Subject(NamedTuple):
    """A person who can sign in: a role and a number within it."""

    role: str
    number: int = 0


class Sessions:
    """The table of sessions. A token is found by its hash, which is all that is stored of it."""

    def __init__(self, tables: sa.MetaData) -> None:
        self.table = sa.Table(
            "sessions",
            tables,
            sa.Column("hash", sa.Text, primary_key=True),
            sa.Column("role", sa.Text, nullable=False),
            sa.Column("number", sa.Integer, nullable=False),
            sa.Column("began", sa.BigInteger, nullable=False),  # milliseconds since 1970
            sa.Index("sessions_by_subject", "role", "number", "began"),
        )
        columns = self.table.c
        self._subject = sa.select(columns.role, columns.number).where(  # built once: every request needs it
            columns.hash == sa.bindparam("hashed"), columns.began >= sa.bindparam("since")
        )

    def begin(self, connection: sa.Connection, subject: Subject) -> str:
        """A new session's token."""
        token, table = new_token(), self.table
        connection.execute(sa.delete(table).where(table.c.began < _now() - DAYS * 86_400_000))
        mine = sa.and_(table.c.role == subject.role, table.c.number == subject.number)
        kept = sa.select(table.c.hash).where(mine).order_by(table.c.began.desc()).limit(_MOST - 1)
        hashes = connection.scalars(kept).all()
        connection.execute(sa.delete(table).where(mine, table.c.hash.not_in(hashes)))
        values = {"hash": token_hash(token), "began": _now(), **subject._asdict()}
        connection.execute(sa.insert(table).values(values))
        return token

    def subject_of(self, connection: sa.Connection, hashed: str) -> Subject | None:
        """The person of a session by the hash of its token; None for an unknown or expired one."""
        since = _now() - DAYS * 86_400_000
        row = connection.execute(self._subject, {"hashed": hashed, "since": since}).first()
        return None if row is None else Subject(row.role, row.number)

    def end(self, connection: sa.Connection, token: str) -> None:
        connection.execute(sa.delete(self.table).where(self.table.c.hash == token_hash(token)))

    def revoke(self, connection: sa.Connection, subject: Subject) -> None:
        """End all sessions of a person."""
        table = self.table
        connection.execute(
            sa.delete(table).where(table.c.role == subject.role, table.c.number == subject.number)
        )


def _now() -> int:
    return int(time.time() * 1000)


def new_token() -> str:
    """192 random bits; too many to guess, so a plain hash of them is safe at rest."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def same(one: str, other: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(one.encode(), other.encode())
