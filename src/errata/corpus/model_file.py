"""Named arrays in one compressed file: the container of the shipped models.

A file begins with a line that names the format and its version, the SHA-256 of all that follows, and the
number of bytes it unpacks to. An xz stream of NumPy's `.npz` format without compression follows. Files are
untrusted: a wrong checksum, a stream that unpacks to more than its header says, objects, and array headers
that do not fit their data are errors.
"""

from __future__ import annotations

import io
import lzma
import math
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.errors import DataError

MAGIC = b"errata arrays 1\n"
_HEADER = len(MAGIC) + 32 + 8
_LARGEST = 1 << 30  # bytes that a model may unpack to
_KINDS = "biuf"

Array = npt.NDArray[Any]


def pack(arrays: Mapping[str, Array], filters: list[dict[str, Any]] | None = None) -> bytes:
    """The bytes of a file with these arrays; the same arrays give the same bytes."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return sealed(lzma.compress(buffer.getvalue(), filters=filters), buffer.tell())


def sealed(payload: bytes, unpacked: int) -> bytes:
    """An xz stream with the header that makes it a file of arrays."""
    rest = unpacked.to_bytes(8, "little") + payload
    return MAGIC + sha256(rest).digest() + rest


def payload(data: bytes) -> bytes:
    """The xz stream of a file, on which digests in signatures are made."""
    return data[_HEADER:]


def unpack(data: bytes, path: str) -> dict[str, Array]:
    """The arrays of a file's bytes, read-only; raises an error that names the file for anything else."""
    if not data.startswith(MAGIC):
        old = data.startswith(b"\xfd7zXZ\0")
        message = "a model of an older version, without a checksum" if old else "not a model file"
        raise DataError(message, path=path, hint="build it again, or fetch the one of this version")
    if len(data) < _HEADER or sha256(data[_HEADER - 8 :]).digest() != data[len(MAGIC) : _HEADER - 8]:
        raise DataError(
            "its checksum is wrong: it is damaged or incomplete", path=path, hint="fetch it again"
        )
    try:
        return _members(_decompressed(data))
    except (lzma.LZMAError, zipfile.BadZipFile, ValueError, EOFError, OSError, RuntimeError) as error:
        raise DataError(f"not a model file: {error}"[:300], path=path) from None


def _decompressed(data: bytes) -> bytes:
    size = int.from_bytes(data[_HEADER - 8 : _HEADER], "little")
    if size > _LARGEST:
        raise ValueError(f"unpacks to {size:,} bytes, more than {_LARGEST:,}")
    stream = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=1 << 28)
    content = stream.decompress(payload(data), size + 1)
    if len(content) != size or not stream.eof or stream.unused_data:
        raise ValueError("its content is longer or shorter than its header says")
    return content


def _members(content: bytes) -> dict[str, Array]:
    arrays: dict[str, Array] = {}
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > len(content):  # compressed once more, or overlapping
            raise ValueError("arrays that are larger than the file")
        for member in members:
            name = member.filename.removesuffix(".npy")
            if name in arrays:
                raise ValueError(f"two arrays {name!r}")
            arrays[name] = _array(archive.read(member), name)
    return arrays


def _array(data: bytes, name: str) -> Array:
    file = io.BytesIO(data)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"the array {name!r} is of another version of NumPy's format")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(file)
    size = math.prod(shape) * kind.itemsize
    if kind.kind not in _KINDS or fortran or len(shape) > 2 or size != len(data) - file.tell():
        raise ValueError(f"the array {name!r} is not what its header says")
    return np.frombuffer(data, dtype=kind, offset=file.tell()).reshape(shape)


def expect(array: Array, kinds: str, length: int | None = None, dimensions: int = 1) -> Array:
    """The array, if its type and shape are as expected; a ValueError otherwise."""
    if array.dtype.kind not in kinds or array.ndim != dimensions:
        raise ValueError(f"an array of {array.dtype} in {array.ndim} dimensions")
    if length is not None and len(array) != length:
        raise ValueError(f"an array of length {len(array)} in place of {length}")
    return array


def below(array: Array, limit: int, least: int = 0) -> Array:
    """The array of integers, if all are from `least` to below `limit`; a ValueError otherwise."""
    if len(array) and not (least <= int(array.min()) and int(array.max()) < limit):
        raise ValueError(f"numbers from {array.min()} to {array.max()} in place of {least} to {limit - 1}")
    return array
