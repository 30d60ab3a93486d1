"""TrueSkill (Herbrich et al. 2006) with the protocol of WMT 2014 (Sakaguchi et al. 2014), or in one pass."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from errata.array_types import Floats, Integers
from errata.engine import jobs_or_default
from errata.human.pairs import Pairs, resampled_order, resampled_tallies


@dataclass(frozen=True, slots=True)
class TrueSkill:
    """The model's parameters; the defaults are those of WMT 2014.

    `beta` is the performance noise. By default it is σ·N/40, where N is the number of matches of a run.
    """

    sigma: float = 0.5
    beta: float | None = None
    draw_probability: float = 0.25

    def noise(self, matches: int) -> float:
        """β for a run with this number of matches."""
        return self.sigma * matches / 40 if self.beta is None else self.beta

    def margin(self, beta: float) -> float:
        """The difference in performance below which a match is a draw."""
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
    """μ of every system in each run (runs × systems).

    The outcomes of the matches (by default one more than there are pairs) are drawn from the judgments, so
    every run is a bootstrap sample. If `unit` is item, segment or judge, the judgments themselves are first
    resampled by that unit.
    """
    from errata.native.trueskill import play

    model = TrueSkill()
    count = len(pairs) + 1 if matches is None else matches
    beta = model.noise(count)
    margin = model.margin(beta)
    n = len(pairs.systems)
    if not n:
        return np.empty((runs, 0))
    states = np.random.SeedSequence(seed).generate_state(runs, np.uint64)
    states[states == 0] = 1  # xorshift would stay at 0
    tally = pairs.tally()
    tallies = None if unit == "pair" else resampled_tallies(pairs, samples=runs, unit=unit, seed=seed)

    def play_run(run: int) -> Floats:
        tables = (tally.wins, tally.ties) if tallies is None else (tallies.wins[run], tallies.ties[run])
        wins, ties = (np.ascontiguousarray(table, dtype=np.float64) for table in tables)
        mu: Floats = play(wins, ties, count, model.sigma, beta, margin, int(states[run]))
        progress(1)
        return mu

    with ThreadPoolExecutor(jobs_or_default(jobs)) as executor:
        return np.array([*executor.map(play_run, range(runs))], dtype=np.float64).reshape(runs, n)


def trueskill_pass(pairs: Pairs, *, order: Integers | None = None) -> Floats:
    """μ of every system after playing each judgment once, in the order of the file or in this order."""
    model = TrueSkill()
    order = np.arange(len(pairs)) if order is None else order
    matches = pairs.left, pairs.right, pairs.outcome
    return replayed(*matches, len(pairs.systems), order, model, model.noise(len(pairs) + 1))[0]


def replayed(
    left: Integers,
    right: Integers,
    outcome: Integers,
    systems: int,
    order: Integers,
    model: TrueSkill,
    beta: float,
) -> tuple[Floats, Floats]:
    """μ and σ of every system after these matches in this order; `outcome` is as in `Pairs`."""
    from errata.native.trueskill import replay

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
    """μ of every system (samples × systems) after one pass over judgments drawn with replacement."""
    seeds = np.random.SeedSequence(seed).spawn(samples)

    def play_sample(sample: int) -> Floats:
        order = resampled_order(pairs, unit, np.random.default_rng(seeds[sample]))
        progress(1)
        return trueskill_pass(pairs, order=order)

    with ThreadPoolExecutor(jobs_or_default(jobs)) as executor:
        means = list(executor.map(play_sample, range(samples)))
    return np.array(means).reshape(samples, len(pairs.systems))
