"""Where a database is: the path of a SQLite file, or the URL of a PostgreSQL database."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import urlsplit

from errata.errors import DataError

_SCHEMES = ("postgresql", "postgres", "postgresql+psycopg")
_SIDE_FILES = ("", "-wal", "-shm")  # what SQLite keeps beside a database


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


def postgres_url(place: str) -> str:
    """The URL in the form that SQLAlchemy needs."""
    scheme, _, rest = place.partition("://")
    if scheme not in _SCHEMES:
        raise DataError(f"no database is called {scheme!r}", hint="a path (SQLite), or postgresql://…")
    return f"postgresql+psycopg://{rest}"


def public_address(url: str) -> str:
    """The address of a server as browsers write it: scheme, host and port, without a path."""
    parts = urlsplit(url.strip())
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.path.strip("/") or parts.query:
        raise DataError(f"{url!r} is not the address of a server", hint="as in https://judge.example.org")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def create_private(path: str) -> None:
    """Create an empty file that only its owner can read; an error where the name is taken."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise DataError(
            "there is a file of this name already", path=path, hint="choose another name"
        ) from None
    except OSError as error:
        raise DataError(f"cannot create the file: {error.strerror}", path=path) from None


def remove(path: str) -> None:
    """Remove a SQLite database and the files beside it."""
    for suffix in _SIDE_FILES:
        Path(path + suffix).unlink(missing_ok=True)
