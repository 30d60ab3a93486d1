"""Judgments that are not in a file of judgments: databases of campaigns, and what third parties add.

A source is an object with `reads(place)` and `read(place)`, such as a module, behind an entry point of the
group `errata.judgments`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from errata.errors import MissingPackageError

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars

_SQLITE = b"SQLite format 3\0"
_POSTGRESQL = ("postgresql://", "postgres://", "postgresql+psycopg://")


class JudgmentSource(Protocol):
    """Reads the judgments of one kind of place, which is a path or an address."""

    def reads(self, place: str) -> bool:
        """Whether this is a place of this kind; it is asked about any path or address."""
        ...

    def read(self, place: str) -> Judgments | Scalars:
        """All judgments there."""
        ...


def judgment_source(place: str | os.PathLike[str]) -> JudgmentSource | None:
    """The source that reads this place, or None for a file of judgments.

    Raises an error that names errata-gec-server for the database of a campaign if that is not installed.
    """
    name = os.fspath(place)
    start = b"" if "://" in name else _first_bytes(name)
    if "://" not in name and b"\0" not in start:
        return None  # text, which needs no search for installed sources
    from importlib.metadata import entry_points

    for entry in entry_points(group="errata.judgments"):
        source: JudgmentSource = entry.load()
        if source.reads(name):
            return source
    if start == _SQLITE or name.startswith(_POSTGRESQL):
        raise MissingPackageError("the database of a campaign", "errata-gec-server")
    return None


def _first_bytes(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read(len(_SQLITE))
    except OSError:
        return b""
