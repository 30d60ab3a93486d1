"""Downloads of data sets: resumes and retries, verifies checksums, and unpacks archives.

A file appears in the data folder only when it is complete and its checksum is verified.
"""

from __future__ import annotations

import http.client
import json
import lzma
import os
import socket
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from shutil import rmtree
from typing import IO, Any
from urllib.parse import unquote, urlsplit

from errata.corpus.files import file_sha256
from errata.data.registry import LOCK, Dataset, File, folder, missing, read_json, write_json
from errata.errors import DataError

Advance = Callable[[int, "int | None"], None]  # bytes received, total bytes
AdvanceFile = Callable[[str, int, "int | None"], None]  # name of the file, bytes received, total bytes

_BLOCK = 1 << 16
_TEMPORARY = {408, 425, 429, 500, 502, 503, 504}  # status codes that are worth a retry
_BROKEN_ARCHIVE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError,
    ValueError,
)  # fmt: skip
_UNPACKED_LIMIT = 8 << 30  # bytes; far more than any corpus here


@dataclass(frozen=True)
class RetryPolicy:
    """The time to wait for a server, and the number of retries."""

    timeout: float = 30.0
    retries: int = 4
    backoff: float = 1.0  # seconds before the first retry; doubled each time


# -- a data set ---------------------------------------------------------------------------------------


def fetch_dataset(
    entry: Dataset,
    *,
    force: bool = False,
    retry: RetryPolicy = RetryPolicy(),
    advance: AdvanceFile = lambda name, done, total: None,
) -> Path:
    """Download the files that a data set lacks (all files, with `force`) into the data folder."""
    where = folder() / entry.subfolder
    use_copy = f"errata data add {entry.name} FOLDER"
    if not entry.files:
        raise DataError(
            f"{entry.name} cannot be fetched. {entry.how}", path=entry.homepage, hint=f"then: {use_copy}"
        )
    downloads = folder() / ".downloads" / entry.name
    for file in entry.files:
        if file.paths and all((where / path).exists() for path in file.paths) and not force:
            _verify(entry, {path: where / path for path in file.paths}, "fetch it again: --force")
            continue
        name = file_name(file.url)
        received = downloads / (file.path or name)
        try:
            digest = download(
                file.url,
                received,
                sha256=file.sha256 or entry.checksum(file.path),
                retry=retry,
                fallback=f"see `errata data show {entry.name}`, or use a copy: {use_copy}",
                advance=partial(advance, name),
            )
            if not force:
                _check_unchanged(file, received, digest)
            _install(entry, file, received, where)
        except OSError as error:
            hint = "set ERRATA_DATA to a folder you may write to"
            raise DataError(f"cannot write it: {error.strerror}", path=where, hint=hint) from None
        write_json(folder() / LOCK, {**read_json(folder() / LOCK), file.url: digest})
    rmtree(downloads, ignore_errors=True)
    lacking = missing(entry, where)
    if lacking:
        hint = f"the source has changed; see {entry.homepage}"
        raise DataError(f"{entry.name} was fetched, but {lacking[0]} is missing", path=where, hint=hint)
    return where


def file_name(url: str) -> str:
    """The last part of a URL's path."""
    return PurePosixPath(unquote(urlsplit(url).path)).name


def _check_unchanged(file: File, received: Path, digest: str) -> None:
    """Raise an error if an earlier fetch of the same URL got other content."""
    recorded = read_json(folder() / LOCK).get(file.url)
    if recorded is not None and recorded != digest:
        received.unlink()
        raise DataError(
            f"differs from what was fetched before (SHA-256 {recorded[:12]}…, now {digest[:12]}…)",
            path=file.url,
            hint="the source has changed; accept it with --force",
        )


def _install(entry: Dataset, file: File, received: Path, where: Path) -> None:
    """Unpack a download if it is an archive, verify all files, and only then move them to their places."""
    unpacked = received.parent / "unpacked"
    rmtree(unpacked, ignore_errors=True)
    ready = extract(received, file, unpacked) if file.is_archive else {file.path: received}
    _verify(entry, ready, "the source has changed; nothing of it was kept")
    for path, source in ready.items():
        (where / path).parent.mkdir(parents=True, exist_ok=True)
        os.replace(source, where / path)


