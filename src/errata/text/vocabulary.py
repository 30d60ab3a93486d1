"""Token ids: text becomes integers once, and all native code works on these."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.native import tokens
from errata.native.ragged import Ragged, select_runs
from errata.text.lines import Lines, Places, code_points, joined


def spelled(rows: Ragged, parts: Ragged, separator: int = -1) -> Ragged:
    """The rows with each id replaced by the part of this number.

    The separator, unless it is negative, is put between two parts of a row.
    """
    ids = rows.values.astype(np.int64)
    if separator < 0:
        offsets, places = select_runs(parts.offsets, ids)
        return Ragged(parts.values[places], offsets[rows.offsets])
    ended_offsets = parts.offsets + np.arange(len(parts.offsets))
    ended = Ragged(np.insert(parts.values, parts.offsets[1:], separator), ended_offsets)
    texts = ended.select(ids)
    ends = texts.offsets[rows.offsets]
    filled = rows.lengths > 0
    values = np.delete(texts.values, ends[1:][filled] - 1)  # the separators after the last parts
    return Ragged(values, ends - np.concatenate([[0], np.cumsum(filled)]))


def equal_rows(rows: Ragged, others: Ragged, owned: Places | None = None) -> npt.NDArray[np.bool_]:
    """Whether each row i is equal to row i of the others, or to one of their rows `owned[i]:owned[i + 1]`."""
    if owned is None:
        owned = np.arange(len(rows) + 1, dtype=np.int64)
    owners = np.repeat(np.arange(len(rows)), np.diff(owned))
    equal_lengths = np.flatnonzero(rows.lengths[owners] == others.lengths[owned[0] : owned[-1]])
    owners = owners[equal_lengths]
    first, second = rows.select(owners), others.select(owned[0] + equal_lengths)
    differences = np.concatenate([[0], np.cumsum(first.values != second.values)])[first.offsets]
    equal = np.zeros(len(rows), dtype=np.bool_)
    equal[owners[np.diff(differences) == 0]] = True
    return equal


def unique_rows(rows: Ragged) -> tuple[npt.NDArray[np.int32], Places]:
    """A number for every row, the same for equal rows, and the first row with each number."""
    vocabulary = Vocabulary()
    numbers = vocabulary.encode_rows(rows)
    first = np.empty(len(vocabulary), dtype=np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    return numbers, first


def _byte_kinds(*groups: bytes) -> npt.NDArray[np.uint8]:
    kinds = np.zeros(256, dtype=np.uint8)
    for kind, group in enumerate(groups, 1):
        kinds[[*group]] = kind
    return kinds


_ASCII_BLANKS = b"\t\n\v\f\r "
# White space for `str.split`, and for `bytes.split`; see `TokenTable.number_lines`.
_UNICODE = _byte_kinds(_ASCII_BLANKS, b"\xc2\xe1\xe2\xe3", b"\x1c\x1d\x1e\x1f")
_ASCII = _byte_kinds(_ASCII_BLANKS)


class Vocabulary:
    """Gives every distinct token a small integer, the same for all texts encoded with it. Thread-safe."""

    def __init__(self) -> None:
        self._table = tokens.TokenTable()
        self._lock = threading.RLock()  # held while the table is read or extended
        self._points: Ragged | None = None

    def __getstate__(self) -> dict[str, Any]:
        with self._lock:
            return {"content": self._table.content(), "unicode_blanks": self.unicode_blanks}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__()  # type: ignore[misc]
        data, offsets = state["content"]
        self._table.number_tokens(data, offsets[:-1], offsets[1:])
        self._table.unicode_blanks = state["unicode_blanks"]

    def __len__(self) -> int:
        return len(self._table)

    @property
    def unicode_blanks(self) -> bool:
        """Whether a line had white space outside of ASCII."""
        return bool(self._table.unicode_blanks)

    @property
    def tokens(self) -> list[str]:
        """The tokens in the order of their ids."""
        return [str(token, "utf-8", "surrogatepass") for token in self.token_bytes()]

    def some_tokens(self, ids: Iterable[int]) -> list[str]:
        """The tokens with these ids."""
        with self._lock:
            return [str(self._table.token(number), "utf-8", "surrogatepass") for number in ids]

    def code_points(self) -> Ragged:
        """The characters of every token."""
        with self._lock:
            if self._points is None or len(self._points) < len(self):
                data, offsets = self._table.content()
                self._points = code_points(Lines(data, offsets[:-1], offsets[1:]))
            return self._points

    def token_bytes(self, first: int = 0) -> list[bytes]:
        """The tokens from an id on, as UTF-8."""
        with self._lock:
            data, offsets = self._table.content(first)
        return [data[start:end] for start, end in pairwise(offsets.tolist())]

    def encode(self, rows: Iterable[Sequence[str]]) -> Ragged:
        """Token sequences to ids; new tokens are added. A token may contain anything."""
        rows = list(rows)
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return Ragged(self._encode_tokens(*joined([*chain.from_iterable(rows)])), offsets)

    def encode_lines(self, lines: Iterable[str], *, ascii_blanks: bool = False) -> Ragged:
        """Text to ids of the tokens between white space: that of Unicode, or of ASCII alone."""
        texts = Lines.of(lines if isinstance(lines, Sequence) else list(lines))
        return self.encode_regular(texts, ascii_blanks=ascii_blanks)[0]

    def encode_regular(
        self, lines: Lines, *, ascii_blanks: bool = False
    ) -> tuple[Ragged, npt.NDArray[np.bool_]]:
        """The ids, and which lines are irregular: not tokens with a single space between two of them."""
        key = (self, ascii_blanks)
        cached = lines.ids  # read once: another thread may replace it by the ids in its vocabulary
        if cached is not None and cached[0] == key:
            return cached[1]
        kinds = _ASCII if ascii_blanks else _UNICODE
        with self._lock:
            ids, offsets, irregular = self._table.number_lines(lines.data, lines.starts, lines.ends, kinds)
        encoded = Ragged(ids, offsets), irregular
        lines.ids = (key, encoded)
        return encoded

    def encode_whole(self, lines: Lines) -> npt.NDArray[np.int32]:
        """The ids of lines that are one token each, whatever they contain."""
        return self._encode_tokens(lines.data, lines.starts, lines.ends)

    def encode_rows(self, rows: Ragged) -> npt.NDArray[np.int32]:
        """The ids of rows of numbers, whose bytes count as tokens; such a vocabulary has no other tokens."""
        places = 4 * rows.offsets
        return self._encode_tokens(rows.values.tobytes(), places[:-1], places[1:])

    def numbers_in(self, other: Vocabulary) -> npt.NDArray[np.int32]:
        """The id of each token in another vocabulary, to which missing tokens are added."""
        with self._lock:
            data, offsets = self._table.content()
        return other._encode_tokens(data, offsets[:-1], offsets[1:])

    def _encode_tokens(self, data: bytes, starts: Places, ends: Places) -> npt.NDArray[np.int32]:
        """The ids of the tokens `data[starts[i]:ends[i]]`."""
        with self._lock:
            ids: npt.NDArray[np.int32] = self._table.number_tokens(data, starts, ends)
        return ids


class _Numbers(dict[str, int]):
    """Gives a new token the next number."""

    def __missing__(self, token: str) -> int:
        number = self[token] = len(self)
        return number


class SentenceVocabulary:
    """A vocabulary for single sentences, for which a dictionary is faster than native code."""

    def __init__(self) -> None:
        self._ids = _Numbers()

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
        numbers = map(self._ids.__getitem__, chain.from_iterable(rows))
        ids = np.fromiter(numbers, dtype=np.int32, count=int(offsets[-1]))
        return Ragged(ids, offsets)

    def encode_regular(self, lines: Lines) -> tuple[Ragged, npt.NDArray[np.bool_]]:
        """The ids, and which lines are irregular, as `Vocabulary.encode_regular` gives them."""
        rows = [line.split() for line in lines]
        irregular = [" ".join(row) != line for row, line in zip(rows, lines, strict=True)]
        return self.encode(rows), np.array(irregular, dtype=np.bool_)


class Names(dict[str, int]):
    """Numbers of names in order of their first occurrence; `names` lists the names by number."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(names)
        super().__init__((name, i) for i, name in enumerate(self.names))

    def __missing__(self, name: str) -> int:
        number = self[name] = len(self)
        self.names.append(name)
        return number

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """The numbers of these names; new names are added."""
        new = [name for name in dict.fromkeys(names) if name not in self]
        first = len(self.names)
        self.names += new  # before they get numbers: Ctrl-C in between must not give one number to two names
        self.update(zip(new, range(first, first + len(new)), strict=True))
        return np.fromiter(map(self.__getitem__, names), dtype=np.int32, count=len(names))
