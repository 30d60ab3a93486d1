"""Sentences that went beyond a limit: what was done with them, and what that can do to the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from errata.metrics.base import Metric
    from errata.metrics.statistics import Statistics

EXTREMES = ("worst", "best")
Rows = tuple[tuple[float, ...], ...]  # statistics of one segment, one row per reference


@dataclass(frozen=True, slots=True)
class Cut:
    """A segment whose statistics are not those of the full computation.

    `worst` and `best` are rows between which those of the full computation lie, in what they do to the score.
    """

    segment: int  # from 0
    source: int  # tokens
    hypothesis: int  # tokens
    limit: str  # "work" or "memory"
    at: str  # what the limits were
    done: str  # instead
    worst: Rows
    best: Rows

    def moved(self, segments: int) -> Cut:
        """The same, so many segments further on."""
        return replace(self, segment=self.segment + segments)

    def __str__(self) -> str:
        where = f"sentence {self.segment + 1} ({self.source:,} and {self.hypothesis:,} tokens)"
        return f"{where} is beyond the limit of {self.limit} ({self.at}): {self.done}"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Cut:
        """What `to_dict` wrote down."""
        rows = {name: tuple(tuple(map(_number, row)) for row in record[name]) for name in EXTREMES}
        return cls(**{**record, **rows})


def cut_fields(cuts: Sequence[Cut]) -> dict[str, str]:
    """What a signature says of cut sentences: how many there are, and the limits."""
    if not cuts:
        return {}
    return {"cut": str(len(cuts)), "limits": "+".join(dict.fromkeys(cut.at for cut in cuts))}


def bounds_of(metric: Metric, statistics: Statistics) -> tuple[float, float]:
    """The corpus scores with the cut segments at their worst and at their best, the lower one first."""
    ones = np.ones((1, len(statistics)), dtype=np.int64)
    scores = [float(metric.aggregate(at_extreme(statistics, side), ones)[0, 0]) for side in EXTREMES]
    scores.append(float(metric.aggregate(statistics, ones)[0, 0]))
    return min(scores), max(scores)


def at_extreme(statistics: Statistics, side: str) -> Statistics:
    """The statistics with the cut segments at their worst or at their best."""
    values = statistics.values.copy()
    for cut in statistics.cuts:
        begin = int(statistics.offsets[cut.segment])
        rows = np.array(getattr(cut, side), dtype=values.dtype)
        values[begin : begin + len(rows)] = rows
    return replace(statistics, values=values)


def _number(value: Any) -> float:
    """A number of a saved row; whole ones stay integers."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{value!r} is not a number")
    return value
