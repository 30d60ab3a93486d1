"""The campaign server: people rank, score and correct in the browser."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata.human.judgments import Judgments
    from errata.human.scalars import Scalars


def reads(place: str | os.PathLike[str]) -> bool:
    """Whether this is a campaign's database rather than a file of judgments."""
    name = os.fspath(place)
    if name.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        return True
    try:
        with open(name, "rb") as file:
            return file.read(16) == b"SQLite format 3\0"
    except OSError:
        return False


def read(place: str | os.PathLike[str]) -> Judgments | Scalars:
    """The judgments of a campaign. This module is the entry point `errata.judgments` of `errata rank`."""
    from errata_server.campaign.export_judgments import read_campaign

    return read_campaign(place)
