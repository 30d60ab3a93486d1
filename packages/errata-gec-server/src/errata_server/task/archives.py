"""Reading zip archives of teams in memory, and writing folders that appear only when complete."""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from pathlib import PurePosixPath

from errata.errors import DataError

_MOST_MEMBERS = 100
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # their output is bounded while they are unpacked
_MAGIC = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_HINT = "send the text itself, or a zip archive with this one file"


def is_archive(data: bytes) -> bool:
    return data[:4] in _MAGIC


def unpacked(data: bytes, name: str, track: str, most: int) -> tuple[str, bytes]:
    """The name and content of the only file in an archive, or of the file named after the track."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            member = _wanted(archive, name, track)
            with archive.open(member) as file:
                content = file.read(most + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, NotImplementedError):
        raise DataError("the zip archive is broken or encrypted", path=name, hint=_HINT) from None
    if len(content) > most:
        raise DataError(f"unpacks to more than {most:,} bytes", path=name)
    if is_archive(content):
        raise DataError("an archive in an archive", path=name, hint=_HINT)
    return PurePosixPath(member.filename.replace("\\", "/")).name, content


def _wanted(archive: zipfile.ZipFile, name: str, track: str) -> zipfile.ZipInfo:
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise DataError(f"{len(members)} files in the archive", path=name, hint=_HINT)
    for member in members:
        if not member.filename:
            raise DataError("refused: a member without a name", path=name, hint=_HINT)
        check_member(member, name)
    if any(member.compress_type not in _METHODS for member in members):
        raise DataError("a member is neither stored nor deflated", path=name, hint=_HINT)
    files = [
        member
        for member in members
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not PurePosixPath(member.filename).name.startswith(".")
    ]
    named = [member for member in files if PurePosixPath(member.filename).name.split(".")[0] == track]
    candidates = files if len(files) == 1 else named
    if len(candidates) != 1:
        raise DataError(
            f"{len(files)} files in the archive", path=name,
            hint=f"send one file, or call the one for this track {track}.txt",
        )  # fmt: skip
    return candidates[0]


def check_member(member: zipfile.ZipInfo, name: str) -> None:
    """Refuse members that are links or would leave a folder, although no member is unpacked to a folder."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or "\0" in member.filename or ":" in member.filename:
        raise DataError(f"refused: its member {member.filename!r} would leave the folder", path=name)
    mode = member.external_attr >> 16
    if mode and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode) and stat.S_IFMT(mode):
        raise DataError(f"refused: its member {member.filename!r} is a link or a device", path=name)


def output_suffix(name: str) -> str:
    """The suffix of the file in which an output is kept; the name that a team gave is never used for one."""
    return next((suffix for suffix in (".m2", ".md") if name.lower().endswith(suffix)), ".txt")
