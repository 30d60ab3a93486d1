"""Lines of text as the bytes they were read as; strings are made of those that somebody looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

Places = npt.NDArray[np.int64]


class Lines(Sequence[str]):
    """Lines of UTF-8: line i is `data[starts[i]:ends[i]]`. Equal to any sequence of the same strings."""

    __slots__ = ("_texts", "data", "ends", "ids", "starts")

    def __init__(self, data: bytes, starts: Places, ends: Places, texts: Sequence[str] | None = None) -> None:
        self.data, self.starts, self.ends = data, starts, ends
        self._texts = texts  # the strings that it was made of
        self.ids: tuple[object, object] | None = None  # the last vocabulary and what it made of these lines

    @classmethod
    def split(cls, data: bytes) -> Lines:
        """The lines of a file without their ends, which are LF or CRLF; it must be UTF-8."""
        starts, ends = line_places(data)
        return cls(data, starts, ends)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Lines:
        """Strings as lines; any of them may have line breaks inside."""
        data, starts, ends = joined(texts)
        return cls(data, starts, ends, texts)

    @classmethod
    def concatenated(cls, parts: Iterable[Lines]) -> Lines:
        """The lines of all parts behind each other."""
        parts = list(parts)
        shifts = np.cumsum([0, *(len(part.data) for part in parts)]).tolist()
        starts = [part.starts + shift for part, shift in zip(parts, shifts, strict=False)]
        ends = [part.ends + shift for part, shift in zip(parts, shifts, strict=False)]
        return cls(b"".join(part.data for part in parts), np.concatenate(starts), np.concatenate(ends))

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


def line_places(data: bytes) -> tuple[Places, Places]:
    """Where the lines begin and end; the last may lack its end."""
    codes = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(codes == 10)
    if data and not data.endswith(b"\n"):
        ends = np.append(ends, len(data))
    starts = np.zeros_like(ends)
    starts[1:] = ends[:-1] + 1
    if b"\r" in data:
        ends = ends - ((ends > starts) & (codes[np.maximum(ends - 1, 0)] == 13))
    return starts, ends


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
