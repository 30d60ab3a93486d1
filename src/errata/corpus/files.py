"""Files as lines of text: plain, compressed, standard input or a URL. Output is written atomically."""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import itertools
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from errata.corpus.atomic_write import replacement
from errata.errors import DataError, needs_extra
from errata.limits import from_environment
from errata.text.lines import Lines

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"
_START = 400  # bytes that tell UTF-16 from UTF-8
_PIPES: dict[tuple[int, int], bytes] = {}  # the contents of pipes that `peek` read, by device and inode
StrPath = str | os.PathLike[str]

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
_MAGIC = dict(zip(COMPRESSED, (b"\x1f\x8b", b"BZh91AY&SY", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd"), strict=True))
M2_OF_UNITS = (".m2.char", ".m2.word")  # names that ChERRANT's files have
_SIZE = 64 << 30  # bytes that a file may unpack to
_RATIO = 250  # times its compressed size; text is rarely packed to less than a hundredth
_FREE = 64 << 20  # bytes below which the ratio does not matter
_PIECE = 1 << 12  # compressed bytes at a time, so that Zstandard does not unpack much in one call


def is_address(name: str) -> bool:
    """Whether a name is a URL and not a path."""
    return "://" in name


def display(path: StrPath) -> str:
    """The name of a file as messages show it."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def plain_suffix(path: StrPath) -> str:
    """The file's suffix without that of a compression or a unit: `.m2` of `test.m2.gz` and `zh.m2.char`."""
    name = Path(path)
    if name.suffix in COMPRESSED:
        name = name.with_suffix("")
    return ".m2" if name.name.endswith(M2_OF_UNITS) else name.suffix


def open_binary(path: StrPath, *, keep: bool = False) -> BinaryIO:
    """Open for reading, decompressing by the file's name; `-` is stdin; URLs are opened where they are.

    With `keep`, a pipe begins again when it is opened the next time.
    """
    name = os.fspath(path)
    if name == "-":
        return sys.stdin.buffer
    if is_address(name):
        from errata.corpus.shards import open_address

        return _decompressed(open_address(name), name)
    try:
        raw = _opened(name, keep)
    except OSError as error:
        raise _unreadable(name, error) from None
    return _decompressed(raw, name)


def is_pipe(path: StrPath) -> bool:
    """Whether it can be read only once: stdin, or a pipe such as `<(zcat gold.m2.gz)`."""
    name = os.fspath(path)
    return name == "-" or (os.path.exists(name) and stat.S_ISFIFO(os.stat(name).st_mode))


def _opened(name: str, keep: bool) -> BinaryIO:
    """The open file; a pipe that is kept is read into memory."""
    if not (keep or _PIPES) or not is_pipe(name):
        return open(name, "rb")
    status = os.stat(name)
    key = (status.st_dev, status.st_ino)
    content = _PIPES.pop(key, None)
    if content is None:
        with open(name, "rb") as pipe:
            content = pipe.read()
    if keep:
        _PIPES[key] = content
    return io.BytesIO(content)


_REMEDIES: dict[type[Exception] | tuple[type[Exception], ...], str] = {
    FileNotFoundError: "check the path",
    IsADirectoryError: "name a file in this folder",
    PermissionError: "you may not read it: see `ls -l`",
    (
        gzip.BadGzipFile,
        lzma.LZMAError,
        zlib.error,
        EOFError,
    ): "check that it is complete and has the right suffix",
}


def _unreadable(name: str, error: Exception) -> DataError:
    reason = getattr(error, "strerror", None) or str(error)
    hint = next((hint for kind, hint in _REMEDIES.items() if isinstance(error, kind)), None)
    return DataError(f"cannot read it: {reason}", path=name, hint=hint)


def read_bytes(path: StrPath) -> bytes:
    """The whole (decompressed) content."""
    with open_binary(path) as file:
        return reading(file.read, path)


def file_sha256(path: StrPath) -> str:
    """The SHA-256 of a file as it is, which need not fit into memory."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def reading(read: Callable[[], bytes], path: StrPath) -> bytes:
    """The bytes that `read` returns. Its errors are raised with the name of the file and a hint."""
    try:
        return read()
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise _unreadable(display(path), error) from None
    except Exception as error:  # zstandard's own error type, which may not be importable
        if type(error).__module__.startswith("zstandard"):
            raise _unreadable(display(path), error) from None
        raise


def peek(path: StrPath, size: int = 4096) -> str:
    """The beginning of a file, which is not consumed; bytes that are not UTF-8 are replaced."""
    if os.fspath(path) == "-":
        start = getattr(sys.stdin.buffer, "peek", lambda size: b"")(size)[:size]
    else:
        with open_binary(path, keep=True) as file:
            start = reading(lambda: file.read(size), path)
    return start.decode("utf-8", "replace").removeprefix(BOM)


def check_start(start: bytes, path: StrPath) -> None:
    """Raise an error that says what to do if a file begins as packed data, UTF-16 or UTF-32 does."""
    packed = next((suffix for suffix, magic in _MAGIC.items() if start.startswith(magic)), None)
    if packed is not None:
        raise DataError(
            "this file is compressed, and its name does not say so",
            path=display(path),
            hint=f"give it a name that ends in {packed}",
        )
    order = {codecs.BOM_UTF16_LE: "UTF-16LE", codecs.BOM_UTF16_BE: "UTF-16BE"}.get(start[:2], "")
    low, high = start[1::2].count(0), start[::2].count(0)
    if not order and start.count(0) * 3 > len(start) and 4 * min(low, high) < max(low, high):
        order = "UTF-16LE" if low > high else "UTF-16BE"  # without a byte-order mark every second byte is 0
    if order:
        bom = "UTF-16" if start[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else order
        raise DataError(
            f"not UTF-8: it looks like {order}, as some Windows programs write it",
            path=display(path),
            line=1,
            hint=f"convert it first: iconv -f {bom} -t UTF-8 {display(path)} > NEW",
        )


def _not_utf8(data: bytes, position: int, path: StrPath, line: int = 1) -> DataError:
    """The error for a byte of `data`, which begins with this line."""
    if line == 1:
        check_start(data[:_START], path)
    line_start = data.rfind(b"\n", 0, position) + 1
    return DataError(
        f"not UTF-8: byte 0x{data[position]:02x} in column {position - line_start + 1}",
        path=display(path),
        line=data.count(b"\n", 0, line_start) + line,
        hint="convert the file first, for example: iconv -f LATIN1 -t UTF-8",
    )


def read_texts(path: StrPath) -> Lines:
    """The lines as `read_lines` gives them, as bytes; strings are made on demand."""
    return lines_of(read_bytes(path).removeprefix(BOM.encode()), path)


def lines_of(raw: bytes, path: StrPath, line: int = 1) -> Lines:
    """These bytes of a file as lines; `line` is the number of the first."""
    if line == 1:
        check_start(raw[:_START], path)
    lines, invalid = Lines.split(raw)
    if invalid is not None:
        raise _not_utf8(raw, invalid, path, line)
    return lines


def read_lines(path: StrPath) -> list[str]:
    """The lines of a text file without their ends (LF or CRLF) and without a byte-order mark.

    Only LF and CRLF end a line: other Unicode line separators are text.
    """
    return decoded_lines(read_bytes(path).removeprefix(BOM.encode()), path)


def decoded_lines(raw: bytes, path: StrPath, line: int = 1) -> list[str]:
    """As `lines_of`, as strings."""
    return list(lines_of(raw, path, line))


def stream_lines(path: StrPath) -> Iterator[str]:
    """The lines as `read_lines` gives them, one by one: for files larger than memory and for pipes."""
    with open_binary(path) as file:
        lines = iter(file)
        for number in itertools.count(1):
            raw = reading(lambda: next(lines, b""), path)
            if not raw:
                return
            if number == 1:
                check_start(raw[:_START], path)
            try:
                line = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                raise _not_utf8(raw, error.start, path, number) from None
            yield (line.removeprefix(BOM) if number == 1 else line).removesuffix("\n").removesuffix("\r")


def open_binary_output(path: StrPath) -> AbstractContextManager[BinaryIO]:
    """Write bytes to a file that appears only when complete."""
    name = os.fspath(path)
    if is_address(name):
        from errata.corpus.shards import open_address_output

        return open_address_output(name)
    return replacement(name)


@contextmanager
def open_output(path: StrPath, *, whole: bool = False) -> Iterator[IO[str]]:
    """Write text to a file that appears only when complete; `-` is stdout; compressed by its name.

    With `whole`, nothing goes to stdout before the text is complete.
    """
    name = os.fspath(path)
    if name == "-":
        complete = io.StringIO(newline="")
        yield complete if whole else sys.stdout
        sys.stdout.write(complete.getvalue())
        sys.stdout.flush()
        return
    with (
        open_binary_output(name) as raw,
        _compressor(raw, name) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        yield text


def _compressor(raw: BinaryIO, name: str) -> BinaryIO:
    if name.endswith(".gz"):
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0))
    if name.endswith(".bz2"):
        return cast(BinaryIO, bz2.BZ2File(raw, "wb"))
    if name.endswith(".xz"):
        return cast(BinaryIO, lzma.LZMAFile(raw, "wb"))
    if name.endswith(".zst"):
        return _zstandard().ZstdCompressor().stream_writer(raw, closefd=False)  # type: ignore[no-any-return]
    return raw


# -- compressed files ---------------------------------------------------------------------------------------


def _decompressed(file: BinaryIO, name: str) -> BinaryIO:
    """The content of an open file, decompressed if its name ends as that of a compressed file."""
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


def _zstandard() -> Any:
    """The module that packs and unpacks `.zst` files."""
    with needs_extra("reading and writing .zst files", "cloud"):
        import zstandard
    return zstandard


class _Bounded(io.RawIOBase):
    """The unpacked content of a file. Raises an error if it exceeds the limit on its size or its ratio."""

    def __init__(self, content: BinaryIO, packed: BinaryIO, name: str) -> None:
        self._content, self._packed, self._name = content, packed, name
        self._size = from_environment("UNPACKED", _SIZE)
        self._ratio = from_environment("RATIO", _RATIO)
        self._read = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._content.read(len(buffer))
        if not data and not self._packed.tell():  # even nothing, compressed, has a header
            raise EOFError("it is empty, so it cannot be a compressed file")
        buffer[: len(data)] = data
        self._read += len(data)
        if self._read > self._size:
            raise self._refused(f"more than {self._size:,} bytes", "UNPACKED", "100G")
        if self._read > _FREE and self._read > self._ratio * self._packed.tell():
            raise self._refused(f"more than {self._ratio} times its size", "RATIO", "10000")
        return len(data)

    def _refused(self, excess: str, limit: str, example: str) -> DataError:
        hint = f"if you trust the file, raise the limit: ERRATA_LIMIT_{limit}={example}"
        return DataError(f"unpacks to {excess}", path=self._name, hint=hint)

    def close(self) -> None:
        if not self.closed:
            self._content.close()
            self._packed.close()
        super().close()


class _Zstandard(io.RawIOBase):
    """The frames of a Zstandard file, one after the other; the last must be complete."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._new = _zstandard().ZstdDecompressor().decompressobj
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
