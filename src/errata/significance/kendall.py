"""Kendall's τ in all its variants, from counts of pairs."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers
from errata.errors import DataError, plural
from errata.native import inversions

VARIANTS = ("a", "b", "c", "noties", "hties", "wmt12", "wmt13", "wmt14", "accuracy")


class PairCounts(NamedTuple):
    """How often people and a metric agree about pairs; every variant of τ is a property.

    A pair counts once: as concordant or discordant if both decide, otherwise as one of the kinds of ties.
    `items` and `levels` are known if all pairs of a list of items were counted. τ-c needs them.
    """

    concordant: int
    discordant: int
    human_ties: int  # tied by people alone
    metric_ties: int  # tied by the metric alone
    both_ties: int
    items: int = 0
    levels: int = 0  # number of distinct values, on the side with fewer

    @property
    def pairs(self) -> int:
        """All pairs."""
        return sum(self[:5])

    @property
    def tau_a(self) -> float:
        """(C − D) / all pairs (Kendall 1938)."""
        return _ratio(self.concordant - self.discordant, self.pairs)

    @property
    def tau_b(self) -> float:
        """(C − D) / √(pairs people decide · pairs the metric decides) (Kendall 1945)."""
        decided = self.concordant + self.discordant
        by_both = (decided + self.metric_ties) * (decided + self.human_ties)
        return _ratio(self.concordant - self.discordant, math.sqrt(by_both))

    @property
    def tau_c(self) -> float:
        """2 (C − D) / (n² (m − 1) / m), for m distinct values (Stuart 1953)."""
        if not self.items:
            raise DataError("τ-c is defined for a list of items, not for a set of comparisons")
        if self.levels < 2:
            return float("nan")
        scale = self.items**2 * (self.levels - 1) / self.levels
        return _ratio(2 * (self.concordant - self.discordant), scale)

    @property
    def noties(self) -> float:
        """Human ties are dropped, metric ties count as 0: (C − D) / (C + D + T_m) (Macháček & Bojar 2014)."""
        decided = self.concordant + self.discordant + self.metric_ties
        return _ratio(self.concordant - self.discordant, decided)

    @property
    def hties(self) -> float:
        """Common ties count as concordant, other ties as 0: (C + T_hm − D) / all pairs."""
        return _ratio(self.concordant + self.both_ties - self.discordant, self.pairs)

    @property
    def wmt12(self) -> float:
        """Human ties are dropped, metric ties count as discordant (WMT 2012)."""
        decided = self.concordant + self.discordant + self.metric_ties
        return _ratio(self.concordant - self.discordant - self.metric_ties, decided)

    @property
    def wmt13(self) -> float:
        """All ties are dropped: (C − D) / (C + D) (WMT 2013); Goodman and Kruskal's γ."""
        return _ratio(self.concordant - self.discordant, self.concordant + self.discordant)

    @property
    def wmt14(self) -> float:
        """The τ of WMT 2014 and later, which is NoTies."""
        return self.noties

    @property
    def accuracy(self) -> float:
        """Share of pairs with the same outcome, ties included (Deutsch et al. 2023)."""
        return _ratio(self.concordant + self.both_ties, self.pairs)

    def tau(self, variant: str) -> float:
        """A variant by name, one of `VARIANTS`."""
        if variant not in VARIANTS:
            raise DataError(
                f"there is no variant {variant!r} of Kendall's τ", hint=f"one of {', '.join(VARIANTS)}"
            )
        value: float = getattr(self, f"tau_{variant}" if len(variant) == 1 else variant)
        return value

    def bootstrap(self, variant: str, *, samples: int = 1000, seed: int = 1) -> Floats:
        """τ of comparisons drawn with replacement, which is a multinomial draw of the five counts."""
        cells = np.array(self[:5], dtype=np.float64)
        if not self.pairs:
            return np.full(samples, np.nan)
        drawn = np.random.default_rng(seed).multinomial(self.pairs, cells / self.pairs, size=samples)
        return np.array([PairCounts._make([*row, *self[5:]]).tau(variant) for row in drawn.tolist()])

    def interval(
        self, variant: str, *, level: float = 0.95, samples: int = 1000, seed: int = 1
    ) -> tuple[float, float]:
        """A percentile bootstrap interval over comparisons."""
        scores = self.bootstrap(variant, samples=samples, seed=seed)
        low, high = np.nanquantile(scores, [(1 - level) / 2, (1 + level) / 2])
        return float(low), float(high)

    def __add__(self, other: object) -> PairCounts:
        """The sum of the counts of two sets of comparisons."""
        if not isinstance(other, PairCounts):
            return NotImplemented
        return PairCounts(*(a + b for a, b in zip(self[:5], other[:5], strict=True)))


