"""Sufficient statistics: the rows of numbers that a metric keeps for every segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats as Floats
from errata.array_types import Integers as Integers
from errata.array_types import Numbers as Numbers
from errata.limits import current
from errata.native.ragged import Ragged


@dataclass(frozen=True, slots=True)
class Cut:
    """A segment over a limit: its statistics come from a cheaper computation."""

    segment: int  # from 0
    source: int  # tokens
    hypothesis: int  # tokens
    limit: str  # "work" or "memory"
    done: str  # the cheaper computation
    at: str = field(default_factory=lambda: str(current()))  # both limits

    def moved(self, segments: int) -> Cut:
        """The same segment after this number of segments is put before it."""
        return replace(self, segment=self.segment + segments)

    def __str__(self) -> str:
        where = f"sentence {self.segment + 1} ({self.source:,} and {self.hypothesis:,} tokens)"
        return f"{where} is beyond the limit of {self.limit} ({self.at}): {self.done}"

    def to_dict(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Cut:
        """Read the record of `to_dict`; files of older versions have further fields, which are ignored."""
        if not all(isinstance(record[name], int) for name in ("segment", "source", "hypothesis")):
            raise TypeError("the number of a segment or of its tokens is not a whole number")
        return cls(**{each.name: record[each.name] for each in fields(cls)})


def cut_segments(
    limits: Mapping[int, str],
    sources: Ragged | Sequence[str],
    hypotheses: Ragged | Sequence[str],
    instead: Mapping[str, str],
) -> tuple[Cut, ...]:
    """The segments that exceeded a limit, which `limits` names; `instead` has the cheaper computation."""
    return tuple(
        Cut(i, len(sources[i]), len(hypotheses[i]), limits[i], instead[limits[i]]) for i in sorted(limits)
    )


def limits_of_rows(
    marks: npt.NDArray[np.uint8], offsets: Integers, names: Mapping[int, str]
) -> dict[int, str]:
    """The limits that segments exceeded; `marks` has, per row, 0 or a key of `names`."""
    # Not np.unique, which imports numpy.ma; that takes longer than to score a system.
    segments = {*(np.searchsorted(offsets, np.flatnonzero(marks), side="right") - 1).tolist()}
    return {i: names[int(marks[offsets[i] : offsets[i + 1]].max())] for i in segments}


@dataclass(frozen=True, slots=True)
class Statistics:
    """Rows of int64 or float64, one per segment or one per segment and reference.

    The rows of segment i are `values[offsets[i]:offsets[i + 1]]`. `references` holds the annotator (or the
    number of the candidate) that each row belongs to. `cuts` lists the segments that exceeded a limit.
    """

    columns: tuple[str, ...]
    values: Numbers  # rows × columns
    offsets: Integers  # segments + 1
    references: Integers  # rows
    cuts: tuple[Cut, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def counts(self) -> Integers:
        """The number of rows of each segment."""
        return np.diff(self.offsets)

    def select(self, indices: Sequence[int] | Integers) -> Statistics:
        """Return the statistics of these segments, in this order."""
        indices = np.asarray(indices, dtype=np.int64)
        counts = self.counts[indices]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        rows = np.repeat(self.offsets[indices] - offsets[:-1], counts) + np.arange(offsets[-1])
        by_segment = {cut.segment: cut for cut in self.cuts}
        cuts = [replace(by_segment[s], segment=i) for i, s in enumerate(indices.tolist()) if s in by_segment]
        return Statistics(self.columns, self.values[rows], offsets, self.references[rows], tuple(cuts))

    def without(self, rows: npt.NDArray[np.bool_]) -> Statistics:
        """Return the statistics without some of the rows."""
        offsets = np.concatenate([[0], np.cumsum(~rows, dtype=np.int64)])[self.offsets]
        values = np.ascontiguousarray(self.values[~rows])
        return Statistics(self.columns, values, offsets, self.references[~rows])

    def rivals(self) -> tuple[Integers, Integers]:
        """Return all pairs of rows of the same segment, as two arrays of row numbers."""
        counts = self.counts
        size = np.repeat(counts, counts)
        row = np.repeat(np.arange(len(size)), size)
        begin = np.cumsum(size) - size
        return row, np.repeat(np.repeat(self.offsets[:-1], counts) - begin, size) + np.arange(len(row))

    def interleaved(self, other: Statistics) -> Statistics:
        """Alternate the segments of two systems: segment i becomes 2i here, and 2i + 1 in the other one."""
        together = Statistics.joined([self, other])
        return together.select(np.arange(2 * len(self)).reshape(2, -1).T.ravel())

    @classmethod
    def joined(cls, pieces: Sequence[Statistics]) -> Statistics:
        """Join the statistics of consecutive pieces of a corpus, which may be packed."""
        if len(pieces) == 1 and pieces[0].problem() is None:
            return pieces[0]
        ends = np.cumsum([piece.offsets[-1] for piece in pieces]).tolist()
        before = np.cumsum([0, *map(len, pieces)]).tolist()
        offsets = [
            piece.offsets[1:].astype(np.int64) + end for piece, end in zip(pieces, [0, *ends], strict=False)
        ]
        exact = all(piece.values.dtype.kind == "i" for piece in pieces)
        return cls(
            pieces[0].columns,
            np.concatenate([piece.values for piece in pieces], dtype=np.int64 if exact else np.float64),
            np.concatenate([np.zeros(1, dtype=np.int64), *offsets]),
            np.concatenate([piece.references for piece in pieces], dtype=np.int64),
            tuple(cut.moved(n) for n, piece in zip(before, pieces, strict=False) for cut in piece.cuts),
        )

    def packed(self) -> Statistics:
        """Return the same statistics in the smallest lossless types, for keeping or sending."""
        values, offsets, references = map(_smallest, (self.values, self.offsets, self.references))
        return Statistics(self.columns, values, offsets, references, self.cuts)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the smallest types, because workers send statistics; unpickling restores the types."""
        types = [array.dtype for array in (self.values, self.offsets, self.references)]
        small = self.packed()
        return _unpickled, (self.columns, [small.values, small.offsets, small.references], types, self.cuts)

    @classmethod
    def one_row_each(cls, columns: Sequence[str], values: npt.ArrayLike) -> Statistics:
        """Make statistics with a single row per segment; whole numbers stay int64, all others are float64."""
        rows = np.asarray(values)
        count, kind = len(rows), np.int64 if rows.dtype.kind in "biu" else np.float64
        rows = np.ascontiguousarray(rows.reshape(count, len(columns)), dtype=kind)
        offsets, references = np.arange(count + 1, dtype=np.int64), np.zeros(count, dtype=np.int64)
        return cls(tuple(columns), rows, offsets, references)

    @classmethod
    def from_lists(
        cls, columns: Sequence[str], segments: Sequence[npt.ArrayLike], references: Sequence[Sequence[int]]
    ) -> Statistics:
        """Make statistics from a list of rows per segment and the annotators of those rows."""
        pieces = [np.asarray(rows).reshape(-1, len(columns)) for rows in segments]
        offsets = np.cumsum([0, *map(len, pieces)], dtype=np.int64)
        exact = all(piece.dtype.kind in "biu" or not piece.size for piece in pieces)
        empty = np.empty((0, len(columns)))
        kind = np.int64 if exact else np.float64
        values = np.concatenate([*pieces, empty], dtype=kind, casting="unsafe")
        numbers = np.array([number for row in references for number in row], dtype=np.int64)
        return cls(tuple(columns), values, offsets, numbers)

    def problem(self) -> str | None:
        """Describe the first error in the shapes or types of these arrays; None if there is none."""
        values, offsets, references = self.values, self.offsets, self.references
        if values.dtype not in (np.int64, np.float64):
            return f"the values are {values.dtype}, not int64 or float64"
        if offsets.dtype != np.int64 or references.dtype != np.int64:
            return "the offsets and references are not int64"
        if values.ndim != 2 or values.shape != (len(references), len(self.columns)):
            return f"values of shape {values.shape} for {len(references)} rows of {len(self.columns)} columns"
        if offsets.ndim != 1 or not len(offsets) or offsets[0] != 0 or offsets[-1] != len(values):
            return "the offsets do not begin at 0 and end at the number of rows"
        if (np.diff(offsets) < 0).any():
            return "the offsets decrease"
        return None


def _unpickled(
    columns: tuple[str, ...], arrays: list[Numbers], types: list[np.dtype[Any]], cuts: tuple[Cut, ...]
) -> Statistics:
    values, offsets, references = (array.astype(kind) for array, kind in zip(arrays, types, strict=True))
    return Statistics(columns, values, offsets, references, cuts)


def _smallest(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return integers in the smallest type that holds them; floating-point numbers stay as they are."""
    if numbers.dtype.kind == "f":
        return numbers
    low, high = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, 0)
    kinds = (np.int8, np.int16, np.int32)
    fitting = next(
        (kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max), np.int64
    )
    return numbers.astype(fitting)
