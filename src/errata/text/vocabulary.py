"""Interning tokens: text becomes integers once, and every kernel works on those."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from errata.engine import in_worker, spread
from errata.kernels import bounds
from errata.kernels import lines as line_kernel
from errata.kernels import rows as row_kernel
from errata.kernels import tokens as kernel
from errata.kernels.ragged import Ragged
from errata.text.lines import Lines, Places, joined


def spelled(rows: Ragged, parts: Ragged, between: int) -> Ragged:
    """The rows with each id replaced by the part of this number, and a separator between two parts."""
    values = np.empty(bounds.spelled(rows.values, parts.offsets) + len(rows.values), dtype=np.int32)
    offsets = np.empty(len(rows.offsets), dtype=np.int64)
    kernel.joined(*rows.arrays, *parts.arrays, between, values, offsets)
    values.resize(int(offsets[-1]), refcheck=False)
    return Ragged(values, offsets)


def equal_rows(some: Ragged, others: Ragged, owned: Places | None = None) -> npt.NDArray[np.bool_]:
    """Whether each row i is equal to row i of the others, or to one of their rows `owned[i]:owned[i + 1]`."""
    equal = np.empty(len(some), dtype=np.bool_)
    owned = np.arange(len(some) + 1, dtype=np.int64) if owned is None else owned
    row_kernel.equal_texts(*some.arrays, *others.arrays, owned, equal.view(np.uint8))
    return equal


class RepeatedLines(Sequence[str]):
    """Lines of which some come several times; they are split into tokens once."""

    def __init__(self, lines: Sequence[str], numbers: npt.NDArray[np.int64]) -> None:
        self.lines = lines
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> RepeatedLines: ...
    def __getitem__(self, index: int | slice) -> str | RepeatedLines:
        if isinstance(index, slice):
            return RepeatedLines(self.lines, self.numbers[index])
        return self.lines[int(self.numbers[index])]

    def __iter__(self) -> Iterator[str]:
        return (self.lines[number] for number in self.numbers.tolist())


def code_points(texts: Lines) -> Ragged:
    """The characters of every line."""
    points = np.empty(bounds.size(texts.starts, texts.ends), dtype=np.int32)
    offsets = np.empty(len(texts) + 1, dtype=np.int64)
    data = np.frombuffer(texts.data, dtype=np.uint8)
    line_kernel.code_points(data, texts.starts, texts.ends, points, offsets)
    points.resize(int(offsets[-1]), refcheck=False)
    return Ragged(points, offsets)


def _classes(*groups: bytes) -> npt.NDArray[np.uint8]:
    found = np.zeros(256, dtype=np.uint8)
    for number, group in enumerate(groups, 1):
        found[[*group]] = number
    return found


_LINES = 1 << 11  # of a chunk that a thread numbers
_FEW = 1 << 10  # places of a table for tokens that a vocabulary lacks
_SMALL = 1 << 12  # places of a table that had to grow
_LARGE = 1 << 14  # places of a table from which on it grows more slowly
_ASCII_BLANKS = b"\t\n\v\f\r "
# Blanks as `str.split` knows them, and as `bytes.split` does; see `kernels/tokens.py`.
_UNICODE = _classes(_ASCII_BLANKS, b"\xc2\xe1\xe2\xe3", b"\x1c\x1d\x1e\x1f")
_ASCII = _classes(_ASCII_BLANKS)
_UNKNOWN = (0, np.zeros(0, dtype=np.int64), np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.uint8))


class Vocabulary:
    """Gives every distinct token a small integer, the same for all texts encoded with it."""

    def __init__(self, places: int = 64) -> None:
        self._table, self._places = bounds.zeros(places), bounds.zeros(places // 2 + 1)
        self._letters = np.empty(4 * places, dtype=np.uint8)
        self._state = np.zeros(2, dtype=np.int64)
        self._adding = threading.Lock()  # two threads must not give one number to two tokens
        self._spelling = threading.Lock()
        self._points: Ragged | None = None
        self._own = in_worker()  # a thread that works beside others made it, most likely for itself

    def __getstate__(self) -> dict[str, Any]:
        made = ("_adding", "_spelling", "_points", "_own")
        return {name: value for name, value in vars(self).items() if name not in made}

    def __setstate__(self, state: dict[str, Any]) -> None:
        locks = {"_adding": threading.Lock(), "_spelling": threading.Lock()}
        vars(self).update(state, **locks, _points=None, _own=in_worker())

    def __len__(self) -> int:
        return int(self._state[0])

    @property
    def unicode_blanks(self) -> bool:
        """Whether a line had a blank that is none of ASCII."""
        return bool(self._state[1])

    @property
    def tokens(self) -> list[str]:
        """The tokens in the order of their ids."""
        return self.some_tokens(range(len(self)))

    def some_tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens with these ids."""
        with self._adding:  # both grow by being replaced
            letters, places = self._letters.data, self._places
        chosen = np.fromiter(ids, np.int64)
        both = zip(places[chosen].tolist(), places[chosen + 1].tolist(), strict=True)
        return [str(letters[start:end], "utf-8", "surrogatepass") for start, end in both]

    def code_points(self) -> Ragged:
        """The characters of every token; made anew only after tokens were added."""
        with self._spelling:
            if self._points is None or len(self._points) < len(self):
                data, places, count = self._content()
                self._points = code_points(Lines(data, places[:count], places[1 : count + 1]))
            return self._points

    def token_bytes(self, first: int = 0) -> list[bytes]:
        """The tokens from an id on, as UTF-8."""
        data, places, count = self._content()
        return [data[start:end] for start, end in pairwise(places[first : count + 1].tolist())]

    def digests(self, known: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        """Eight bytes of BLAKE2b per token; those of the first tokens are known."""
        data, places, count = self._content()
        found = np.empty(count, dtype=np.uint64)
        kernel.digests(np.frombuffer(data, dtype=np.uint8), places, known, found)
        return found

    def encode(self, rows: Iterable[Sequence[str]]) -> Ragged:
        """Token sequences to ids; new tokens are added. A token may contain anything."""
        rows = list(rows)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return Ragged(self._numbered(*joined([*chain.from_iterable(rows)])), offsets)

    def encode_lines(self, lines: Iterable[str], *, ascii_blanks: bool = False) -> Ragged:
        """Text to ids of the tokens between white space: Unicode's, or that of ASCII alone."""
        if isinstance(lines, RepeatedLines):
            return self.encode_lines(lines.lines, ascii_blanks=ascii_blanks).select(lines.numbers)
        given = Lines.of(lines if isinstance(lines, Sequence) else list(lines))
        return self.encode_regular(given, ascii_blanks=ascii_blanks)[0]

    def encode_regular(
        self, lines: Lines, *, ascii_blanks: bool = False
    ) -> tuple[Ragged, npt.NDArray[np.bool_]]:
        """The ids, and which lines have more than a single space between two tokens."""
        key = (self, ascii_blanks)
        if lines.ids is not None and lines.ids[0] == key:
            return lines.ids[1]  # type: ignore[return-value]
        if in_worker() and not self._own:
            found = self._encode_apart(lines, ascii_blanks)
        else:
            with self._adding:
                found = self._encode_here(lines, ascii_blanks)
        lines.ids = (key, found)
        return found

    def _encode_apart(self, lines: Lines, ascii_blanks: bool) -> tuple[Ragged, npt.NDArray[np.bool_]]:
        """As `_encode_here`, but only new tokens are added in turn: other threads need not wait."""
        if len(lines) <= _LINES:
            return self._encode_piece(lines, ascii_blanks)
        found: dict[int, tuple[Ragged, npt.NDArray[np.bool_]]] = {}

        def work(start: int, stop: int) -> None:
            found[start] = self._encode_piece(lines[start:stop], ascii_blanks)

        spread(work, len(lines), chunk=_LINES)
        rows, irregular = zip(*(found[start] for start in sorted(found)), strict=True)
        if len(rows) == 1:
            return rows[0], irregular[0]
        return Ragged.concatenated(rows), np.concatenate(irregular)

    def _encode_piece(self, lines: Lines, ascii_blanks: bool) -> tuple[Ragged, npt.NDArray[np.bool_]]:
        own = Vocabulary(_FEW)
        with self._adding:
            known, before = (len(self), *self._arrays()[:3]), len(self)
        rows, irregular = own._encode_here(lines, ascii_blanks, known)
        if own.unicode_blanks:
            self._state[1] = 1
        data, places, count = own._content()
        if count:
            numbers = self._numbered(data, places[:count], places[1 : count + 1])
            kernel.renumber(rows.values, before, numbers)
        return rows, irregular

    def _encode_here(
        self, lines: Lines, ascii_blanks: bool, known: tuple[Any, ...] = _UNKNOWN
    ) -> tuple[Ragged, npt.NDArray[np.bool_]]:
        data = np.frombuffer(lines.data, dtype=np.uint8)
        ids = np.empty(bounds.tokens(lines.starts, lines.ends, 0), dtype=np.int32)
        offsets = bounds.zeros(len(lines) + 1)
        irregular = np.empty(len(lines), dtype=np.uint8)
        done, given = 0, (_ASCII if ascii_blanks else _UNICODE, *known)
        while (
            done := kernel.number_lines(
                data, lines.starts, lines.ends, done, *given, *self._arrays(), ids, offsets, irregular
            )
        ) < len(lines):
            self._grow(int(lines.ends[done] - lines.starts[done]))
        ids.resize(int(offsets[-1]), refcheck=False)  # gives back what there is too much of
        return Ragged(ids, offsets), irregular.view(np.bool_)

    def encode_whole(self, lines: Lines) -> npt.NDArray[np.int32]:
        """The ids of lines that are a token each, whatever they contain."""
        return self._numbered(lines.data, lines.starts, lines.ends)

    def encode_rows(self, rows: Ragged) -> npt.NDArray[np.int32]:
        """The ids of rows of numbers, whose bytes are taken for tokens; no other tokens go with these."""
        places = 4 * rows.offsets
        ids = np.ascontiguousarray(rows.values, dtype=np.int32)
        return self._numbered(ids.data, places[:-1], places[1:])

    def numbers_in(self, other: Vocabulary) -> npt.NDArray[np.int32]:
        """The id that each token has in another vocabulary, which gets the tokens that it does not have."""
        data, places, count = self._content()
        return other._numbered(data, places[:count], places[1 : count + 1])

    def _numbered(self, data: bytes | memoryview, starts: Places, ends: Places) -> npt.NDArray[np.int32]:
        """The ids of tokens that lie in these bytes."""
        ids = np.empty(len(starts), dtype=np.int32)
        codes = np.frombuffer(data, dtype=np.uint8)
        done, count = 0, len(starts)
        with self._adding:
            while (done := kernel.number_tokens(codes, starts, ends, done, *self._arrays(), ids)) < count:
                self._grow(int(ends[done] - starts[done]))
        return ids

    def _arrays(self) -> tuple[Any, ...]:
        return self._table, self._places, self._letters, self._state

    def _content(self) -> tuple[bytes, Places, int]:
        with self._adding:
            count = len(self)
            return self._letters[: self._places[count]].tobytes(), self._places, count

    def _grow(self, size: int) -> None:
        """Make room for as many tokens again, and for so many bytes more."""
        factor = 4 if len(self._table) < _LARGE else 2
        table = bounds.zeros(max(factor * len(self._table), _SMALL))
        kernel.rehash(self._table, table)
        places = bounds.zeros(len(table) // 2 + 1)
        places[: len(self._places)] = self._places
        letters = np.empty(max(8 * len(places), 2 * len(self._letters)) + size, dtype=np.uint8)
        letters[: len(self._letters)] = self._letters
        self._table, self._places, self._letters = table, places, letters


class Numbers(dict[str, int]):
    """Gives a token it does not know the next number; a look-up alone costs no call of Python code."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


class SentenceVocabulary:
    """A vocabulary for single sentences, where calling a kernel would cost more than it saves."""

    def __init__(self) -> None:
        self._ids = Numbers()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def tokens(self) -> list[str]:
        """The tokens in the order of their ids."""
        return list(self._ids)

    def encode(self, rows: Iterable[Sequence[str]]) -> Ragged:
        """Token sequences to ids; new tokens are added."""
        rows = list(rows)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        tokens = chain.from_iterable(rows)
        ids = np.fromiter(map(self._ids.__getitem__, tokens), dtype=np.int32, count=int(offsets[-1]))
        return Ragged(ids, offsets)
