"""Members of an archive into a folder, and nowhere else."""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO

from errata.data.registry import File
from errata.errors import DataError

_BROKEN = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError,
    ValueError,
)  # fmt: skip
_LIMIT = 8 << 30  # bytes unpacked: far more than any corpus here


def extract(archive: Path, wanted: File, folder: Path) -> dict[str, Path]:
    """Unpack the wanted members, and say where each path is now.

    A member that would leave the folder is refused; links are left out.
    """
    written: dict[str, Path] = {}
    seen: list[str] = []
    size = 0
    try:
        with _members(archive) as members:
            for name, content in members:
                inside = _safe(name, archive)
                seen.append(inside)
                here = _destination(inside, wanted)
                if here is None:
                    continue
                target = folder / here
                target.parent.mkdir(parents=True, exist_ok=True)
                with content as source, open(target, "wb") as file:
                    while piece := source.read(1 << 20):
                        size += len(piece)
                        if size > _LIMIT:
                            raise DataError(f"unpacks to more than {_LIMIT:,} bytes", path=archive)
                        file.write(piece)
                written[here] = target
    except _BROKEN as error:
        raise DataError(f"a broken archive: {error}", path=archive, hint="fetch it again: --force") from None
    for name in wanted.members:
        if name not in seen:
            shown = ", ".join(seen[:5])
            raise DataError(f"has no member {name!r}", path=archive, hint=f"it has {shown} …")
    return written


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """The regular files of an archive, in its order, by name."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            yield ((info.filename, packed.open(info)) for info in packed.infolist() if not info.is_dir())
        return
    with tarfile.open(archive) as tape:
        files = ((member.name, tape.extractfile(member)) for member in tape if member.isreg())
        yield ((name, content) for name, content in files if content is not None)


def _safe(name: str, archive: Path) -> str:
    pure = PurePosixPath(name.replace("\\", "/"))
    if pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0]:
        raise DataError(f"refused: its member {name!r} would leave the folder", path=archive)
    return str(pure)


def _destination(name: str, wanted: File) -> str | None:
    if wanted.members:
        return wanted.members.get(name)
    _, _, inner = name.partition("/")  # without the archive's top folder
    kept = any(inner.startswith(prefix + "/") for prefix in wanted.keep)
    hidden = PurePosixPath(name).name.startswith(".")
    return inner if inner and not hidden and (kept or not wanted.keep) else None
