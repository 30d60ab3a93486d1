"""Pairs of systems out of rankings: expanded, unexpanded, and tallied into wins and ties."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from errata.errors import DataError
from errata.human.judgments import Integers, Judgments

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
