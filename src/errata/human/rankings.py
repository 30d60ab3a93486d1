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

METHODS = {
    "ew": "Expected Wins",
    "ew-beaten": "Expected Wins (divided by opponents beaten)",
    "trueskill": "TrueSkill",
    "trueskill-pass": "TrueSkill (one pass)",
    "bt": "Bradley–Terry",
}
_DIVISORS = {"ew": "opponents", "ew-beaten": "beaten"}
_NEWTON_STEPS = 100
_RIDGE = 0.01  # weak prior for samples in which a system won or lost everything


def rank(
    pairs: Pairs,
    method: str,
    *,
    runs: int = 1000,
    level: float = 0.95,
    unit: str = "segment",
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda step: None,
) -> Ranking:
    """Rank the systems; `runs` bootstrap samples by `unit` give rank ranges and clusters.

    The scores are those of the original data, and do not depend on the unit. TrueSkill's scores are means of
    as many runs.
    """
    if method == "trueskill":
        samples = trueskill_runs(pairs, runs=runs, unit=unit, seed=seed, jobs=jobs, progress=progress)
    elif method == "trueskill-pass":
        samples = trueskill_pass_samples(
            pairs, samples=runs, unit=unit, seed=seed, jobs=jobs, progress=progress
        )
    else:
        tallies = resampled_tallies(pairs, samples=runs, unit=unit, seed=seed)
        progress(runs)
        if method == "bt":
            samples = _bradley_terry_samples(tallies)
        else:
            samples = expected_wins(tallies, divisor=_DIVISORS[method])
    if method == "trueskill" and unit == "pair":
        scores = samples.mean(axis=0)
    else:
        scores = scores_of(pairs, method, runs=runs, seed=seed, jobs=jobs)
    return rank_systems(pairs.systems, samples, scores=scores, level=level)


def scores_of(
    pairs: Pairs, method: str, *, runs: int = 1000, seed: int = 1, jobs: int | None = None
) -> Floats:
    """The score of every system by a method, without rank ranges."""
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


