"""Rank systems by the sentence scores of a metric, as if these were judgments (Goto et al. 2025)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from errata.array_types import Floats, Integers
from errata.errors import DataError, plural
from errata.human.pairs import Tally, index_pairs
from errata.human.rankings import head_to_head
from errata.human.trueskill import TrueSkill, replayed
from errata.metrics.results import Results
from errata.tables import Column, Table

PUBLISHED = TrueSkill(sigma=0.5, beta=0.25, draw_probability=0.25)
_DIGITS = 12  # scores are rounded, so that floating-point noise decides nothing


@dataclass(frozen=True, eq=False)
class Aggregation:
    """Ratings of systems from wins, ties and losses of their sentence scores.

    `mu` and `sigma` are TrueSkill's after one pass over the sentences in the order of the file, as published.
    `mean` is the mean of μ over random orders, and `spread` the standard deviation of μ minus its mean over
    all systems, because a common shift changes no rank. `tally` counts the sentences on which one system
    scored better than another. `undecided` are the pairs of systems that never differ; they count as ½ in
    Expected Wins.
    """

    systems: tuple[str, ...]
    mu: Floats
    sigma: Floats
    mean: Floats
    spread: Floats
    expected_wins: Floats
    tally: Tally
    undecided: tuple[tuple[str, str], ...]

    def table(self, signature: str, orders: int, seed: int) -> Table:
        """Systems by TrueSkill's μ after one pass, with its mean over random orders and Expected Wins."""
        order = np.argsort(-self.mu, kind="stable")
        ratings = (self.mu, self.sigma, self.mean, self.spread, self.expected_wins)
        rows = [(self.systems[i], *(float(values[i]) for values in ratings)) for i in order]
        columns = [
            Column("system"), Column("TrueSkill μ", 4, "max"), Column("σ", 4), Column("mean μ", 4, "max"),
            Column("± order", 4), Column("Expected Wins", 4, "max"),
        ]  # fmt: skip
        notes = [
            f"sentence scores of {signature}",
            f"μ: one pass over the sentences in the order of the file; mean μ: over {orders} random orders, "
            f"seed {seed}; ± order: standard deviation of μ over them, relative to all systems",
        ]
        for first, second in self.undecided:
            notes.append(f"{first} and {second} never differ: they count as ½ in Expected Wins")
        return Table(columns, rows, title="Ranking by sentence scores", notes=notes)


def aggregate(
    results: Results,
    number: int = 0,
    *,
    model: TrueSkill = PUBLISHED,
    orders: int = 100,
    seed: int = 1,
    progress: Callable[[int], None] = lambda step: None,
) -> Aggregation:
    """Rank the systems of results by the sentence scores of the metric with this number."""
    metric = results.metrics[number]
    sign = 1.0 if metric.higher_is_better else -1.0
    scores = np.array([sign * results.score(system, number).sentences for system in results.systems])
    return aggregate_scores(results.systems, scores, model=model, orders=orders, seed=seed, progress=progress)


def aggregate_scores(
    systems: Sequence[str],
    scores: Floats,
    *,
    model: TrueSkill = PUBLISHED,
    orders: int = 100,
    seed: int = 1,
    progress: Callable[[int], None] = lambda step: None,
) -> Aggregation:
    """Rank systems by scores (systems × sentences); larger ones are better."""
    if len(systems) < 2:
        raise DataError("a ranking needs at least two systems", hint="give more outputs with --hyp")
    left, right, outcome = _matches(scores)
    beta = model.noise(len(outcome))
    count = len(systems)
    mu, sigma = replayed(left, right, outcome, count, np.arange(len(outcome)), model, beta)
    runs = np.empty((orders, count))
    for run, run_seed in enumerate(np.random.SeedSequence(seed).spawn(orders)):
        order = np.random.default_rng(run_seed).permutation(len(outcome))
        runs[run] = replayed(left, right, outcome, count, order, model, beta)[0]
        progress(1)
    tally = Tally.of(tuple(systems), left, right, outcome)
    wins, undecided = _expected_wins(tally)
    spread = (runs - runs.mean(axis=1, keepdims=True)).std(axis=0)
    return Aggregation(tuple(systems), mu, sigma, runs.mean(axis=0), spread, wins, tally, undecided)


def _matches(scores: Floats) -> tuple[Integers, Integers, Integers]:
    """A match of every pair of systems on every sentence, in the order of sentences and systems."""
    first, second = index_pairs(len(scores))
    rounded = np.round(scores, _DIGITS)
    missing = int(np.isnan(rounded).sum())
    if missing:
        raise DataError(f"no score (NaN) for {missing} {plural(missing, 'output')}")
    better, worse = rounded[first] > rounded[second], rounded[first] < rounded[second]
    outcome = (better.astype(np.int64) - worse).T.ravel()
    sentences = scores.shape[1]
    return np.tile(first, sentences), np.tile(second, sentences), outcome


def _expected_wins(tally: Tally) -> tuple[Floats, tuple[tuple[str, str], ...]]:
    """The mean share of wins over all opponents, which is ½ against a system that never differs."""
    shares = head_to_head(tally)
    undecided = np.argwhere(np.triu(np.isnan(shares), k=1)).tolist()
    shares[np.isnan(shares)] = 0.5
    np.fill_diagonal(shares, 0.0)
    wins: Floats = shares.sum(axis=1) / (len(shares) - 1)
    return wins, tuple((tally.systems[i], tally.systems[j]) for i, j in undecided)
