"""TrueSkill (Herbrich et al. 2006) by the protocol of WMT 2014 (Sakaguchi et al. 2014), and one full pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from errata.engine import in_order
from errata.human.judgments import Floats, Integers
from errata.human.pairs import Pairs
from errata.human.resampling import resampled_order, resampled_tallies


@dataclass(frozen=True, slots=True)
class TrueSkill:
    """The model's parameters; the defaults are those of WMT 2014.

    `beta` is the performance noise; None makes it σ·N/40, N being the number of matches of a run.
    """

    sigma: float = 0.5
    beta: float | None = None
    draw_probability: float = 0.25

    def noise(self, matches: int) -> float:
        """β for a run of this number of matches."""
        return self.sigma * matches / 40 if self.beta is None else self.beta

    def margin(self, beta: float) -> float:
        """The difference in performance below which a match is drawn."""
        from scipy.special import ndtri

        return float(ndtri((self.draw_probability + 1) / 2) * math.sqrt(2) * beta)


def trueskill_runs(
    pairs: Pairs,
    *,
    runs: int = 1000,
    matches: int | None = None,
    unit: str = "pair",
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda step: None,
) -> Floats:
    """μ of every system in each of many runs (runs × systems).

    A run plays `matches` matches (one more than there are pairs) whose outcomes are drawn from the stored
    judgments, so every run is a resample already. With a `unit` of item, segment or judge the
    judgments a run draws from are resampled by that unit first.
    """
    from errata.kernels.trueskill import play

    model = TrueSkill()
    count = len(pairs) + 1 if matches is None else matches
    beta = model.noise(count)
    margin = model.margin(beta)
    n = len(pairs.systems)
    if not n:
        return np.empty((runs, 0))
    states = np.random.SeedSequence(seed).generate_state(runs, np.uint64)
    states[states == 0] = 1  # xorshift never leaves 0
    tally = pairs.tally()
    tallies = None if unit == "pair" else resampled_tallies(pairs, samples=runs, unit=unit, seed=seed)

    def one(run: int) -> Floats:
        tables = (tally.wins, tally.ties) if tallies is None else (tallies.wins[run], tallies.ties[run])
        wins, ties = (np.ascontiguousarray(table, dtype=np.float64) for table in tables)
        mu: Floats = play(wins, ties, count, model.sigma, beta, margin, int(states[run]))
        progress(1)
        return mu

    return np.concatenate([np.empty((0, n)), *(mu[None] for mu in in_order(one, range(runs), jobs))])


def trueskill_pass(pairs: Pairs, *, order: Integers | None = None) -> Floats:
    """μ of every system after playing each stored judgment once, in the order of the file."""
    model = TrueSkill()
    steps = np.arange(len(pairs)) if order is None else order
    played = pairs.left, pairs.right, pairs.outcome
    return replayed(*played, len(pairs.systems), steps, model, model.noise(len(pairs) + 1))[0]


def replayed(
    left: Integers,
    right: Integers,
    outcome: Integers,
    systems: int,
    order: Integers,
    model: TrueSkill,
    beta: float,
) -> tuple[Floats, Floats]:
    """μ and σ of every system after matches, played in this order; `outcome` is as in `Pairs`."""
    from errata.kernels.trueskill import replay

    mu, variance = np.zeros(systems), np.full(systems, model.sigma**2)
    replay(mu, variance, left, right, outcome, order, beta, model.margin(beta))
    return mu, np.sqrt(variance)


def trueskill_pass_samples(
    pairs: Pairs,
    *,
    samples: int = 1000,
    unit: str = "pair",
    seed: int = 1,
    jobs: int | None = None,
    progress: Callable[[int], None] = lambda step: None,
) -> Floats:
    """Bootstrap of the full pass (samples × systems): judgments drawn with replacement, then played."""
    seeds = np.random.SeedSequence(seed).spawn(samples)

    def one(sample: int) -> Floats:
        order = resampled_order(pairs, unit, np.random.default_rng(seeds[sample]))
        progress(1)
        return trueskill_pass(pairs, order=order)

    return np.array(list(in_order(one, range(samples), jobs))).reshape(samples, len(pairs.systems))
