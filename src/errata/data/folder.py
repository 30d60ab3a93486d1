"""The data folder: where it is, what is there, and local copies that were added to it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from errata.corpus.files import open_output
from errata.data.registry import Dataset, dataset
from errata.errors import DataError

ADDED = "added.json"
LOCK = "lock.json"


def folder() -> Path:
    """The data folder: `ERRATA_DATA`, or the platform's folder for a user's data."""
    given = os.environ.get("ERRATA_DATA")
    if given:
        return Path(given).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "errata"


def place(entry: Dataset) -> Path:
    """Where a data set is, or would be fetched to."""
    added = read_json(folder() / ADDED).get(entry.name)
    return Path(added) if added else folder() / entry.place


def missing(entry: Dataset, where: Path) -> list[str]:
    """The expected files that a folder lacks."""
    return [name for name in entry.expected if not any(where.glob(name))]


def state(entry: Dataset) -> str:
    """`here`, `added` (a local copy elsewhere), `incomplete`, or nothing."""
    where = place(entry)
    lacking = missing(entry, where)
    if not lacking:
        return "added" if where != folder() / entry.place else "here"
    return "incomplete" if len(lacking) < len(entry.expected) else ""


def path(name: str) -> Path:
    """The folder of a data set that was fetched or added; raises with what to do otherwise."""
    entry = dataset(name)
    where = place(entry)
    lacking = missing(entry, where)
    if not lacking:
        return where
    found = f"not complete: {lacking[0]} is missing" if where.is_dir() else "not here yet"
    get = "see `errata data show" if entry.how else "errata data fetch"
    raise DataError(
        f"the data set {name} is {found}",
        path=where,
        hint=f"{get} {name}{'`' if entry.how else ''}, or use a copy: errata data add {name} FOLDER",
    )


def add(name: str, where: str | os.PathLike[str]) -> Path:
    """Use a local copy of a data set from now on; it must have the expected files."""
    entry = dataset(name)
    copy = Path(where).expanduser().resolve()
    lacking = missing(entry, copy)
    if lacking:
        raise DataError(
            f"not a copy of {name}: {lacking[0]} is missing"
            + (f", and {len(lacking) - 1} more" if len(lacking) > 1 else ""),
            path=copy,
            hint=f"expected there: {', '.join(entry.expected)}",
        )
    added = read_json(folder() / ADDED)
    added[name] = str(copy)
    write_json(folder() / ADDED, added)
    return copy


def read_json(file: Path) -> dict[str, Any]:
    """A small table kept in the data folder; empty if there is none."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read it: {error}", path=file, hint="repair or remove it") from None
    return found if isinstance(found, dict) else {}


def write_json(file: Path, table: dict[str, Any]) -> None:
    """Replace the table in one step."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(json.dumps(table, indent=1, sort_keys=True) + "\n")
    except (OSError, DataError) as error:
        hint = "set ERRATA_DATA to a folder you may write to"
        message = error.message if isinstance(error, DataError) else f"cannot write it: {error.strerror}"
        raise DataError(message, path=file, hint=hint) from None
