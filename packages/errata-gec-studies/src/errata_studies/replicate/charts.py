"""The charts of a replication as plain data; `errata_studies.replicate.page` draws them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from errata.meta.levels import SystemLevel
from errata.metrics.statistics import Floats


@dataclass(frozen=True, eq=False)
class Scatter:
    """One panel per metric: systems by human score and metric score."""

    level: SystemLevel
    human: str  # what the human scores are


@dataclass(frozen=True, eq=False)
class Curves:
    """Lines over a parameter, with vertical marks and a band from the lowest to the highest value."""

    x: Sequence[float]
    lines: Mapping[str, Sequence[float] | Floats]
    xlabel: str
    ylabel: str
    marks: Mapping[str, float] = field(default_factory=dict)
    band: tuple[Sequence[float], Sequence[float]] | None = None


@dataclass(frozen=True, eq=False)
class Bars:
    """Groups of bars, one colour per series; when stacked, the series of a group form one bar."""

    groups: Sequence[str]
    series: Mapping[str, Sequence[float]]
    ylabel: str
    stacked: bool = False


@dataclass(frozen=True, eq=False)
class AmongDraws:
    """Published figures among those that random draws give (draws × figures, by the way of drawing)."""

    names: Sequence[str]
    draws: Mapping[str, Floats]
    published: Floats


Chart = Scatter | Curves | Bars | AmongDraws
