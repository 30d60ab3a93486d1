"""Lines of text as the bytes they were read as; strings are made of those that somebody looks at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from errata.kernels import lines as kernel

Places = npt.NDArray[np.int64]


class Lines(Sequence[str]):
    """Lines of UTF-8: line i is `data[starts[i]:ends[i]]`. Equal to any sequence of the same strings."""

    __slots__ = ("_texts", "data", "ends", "ids", "starts")

    def __init__(self, data: bytes, starts: Places, ends: Places, texts: Sequence[str] | None = None) -> None:
        self.data, self.starts, self.ends = data, starts, ends
        self._texts = texts  # the strings that it was made of
        self.ids: tuple[object, object] | None = None  # the last vocabulary and what it made of these lines

    @classmethod
    def split(cls, data: bytes) -> tuple[Lines, int | None]:
        """The lines of a file without their ends, LF or CRLF, and where the first byte is not UTF-8."""
        starts, ends, wrong = kernel.places(np.frombuffer(data, dtype=np.uint8))
        return cls(data, starts, ends), None if wrong < 0 else wrong

    @classmethod
    def of(cls, texts: Sequence[str]) -> Lines:
        """Strings as lines, which may have line breaks inside; lines stay as they are."""
        if isinstance(texts, Lines):
            return texts
        data, starts, ends = joined(texts)
        return cls(data, starts, ends, texts)

    @property
    def of_file(self) -> bool:
        """Whether these are lines of a file, which have no line break inside."""
        return self._texts is None

    def lower(self) -> Lines:
        """The lines in lower case; strings are made of those alone that have more than ASCII."""
        if not self.of_file or not len(self):
            return Lines.of([text.lower() for text in self])
        data = bytearray(self.data.lower())
        other = np.flatnonzero(np.frombuffer(self.data, dtype=np.uint8) >= 0x80)
        having = np.searchsorted(other, self.starts) < np.searchsorted(other, self.ends)
        for line in np.flatnonzero(having).tolist():
            text = self[line].lower().encode("utf-8", "surrogatepass")
            if len(text) != self.ends[line] - self.starts[line]:
                return Lines.of([text.lower() for text in self])
            data[self.starts[line] : self.ends[line]] = text
        return Lines(bytes(data), self.starts, self.ends)

    def __len__(self) -> int:
        return len(self.starts)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Lines: ...
    def __getitem__(self, index: int | slice) -> str | Lines:
        if isinstance(index, slice):
            texts = None if self._texts is None else self._texts[index]
            return Lines(self.data, self.starts[index], self.ends[index], texts)
        if self._texts is not None:
            return self._texts[index]
        return self.data[self.starts[index] : self.ends[index]].decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        if self._texts is not None:
            return iter(self._texts)
        data = self.data
        places = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return (data[start:end].decode("utf-8", "surrogatepass") for start, end in places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str | bytes):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<Lines: {list(self[:3])}{' …' if len(self) > 3 else ''}>"


def joined(texts: Sequence[str]) -> tuple[bytes, Places, Places]:
    """Strings as bytes with a line end between them, and where each of them lies."""
    text = "\n".join(texts)
    data = text.encode("utf-8", "surrogatepass")
    if len(data) == len(text):
        sizes = [*map(len, texts)]
    elif text.count("\n") == len(texts) - 1:
        ends = np.append(np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10), len(data))
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        return data, starts, ends
    else:
        sizes = [len(one.encode("utf-8", "surrogatepass")) for one in texts]
    lengths = np.array(sizes, dtype=np.int64)
    ends = np.cumsum(lengths) + np.arange(len(texts))
    return data, ends - lengths, ends