def _verify(entry: Dataset, files: Mapping[str, Path], hint: str) -> None:
    """Raise an error if a file, by its path in the data set, differs from its known checksum."""
    for path, file in files.items():
        expected = entry.checksum(path)
        if expected is not None and (digest := file_sha256(file)) != expected:
            raise DataError(f"wrong checksum: expected {expected}, got {digest}", path=file, hint=hint)


# -- a file over HTTP ---------------------------------------------------------------------------------


class _BrokenError(Exception):
    """The connection broke; the bytes received so far are kept."""


class _OfflineError(_BrokenError):
    """There is no network, so a retry is useless."""


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    retry: RetryPolicy = RetryPolicy(),
    fallback: str = "download it yourself",
    advance: Advance = lambda done, total: None,
) -> str:
    """Download to `target` and return the file's SHA-256.

    If the connection breaks, the bytes received so far stay in `target.part`. The download continues there,
    now or at the next call, if the server supports it and the file is known to be the same (by its checksum,
    ETag or date). `fallback` is the advice that an error gives when the server cannot be reached.
    """
    _check_scheme(url)
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(retry.retries + 1):
        try:
            _receive(url, part, sha256 is not None, retry.timeout, fallback, advance)
            break
        except _BrokenError as broken:
            if attempt == retry.retries or isinstance(broken, _OfflineError):
                raise _unreachable(url, str(broken), part, fallback) from None
            time.sleep(retry.backoff * 2**attempt)
    digest = file_sha256(part)
    if sha256 is not None and digest != sha256:
        _discard(part)
        raise DataError(
            f"wrong checksum: expected {sha256}, got {digest}",
            path=url,
            hint="the file changed at its source or on the way; the download was removed",
        )
    os.replace(part, target)
    _validator_file(part).unlink(missing_ok=True)
    return digest


