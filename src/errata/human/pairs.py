"""Pairs of systems from rankings, tallies of wins and ties, and bootstrap samples of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from errata.array_types import Integers
from errata.errors import DataError
from errata.human.judgments import Judgments

KINDS = ("expanded", "unexpanded", "first")  # first: unexpanded, a text's first system stands for it


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairwise judgments in columns: `outcome` is 1 where left is better, 0 for a tie, −1 where right is.

    Left is always the pair's first system in alphabetical order, whatever the screen showed.
    """

    judgments: Judgments
    item: Integers
    left: Integers
    right: Integers
    outcome: Integers

    def __len__(self) -> int:
        return len(self.item)

    @property
    def systems(self) -> tuple[str, ...]:
        return self.judgments.systems

    @property
    def judge(self) -> Integers:
        """Who judged each pair."""
        return self.judgments.judge[self.item]

    @property
    def segment(self) -> Integers:
        """On which segment."""
        return self.judgments.segment[self.item]

    @property
    def ties(self) -> int:
        return int(np.count_nonzero(self.outcome == 0))

    def tally(self) -> Tally:
        """How often each system beat and tied with each other one."""
        return Tally.of(self.systems, self.left, self.right, self.outcome)


@dataclass(frozen=True, eq=False)
class Tally:
    """`wins[i, j]`: how often i was ranked better than j; `ties` is symmetric.

    Both may have further dimensions in front: many resamples at once.
    """

    systems: tuple[str, ...]
    wins: Integers
    ties: Integers

    @classmethod
    def of(cls, systems: tuple[str, ...], left: Integers, right: Integers, outcome: Integers) -> Tally:
        """The tally of pairs in columns, as `Pairs` has them."""
        n = len(systems)
        first, second = np.where(outcome < 0, right, left), np.where(outcome < 0, left, right)
        decided = outcome != 0
        wins = np.bincount(first[decided] * n + second[decided], minlength=n * n).reshape(n, n)
        ties = np.bincount(first[~decided] * n + second[~decided], minlength=n * n).reshape(n, n)
        return cls(systems, wins, ties + ties.T)

    @property
    def pairs(self) -> int:
        return int(self.wins.sum() + self.ties.sum() // 2)


def expanded_pairs(judgments: Judgments) -> Pairs:
    """Every pair of systems in an item; systems that wrote the same text tie trivially."""
    return _pairs(judgments, judgments.offsets, judgments.item, judgments.system, judgments.rank)


def unexpanded_pairs(judgments: Judgments, *, seed: int | None = 1) -> Pairs:
    """One pair for each two texts of an item; which of its systems stands for a text is random.

    With a seed of None it is the one the file names first.
    """
    entries = len(judgments.item)
    order = np.arange(entries) if seed is None else np.random.default_rng(seed).permutation(entries)
    key = judgments.item[order] * (judgments.text.max(initial=0) + 1) + judgments.text[order]
    chosen = order[np.unique(key, return_index=True)[1]]  # one entry a text, by item and text
    item = judgments.item[chosen]
    offsets = np.searchsorted(item, np.arange(len(judgments) + 1))
    return _pairs(judgments, offsets, item, judgments.system[chosen], judgments.rank[chosen])


def pairs_of(judgments: Judgments, kind: str, *, seed: int = 1) -> Pairs:
    """Pairs of one of the `KINDS`; an error where there are none."""
    if kind == "expanded":
        pairs = expanded_pairs(judgments)
    else:
        pairs = unexpanded_pairs(judgments, seed=None if kind == "first" else seed)
    if not len(pairs):
        raise DataError(
            "there is not one pair of systems to compare", hint="check the filters, and whether items count"
        )
    return pairs


@lru_cache(maxsize=256)
def corners(count: int) -> tuple[Integers, Integers]:
    """The indices (a, b), a < b, of every pair out of `count`."""
    first, second = np.triu_indices(count, 1)
    return first.astype(np.int64), second.astype(np.int64)


def _pairs(
    judgments: Judgments, offsets: Integers, item: Integers, system: Integers, rank: Integers
) -> Pairs:
    """The pairs of the entries offsets[i]:offsets[i + 1] of every item."""
    a, b = _ends(offsets.astype(np.int64).tobytes())
    outcome = np.sign(rank[b] - rank[a])
    swap = system[a] > system[b]
    left, right = np.where(swap, system[b], system[a]), np.where(swap, system[a], system[b])
    return Pairs(judgments, item[a], left, right, np.where(swap, -outcome, outcome))


@lru_cache(maxsize=4)  # random choices of systems differ only in who stands for a text
def _ends(offsets: bytes) -> tuple[Integers, Integers]:
    """The first and the second entry of every pair."""
    bounds = np.frombuffer(offsets, dtype=np.int64)
    parts = [
        (start, *corners(size))
        for start, size in zip(bounds.tolist(), np.diff(bounds).tolist(), strict=False)
    ]
    empty = np.zeros(0, dtype=np.int64)
    first = np.concatenate([empty, *(start + a for start, a, _ in parts)])
    return first, np.concatenate([empty, *(start + b for start, _, b in parts)])


# -- The bootstrap over judgments: by pair (as the papers do), or by item, segment or judge

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
