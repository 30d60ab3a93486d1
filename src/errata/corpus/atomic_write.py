"""Atomic writing: a file or folder appears complete or not at all, and a failure leaves the old file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from errata.errors import DataError

_DESCRIPTORS = {"/dev/stdout": 1, "/dev/stderr": 2}
_protected: set[tuple[int, int]] | None = None  # device and inode of the files that a command reads
_NUMBERED = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")


@contextmanager
def protected(paths: Iterable[str]) -> Iterator[None]:
    """Refuse to replace these files, and those that `protect` adds, in this context."""
    global _protected
    before, _protected = _protected, set()
    try:
        protect(paths)
        yield
    finally:
        _protected = before


def protect(paths: Iterable[str], *, replace: bool = False) -> None:
    """Add files that a command reads, or leave them out again for a repair in place; no effect elsewhere."""
    if _protected is not None:
        files = {(status.st_dev, status.st_ino) for status in map(os.stat, filter(os.path.exists, paths))}
        (_protected.difference_update if replace else _protected.update)(files)


@contextmanager
def replacement(name: str) -> Iterator[BinaryIO]:
    """Write bytes to a file, which is replaced in one step once they are all on the disk.

    A symbolic link stays, and the file it leads to is replaced; devices, pipes and open descriptors
    (`/dev/stdout`) are written to as they are. A replaced file keeps its permissions. If anything fails,
    the old file is untouched and nothing new is left behind.
    """
    try:
        with _direct(name) or _beside(os.path.realpath(name)) as file:
            yield file
    except OSError as error:  # the folder is missing, or the disk is full
        hint = "check the folder" if isinstance(error, (FileNotFoundError, NotADirectoryError)) else None
        raise DataError(f"cannot write it: {error.strerror or error}", path=name, hint=hint) from None


def _direct(name: str) -> BinaryIO | None:
    """An open descriptor, device or pipe to write to; None for a file that can be replaced."""
    numbered = _NUMBERED.fullmatch(name)
    descriptor = int(numbered[1]) if numbered else _DESCRIPTORS.get(name)
    if descriptor is not None:
        return os.fdopen(os.dup(descriptor), "wb")
    try:
        mode = os.stat(name).st_mode
    except FileNotFoundError:
        mode = stat.S_IFDIR if name.endswith("/") else stat.S_IFREG
    if stat.S_ISDIR(mode):
        raise DataError("cannot write it: it is a folder", path=name)
    return None if stat.S_ISREG(mode) else open(name, "wb")


@contextmanager
def _beside(path: str) -> Iterator[BinaryIO]:
    """A new file in the folder of the file that it will replace; its name cannot be guessed."""
    folder, base = os.path.split(path)
    before = _replaced_status(path)
    temporary = os.path.join(folder, f".{base[:40]}.{os.urandom(8).hex()}.part")
    part = open(temporary, "xb")  # noqa: SIM115 (closed below)
    try:
        with part:
            if before is not None and os.name == "posix":
                with suppress(PermissionError):  # only root can give a file to another owner
                    os.fchown(part.fileno(), before.st_uid, before.st_gid)
                os.fchmod(part.fileno(), stat.S_IMODE(before.st_mode))
            yield part
        with open(temporary, "r+b") as done:  # the caller may have closed the other one
            os.fsync(done.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    _sync(folder)


def _replaced_status(path: str) -> os.stat_result | None:
    """The status of the file to replace; None if there is none."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if not os.access(path, os.W_OK):
        raise PermissionError(13, "it is there, and you may not write to it")
    if (status.st_dev, status.st_ino) in (_protected or ()):
        raise DataError("cannot write it: this command reads it", path=path, hint="give another name")
    return status


def _sync(folder: str) -> None:
    """Make the new name of a file survive a crash of the machine, where the file system can."""
    with suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def new_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new folder, which gets its name when the block ends; after an error, nothing is left of it."""
    import tempfile  # only here, because it takes some milliseconds

    target = Path(path)
    if target.exists():
        raise DataError("the folder exists already", path=str(path), hint="choose a new name")
    parent = next(folder for folder in target.absolute().parents if folder.exists())
    try:
        temporary_folder = tempfile.TemporaryDirectory(dir=parent, prefix=f".{target.name}-")
    except OSError as error:
        raise DataError(f"cannot write it: {error.strerror}", path=str(path)) from None
    with temporary_folder as temporary:
        folder = Path(temporary, target.name)
        folder.mkdir()
        yield folder
        target.parent.mkdir(parents=True, exist_ok=True)
        folder.rename(target)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file, and create its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
