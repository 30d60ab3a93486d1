"""Sentences that went beyond a limit: what was done with them, and what that can do to the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from errata.metrics.base import Metric, Statistics

EXTREMES = ("worst", "best")
Rows = tuple[tuple[int, ...], ...]  # statistics of one segment, a row a reference


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
        rows = {name: tuple(tuple(int(value) for value in row) for row in record[name]) for name in EXTREMES}
        return cls(**{**record, **rows})


def cut_signature(cuts: Sequence[Cut]) -> str:
    """What a signature says of them: how many, and the limits; nothing where there are none."""
    if not cuts:
        return ""
    limits = "+".join(dict.fromkeys(cut.at for cut in cuts))
    return f"|cut:{len(cuts)}|limits:{limits}"


def bounds(metric: Metric, statistics: Statistics) -> tuple[float, float]:
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
        rows = np.array(getattr(cut, side), dtype=np.int64)
        values[begin : begin + len(rows)] = rows
    return replace(statistics, values=values)
