"""A whole data set: its files downloaded, compared with what was fetched before, and put in place."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from shutil import rmtree
from urllib.parse import unquote, urlsplit

from errata.corpus.files import file_sha256
from errata.data.archives import extract
from errata.data.downloading import Patience, download
from errata.data.folder import LOCK, folder, missing, read_json, write_json
from errata.data.registry import Dataset, File
from errata.errors import DataError

Advance = Callable[[str, int, "int | None"], None]  # file, bytes so far, bytes in all


def fetch_dataset(
    entry: Dataset,
    *,
    force: bool = False,
    patience: Patience = Patience(),  # noqa: B008 (frozen)
    advance: Advance = lambda name, done, total: None,
) -> Path:
    """Download what a data set lacks (everything, with `force`) into the data folder."""
    where = folder() / entry.place
    copy = f"errata data add {entry.name} FOLDER"
    if not entry.files:
        raise DataError(
            f"{entry.name} cannot be fetched. {entry.how}",
            path=entry.homepage,
            hint=f"then: {copy}",
        )
    downloads = folder() / ".downloads" / entry.name
    for file in entry.files:
        if force or not _complete(file, where):
            otherwise = f"see `errata data show {entry.name}`, or use a copy: {copy}"
            _fetch_file(entry, file, where, downloads, force, patience, otherwise, advance)
    rmtree(downloads, ignore_errors=True)
    lacking = missing(entry, where)
    if lacking:
        hint = f"the source has changed; see {entry.homepage}"
        raise DataError(f"{entry.name} was fetched, but {lacking[0]} is missing", path=where, hint=hint)
    return where


def _complete(file: File, where: Path) -> bool:
    names = [file.path] if file.path else [*file.members.values(), *file.keep]
    return bool(names) and all((where / name).exists() for name in names)


def _fetch_file(
    entry: Dataset,
    file: File,
    where: Path,
    downloads: Path,
    force: bool,
    patience: Patience,
    otherwise: str,
    advance: Advance,
) -> None:
    name = PurePosixPath(unquote(urlsplit(file.url).path)).name
    known = read_json(folder() / LOCK).get(file.url)
    # Downloaded and unpacked apart: what appears in the data folder is whole and checked.
    received = downloads / (file.path or name)
    try:
        digest = download(
            file.url,
            received,
            sha256=file.sha256 or entry.checksum(file.path),
            patience=patience,
            otherwise=otherwise,
            advance=lambda done, total: advance(name, done, total),
        )
        if known is not None and known != digest and not force:
            received.unlink()
            raise DataError(
                f"differs from what was fetched before (SHA-256 {known[:12]}…, now {digest[:12]}…)",
                path=file.url,
                hint="the source has changed; accept it with --force",
            )
        unpacked = downloads / "unpacked"
        rmtree(unpacked, ignore_errors=True)
        ready = extract(received, file, unpacked) if file.is_archive else {file.path: received}
        for path, made in ready.items():
            _check(entry, path, made)
        for path, made in ready.items():
            (where / path).parent.mkdir(parents=True, exist_ok=True)
            os.replace(made, where / path)
    except OSError as error:
        hint = "set ERRATA_DATA to a folder you may write to"
        raise DataError(f"cannot write it: {error.strerror}", path=where, hint=hint) from None
    write_json(folder() / LOCK, {**read_json(folder() / LOCK), file.url: digest})


def _check(entry: Dataset, path: str, made: Path) -> None:
    """Raise an error if a file is not the one whose checksum is known."""
    wanted, found = entry.checksum(path), file_sha256(made)
    if wanted is not None and wanted != found:
        raise DataError(
            f"wrong checksum of {path}: expected {wanted}, got {found}",
            path=entry.homepage,
            hint="the source has changed; nothing of it was kept",
        )