def count_comparisons(human: npt.ArrayLike, metric: npt.ArrayLike) -> PairCounts:
    """Counts from comparisons: `human` and `metric` are differences, of which only the signs matter."""
    human_signs = np.sign(np.asarray(human, dtype=np.float64))
    metric_signs = np.sign(np.asarray(metric, dtype=np.float64))
    if human_signs.shape != metric_signs.shape:
        raise DataError(f"{human_signs.size} human comparisons but {metric_signs.size} of the metric")
    missing = np.isnan(human_signs) | np.isnan(metric_signs)
    if missing.any():
        raise DataError(f"{int(missing.sum())} comparisons have no score (NaN)")
    cell = ((human_signs + 1) * 3 + metric_signs + 1).astype(np.int64).ravel()
    table = np.bincount(cell, minlength=9).reshape(3, 3).tolist()
    return PairCounts(
        concordant=table[0][0] + table[2][2],
        discordant=table[0][2] + table[2][0],
        human_ties=table[1][0] + table[1][2],
        metric_ties=table[0][1] + table[2][1],
        both_ties=table[1][1],
    )


def count_pairs(human: npt.ArrayLike, metric: npt.ArrayLike) -> PairCounts:
    """Counts over all pairs of items that have a human and a metric score each; O(n log n)."""
    people, scores = (np.asarray(side, dtype=np.float64) for side in (human, metric))
    if people.shape != scores.shape or people.ndim != 1 or not people.size:
        raise DataError(
            f"a list of items needs equally many scores on both sides, not {people.size} and {scores.size}"
        )
    missing = int((np.isnan(people) | np.isnan(scores)).sum())
    if missing:
        raise DataError(f"{missing} {plural(missing, 'item')} without a score (NaN)")
    items = len(people)
    pairs = items * (items - 1) // 2
    order = np.lexsort((scores, people))  # by people, then by the metric
    human_ranks = np.unique(people, return_inverse=True)[1][order]
    metric_ranks = np.unique(scores, return_inverse=True)[1][order]
    levels = (int(human_ranks.max()) + 1, int(metric_ranks.max()) + 1)
    people_tied, scores_tied = (_tied_pairs(np.bincount(side)) for side in (human_ranks, metric_ranks))
    differs = (np.diff(human_ranks) != 0) | (np.diff(metric_ranks) != 0)
    both_tied = _tied_pairs(np.diff(np.flatnonzero(differs), prepend=-1, append=items - 1))
    discordant = inversions.count_inversions(metric_ranks)
    return PairCounts(
        concordant=pairs - discordant - people_tied - scores_tied + both_tied,
        discordant=discordant,
        human_ties=people_tied - both_tied,
        metric_ties=scores_tied - both_tied,
        both_ties=both_tied,
        items=items,
        levels=min(levels),
    )


def _tied_pairs(counts: Integers) -> int:
    """The number of pairs with equal values, from the number of items with each value."""
    return int((counts * (counts - 1) // 2).sum())


def _ratio(numerator: float, denominator: float) -> float:
    return numerator / denominator if denominator else float("nan")