# -- rank ranges and clusters (Koehn 2012) -----------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Ranking:
    """Systems from best to worst, with their rank ranges and clusters.

    `order[k]` is the number of the system in place k. Scores, ranges and clusters follow this order. Systems
    in the same cluster are tied.
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
        """The places at which a cluster begins, except the first."""
        return frozenset(int(k) for k in np.flatnonzero(np.diff(self.clusters)) + 1)

    def table(self, title: str = "", notes: Sequence[str] = (), *, clusters: bool = True) -> Table:
        """Cluster, score, rank range and system, with a line between clusters, as in the papers."""
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
    """Ranks (1 = highest score) within each sample; equal scores share their best rank."""
    ranks: Integers = 1 + (samples[:, None, :] > samples[:, :, None]).sum(axis=-1)
    return ranks


def dropped(samples: int, level: float) -> int:
    """The number of ranks dropped at either end: ⌈n(1 − level)/2⌉, and less than half of them."""
    return min(math.ceil(round(samples * (1 - level) / 2, 9)), (samples - 1) // 2)


def rank_systems(
    systems: tuple[str, ...], samples: Floats, *, scores: Floats | None = None, level: float = 0.95
) -> Ranking:
    """Order systems by `scores` (by default the mean over the samples) and cluster them.

    A cluster ends at a place if the worst rank so far is smaller than the best rank of every system below.
    """
    scores = samples.mean(axis=0) if scores is None else scores
    order = np.argsort(-scores, kind="stable")
    drop = dropped(len(samples), level)
    ranks = np.sort(rank_matrix(samples), axis=0)
    best, worst = ranks[drop][order], ranks[len(samples) - 1 - drop][order]
    worst_so_far = np.maximum.accumulate(worst)
    best_below = np.minimum.accumulate(best[::-1])[::-1]
    cluster_ends = worst_so_far[:-1] < best_below[1:]
    sorted_samples = np.sort(samples, axis=0)
    return Ranking(
        systems=tuple(systems[i] for i in order),
        order=order,
        scores=scores[order],
        best=best,
        worst=worst,
        clusters=np.concatenate([[1], 1 + np.cumsum(cluster_ends)]),
        low=sorted_samples[drop][order],
        high=sorted_samples[len(samples) - 1 - drop][order],
    )


# -- Expected Wins (Koehn 2012; Bojar et al. 2013) ---------------------------------------------------


def expected_wins(tally: Tally, *, divisor: str = "opponents") -> Floats:
    """The score of every system, for each sample if the tally has many: how likely it beats a random other.

    score(i) = mean over j ≠ i of wins(i, j) / (wins(i, j) + wins(j, i)); ties do not count. A pair that was
    never decided adds 0 and counts in the mean. With `divisor="beaten"`, the sum is divided by the number of
    opponents beaten at least once, as in the Perl tool of 2015.
    """
    decided = tally.wins + np.swapaxes(tally.wins, -1, -2)
    shares = np.divide(tally.wins, decided, out=np.zeros(decided.shape), where=decided > 0)
    if divisor == "opponents":
        opponents = np.full(shares.shape[:-1], len(tally.systems) - 1)
    elif divisor == "beaten":
        opponents = np.count_nonzero(tally.wins, axis=-1)
    else:
        raise ValueError(f"divisor {divisor!r}: opponents or beaten")
    scores: Floats = shares.sum(axis=-1) / np.maximum(opponents, 1)
    return scores


def head_to_head(tally: Tally) -> Floats:
    """`[i, j]`: the share of decided comparisons with j that i won; NaN if there are none."""
    decided = tally.wins + tally.wins.T
    shares: Floats = np.divide(tally.wins, decided, out=np.full(decided.shape, np.nan), where=decided > 0)
    return shares


def sign_test(tally: Tally) -> Floats:
    """`[i, j]`: two-sided p of the sign test that i and j win equally often; ties do not count."""
    from scipy.stats import binom

    decided = tally.wins + tally.wins.T
    fewer = np.minimum(tally.wins, tally.wins.T)
    p: Floats = np.minimum(2 * binom.cdf(fewer, decided, 0.5), 1.0)
    return p


# -- Bradley–Terry with ties (Davidson 1970) ---------------------------------------------------------


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Strengths θ that sum to zero, by maximum likelihood, with their standard errors.

    P(i beats j) = πᵢ / (πᵢ + πⱼ + ν√(πᵢπⱼ)), where π = e^θ and ν is the frequency of ties. The likelihood
    assumes that all pairs are independent. Pairs of the same item are not: prefer the bootstrap by item.
    """

    systems: tuple[str, ...]
    strengths: Floats
    errors: Floats
    tie: float
    likelihood: float

    def interval(self, level: float = 0.95) -> tuple[Floats, Floats]:
        """The Wald interval of every strength."""
        from scipy.special import ndtri

        reach = float(ndtri((1 + level) / 2)) * self.errors
        return self.strengths - reach, self.strengths + reach

    def probabilities(self) -> Floats:
        """`[i, j]`: the probability that i is judged better than j."""
        wins, _ = _probabilities(self.strengths, np.asarray(self.tie))
        np.fill_diagonal(wins, np.nan)
        return wins


def bradley_terry(tally: Tally) -> BradleyTerry:
    """Fit the model to a tally; an error if the likelihood has no finite maximum."""
    from scipy.special import xlogy

    _check_finite(tally)
    theta, tie = _fit(tally.wins[None], tally.ties[None], np.zeros(1))
    information = _information(theta, tie, tally.wins[None], tally.ties[None])[1][0]
    n = len(tally.systems)
    spread = np.linalg.inv(information + _centred(n, bool(tally.ties.any())))
    wins, draws = _probabilities(theta[0], tie[0])
    logs = xlogy(tally.wins, wins).sum() + xlogy(tally.ties, draws).sum() / 2
    # The centring adds 1/n² to every variance of θ.
    errors = np.sqrt(np.maximum(np.diag(spread)[:n] - 1 / n**2, 0))
    return BradleyTerry(tally.systems, theta[0], errors, float(tie[0]), float(logs))


