"""Files that are one corpus together, files at URLs, and Parquet.

URLs (`s3://…`, `gs://…`, `https://…`) are opened by fsspec, Parquet files by pyarrow.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from errata.corpus.atomic_write import protect
from errata.corpus.files import (
    StrPath,
    display,
    is_address,
    open_binary,
)
from errata.errors import DataError, needs_extra

_PATTERN = re.compile(r"[*?\[]")


# -- names --------------------------------------------------------------------------------------------------


def shards(name: str) -> list[str]:
    """The files of a name: itself, those that match a pattern, or those in a folder.

    Numbers in names count as numbers: `part-2` comes before `part-10`. Hidden files and those that
    begin with `_` (marks of success) or end with `.part` (unfinished) are not shards.
    """
    if name == "-":
        return [name]
    if is_address(name):
        system, path = file_system(name)
        pattern = f"{path.rstrip('/')}/*" if not _PATTERN.search(path) and system.isdir(path) else path
        paths = system.glob(pattern) if _PATTERN.search(pattern) else [path]
        paths = [system.unstrip_protocol(each) for each in paths if pattern == path or not system.isdir(each)]
    elif os.path.isdir(name):
        paths = [each for each in glob.glob(f"{glob.escape(name)}/*") if os.path.isfile(each)]
    elif _PATTERN.search(name) and not os.path.exists(name):
        paths = glob.glob(name)
    else:
        return [name]
    paths = [each for each in paths if _is_shard(each)]
    if not paths:
        raise DataError("no file has this name", path=name, hint="quote patterns: --hyp 'out/part-*.txt'")
    if not is_address(name):
        protect(paths)
    return sorted(paths, key=_natural)


def _is_shard(path: str) -> bool:
    name = path.rstrip("/").rpartition("/")[2]
    return not name.startswith((".", "_")) and not name.endswith(".part")


def _natural(path: str) -> list[tuple[int, str]]:
    return [(int(piece), "") if piece.isdecimal() else (-1, piece) for piece in re.split(r"(\d+)", path)]


def aligned_shards(names: Sequence[str]) -> list[tuple[str, ...]]:
    """The shards of several names side by side: the first of each, the second of each, …"""
    paths = [shards(name) for name in names]
    for name, files in zip(names, paths, strict=True):
        if len(files) != len(paths[0]):
            raise DataError(
                f"{len(files)} shards, but {names[0]} has {len(paths[0])}",
                path=name,
                hint="shards belong together one by one, in the order of their names",
            )
    return list(zip(*paths, strict=True))


def shard_name(name: str) -> str:
    """The name of a system after its outputs: the file's stem, or the fixed part of a pattern."""
    from errata.corpus.parallel import system_name

    if not _PATTERN.search(name):
        return system_name(name.rstrip("/"))
    folder, _, last = name.rstrip("/").rpartition("/")
    fixed = _PATTERN.split(last)[0].rstrip("-_.")
    return fixed or system_name(folder) or "hypothesis"


# -- URLs ---------------------------------------------------------------------------------------------------


def file_system(address: str) -> tuple[Any, str]:
    """The file system of a URL, and the path in it."""
    with needs_extra(f"opening {address.partition('://')[0]}:// addresses", "cloud"):
        import fsspec
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # names the package that this kind of address needs
        raise DataError(str(error), path=address, hint="pip install it") from None
    except Exception as error:
        raise _address_error("open", address, error) from None
    return system, path


def open_address(address: str) -> BinaryIO:
    """Open a URL for reading, without decompression."""
    system, path = file_system(address)
    try:
        return cast(BinaryIO, system.open(path, "rb"))
    except Exception as error:  # the types of errors depend on the file system
        raise _address_error("read", address, error) from None


@contextmanager
def open_address_output(address: str) -> Iterator[BinaryIO]:
    """Write bytes to a URL; they appear only when complete."""
    system, path = file_system(address)
    try:
        with suppress(NotImplementedError, OSError):  # object stores have no folders
            system.makedirs(system._parent(path), exist_ok=True)
        with system.transaction, system.open(path, "wb") as file:  # discarded if anything goes wrong
            yield file
    except DataError:
        raise
    except (OSError, NotImplementedError) as error:
        raise _address_error("write", address, error) from None


def _address_error(action: str, address: str, error: Exception) -> DataError:
    reason = "there is no such file" if isinstance(error, FileNotFoundError) else f"{error or error!r}"
    return DataError(f"cannot {action} it: {reason}", path=address, hint="check the address and your access")


# -- Parquet ------------------------------------------------------------------------------------------------


@contextmanager
def open_parquet(path: StrPath) -> Iterator[Any]:
    """Open a Parquet file for reading, as pyarrow's `ParquetFile`."""
    with needs_extra("reading Parquet", "cloud"):
        import pyarrow.parquet
    with open_binary(path) as file:
        try:
            yield pyarrow.parquet.ParquetFile(file)
        except (OSError, ValueError, OverflowError, MemoryError, pyarrow.ArrowException) as error:
            raise DataError(f"cannot read it as Parquet: {error}", path=display(path)) from None