def _receive(
    url: str, part: Path, has_checksum: bool, timeout: float, fallback: str, advance: Advance
) -> None:
    """Download a file, or the rest of it, into `part`."""
    validator = _read_validator(part)
    offset = part.stat().st_size if part.exists() and (validator or has_checksum) else 0
    headers = {"User-Agent": "errata", "Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if validator:
            headers["If-Range"] = validator
    try:
        opener = urllib.request.build_opener(
            _WebRedirects
        )  # `urlopen` would keep the proxies of its first use
        response = opener.open(urllib.request.Request(url, headers=headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # `part` is longer than the file: start again
            _discard(part)
            raise _BrokenError("the file changed at its source") from None
        if error.code in _TEMPORARY:
            raise _BrokenError(f"the server answers {error.code} {error.reason}") from None
        hint = f"the file has moved; {fallback}" if error.code in (404, 410) else None
        raise DataError(f"the server answers {error.code} {error.reason}", path=url, hint=hint) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, socket.gaierror):
            raise _OfflineError("the name cannot be resolved; is this machine online?") from None
        raise _BrokenError(str(error.reason)) from None
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenError(str(error) or type(error).__name__) from None
    with response:
        content_range = response.headers.get("Content-Range", "")
        if response.status == 206 and content_range.startswith(f"bytes {offset}-"):
            mode = "ab"
        else:
            mode, offset = "wb", 0
        _write_validator(part, response.headers.get("ETag"), response.headers.get("Last-Modified"))
        length = response.headers.get("Content-Length")
        total = offset + int(length) if length and length.isdigit() else None
        _copy(response, part, mode, offset, total, advance)


class _WebRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections to http and https addresses alone."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        _check_scheme(newurl)
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _check_scheme(url: str) -> None:
    if urlsplit(url).scheme not in ("http", "https"):
        raise DataError("only http and https addresses can be fetched", path=url)


def _copy(
    response: http.client.HTTPResponse, part: Path, mode: str, done: int, total: int | None, advance: Advance
) -> None:
    try:
        with open(part, mode) as file:
            for block in _blocks(response):
                file.write(block)
                done += len(block)
                advance(done, total)
    except OSError as error:
        hint = "free some space, or set ERRATA_DATA to another folder; the next fetch continues this download"
        raise DataError(f"cannot write it: {error.strerror}", path=part, hint=hint) from None
    if total is not None and done < total:
        raise _BrokenError(f"the connection broke after {done:,} of {total:,} bytes")


def _blocks(response: http.client.HTTPResponse) -> Iterator[bytes]:
    try:
        while block := response.read1(_BLOCK):
            yield block
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenError(str(error) or type(error).__name__) from None


def _validator_file(part: Path) -> Path:
    """The file with the ETag or date of a partial download."""
    return part.with_name(part.name + ".json")


def _read_validator(part: Path) -> str | None:
    try:
        validator = json.loads(_validator_file(part).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return validator if isinstance(validator, str) else None


def _write_validator(part: Path, etag: str | None, modified: str | None) -> None:
    validator = etag if etag and not etag.startswith("W/") else modified  # If-Range takes strong tags only
    if validator:
        _validator_file(part).write_text(json.dumps(validator), "utf-8")
    else:
        _validator_file(part).unlink(missing_ok=True)


def _discard(part: Path) -> None:
    part.unlink(missing_ok=True)
    _validator_file(part).unlink(missing_ok=True)


def _unreachable(url: str, reason: str, part: Path, fallback: str) -> DataError:
    progress = f"; {part.stat().st_size:,} bytes are kept and continued next time" if part.exists() else ""
    return DataError(
        f"cannot be fetched: {reason}{progress}",
        path=url,
        hint=f"behind a proxy set HTTPS_PROXY; or {fallback}",
    )


# -- archives -----------------------------------------------------------------------------------------


def extract(archive: Path, file: File, folder: Path) -> dict[str, Path]:
    """Unpack the members that `file` names, and return the unpacked files by their paths in the data set.

    A member that would leave the folder is refused; links are skipped.
    """
    unpacked: dict[str, Path] = {}
    names: list[str] = []
    size = 0
    try:
        with _members(archive) as members:
            for member, content in members:
                name = _safe_name(member, archive)
                names.append(name)
                path = _destination(name, file)
                if path is None:
                    continue
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                with content as source, open(target, "wb") as output:
                    while block := source.read(1 << 20):
                        size += len(block)
                        if size > _UNPACKED_LIMIT:
                            raise DataError(f"unpacks to more than {_UNPACKED_LIMIT:,} bytes", path=archive)
                        output.write(block)
                unpacked[path] = target
    except _BROKEN_ARCHIVE as error:
        raise DataError(f"broken archive: {error}", path=archive, hint="fetch it again: --force") from None
    for name in file.members:
        if name not in names:
            shown = ", ".join(names[:5])
            raise DataError(f"has no member {name!r}", path=archive, hint=f"it has {shown} …")
    return unpacked


@contextmanager
def _members(archive: Path) -> Iterator[Iterator[tuple[str, IO[bytes]]]]:
    """The names and contents of the regular files in an archive."""
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as packed:
            infos = (info for info in packed.infolist() if not info.filename.endswith("/"))  # "" is an error
            yield ((info.filename, packed.open(info)) for info in infos)
        return
    with tarfile.open(archive) as tape:
        files = ((member.name, tape.extractfile(member)) for member in tape if member.isreg())
        yield ((name, content) for name, content in files if content is not None)


def _safe_name(name: str, archive: Path) -> str:
    pure = PurePosixPath(name.replace("\\", "/"))
    if not pure.parts or pure.is_absolute() or ".." in pure.parts or ":" in pure.parts[0]:
        raise DataError(f"refused: its member {name!r} would leave the folder", path=archive)
    return str(pure)


def _destination(name: str, file: File) -> str | None:
    """The path in the data set that a member is unpacked to, or None."""
    if file.members:
        return file.members.get(name)
    _, _, inner = name.partition("/")  # without the archive's top folder
    kept = any(inner.startswith(prefix + "/") for prefix in file.keep)
    hidden = PurePosixPath(name).name.startswith(".")
    return inner if inner and not hidden and (kept or not file.keep) else None
