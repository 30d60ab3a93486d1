"""Expected Wins (Koehn 2012; Bojar et al. 2013): how likely a system is to beat a random other one."""

from __future__ import annotations

import numpy as np

from errata.human.judgments import Floats
from errata.human.pairs import Tally


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
