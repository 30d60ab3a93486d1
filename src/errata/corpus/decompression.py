"""Reading compressed files: complete ones only, and only so much as a file of text can honestly hold."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from typing import Any, BinaryIO

from errata.errors import DataError, needs_extra
from errata.limits import from_environment

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_SIZE = 64 << 30  # bytes that a file may unpack to
_RATIO = 250  # times its compressed size; text is rarely packed to less than a hundredth
_FREE = 64 << 20  # bytes below which the ratio does not matter
_PIECE = 1 << 12  # compressed bytes at a time: what Zstandard makes of them in one go stays small


def decompressed(file: BinaryIO, name: str) -> BinaryIO:
    """The content of an open file that its name says is compressed; the file itself where it is not."""
    openers: dict[str, Callable[[BinaryIO], Any]] = {
        ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
        ".bz2": bz2.BZ2File,
        ".xz": lzma.LZMAFile,
        ".zst": _Zstandard,
    }
    for suffix, opener in openers.items():
        if name.endswith(suffix):
            return io.BufferedReader(_Bounded(opener(file), file, name), 1 << 16)
    return file


def zstandard() -> Any:
    """The module that packs and unpacks `.zst` files."""
    with needs_extra("reading and writing .zst files", "cloud"):
        import zstandard
    return zstandard


class _Bounded(io.RawIOBase):
    """Passes on what is unpacked until it is too much in itself, or for the compressed bytes it came from."""

    def __init__(self, content: BinaryIO, packed: BinaryIO, name: str) -> None:
        self._content, self._packed, self._name = content, packed, name
        self._size = from_environment("UNPACKED", _SIZE)
        self._ratio = from_environment("RATIO", _RATIO)
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._content.read(len(buffer))
        buffer[: len(data)] = data
        self._read += len(data)
        if self._read > self._size:
            raise self._refused(f"more than {self._size:,} bytes", "UNPACKED", "100G")
        if self._read > _FREE and self._read > self._ratio * self._packed.tell():
            raise self._refused(f"more than {self._ratio} times its size", "RATIO", "10000")
        return len(data)

    def _refused(self, found: str, limit: str, example: str) -> DataError:
        hint = f"if you trust the file, raise the limit: ERRATA_LIMIT_{limit}={example}"
        return DataError(f"unpacks to {found}", path=self._name, hint=hint)

    def close(self) -> None:
        if not self.closed:
            self._content.close()
            self._packed.close()
        super().close()


class _Zstandard(io.RawIOBase):
    """The frames of a Zstandard file, one after the other; the last must be complete."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._new = zstandard().ZstdDecompressor().decompressobj
        self._frame: Any = None
        self._packed = b""
        self._ready = io.BytesIO()

    def read(self, size: int = -1) -> bytes:
        while not (data := self._ready.read(size)):
            self._packed = self._packed or self._file.read(_PIECE)
            if not self._packed:
                if self._frame is not None:
                    raise EOFError("it ends in the middle of a compressed frame")
                return b""
            self._frame = self._frame or self._new()
            self._ready = io.BytesIO(self._frame.decompress(self._packed))
            self._packed = self._frame.unused_data
            if self._frame.eof:
                self._frame = None
        return data
