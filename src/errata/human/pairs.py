"""Pairs of systems from rankings, tallies of wins and ties, and bootstrap samples of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from errata.array_types import Integers
from errata.errors import DataError
from errata.human.judgments import Judgments

KINDS = ("expanded", "unexpanded", "first")  # first: unexpanded, with the first system of each text
UNITS = ("pair", "item", "segment", "judge")  # units of the bootstrap; papers use pairs


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairwise judgments in columns: `outcome` is 1 if left is better, 0 for a tie, −1 if right is better.

    Left is always the first of the two systems in alphabetical order.
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
        """The number of the judge of each pair."""
        return self.judgments.judge[self.item]

    @property
    def segment(self) -> Integers:
        """The number of the segment of each pair."""
        return self.judgments.segment[self.item]

    @property
    def ties(self) -> int:
        return int(np.count_nonzero(self.outcome == 0))

    def tally(self) -> Tally:
        """How often each system beat and tied each other one."""
        return Tally.of(self.systems, self.left, self.right, self.outcome)


@dataclass(frozen=True, eq=False)
class Tally:
    """`wins[i, j]`: how often i was ranked better than j; `ties` is symmetric.

    Both may have a first dimension for many bootstrap samples.
    """

    systems: tuple[str, ...]
    wins: Integers
    ties: Integers

    @classmethod
    def of(cls, systems: tuple[str, ...], left: Integers, right: Integers, outcome: Integers) -> Tally:
        """The tally of pairs in columns, as in `Pairs`."""
        n = len(systems)
        cells = np.bincount(_cells(n, left, right, outcome), minlength=2 * n * n).reshape(2, n, n)
        return cls(systems, cells[0], cells[1] + cells[1].T)

    @property
    def pairs(self) -> int:
        return int(self.wins.sum() + self.ties.sum() // 2)


def _cells(n: int, left: Integers, right: Integers, outcome: Integers) -> Integers:
    """For every pair, its cell in a table (wins and ties) × (better system) × (worse system)."""
    better, worse = np.where(outcome < 0, right, left), np.where(outcome < 0, left, right)
    cells: Integers = ((outcome == 0) * n + better) * n + worse
    return cells


# -- pairs from rankings ----------------------------------------------------------------------------


def pairs_of(judgments: Judgments, kind: str, *, seed: int = 1) -> Pairs:
    """Pairs of one of the `KINDS`; an error if there are none."""
    if kind == "expanded":
        pairs = expanded_pairs(judgments)
    else:
        pairs = unexpanded_pairs(judgments, seed=None if kind == "first" else seed)
    if not len(pairs):
        raise DataError(
            "there are no pairs of systems to compare", hint="check the filters, and whether items count"
        )
    return pairs


def expanded_pairs(judgments: Judgments) -> Pairs:
    """Every pair of systems in an item; systems with the same text tie trivially."""
    return _pairs(judgments, judgments.item, judgments.system, judgments.rank)


def unexpanded_pairs(judgments: Judgments, *, seed: int | None = 1) -> Pairs:
    """One pair for any two texts of an item, with a random system of those that wrote each text.

    With a seed of None it is the first one in the file.
    """
    entries = len(judgments.item)
    order = np.arange(entries) if seed is None else np.random.default_rng(seed).permutation(entries)
    key = judgments.item[order] * (judgments.text.max(initial=0) + 1) + judgments.text[order]
    chosen = order[np.unique(key, return_index=True)[1]]  # one entry per text, ordered by item and text
    return _pairs(judgments, judgments.item[chosen], judgments.system[chosen], judgments.rank[chosen])


def index_pairs(count: int) -> tuple[Integers, Integers]:
    """The indices (a, b), a < b, of all pairs of `count` things."""
    first, second = np.triu_indices(count, 1)
    return first.astype(np.int64), second.astype(np.int64)


def _pairs(judgments: Judgments, item: Integers, system: Integers, rank: Integers) -> Pairs:
    """All pairs of entries of the same item; entries are ordered by item."""
    starts, sizes = np.unique(item, return_index=True, return_counts=True)[1:]
    blocks = [np.zeros((2, 0), dtype=np.int64)]
    for size in np.unique(sizes).tolist():
        within = np.stack(index_pairs(size))[:, None, :] + starts[sizes == size][:, None]
        blocks.append(within.reshape(2, -1))
    a, b = np.concatenate(blocks, axis=1)
    order = np.argsort(item[a], kind="stable")
    a, b = a[order], b[order]
    outcome = np.sign(rank[b] - rank[a])
    swap = system[a] > system[b]
    left, right = np.where(swap, system[b], system[a]), np.where(swap, system[a], system[b])
    return Pairs(judgments, item[a], left, right, np.where(swap, -outcome, outcome))


# -- bootstrap samples ------------------------------------------------------------------------------


def resampled_tallies(pairs: Pairs, *, samples: int, unit: str = "pair", seed: int = 1) -> Tally:
    """Tallies of many bootstrap samples: `wins` and `ties` are samples × systems × systems.

    Only the counts of (pair of systems, outcome) matter. Resampling pairs is therefore a multinomial draw of
    these few counts, and resampling other units is a sparse matrix product.
    """
    if unit == "pair":
        return _resampled_tally(pairs.tally(), samples=samples, seed=seed)
    from scipy.sparse import csr_array

    n = len(pairs.systems)
    owner = _unit_numbers(pairs, unit)
    owners = int(owner.max()) + 1
    cell = _cells(n, pairs.left, pairs.right, pairs.outcome)
    table = csr_array((np.ones(len(pairs), dtype=np.int64), (owner, cell)), shape=(owners, 2 * n * n))
    generator = np.random.default_rng(seed)
    weights = generator.multinomial(owners, np.full(owners, 1 / owners), size=samples)
    return _sampled_tally(pairs.systems, np.asarray(weights @ table))


def _resampled_tally(tally: Tally, *, samples: int, seed: int = 1) -> Tally:
    """Tallies of many bootstrap samples of the pairs counted in a tally."""
    counts = np.stack([tally.wins, np.triu(tally.ties)]).ravel()
    drawn = np.random.default_rng(seed).multinomial(tally.pairs, counts / counts.sum(), size=samples)
    return _sampled_tally(tally.systems, drawn)


def resampled_order(pairs: Pairs, unit: str, generator: np.random.Generator) -> Integers:
    """Indices of pairs drawn with replacement by pair, item, segment or judge."""
    if unit == "pair":
        return generator.integers(0, len(pairs), size=len(pairs))
    owner = _unit_numbers(pairs, unit)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(int(owner.max()) + 2))
    drawn = generator.integers(0, len(starts) - 1, size=len(starts) - 1)
    return np.concatenate([order[starts[k] : starts[k + 1]] for k in drawn])


def _unit_numbers(pairs: Pairs, unit: str) -> Integers:
    """The number of the item, segment or judge of each pair, from 0 without gaps."""
    if unit not in UNITS[1:]:
        raise DataError(f"cannot resample by {unit!r}", hint=f"one of {', '.join(UNITS)}")
    return np.unique(getattr(pairs, unit), return_inverse=True)[1].astype(np.int64)


def _sampled_tally(systems: tuple[str, ...], drawn: Integers) -> Tally:
    """The tallies of samples × counts of the cells (see `_cells`)."""
    n = len(systems)
    cells = drawn.reshape(len(drawn), 2, n, n)
    ties = cells[:, 1]
    return Tally(systems, cells[:, 0], ties + ties.transpose(0, 2, 1))
