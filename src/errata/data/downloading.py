"""One file over HTTP: resumed, retried, checked, and in its place only when it is whole."""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from errata.corpus.files import file_sha256
from errata.errors import DataError

_PIECE = 1 << 16
_PASSING = {408, 425, 429, 500, 502, 503, 504}  # answers that a later try may change
Advance = Callable[[int, "int | None"], None]  # bytes so far, bytes in all


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, and how often to try again."""

    timeout: float = 30.0
    retries: int = 4
    backoff: float = 1.0  # seconds before the first retry; doubled each time


class _BrokenError(Exception):
    """The connection broke; what came so far is kept."""


class _OfflineError(_BrokenError):
    """There is no network: trying again is no use."""


def download(
    url: str,
    target: Path,
    *,
    sha256: str | None = None,
    patience: Patience = Patience(),
    otherwise: str = "download it yourself",
    advance: Advance = lambda done, total: None,
) -> str:
    """Download to `target` and return the file's SHA-256.

    What came before a connection broke lies in `target.part` and is continued, now or at the next call,
    if the server can and the file is known to be the same (by its checksum, ETag or date).
    `otherwise` is what the error tells the user to do when there is no way through.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise DataError("only http and https addresses can be fetched", path=url)
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(patience.retries + 1):
        try:
            _receive(url, part, sha256 is not None, patience.timeout, otherwise, advance)
            break
        except _BrokenError as broken:
            if attempt == patience.retries or isinstance(broken, _OfflineError):
                raise _unreachable(url, str(broken), part, otherwise) from None
            time.sleep(patience.backoff * 2**attempt)
    digest = file_sha256(part)
    if sha256 is not None and digest != sha256:
        _forget(part)
        raise DataError(
            f"wrong checksum: expected {sha256}, got {digest}",
            path=url,
            hint="the file changed at its source or on the way; what came was removed",
        )
    os.replace(part, target)
    _validator(part).unlink(missing_ok=True)
    return digest


def _receive(url: str, part: Path, checked: bool, timeout: float, otherwise: str, advance: Advance) -> None:
    """Get the rest of a file into `part`, or all of it."""
    tag = _known_validator(part)
    offset = part.stat().st_size if part.exists() and (tag or checked) else 0
    headers = {"User-Agent": "errata", "Accept-Encoding": "identity"}
    if offset:
        headers["Range"] = f"bytes={offset}-"
        if tag:
            headers["If-Range"] = tag
    try:
        opener = urllib.request.build_opener()  # not urlopen's, which keeps the proxies of its first use
        answer = opener.open(urllib.request.Request(url, headers=headers), timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:  # longer than the file there is: begin again
            _forget(part)
            raise _BrokenError("the file changed at its source") from None
        if error.code in _PASSING:
            raise _BrokenError(f"the server answers {error.code} {error.reason}") from None
        hint = f"the file has moved; {otherwise}" if error.code in (404, 410) else None
        raise DataError(f"the server answers {error.code} {error.reason}", path=url, hint=hint) from None
    except urllib.error.URLError as error:
        if isinstance(error.reason, socket.gaierror):
            raise _OfflineError("the name cannot be resolved; is this machine online?") from None
        raise _BrokenError(str(error.reason)) from None
    except (OSError, http.client.HTTPException) as error:
        raise _BrokenError(str(error) or type(error).__name__) from None
    with answer:
        if answer.status == 206 and answer.headers.get("Content-Range", "").startswith(f"bytes {offset}-"):
            mode = "ab"
        else:
            mode, offset = "wb", 0
        _remember_validator(part, answer.headers.get("ETag"), answer.headers.get("Last-Modified"))
        length = answer.headers.get("Content-Length")
        total = offset + int(length) if length and length.isdigit() else None
        _copy(answer, part, mode, offset, total, advance)


def _copy(
    answer: http.client.HTTPResponse, part: Path, mode: str, done: int, total: int | None, advance: Advance
) -> None:
    try:
        file = open(part, mode)  # noqa: SIM115 (closed below)
    except OSError as error:
        raise _unwritable(part, error) from None
    with file:
        while True:
            try:
                piece = answer.read1(_PIECE)
            except (OSError, http.client.HTTPException) as error:
                raise _BrokenError(str(error) or type(error).__name__) from None
            if not piece:
                break
            try:
                file.write(piece)
            except OSError as error:
                raise _unwritable(part, error) from None
            done += len(piece)
            advance(done, total)
    if total is not None and done < total:
        raise _BrokenError(f"the connection broke after {done:,} of {total:,} bytes")


def _validator(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _known_validator(part: Path) -> str | None:
    try:
        tag = json.loads(_validator(part).read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return tag if isinstance(tag, str) else None


def _remember_validator(part: Path, etag: str | None, modified: str | None) -> None:
    tag = etag if etag and not etag.startswith("W/") else modified  # If-Range takes strong tags only
    if tag:
        _validator(part).write_text(json.dumps(tag), "utf-8")
    else:
        _validator(part).unlink(missing_ok=True)


def _forget(part: Path) -> None:
    part.unlink(missing_ok=True)
    _validator(part).unlink(missing_ok=True)


def _unwritable(part: Path, error: OSError) -> DataError:
    hint = "make room, or set ERRATA_DATA to another folder; what came so far is continued"
    return DataError(f"cannot write it: {error.strerror}", path=part, hint=hint)


def _unreachable(url: str, reason: str, part: Path, otherwise: str) -> DataError:
    so_far = f"; {part.stat().st_size:,} bytes are kept and continued next time" if part.exists() else ""
    return DataError(
        f"cannot be fetched: {reason}{so_far}",
        path=url,
        hint=f"behind a proxy set HTTPS_PROXY; or {otherwise}",
    )