def _bradley_terry_samples(tallies: Tally) -> Floats:
    """Strengths for many resampled tallies (samples × systems).

    A sample without a finite maximum gets a weak prior.
    """
    ridge = np.array(
        [
            _RIDGE if _components(wins, ties).any() else 0.0
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
    prior = ridge[:, None, None] * np.diag([1.0] * n + [0.0])
    for _ in range(_NEWTON_STEPS):
        gradient, information = _information(theta, tie, wins, ties)
        gradient[:, :n] -= ridge[:, None] * theta
        information = information + prior + centred
        information[:, n, n] += tie == 0  # without ties ν stays 0
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

    The sufficient statistics are the wins plus half the ties of each system, and the number of ties.
    """
    samples, n = theta.shape
    count = wins + np.swapaxes(wins, 1, 2) + ties
    win, draw = _probabilities(theta, tie)
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


def _probabilities(theta: Floats, tie: Floats) -> tuple[Floats, Floats]:
    """The probabilities that i beats j, and that they tie, with zeros on the diagonal."""
    difference = np.clip((theta[..., :, None] - theta[..., None, :]) / 2, -300, 300)
    win, loss, draw = np.exp(difference), np.exp(-difference), tie[..., None, None]
    total = win + loss + draw
    off_diagonal = 1 - np.eye(theta.shape[-1])
    return win / total * off_diagonal, np.broadcast_to(draw, total.shape) / total * off_diagonal


def _centred(n: int, ties: bool) -> Floats:
    """A matrix that makes the information invertible: θ is determined up to a constant only."""
    added = np.zeros((n + 1, n + 1))
    added[:n, :n] = 1.0
    if not ties:
        added[n, n] = 1.0
    return added


def _components(wins: Integers, ties: Integers) -> npt.NDArray[np.int32]:
    """The number of each system's component: systems that beat or tied each other, even indirectly."""
    from scipy.sparse.csgraph import connected_components

    return connected_components((wins + ties) > 0, directed=True, connection="strong")[1]


def _check_finite(tally: Tally) -> None:
    if not tally.wins.any():
        raise DataError("every comparison is a tie: Bradley–Terry cannot tell the systems apart")
    component = _components(tally.wins, tally.ties)
    if not component.any():
        return
    first = [name for name, number in zip(tally.systems, component, strict=True) if number == component[0]]
    raise DataError(
        f"Bradley–Terry has no finite maximum: {', '.join(first)} and the others are not compared both ways",
        hint="collect more judgments, or use Expected Wins or TrueSkill",
    )


def head_to_head_table(tally: Tally, order: Sequence[int]) -> Table:
    """How often the column's system was judged better than the row's, with stars of the sign test."""
    shares, p = head_to_head(tally), sign_test(tally)
    names = [tally.systems[i] for i in order]
    rows = [
        (tally.systems[i], *(_share(shares[j, i], p[j, i]) if i != j else None for j in order)) for i in order
    ]
    return Table(
        [Column(""), *(Column(name) for name in names)],
        rows,
        title="Head to head",
        notes=[
            "share of decided comparisons in which the column's system was judged better than the row's",
            "sign test: * p ≤ 0.10, † p ≤ 0.05, ‡ p ≤ 0.01",
        ],
    )


def _share(share: float, p: float) -> str | None:
    if np.isnan(share):
        return None
    mark = "‡" if p <= 0.01 else "†" if p <= 0.05 else "*" if p <= 0.10 else ""
    return f"{share:.2f}".removeprefix("0") + mark
