"""Files that are one corpus together, files at URLs, and Parquet.

URLs (`s3://…`, `gs://…`, `https://…`) are opened by fsspec, Parquet files by pyarrow.
"""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

from errata import __version__
from errata.corpus.atomic_write import protect
from errata.corpus.files import (
    COMPRESSED,
    StrPath,
    display,
    is_address,
    open_binary,
    open_binary_output,
    open_output,
    read_lines,
)
from errata.errors import DataError, needs_extra

_PATTERN = re.compile(r"[*?\[]")
_PARQUET_ROWS = 8192  # that are written, and later read, together
_RECORD = "_made_by.txt"  # not a shard, because its name begins with an underscore


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


# -- output -------------------------------------------------------------------------------------------------


def is_folder(output: str) -> bool:
    """Whether results go to a folder, one file for each shard."""
    return output.endswith("/") or (not is_address(output) and os.path.isdir(output))


def output_shards(
    paths: Sequence[str],
    folder: str,
    suffix: Callable[[str], str | None],
    made_by: str,
    note: Callable[[str], None],
) -> dict[str, str]:
    """The output file of each shard; those that exist already are left out, with a note.

    `suffix` gives the suffix of an output, or None for that of the shard. `made_by` describes everything that
    affects the results. It is kept in the folder, and results that were made otherwise are not completed.
    """
    outputs = {shard: _output_shard(shard, folder, suffix(shard)) for shard in paths}
    path, times = Counter(outputs.values()).most_common(1)[0]
    if times > 1:
        raise DataError(
            f"{times} shards would go to this file", path=path, hint="run their folders one by one"
        )
    missing = {shard: path for shard, path in outputs.items() if not _exists(path)}
    record = f"{made_by}|version:{__version__}"
    _check_record(f"{folder.rstrip('/')}/{_RECORD}", record, resumed=len(missing) < len(outputs))
    if len(missing) < len(outputs):
        finished = f"{len(outputs) - len(missing)} of {len(outputs)} shards were in {folder} already"
        note(f"{finished} and stay as they are; remove them to make them anew")
    return missing


def _output_shard(shard: str, folder: str, suffix: str | None) -> str:
    name = "stdin.txt" if shard == "-" else shard.rpartition("/")[2]
    if suffix is not None:
        packed = next((end for end in COMPRESSED if name.endswith(end)), "")
        name = os.path.splitext(name.removesuffix(packed))[0] + suffix + packed
    if folder and not is_address(folder):
        os.makedirs(folder, exist_ok=True)
    return f"{folder.rstrip('/')}/{name}"


def _check_record(path: str, made_by: str, *, resumed: bool) -> None:
    """Write down how results are made, or raise an error if those in the folder were made otherwise."""
    if resumed:
        before = read_lines(path) if _exists(path) else None
        if before == made_by.splitlines():
            return
        reason = "it is not known how" if before is None else "with other options, or by another version"
        raise DataError(
            f"some shards were made before, {reason}",
            path=path.rpartition("/")[0] + "/",
            hint="name another folder, or remove this one to make all shards anew",
        )
    with open_output(path) as file:
        file.write(made_by + "\n")


def _exists(path: str) -> bool:
    """Whether a shard was finished before: shards appear only when complete."""
    if is_address(path):
        system, place = file_system(path)
        return bool(system.exists(place))
    return os.path.exists(path)


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
    except Exception as error:  # every file system raises errors of its own
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
    parquet = _pyarrow_parquet()
    with open_binary(path) as file:
        try:
            yield parquet.ParquetFile(file)
        except OSError as error:  # Arrow's errors are OSErrors and ValueErrors
            raise DataError(f"cannot read it as Parquet: {error}", path=display(path)) from None
        except ValueError as error:
            raise DataError(f"not Parquet: {error}", path=display(path)) from None


@contextmanager
def write_parquet(path: StrPath) -> Iterator[Any]:
    """Yields a function that appends an Arrow table; the file appears when it is complete."""
    parquet = _pyarrow_parquet()
    with open_binary_output(path) as file:
        writer: Any = None

        def write(table: Any) -> None:
            nonlocal writer
            if writer is None:
                writer = parquet.ParquetWriter(file, table.schema)
            writer.write_table(table, row_group_size=_PARQUET_ROWS)

        yield write
        if writer is not None:
            writer.close()


def _pyarrow_parquet() -> Any:
    with needs_extra("reading and writing Parquet", "cloud"):
        import pyarrow.parquet
    return pyarrow.parquet
