"""Which formats there are, how a file's format is recognised, and one way to read and write any of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import IO

from errata.corpus.files import StrPath, display, open_output, plain_suffix
from errata.corpus.m2 import read_m2, write_m2
from errata.corpus.model import Corpus
from errata.corpus.parallel import read_outputs as read_outputs
from errata.corpus.parallel import read_parallel
from errata.errors import DataError

READERS: dict[str, Callable[[StrPath], Corpus]] = {"m2": read_m2, "text": read_parallel}
WRITERS: dict[str, Callable[[Corpus, IO[str]], None]] = {"m2": write_m2}
SUFFIXES = {".m2": "m2", ".txt": "text"}


def detect_format(path: StrPath) -> str:
    """The format of a corpus file, by its suffix."""
    found = SUFFIXES.get(plain_suffix(path))
    if found is None:
        raise DataError(
            f"cannot tell its format by the name {display(path)!r}",
            path=display(path),
            hint=f"name it: one of {', '.join(READERS)}",
        )
    return found


def read_corpus(path: StrPath, *, format: str | None = None, references: Sequence[StrPath] = ()) -> Corpus:
    """Read a corpus in any format; `references` go with plain text."""
    format = format or detect_format(path)
    if format == "text":
        return read_parallel(path, references)
    return READERS[format](path)


def write_corpus(corpus: Corpus, path: StrPath, *, format: str | None = None) -> None:
    """Write a corpus; the file appears only when it is complete."""
    format = format or detect_format(path)
    with open_output(path) as file:
        WRITERS[format](corpus, file)
