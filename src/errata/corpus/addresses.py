"""Files that are elsewhere: `s3://…`, `gs://…`, `https://…` and whatever else fsspec can open."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from errata.errors import DataError, needs_extra


def is_address(name: str) -> bool:
    """Whether a name is a URL and not a path."""
    return "://" in name


def file_system(address: str) -> tuple[Any, str]:
    """The file system an address belongs to, and the path there."""
    with needs_extra(f"opening {address.partition('://')[0]}:// addresses", "cloud"):
        import fsspec
    try:
        system, path = fsspec.core.url_to_fs(address)
    except ImportError as error:  # names the package that this kind of address needs
        raise DataError(str(error), path=address, hint="pip install it") from None
    except Exception as error:
        raise _failed("open", address, error) from None
    return system, path


def open_address(address: str) -> BinaryIO:
    """Open for reading, as it lies there."""
    system, path = file_system(address)
    try:
        return cast(BinaryIO, system.open(path, "rb"))
    except Exception as error:  # every file system raises errors of its own
        raise _failed("read", address, error) from None


@contextmanager
def open_address_output(address: str) -> Iterator[BinaryIO]:
    """Write bytes that appear only when complete."""
    system, path = file_system(address)
    try:
        with contextlib.suppress(NotImplementedError, OSError):  # object stores have no folders
            system.makedirs(system._parent(path), exist_ok=True)
        with system.transaction, system.open(path, "wb") as file:  # discarded if anything goes wrong
            yield file
    except DataError:
        raise
    except (OSError, NotImplementedError) as error:
        raise _failed("write", address, error) from None


def _failed(what: str, address: str, error: Exception) -> DataError:
    reason = "there is no such file" if isinstance(error, FileNotFoundError) else f"{error or error!r}"
    return DataError(f"cannot {what} it: {reason}", path=address, hint="check the address and your access")
