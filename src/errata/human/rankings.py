"""Rank systems by human judgments: Expected Wins, Bradley–Terry, TrueSkill, rank ranges and clusters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers
from errata.errors import DataError
from errata.human.pairs import Pairs, Tally, resampled_tallies
from errata.human.trueskill import trueskill_pass, trueskill_pass_samples, trueskill_runs
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


# -- Expected Wins (Koehn 2012; Bojar et al. 2013): how likely a system is to beat a random other one

def expected_wins(tally: Tally, *, divisor: str = "opponents") -> Floats:
    """The score of every system; of every resample, where the tally has many.

    score(i) = mean over j ≠ i of wins(i, j) / (wins(i, j) + wins(j, i)); ties do not count. A pair that
    was never decided adds 0 and still counts in the mean; with `divisor="beaten"`, as the Perl tool
    of 2015 did, the sum is divided by the number of opponents beaten at least once.
    """
    decided = tally.wins + np.swapaxes(tally.wins, -1, -2)
    shares = np.divide(tally.wins, decided, out=np.zeros(decided.shape), where=decided > 0)
    if divisor == "opponents":
        below = np.full(shares.shape[:-1], len(tally.systems) - 1)
    elif divisor == "beaten":
        below = np.count_nonzero(tally.wins, axis=-1)
    else:
        raise ValueError(f"divisor {divisor!r}: opponents or beaten")
    scores: Floats = shares.sum(axis=-1) / np.maximum(below, 1)
    return scores


def head_to_head(tally: Tally) -> Floats:
    """`[i, j]`: the share of decided comparisons with j that i won; NaN where there is none."""
    decided = tally.wins + tally.wins.T
    shares: Floats = np.divide(tally.wins, decided, out=np.full(decided.shape, np.nan), where=decided > 0)
    return shares


def sign_test(tally: Tally) -> Floats:
    """`[i, j]`: two-sided p of the sign test that i and j win equally often (ties do not count)."""
    from scipy.stats import binom

    decided = tally.wins + tally.wins.T
    fewer = np.minimum(tally.wins, tally.wins.T)
    p: Floats = np.minimum(2 * binom.cdf(fewer, decided, 0.5), 1.0)
    return p


# -- Bradley–Terry with ties (Davidson 1970) by maximum likelihood, with standard errors

_STEPS = 100
_RIDGE = 0.01  # holds resamples in place in which a system won or lost everything


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Strengths θ that sum to zero: i beats j with odds e^θᵢ : e^θⱼ, and ν says how likely ties are.

    P(i beats j) = πᵢ / (πᵢ + πⱼ + ν√(πᵢπⱼ)), π = e^θ. The errors are those of the likelihood, which takes
    all pairs as independent; pairs of one item are not, so prefer the bootstrap by item.
    """

    systems: tuple[str, ...]
    strengths: Floats
    errors: Floats
    tie: float
    likelihood: float

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """Wald's interval of every strength."""
        from scipy.special import ndtri

        reach = float(ndtri((1 + level) / 2)) * self.errors
        return self.strengths - reach, self.strengths + reach

    def probabilities(self) -> Floats:
        """`[i, j]`: the probability that i is judged better than j."""
        wins, _ = _chances(self.strengths, np.asarray(self.tie))
        np.fill_diagonal(wins, np.nan)
        return wins


def bradley_terry(tally: Tally) -> BradleyTerry:
    """Fit the model to a tally; an error where no finite maximum exists."""
    from scipy.special import xlogy

    _check(tally)
    theta, tie = _fit(tally.wins[None], tally.ties[None], np.zeros(1))
    information = _information(theta, tie, tally.wins[None], tally.ties[None])[1][0]
    n = len(tally.systems)
    spread = np.linalg.inv(information + _centred(n, bool(tally.ties.any())))
    wins, draws = _chances(theta[0], tie[0])
    logs = xlogy(tally.wins, wins).sum() + xlogy(tally.ties, draws).sum() / 2
    # The centring adds 1/n² to every variance of θ; take it out again.
    errors = np.sqrt(np.maximum(np.diag(spread)[:n] - 1 / n**2, 0))
    return BradleyTerry(tally.systems, theta[0], errors, float(tie[0]), float(logs))


def bradley_terry_samples(tallies: Tally) -> Floats:
    """Strengths for many resampled tallies (samples × systems).

    A resample without a finite maximum is held in place by a weak prior.
    """
    ridge = np.array(
        [
            _RIDGE if _parts(wins, ties).any() else 0.0
            for wins, ties in zip(tallies.wins, tallies.ties, strict=True)
        ]
    )
    return _fit(tallies.wins, tallies.ties, ridge)[0]


def _fit(wins: Integers, ties: Integers, ridge: Floats) -> tuple[Floats, Floats]:
    """Newton's method for all samples at once; θ (samples × systems) and ν."""
    samples, n, _ = wins.shape
    theta, tie = np.zeros((samples, n)), np.where(ties.any(axis=(1, 2)), 1.0, 0.0)
    log_tie = np.zeros(samples)
    centred = _centred(n, True)
    hold = ridge[:, None, None] * np.diag([1.0] * n + [0.0])
    for _ in range(_STEPS):
        gradient, information = _information(theta, tie, wins, ties)
        gradient[:, :n] -= ridge[:, None] * theta
        information = information + hold + centred
        information[:, n, n] += tie == 0  # without any tie ν stays 0
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        step *= np.minimum(1, 1 / np.maximum(size, 1e-300))
        theta += step[:, :n]
        theta -= theta.mean(axis=1, keepdims=True)
        log_tie += np.where(tie > 0, step[:, n], 0)
        tie = np.where(tie > 0, np.exp(np.minimum(log_tie, 30)), 0)
        if size.max() < 1e-11:
            break
    return theta, tie


