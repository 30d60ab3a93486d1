"""Language packs: models of embedded taggers that come in packages of their own.

A package makes its model known by an entry point of the group `errata.tagger_models`, named after the
language, whose object is the path of the model's file. `tools/taggers/ud.py` writes such packages.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path

GROUP = "errata.tagger_models"


def packed_languages() -> tuple[str, ...]:
    """The languages of the installed packs."""
    return tuple(sorted(entry.name for entry in entry_points(group=GROUP)))


def packed_model(language: str) -> Path:
    """The file of the model of an installed pack."""
    (entry,) = [entry for entry in entry_points(group=GROUP) if entry.name == language][:1]
    return Path(entry.load())
