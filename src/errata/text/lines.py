"""Lines of text as bytes of UTF-8; strings are made on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import overload

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata.native.ragged import Ragged, select_runs

Places = npt.NDArray[np.int64]
# The vocabulary used last with the kind of white space; the ids of the tokens, and which lines are irregular.
TokenIds = tuple[object, tuple[Ragged, npt.NDArray[np.bool_]]]
_LF, _CR = b"\n\r"
NOT_TEXT = (type(None), bytes, bytearray, int, float)


class Lines(Sequence[str]):
    """Lines of UTF-8: line i is `data[starts[i]:ends[i]]`. They equal any sequence of the same strings."""

    __slots__ = ("_texts", "data", "ends", "ids", "starts")

    def __init__(self, data: bytes, starts: Places, ends: Places, texts: Sequence[str] | None = None) -> None:
        self.data, self.starts, self.ends = data, starts, ends
        self._texts = texts  # the strings, if it was made from strings
        self.ids: TokenIds | None = None

    @classmethod
    def split(cls, data: bytes) -> tuple[Lines, int | None]:
        """The lines of a file without their ends, LF or CRLF, and the place of the first invalid byte."""
        codes = np.frombuffer(data, dtype=np.uint8)
        ends = np.flatnonzero(codes == _LF)
        if len(data) and not data.endswith(b"\n"):
            ends = np.append(ends, len(data))
        starts = np.zeros_like(ends)
        starts[1:] = ends[:-1] + 1
        if b"\r" in data:
            ends = ends - ((ends > starts) & (codes[ends - 1] == _CR))
        invalid = None
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError as error:
                invalid = error.start
        return cls(data, starts, ends), invalid

    @classmethod
    def of(cls, texts: Sequence[str]) -> Lines:
        """Strings as lines, which may contain line breaks; `Lines` are returned unchanged."""
        if isinstance(texts, Lines):
            return texts
        data, starts, ends = joined(texts)
        return cls(data, starts, ends, texts)

    @classmethod
    def blank(cls, count: int) -> Lines:
        """Empty lines."""
        return cls(b"", np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64))

    @classmethod
    def repeated(cls, text: str, count: int) -> Lines:
        """The same line `count` times, in hardly any memory; the places cannot be changed."""
        data = text.encode()
        places = np.broadcast_to(np.int64(0), count), np.broadcast_to(np.int64(len(data)), count)
        return cls(data, *places)

    @classmethod
    def concatenated(cls, parts: Sequence[Lines]) -> Lines:
        """The lines of all parts, one part after the other."""
        texts = None if all(part.of_file for part in parts) else [text for part in parts for text in part]
        sizes = [len(part.data) for part in parts]
        shifts = np.repeat(np.cumsum([0, *sizes], dtype=np.int64)[:-1], [*map(len, parts)])
        none = np.empty(0, dtype=np.int64)
        starts = np.concatenate([none, *(part.starts for part in parts)]) + shifts
        ends = np.concatenate([none, *(part.ends for part in parts)]) + shifts
        return cls(b"".join(part.data for part in parts), starts, ends, texts)

    def select(self, numbers: Places) -> Lines:
        """These lines, in this order, with repetitions; they keep their token ids."""
        texts = self._texts
        if texts is not None:
            texts = [texts[number] for number in numbers.tolist()]
        selected = Lines(self.data, self.starts[numbers], self.ends[numbers], texts)
        if (cached := self.ids) is not None:  # read once: another thread may replace it
            key, (ids, irregular) = cached
            selected.ids = key, (ids.select(numbers), irregular[numbers])
        return selected

    def __reduce__(self) -> tuple[object, ...]:
        """Arguments for unpickling: only the bytes that are used, without token ids."""
        lengths = self.ends - self.starts
        if int(lengths.sum()) >= len(self.data) // 2:
            return Lines, (self.data, self.starts, self.ends, self._texts)
        places = np.stack([self.starts, self.ends], axis=1).ravel()
        offsets, used = select_runs(places, np.arange(0, len(places), 2))
        data = np.frombuffer(self.data, dtype=np.uint8)[used].tobytes()
        return Lines, (data, offsets[:-1], offsets[1:], self._texts)

    @property
    def of_file(self) -> bool:
        """Whether these are lines of a file, which contain no line breaks."""
        return self._texts is None

    def lower(self) -> Lines:
        """The lines in lower case; strings are only made of lines with characters outside of ASCII."""
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
            return self.select(np.arange(len(self), dtype=np.int64)[index])
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


def check_list(lines: object, name: str) -> None:
    """Raise unless these are a list of texts (or of lists); None, numbers and bytes are no texts."""
    if isinstance(lines, str | bytes):
        raise DataError(
            f"{name} are one string, {lines[:40]!r}, and not a list of strings",
            hint="a single sentence goes into a list: [text]",
        )
    if isinstance(lines, Lines):
        return
    if isinstance(lines, Mapping) or not isinstance(lines, Iterable):
        raise DataError(
            f"{name} are {shown(lines)}, and not a list",
            hint="`errata.score` takes a mapping from systems to lists of hypotheses",
        )
    if any(issubclass(kind, NOT_TEXT) for kind in set(map(type, lines))):  # few types, however many texts
        index, wrong = next((i, item) for i, item in enumerate(lines) if isinstance(item, NOT_TEXT))
        hint = 'give a string for every entry ("" is an empty text), and [] if there are no references'
        if isinstance(wrong, bytes):
            hint = "decode bytes first: text.decode('utf-8')"
        raise DataError(
            f"{name}: entry {index}, counted from 0, is {shown(wrong)}, not a text",
            hint=hint,
        )


def shown(item: object) -> str:
    """An item that is no text, as errors show it."""
    return "None" if item is None else f"{type(item).__name__} {repr(item)[:40]}"


def code_points(lines: Lines) -> Ragged:
    """The characters of every line. Surrogates may occur, as three bytes each."""
    data, starts, ends = _characters(lines)
    text = data.decode("utf-8", "surrogatepass").encode("utf-32-le", "surrogatepass")
    runs = np.stack([starts, ends], axis=1).ravel()
    offsets, places = select_runs(runs, np.arange(0, len(runs), 2))
    return Ragged(np.frombuffer(text, dtype=np.int32)[places], offsets)


def character_counts(lines: Lines) -> Places:
    """The number of characters of every line."""
    _, starts, ends = _characters(lines)
    return ends - starts


def _characters(lines: Lines) -> tuple[bytes, Places, Places]:
    """The bytes from the first to the last line; the first character of each line in them, and its end."""
    first, last = int(lines.starts.min(initial=len(lines.data))), int(lines.ends.max(initial=0))
    data = lines.data[first:last]
    before = np.zeros(len(data) + 1, dtype=np.int64)
    np.cumsum(np.frombuffer(data, dtype=np.uint8) & 0xC0 != 0x80, out=before[1:])
    return data, before[lines.starts - first], before[lines.ends - first]


def joined(texts: Sequence[str]) -> tuple[bytes, Places, Places]:
    """Strings as bytes with line ends between them, and the start and end of each string."""
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