def _information(theta: Floats, tie: Floats, wins: Integers, ties: Integers) -> tuple[Floats, Floats]:
    """Gradient and expected information for (θ, log ν).

    An exponential family: its statistics are wins plus half the ties of each system, and the number of ties.
    """
    samples, n = theta.shape
    count = wins + np.swapaxes(wins, 1, 2) + ties
    win, draw = _chances(theta, tie)
    points = win + draw / 2
    gradient = np.empty((samples, n + 1))
    gradient[:, :n] = (wins + ties / 2 - count * points).sum(axis=2)
    gradient[:, n] = (ties - count * draw).sum(axis=(1, 2)) / 2
    variance = count * (win + draw / 4 - points**2)
    information = np.empty((samples, n + 1, n + 1))
    information[:, :n, :n] = -variance
    diagonal = np.arange(n)
    information[:, diagonal, diagonal] = variance.sum(axis=2)
    crossed = (count * draw * (0.5 - points)).sum(axis=2)
    information[:, :n, n] = information[:, n, :n] = crossed
    information[:, n, n] = (count * draw * (1 - draw)).sum(axis=(1, 2)) / 2
    return gradient, information


def _chances(theta: Floats, tie: Floats) -> tuple[Floats, Floats]:
    """The probabilities that i beats j, and that they tie; the diagonal counts for nothing."""
    apart = (theta[..., :, None] - theta[..., None, :]) / 2
    apart = np.clip(apart, -300, 300)
    up, down = np.exp(apart), np.exp(-apart)
    total = up + down + tie[..., None, None]
    n = theta.shape[-1]
    off = 1 - np.eye(n)
    return up / total * off, np.broadcast_to(tie[..., None, None], total.shape) / total * off


def _centred(n: int, ties: bool) -> Floats:
    """What makes the information invertible: θ is known up to a constant only."""
    added = np.zeros((n + 1, n + 1))
    added[:n, :n] = 1.0
    if not ties:
        added[n, n] = 1.0
    return added


def _parts(wins: Integers, ties: Integers) -> npt.NDArray[np.int32]:
    """For every system the number of the part in which all have won or drawn, directly or not."""
    from scipy.sparse.csgraph import connected_components

    return connected_components((wins + ties) > 0, directed=True, connection="strong")[1]


def _check(tally: Tally) -> None:
    if not tally.wins.any():
        raise DataError("every comparison is a tie: Bradley–Terry has nothing to tell the systems apart by")
    part = _parts(tally.wins, tally.ties)
    if not part.any():
        return
    first = [name for name, p in zip(tally.systems, part, strict=True) if p == part[0]]
    raise DataError(
        f"Bradley–Terry has no finite maximum: {', '.join(first)} and the others are not compared both ways",
        hint="collect more judgments, or use Expected Wins or TrueSkill",
    )


# -- Ranking systems from pairs of judgments by any method, with rank ranges and clusters

METHODS = {
    "ew": "Expected Wins",
    "ew-beaten": "Expected Wins (divided by opponents beaten)",
    "trueskill": "TrueSkill",
    "trueskill-pass": "TrueSkill (one pass)",
    "bt": "Bradley–Terry",
}
_DIVISORS = {"ew": "opponents", "ew-beaten": "beaten"}


def rank(
    pairs: Pairs,
    method: str,
    *,
    runs: int = 1000,
    level: float = 0.95,
    unit: str = "pair",
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda step: None,
) -> Ranking:
    """Rank the systems; `runs` resamples by `unit` give the ranges, and from them the clusters.

    TrueSkill's score is the mean of its runs; the others' is that of the data as they are.
    """
    if method == "trueskill":
        samples = trueskill_runs(pairs, runs=runs, unit=unit, seed=seed, jobs=jobs, progress=progress)
        return rank_systems(pairs.systems, samples, level=level)
    scores = scores_of(pairs, method)
    if method == "trueskill-pass":
        samples = trueskill_pass_samples(
            pairs, samples=runs, unit=unit, seed=seed, jobs=jobs, progress=progress
        )
    else:
        tallies = resampled_tallies(pairs, samples=runs, unit=unit, seed=seed)
        progress(runs)
        if method == "bt":
            samples = bradley_terry_samples(tallies)
        else:
            samples = expected_wins(tallies, divisor=_DIVISORS[method])
    return rank_systems(pairs.systems, samples, scores=scores, level=level)


def scores_of(
    pairs: Pairs, method: str, *, runs: int = 1000, seed: int = 1, jobs: int | None = None
) -> Floats:
    """The score of every system by a method, without ranges."""
    if method == "trueskill":
        means: Floats = trueskill_runs(pairs, runs=runs, seed=seed, jobs=jobs).mean(axis=0)
        return means
    if method == "trueskill-pass":
        return trueskill_pass(pairs)
    if method == "bt":
        return bradley_terry(pairs.tally()).strengths
    if method in ("ew", "ew-beaten"):
        return expected_wins(pairs.tally(), divisor=_DIVISORS[method])
    raise DataError(f"no method {method!r}", hint=f"one of {', '.join(METHODS)}")
