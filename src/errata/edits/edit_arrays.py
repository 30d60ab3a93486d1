"""Edits of many pairs of texts as arrays; `Edit` objects are made on demand."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.corpus.segment import Edit
from errata.native.ragged import select_runs
from errata.text.vocabulary import Names

Integers = npt.NDArray[Any]
Edits = tuple[Edit, ...]
TYPES = Names()  # all types so far
_numbering = threading.Lock()  # else two threads could give one number to two types


def type_numbers(names: Sequence[str]) -> Integers:
    """The numbers of these types in `TYPES`."""
    with _numbering:
        return TYPES.numbers(names)


class PlainEdits(tuple[Edit, ...]):
    """The edits of a pair that exceeded a limit: runs of changed tokens in a Levenshtein alignment.

    Their category is OTHER; `limit` is "work" or "memory".
    """

    limit: str

    def __new__(cls, edits: Iterable[Edit], limit: str) -> PlainEdits:
        plain = super().__new__(cls, edits)
        plain.limit = limit
        return plain

    @property
    def warning(self) -> str:
        """The warning about this pair."""
        first = f"{self[0].start} {self[0].end} -> {self[0].correction[:40]!r}"
        return (
            f"a sentence exceeds the limit of {self.limit}; its edits ({len(self):,}, the first {first}) "
            "are those of a Levenshtein alignment, without categories"
        )


def with_warnings(edits: Iterable[Edits]) -> Iterator[Edits]:
    """The same edits; writes a warning to stderr for each pair that exceeded a limit."""
    for pair_edits in edits:
        if isinstance(pair_edits, PlainEdits):
            print(f"note: {pair_edits.warning}", file=sys.stderr)
        yield pair_edits


class EditArrays(NamedTuple):
    """The edits of pairs of texts: those of pair i are `offsets[i]:offsets[i + 1]`, from left to right."""

    offsets: Integers
    spans: Integers  # source tokens start:end become corrected tokens start:end
    types: Integers  # their numbers in `TYPES`
    limits: Mapping[int, str]  # the limit that a pair exceeded; its edits are plain

    @classmethod
    def joined(cls, parts: Sequence[EditArrays]) -> EditArrays:
        """The edits of all parts, concatenated."""
        if len(parts) == 1:
            return parts[0]
        counts = np.concatenate([np.zeros(1, dtype=np.int64), *(np.diff(part.offsets) for part in parts)])
        first = np.cumsum([0, *(len(part.offsets) - 1 for part in parts)]).tolist()
        limits = {
            i + pair: limit
            for i, part in zip(first, parts, strict=False)
            for pair, limit in part.limits.items()
        }
        none = np.zeros((0, 4), dtype=np.int32), np.zeros(0, dtype=np.int32)
        spans, types = (np.concatenate([none[k - 1], *(part[k] for part in parts)]) for k in (1, 2))
        return cls(np.cumsum(counts), spans, types, limits)

    def select(self, pairs: Integers) -> EditArrays:
        """The edits of these pairs, in this order; a pair may occur several times."""
        offsets, places = select_runs(self.offsets, pairs)
        some = enumerate(pairs.tolist() if self.limits else ())
        limits = {i: self.limits[pair] for i, pair in some if pair in self.limits}
        return EditArrays(offsets, self.spans[places], self.types[places], limits)

    def edits(self, targets: Iterable[str | Sequence[str]]) -> Iterator[Edits]:
        """The edits of each pair as objects; the corrected texts are lines or tokens."""
        numbers = zip(self.spans.tolist(), self.types.tolist(), strict=True)
        names, limits = TYPES.names, self.limits
        for pair, (count, target) in enumerate(zip(np.diff(self.offsets).tolist(), targets, strict=True)):
            edits: Edits = ()
            if count:
                words = target.split() if isinstance(target, str) else target
                edits = tuple(
                    [
                        Edit(start, end, " ".join(words[a:b]), names[kind])
                        for (start, end, a, b), kind in islice(numbers, count)
                    ]
                )
            yield PlainEdits(edits, limits[pair]) if pair in limits else edits


NO_EDITS = EditArrays(np.zeros(2, dtype=np.int64), np.zeros((0, 4), np.int32), np.zeros(0, np.int32), {})
