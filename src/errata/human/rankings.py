"""Ranking systems from pairs of judgments by any method, with rank ranges and clusters."""

from __future__ import annotations

from collections.abc import Callable

from errata.errors import DataError
from errata.human.bradley_terry import bradley_terry, bradley_terry_samples
from errata.human.clusters import Ranking, rank_systems
from errata.human.expected_wins import expected_wins
from errata.human.judgments import Floats
from errata.human.pairs import Pairs
from errata.human.resampling import resampled_tallies
from errata.human.trueskill import trueskill_pass, trueskill_pass_samples, trueskill_runs

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
