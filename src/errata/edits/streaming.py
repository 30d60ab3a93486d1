"""Parallel texts line by line: as many as memory never holds."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from errata.corpus.files import BOM, StrPath, display, open_binary
from errata.errors import DataError


def lines(path: StrPath) -> Iterator[str]:
    """The lines of a text file without their ends, read as they are asked for."""
    number = 0
    with open_binary(path) as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="\n") as file:
        try:
            for number, line in enumerate(file, 1):
                text = line.removesuffix("\n").removesuffix("\r")
                yield text.removeprefix(BOM) if number == 1 else text
        except UnicodeDecodeError as error:
            raise DataError(
                f"not UTF-8: byte 0x{error.object[error.start]:02x}",
                path=display(path),
                line=number + 1,
                hint="convert the file first, for example: iconv -f LATIN1 -t UTF-8",
            ) from None


def parallel(paths: Sequence[StrPath]) -> Iterator[tuple[str, ...]]:
    """The lines of several files side by side; all must have as many."""
    for number, row in enumerate(zip_longest(*map(lines, paths)), 1):
        if None in row:
            short = paths[row.index(None)]
            raise DataError(
                f"ends after {number - 1} lines, another file goes on",
                path=display(short),
                hint="source and corrections need a line for each sentence",
            )
        yield row


def count_lines(path: StrPath) -> int:
    """How many lines a file has."""
    with open_binary(path) as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))
