"""Secret links and signed session cookies.

A link ends with a random token; only its hash is stored. A cookie states who is signed in, until when, and in
which epoch of this person. The key that signs cookies is not in the database, so that a stolen copy of the
database cannot forge any. A session is valid in the person's present epoch: raising it ends all sessions.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import secrets
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from errata.data.registry import folder as data_folder
from errata.errors import DataError
from errata_server.database import Database

DAYS = 60  # until a session ends by itself
KEY_VARIABLE = "ERRATA_SESSION_KEY"
_KEY_CHARACTERS = 32


class Subject(NamedTuple):
    """A person who can sign in: a role and a number within it."""

    role: str
    number: int = 1


class Session(NamedTuple):
    """The content of a cookie with a valid signature."""

    subject: Subject
    epoch: int = 0  # that of a new person


class Signer:
    """Signs and reads the cookies of one application. A cookie is valid for its role only."""

    def __init__(self, key: bytes, application: str) -> None:
        self._key = key
        self._application = application

    def sign(self, session: Session) -> str:
        expires = int(time.time()) + DAYS * 86_400
        text = f"{session.subject.number}.{session.epoch}.{expires}"
        return f"{text}.{self._signature(session.subject.role, text)}"

    def read(self, role: str, cookie: str) -> Session | None:
        """The session; None for a cookie that is invalid, expired, or of another role or application."""
        text, _, signature = cookie.rpartition(".")
        if not hmac.compare_digest(self._signature(role, text).encode(), signature.encode()):
            return None
        number, epoch, expires = map(int, text.split("."))
        return Session(Subject(role, number), epoch) if expires > time.time() else None

    def _signature(self, role: str, text: str) -> str:
        digest = hmac.digest(self._key, f"{self._application}.{role}.{text}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def session_key(database: Database, uid: str) -> bytes:
    """The key of an application: from the environment, or from a file, which is created if it is missing.

    The file is beside a SQLite database, and in the data folder for PostgreSQL.
    """
    key = os.environ.get(KEY_VARIABLE)
    if key is not None:
        if len(key) < _KEY_CHARACTERS:
            hint = f"at least {_KEY_CHARACTERS} random characters, such as those of `openssl rand -hex 32`"
            raise DataError(f"{KEY_VARIABLE} is too short", hint=hint)
        return key.encode()
    path = Path(f"{database.place}.key")
    if not database.is_file:
        path = data_folder() / "session-keys" / f"{uid}.key"
    try:
        if not path.exists():
            _write_key(path)
        return _read_key(path)
    except OSError as error:
        hint = f"make its folder writable, or set {KEY_VARIABLE}"
        raise DataError(f"cannot keep the session key: {error.strerror}", path=path, hint=hint) from None


def _write_key(path: Path) -> None:
    """Write a new key that only its owner can read. The file appears complete, and never replaces another."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_hex(_KEY_CHARACTERS))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was faster, and its key is the one to use
            os.link(part, path)
    finally:
        os.unlink(part)


def _read_key(path: Path) -> bytes:
    """The key in a file; a key that others can read or guess is refused, since it could forge sessions."""
    key = path.read_bytes()
    if len(key) < _KEY_CHARACTERS:
        hint = "remove the file: the server creates a new key, and people sign in again with their links"
        raise DataError("the session key is damaged", path=path, hint=hint)
    if os.name == "posix" and path.stat().st_mode & 0o077:
        hint = f"remove the file to get a new key, or run: chmod 600 {path}"
        raise DataError("other users of this machine can read the session key", path=path, hint=hint)
    return key


def new_token() -> str:
    """192 random bits: too many to guess, so a plain hash of them can be stored."""
    return secrets.token_urlsafe(24)


def token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
