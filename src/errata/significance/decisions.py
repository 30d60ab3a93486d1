"""Decide tests: corrections for many tests, early stopping with a bounded risk, power, and headlines.

A headline is two sentences that say who leads, what separates the systems, and on which data.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers
from errata.errors import plural

CORRECTIONS = ("none", "holm", "bh")
_FIRST_LOOK = 1000  # samples before the first look; later looks are a tenth further on
_HALF_SPENT = 1000  # samples after which half of the risk may have been spent (Gandy's choice)

Decision = Literal["significant", "not significant", "undecided"]


def decide(p: float, alpha: float) -> Decision:
    """The decision for an exact p-value at level α."""
    return "significant" if p <= alpha else "not significant"


# -- corrections for many tests ---------------------------------------------------------------------


def adjust(p_values: npt.ArrayLike, correction: str) -> Floats:
    """Adjusted p-values by the name of the correction: `none`, `holm` or `bh`."""
    if correction not in CORRECTIONS:
        raise ValueError(f"the correction is one of {', '.join(CORRECTIONS)}, not {correction!r}")
    if correction == "none":
        return np.array(p_values, dtype=np.float64)
    return holm(p_values) if correction == "holm" else benjamini_hochberg(p_values)


def holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's (1979) adjusted p-values, which bound the probability of any false positive."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _in_original_order(np.minimum(stepped, 1), order)


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg's (1995) adjusted p-values, which bound the share of false positives."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    stepped = np.minimum.accumulate(stepped[::-1])[::-1]
    return _in_original_order(np.minimum(stepped, 1), order)


def _in_original_order(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    restored = np.empty_like(values)
    restored[order] = values
    return restored


# -- early stopping ---------------------------------------------------------------------------------


class Look(NamedTuple):
    """Stop after `samples` samples with p ≤ α at `lower` hits or fewer, with p > α at `upper` or more."""

    samples: int
    lower: int
    upper: int


def look_schedule(most: int) -> Iterator[int]:
    """Numbers of samples after which to look: every 1,000, later every tenth more, and finally `most`."""
    samples = 0
    while samples < most:
        samples = min(most, samples + max(_FIRST_LOOK, samples // 10 // _FIRST_LOOK * _FIRST_LOOK))
        yield samples


def stopping_boundaries(alpha: float, risk: float, most: int) -> Iterator[Look]:
    """Gandy's (2009) stopping boundaries for Monte-Carlo tests; a wrong decision has at most this `risk`.

    At level α the number of hits S is a random walk with steps of probability α. The boundaries are as narrow
    as possible while the probability of ever crossing the upper one, and that of the lower one, stays below
    the spending sequence ε·n/(1000 + n) (Gandy 2009, Eq. 3 and Section 4). For p < α the walk crosses the
    upper boundary even more rarely, and for p > α the lower one, so the bound holds for every p. It also
    holds if one does not look after every sample.
    """
    inside = np.ones(1)  # P(S = first + i and not stopped yet), at p = α
    first = 0
    spent_above = spent_below = 0.0
    before = 0
    for samples in look_schedule(most):
        step = samples - before
        mean, spread = step * alpha, 10 * (step * alpha * (1 - alpha)) ** 0.5
        # The probability beyond these ends is less than 1e-20.
        reach = np.arange(max(0, int(mean - spread)), min(step, int(mean + spread) + 40) + 1)
        # A Fourier transform would round by as much as late looks may spend.
        inside = np.convolve(inside, _binomial_pmf(reach, step, alpha))
        first += int(reach[0])
        allowed = risk * samples / (_HALF_SPENT + samples)
        # numbers of cells that may be cut off at either end
        cut_above = int(np.searchsorted(np.cumsum(inside[::-1]), allowed - spent_above, side="right"))
        cut_below = int(np.searchsorted(np.cumsum(inside), allowed - spent_below, side="right"))
        cut_above, cut_below = min(cut_above, len(inside)), min(cut_below, len(inside))
        lower, upper = first + cut_below - 1, first + len(inside) - cut_above
        spent_above += float(inside[len(inside) - cut_above :].sum())
        spent_below += float(inside[:cut_below].sum())
        inside = inside[cut_below : len(inside) - cut_above]
        first += cut_below
        before = samples
        yield Look(samples, lower, upper)


def _binomial_pmf(hits: Integers, samples: int, p: float) -> Floats:
    """Binomial probabilities, without SciPy, which takes longer to load than most commands run."""
    ways = np.array([_log_ways(count, samples) for count in hits.tolist()])
    probabilities: Floats = np.exp(ways + hits * math.log(p) + (samples - hits) * math.log1p(-p))
    return probabilities


def _log_ways(hits: int, samples: int) -> float:
    """The logarithm of the binomial coefficient."""
    return math.lgamma(samples + 1) - math.lgamma(hits + 1) - math.lgamma(samples - hits + 1)


def hit_interval(hits: int, samples: int, level: float = 0.99) -> tuple[float, float]:
    """An interval for the probability of a hit that is valid at any stopping time (Robbins 1970, Lai 1976).

    It contains all p with (n + 1)·P(S = hits | n, p) > 1 − level. With probability `level` the true value is
    inside for all numbers of samples at once, so early stopping does no harm.
    """
    least = math.log1p(-level) - math.log1p(samples) - _log_ways(hits, samples)

    def end(outside: float) -> float:
        """The end of the interval between its middle and a probability outside of it, by bisection."""
        inside = hits / samples
        while abs(inside - outside) > 1e-15:
            p = (inside + outside) / 2
            likelihood = (hits and hits * math.log(p)) + (samples - hits) * math.log1p(-p)
            inside, outside = (p, outside) if likelihood > least else (inside, p)
        return inside

    return end(0.0) if hits else 0.0, end(1.0) if hits < samples else 1.0


# -- power ------------------------------------------------------------------------------------------


class Power(NamedTuple):
    """The probability of detecting a true difference of the observed size, and the segments needed."""

    power: float  # on a test set like this one, of the same size
    needed: int | None  # segments for the requested power; None if the systems do not differ at all


def power_of_difference(
    difference: float, sampled: Floats, segments: int, *, alpha: float = 0.05, power: float = 0.8
) -> Power:
    """The power of a paired two-sided test at α, from bootstrap samples of the difference.

    The standard error s of the difference is the standard deviation of the bootstrap differences, and falls
    with the square root of the number of segments. A true difference Δ is detected with probability
    Φ(|Δ|/s − z), and n·((z + z_power)·s/Δ)² segments are needed, where z is the 1 − α/2 quantile of the
    normal distribution. The true difference is assumed to be the observed one: this helps to plan the next
    test set and says nothing new about this one (Hoenig & Heisey 2001).
    """
    from statistics import NormalDist

    spread = float(sampled.std(ddof=1))
    normal = NormalDist()
    z = -normal.inv_cdf(alpha / 2)
    if segments < 2 or math.isnan(difference) or math.isnan(spread):
        return Power(float("nan"), None)
    if difference == 0:
        return Power(alpha, None)
    if spread == 0:
        return Power(1.0, 1)
    size = abs(difference) / spread
    detected = normal.cdf(size - z) + normal.cdf(-size - z)
    needed = segments * ((z + normal.inv_cdf(power)) / size) ** 2
    return Power(detected, max(1, math.ceil(needed)))


# -- headlines ----------------------------------------------------------------------------------------------


_HARDLY = 0.1  # the share of pairs up to which a ranking separates hardly anything
_NAMED = 4  # items that a sentence names


@dataclass(frozen=True)
class Ranked:
    """Items in order by one criterion, and the pairs of them that differ significantly."""

    criterion: str  # M² F0.5, Pearson's r with people
    items: tuple[str, ...]  # the best first
    different: frozenset[frozenset[str]]

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return len(self.items) * (len(self.items) - 1) // 2

    @property
    def separates(self) -> bool:
        """Whether enough pairs differ to speak of leaders."""
        return len(self.different) > _HARDLY * self.pairs

    @property
    def leaders(self) -> tuple[str, ...]:
        """The best item, and those that do not differ significantly from it."""
        best = self.items[0]
        return tuple(item for item in self.items if frozenset((best, item)) not in self.different)

    def clause(self, by: Sequence[str]) -> str:
        """Who leads by these criteria, which have the same leaders, or that they separate hardly anything."""
        criteria, count = _listed(by), len(self.different)
        if not self.separates:
            verb = "separates" if len(by) == 1 else "separate"
            what = "hardly anything" if count else "nothing"
            return f"{criteria} {verb} {what} ({count} of {self.pairs} {plural(self.pairs, 'pair')})"
        best, *others = self.leaders
        if not others:
            return f"{best} leads by {criteria}"
        if any(pair <= set(self.leaders) for pair in self.different):
            return f"{best} leads by {criteria} and cannot be told from {_listed(others)}"
        return f"{_listed(self.leaders)} lead by {criteria} and cannot be told apart"


def headline(rankings: Sequence[Ranked], data: str) -> str:
    """Two sentences: who leads by which criterion and what separates hardly anything, and the data.

    Criteria with the same result share a clause; those that name leaders come first.
    """
    criteria: dict[str, list[Ranked]] = {}
    for ranked in rankings:
        criteria.setdefault(ranked.clause(["it"]), []).append(ranked)
    groups = sorted(criteria.values(), key=lambda group: not group[0].separates)
    clauses = [group[0].clause([ranked.criterion for ranked in group]) for group in groups]
    return f"{'; '.join(clauses)}. {data}"


def data_in_words(name: str, sentences: int, systems: int, more: str = "") -> str:
    """The second sentence: the data and their size."""
    size = f"{sentences:,} {plural(sentences, 'sentence')} of " if sentences else ""
    systems_in_words = f"{systems} {plural(systems, 'system')}"
    return f"The data are {size}{name or 'the input'} and {systems_in_words}{more}."


def _listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`; a long list ends with the number of the others."""
    if len(names) > _NAMED + 1:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
