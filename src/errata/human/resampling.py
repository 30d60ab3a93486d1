"""The bootstrap over judgments: by pair (as the papers do), or by item, segment or judge."""

from __future__ import annotations

import numpy as np

from errata.errors import DataError
from errata.human.judgments import Integers
from errata.human.pairs import Pairs, Tally

UNITS = ("pair", "item", "segment", "judge")


def unit_of(pairs: Pairs, unit: str) -> Integers:
    """Which item, segment or judge each pair belongs to, numbered from 0 without gaps."""
    if unit not in UNITS[1:]:
        raise DataError(f"cannot resample by {unit!r}", hint=f"one of {', '.join(UNITS)}")
    return np.unique(getattr(pairs, unit), return_inverse=True)[1].astype(np.int64)


def resampled_tallies(pairs: Pairs, *, samples: int, unit: str = "pair", seed: int = 1) -> Tally:
    """Tallies of many resamples: `wins` and `ties` are (samples × systems × systems).

    Only the counts of each (pair of systems, outcome) matter, so resampling pairs is a multinomial draw
    over these few cells, and resampling anything else a sparse product.
    """
    if unit == "pair":
        return resampled_tally(pairs.tally(), samples=samples, seed=seed)
    from scipy.sparse import csr_array

    n = len(pairs.systems)
    first = np.where(pairs.outcome < 0, pairs.right, pairs.left)
    second = np.where(pairs.outcome < 0, pairs.left, pairs.right)
    cell = ((pairs.outcome == 0) * n + first) * n + second
    generator = np.random.default_rng(seed)
    owner = unit_of(pairs, unit)
    owners = int(owner.max()) + 1
    table = csr_array((np.ones(len(pairs), dtype=np.int64), (owner, cell)), shape=(owners, 2 * n * n))
    weights = generator.multinomial(owners, np.full(owners, 1 / owners), size=samples)
    return _tally(pairs.systems, np.asarray(weights @ table))


def resampled_tally(tally: Tally, *, samples: int, seed: int = 1) -> Tally:
    """Tallies of many resamples of the pairs that are counted in one."""
    counts = np.stack([tally.wins, np.triu(tally.ties)]).ravel()
    drawn = np.random.default_rng(seed).multinomial(tally.pairs, counts / counts.sum(), size=samples)
    return _tally(tally.systems, drawn)


def _tally(systems: tuple[str, ...], drawn: Integers) -> Tally:
    """The tallies of resamples × (wins and ties of every pair of systems)."""
    n = len(systems)
    cells = drawn.reshape(len(drawn), 2, n, n)
    ties = cells[:, 1]
    return Tally(systems, cells[:, 0], ties + ties.transpose(0, 2, 1))


def resampled_order(pairs: Pairs, unit: str, generator: np.random.Generator) -> Integers:
    """Pairs drawn with replacement, by pair, item, segment or judge."""
    if unit == "pair":
        return generator.integers(0, len(pairs), size=len(pairs))
    owner = unit_of(pairs, unit)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(int(owner.max()) + 2))
    drawn = generator.integers(0, len(starts) - 1, size=len(starts) - 1)
    return np.concatenate([order[starts[k] : starts[k + 1]] for k in drawn])
