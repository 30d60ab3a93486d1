"""The bootstrap over judgments: by pair (as the papers do), or by item, segment or judge."""

from __future__ import annotations

import numpy as np

from errata.errors import DataError
from errata.human.judgments import Integers
from errata.human.pairs import Pairs, Tally

UNITS = ("pair", "item", "segment", "judge")


def unit_of(pairs: Pairs, unit: str) -> Integers:
    """Which pair, item, segment or judge each pair belongs to, numbered from 0 without gaps."""
    if unit not in UNITS:
        raise DataError(f"cannot resample by {unit!r}", hint=f"one of {', '.join(UNITS)}")
    column: Integers = np.arange(len(pairs)) if unit == "pair" else getattr(pairs, unit)
    return np.unique(column, return_inverse=True)[1].astype(np.int64)


def resampled_tallies(pairs: Pairs, *, samples: int, unit: str = "pair", seed: int = 1) -> Tally:
    """Tallies of many resamples: `wins` and `ties` are (samples × systems × systems).

    Only the counts of each (pair of systems, outcome) matter, so resampling pairs is a multinomial draw
    over these few cells, and resampling anything else a sparse product.
    """
    from scipy.sparse import csr_array

    n = len(pairs.systems)
    first = np.where(pairs.outcome < 0, pairs.right, pairs.left)
    second = np.where(pairs.outcome < 0, pairs.left, pairs.right)
    cell = ((pairs.outcome == 0) * n + first) * n + second
    generator = np.random.default_rng(seed)
    if unit == "pair":
        counts = np.bincount(cell, minlength=2 * n * n)
        drawn = generator.multinomial(len(pairs), counts / counts.sum(), size=samples)
    else:
        owner = unit_of(pairs, unit)
        owners = int(owner.max()) + 1
        table = csr_array((np.ones(len(pairs), dtype=np.int64), (owner, cell)), shape=(owners, 2 * n * n))
        weights = generator.multinomial(owners, np.full(owners, 1 / owners), size=samples)
        drawn = np.asarray(weights @ table)
    cells = drawn.reshape(samples, 2, n, n)
    ties = cells[:, 1]
    return Tally(pairs.systems, cells[:, 0], ties + ties.transpose(0, 2, 1))


def resampled_order(pairs: Pairs, unit: str, generator: np.random.Generator) -> Integers:
    """Pairs drawn with replacement, by pair, item, segment or judge."""
    if unit == "pair":
        return generator.integers(0, len(pairs), size=len(pairs))
    owner = unit_of(pairs, unit)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(int(owner.max()) + 2))
    drawn = generator.integers(0, len(starts) - 1, size=len(starts) - 1)
    return np.concatenate([order[starts[k] : starts[k + 1]] for k in drawn])
