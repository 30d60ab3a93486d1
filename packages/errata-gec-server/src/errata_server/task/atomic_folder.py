"""Folders that appear only when they are complete."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from errata.errors import DataError


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A folder to fill, which gets its name at the end; nothing is left of it where that fails."""
    target = Path(path)
    if target.exists():
        raise DataError("the folder exists already", path=str(path), hint="choose a new name")
    there = next(folder for folder in target.absolute().parents if folder.exists())
    try:
        beside = tempfile.TemporaryDirectory(dir=there, prefix=f".{target.name}-")
    except OSError as error:
        raise DataError(f"cannot write it: {error.strerror}", path=str(path)) from None
    with beside as temporary:
        filled = Path(temporary, target.name)
        filled.mkdir()
        yield filled
        target.parent.mkdir(parents=True, exist_ok=True)
        filled.rename(target)


def put(path: Path, content: bytes) -> None:
    """Write a file, and make the folders that it is in."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
