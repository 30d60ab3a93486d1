"""Rank ranges and clusters from many resampled rankings (Koehn 2012)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errata.human.judgments import Floats, Integers
from errata.tables import Cell, Column, Table


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems from best to worst, with the range of ranks each may claim and the clusters they form.

    `order[k]` is the number of the system in place k; scores, ranges and clusters follow that order.
    Systems of one cluster are tied.
    """

    systems: tuple[str, ...]
    order: Integers
    scores: Floats
    best: Integers
    worst: Integers
    clusters: Integers  # 1, 1, 2, …
    low: Floats
    high: Floats

    @property
    def lines(self) -> frozenset[int]:
        """The places a cluster begins at, except the first."""
        return frozenset(int(k) for k in np.flatnonzero(np.diff(self.clusters)) + 1)

    def table(self, title: str = "", notes: Sequence[str] = (), *, clusters: bool = True) -> Table:
        """Cluster, score, rank range and system, with a line between clusters, as the papers print it."""
        rows: list[Sequence[Cell]] = []
        for k, name in enumerate(self.systems):
            best, worst = int(self.best[k]), int(self.worst[k])
            span = str(best) if best == worst else f"{best}–{worst}"
            number: list[Cell] = []
            if clusters:
                number = [int(self.clusters[k]) if k == 0 or k in self.lines else ""]
            rows.append([*number, float(self.scores[k]), span, name])
        columns = [Column("score", 3), Column("range"), Column("system")]
        return Table(
            [Column("#"), *columns] if clusters else columns,
            rows,
            title=title,
            notes=list(notes),
            rules=self.lines if clusters else frozenset(),
            extra={
                "clusters": self.clusters.tolist(),
                "intervals": [[float(a), float(b)] for a, b in zip(self.low, self.high, strict=True)],
            },
        )

    def _repr_html_(self) -> str:
        return self.table().render("html")

    def to_frame(self) -> Any:
        """A pandas DataFrame, one row per system, the best first."""
        names = ("cluster", "system", "score", "low", "high", "best", "worst")
        values = (self.clusters, self.systems, self.scores, self.low, self.high, self.best, self.worst)
        columns = [column if isinstance(column, tuple) else column.tolist() for column in values]
        return Table([Column(name) for name in names], list(zip(*columns, strict=True))).to_frame()


def rank_matrix(samples: Floats) -> Integers:
    """Ranks (1 = highest score) within each sample; equal scores share the best rank of theirs."""
    ranks: Integers = 1 + (samples[:, None, :] > samples[:, :, None]).sum(axis=-1)
    return ranks


def dropped(samples: int, level: float) -> int:
    """How many ranks are dropped at either end: ⌈n(1 − level)/2⌉, less than half of them."""
    return min(math.ceil(round(samples * (1 - level) / 2, 9)), (samples - 1) // 2)


def rank_systems(
    systems: tuple[str, ...], samples: Floats, *, scores: Floats | None = None, level: float = 0.95
) -> Ranking:
    """Order systems by `scores` (the mean over the samples if not given) and cluster them.

    A line is drawn behind a place when the worst rank kept so far is smaller than the best rank of every
    system further down.
    """
    scores = samples.mean(axis=0) if scores is None else scores
    order = np.argsort(-scores, kind="stable")
    drop = dropped(len(samples), level)
    ranks = np.sort(rank_matrix(samples), axis=0)
    best, worst = ranks[drop][order], ranks[len(samples) - 1 - drop][order]
    so_far = np.maximum.accumulate(worst)
    later = np.minimum.accumulate(best[::-1])[::-1]
    line = so_far[:-1] < later[1:]
    spread = np.sort(samples, axis=0)
    return Ranking(
        systems=tuple(systems[i] for i in order),
        order=order,
        scores=scores[order],
        best=best,
        worst=worst,
        clusters=np.concatenate([[1], 1 + np.cumsum(line)]),
        low=spread[drop][order],
        high=spread[len(samples) - 1 - drop][order],
    )
