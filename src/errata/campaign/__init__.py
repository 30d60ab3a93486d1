"""The campaign server: people rank, score and correct in the browser; one process, one file of data."""

from __future__ import annotations

import os


def is_campaign(place: str | os.PathLike[str]) -> bool:
    """Whether this is a campaign's database rather than a file of judgments."""
    name = os.fspath(place)
    if name.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        return True
    try:
        with open(name, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False
