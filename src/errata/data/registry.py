"""The registry of public corpora (datasets.toml), and the data folder."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from errata.corpus.files import open_output
from errata.errors import DataError, ErrataError, one_of
from errata.tables import Column, Table
from errata.toml import field_values, read_toml

ADDED = "added.json"  # in the data folder: paths of local copies, by data set
LOCK = "lock.json"  # in the data folder: SHA-256 of downloads, by URL
_UNKNOWN = "see the homepage"  # a licence
_ARCHIVES = (".tar.gz", ".tgz", ".tar", ".zip")


@dataclass(frozen=True)
class File:
    """A download: either one file, which is stored at `path`, or an archive that is unpacked."""

    url: str
    path: str = ""
    members: Mapping[str, str] = field(default_factory=dict)  # in the archive -> in the data set
    keep: tuple[str, ...] = ()  # folders to unpack, without the archive's top folder
    sha256: str | None = None  # of an archive; None: recorded at the first fetch

    @property
    def is_archive(self) -> bool:
        return not self.path and self.url.endswith(_ARCHIVES)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files and folders of the data set that this download provides."""
        return (self.path,) if self.path else (*self.members.values(), *self.keep)


@dataclass(frozen=True)
class Dataset:
    """A public corpus or a set of outputs or judgments; datasets.toml explains the fields."""

    name: str
    title: str
    kind: str
    languages: tuple[str, ...]
    size: str
    homepage: str
    citation: str
    licence: str = ""
    folder: str = ""
    expected: tuple[str, ...] = ()
    files: tuple[File, ...] = ()
    how: str = ""
    notes: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def subfolder(self) -> str:
        """Its default place in the data folder."""
        return self.folder or self.name

    def checksum(self, path: str) -> str | None:
        """The SHA-256 of a file of this data set, if it is known."""
        return self.sha256.get(path)

    @property
    def unverified(self) -> list[str]:
        """The addresses of downloads that have no known checksum, neither whole nor by member."""
        return [
            file.url
            for file in self.files
            if not file.sha256 and not (file.paths and all(map(self.checksum, file.paths)))
        ]

    def table(self) -> Table:
        """Size, licence, citation, sources and location."""
        rows = [
            ("name", self.name),
            ("title", self.title),
            ("kind", self.kind),
            ("languages", ", ".join(self.languages)),
            ("size", self.size),
            ("licence", self.licence or _UNKNOWN),
            ("citation", self.citation),
            ("homepage", self.homepage),
            ("folder", str(location(self))),
            ("state", state(self) or "not here"),
        ]
        if self.how:
            rows.append(("how to get it", f"{self.how} Then: errata data add {self.name} FOLDER"))
        if self.notes:
            rows.append(("notes", self.notes))
        for file in self.files:
            verified = [path for path in file.members.values() if self.checksum(path)]
            recorded = "unverified: its checksum is recorded at the first fetch"
            members = f"checksums of {len(verified)} members known" if verified else recorded
            pinned = ", revision not pinned" if "/HEAD" in file.url else ""
            checksum = file.sha256 or self.checksum(file.path) or members
            rows.append((file.path or "archive", f"{file.url} ({checksum}{pinned})"))
        return Table([Column("what"), Column("value")], rows)


@cache
def datasets() -> dict[str, Dataset]:
    """All data sets by name."""
    content = read_toml(Path(__file__).with_name("datasets.toml"))
    return {name: _dataset(name, **field_values(table)) for name, table in content.items()}


def _dataset(name: str, downloads: tuple[dict[str, Any], ...] = (), **fields: Any) -> Dataset:
    files = tuple(file for download in downloads for file in _files(**field_values(download)))
    fields.setdefault("expected", tuple(path for file in files for path in file.paths))
    return Dataset(name, files=files, **fields)


def _files(
    url: str,
    files: Mapping[str, str] | tuple[str, ...] = (),
    keep: tuple[str, ...] = (),
    sha256: str | None = None,
) -> Iterator[File]:
    """The files of one [[downloads]] table."""
    names = files if isinstance(files, Mapping) else {name: name for name in files}
    if url.endswith(_ARCHIVES):
        yield File(url, members=names, keep=keep, sha256=sha256)
    else:
        yield from (File(url + source, path) for source, path in names.items())


def dataset(name: str) -> Dataset:
    """The data set of this name; raises an error that lists the names."""
    if name not in datasets():
        raise ErrataError(f"there is no data set {name!r}\n  hint: {one_of(name, datasets())}")
    return datasets()[name]


def datasets_table() -> Table:
    """All data sets, and which of them are here."""
    rows = [
        (
            entry.name, entry.title, entry.kind, ", ".join(entry.languages), entry.licence or _UNKNOWN,
            state(entry),
        )
        for entry in datasets().values()
    ]  # fmt: skip
    names = ("name", "title", "kind", "languages", "licence", "state")
    return Table([Column(name) for name in names], rows, notes=[f"data folder: {folder()}"])


# -- the data folder ----------------------------------------------------------------------------------


def folder() -> Path:
    """The data folder: `ERRATA_DATA`, or the platform's folder for user data."""
    chosen = os.environ.get("ERRATA_DATA")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "errata"


def location(entry: Dataset) -> Path:
    """The folder that a data set is in, or would be fetched to."""
    added = read_json(folder() / ADDED).get(entry.name)
    return Path(added) if added else folder() / entry.subfolder


def missing(entry: Dataset, where: Path) -> list[str]:
    """The expected files that a folder lacks."""
    return [name for name in entry.expected if not any(where.glob(name))]


def state(entry: Dataset) -> str:
    """`here`, `added` (a local copy elsewhere), `incomplete`, or an empty string."""
    where = location(entry)
    lacking = missing(entry, where)
    if not lacking:
        return "added" if where != folder() / entry.subfolder else "here"
    return "incomplete" if len(lacking) < len(entry.expected) else ""


def path(name: str) -> Path:
    """The folder of a data set that was fetched or added; otherwise an error gives the remedy."""
    entry = dataset(name)
    where = location(entry)
    lacking = missing(entry, where)
    if not lacking:
        return where
    problem = f"not complete: {lacking[0]} is missing" if where.is_dir() else "not here yet"
    advice = f"see `errata data show {name}`" if entry.how else f"errata data fetch {name}"
    raise DataError(
        f"the data set {name} is {problem}",
        path=where,
        hint=f"{advice}, or use a copy: errata data add {name} FOLDER",
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
    write_json(folder() / ADDED, {**read_json(folder() / ADDED), name: str(copy)})
    return copy


def read_json(file: Path) -> dict[str, Any]:
    """A JSON object from the data folder; empty if the file does not exist."""
    try:
        content = json.loads(file.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read it: {error}", path=file, hint="repair or remove it") from None
    return content if isinstance(content, dict) else {}


def write_json(file: Path, content: dict[str, Any]) -> None:
    """Replace a JSON file of the data folder atomically."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with open_output(file) as out:
            out.write(json.dumps(content, indent=1, sort_keys=True) + "\n")
    except (OSError, DataError) as error:
        hint = "set ERRATA_DATA to a folder you may write to"
        message = error.message if isinstance(error, DataError) else f"cannot write it: {error.strerror}"
        raise DataError(message, path=file, hint=hint) from None
