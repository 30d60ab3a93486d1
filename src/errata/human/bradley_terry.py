"""Bradley–Terry with ties (Davidson 1970) by maximum likelihood, with standard errors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata.human.judgments import Floats, Integers
from errata.human.pairs import Tally

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
