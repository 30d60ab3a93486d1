"""The most informative systems or sentences to judge next: TrueSkill for rankings, EASL for scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from errata.array_types import Floats
from errata.human.scalars import Easl
from errata.human.trueskill import TrueSkill

_SHARPNESS = 3.0  # pairs are drawn by their uncertainty to this power
_EVEN = 0.5  # share of screens whose first pair is drawn evenly


class AdaptiveRanking:
    """TrueSkill ratings, and screens of systems whose order is uncertain.

    As in Sakaguchi et al. (2014), a system is compared with those close to it. The uncertainty about two
    systems is Φ(−|Δμ| / √(σᵢ² + σⱼ²)), the probability that the order by μ is wrong.
    """

    def __init__(self, systems: Sequence[str]) -> None:
        self.systems = tuple(systems)
        self.number = {name: i for i, name in enumerate(self.systems)}
        self.mu = np.zeros(len(self.systems))
        self.variance = np.ones(len(self.systems))
        self._margin = TrueSkill(sigma=1.0, beta=1.0).margin(1.0)

    def update(self, texts: Sequence[Sequence[str]], ranks: Sequence[int]) -> None:
        """Update the ratings with one screen: the systems of every text and its rank."""
        from errata.native.trueskill import match

        numbers = [[self.number[name] for name in text if name in self.number] for text in texts]
        for a in range(len(numbers)):
            for b in range(a):
                better, worse = (a, b) if ranks[a] <= ranks[b] else (b, a)
                for winner in numbers[better]:
                    for loser in numbers[worse]:
                        draw = ranks[a] == ranks[b]
                        match(self.mu, self.variance, winner, loser, draw, 1.0, self._margin)

    def uncertainty(self) -> Floats:
        """`[i, j]`: the probability that the present order of two systems is wrong; 0 on the diagonal."""
        from scipy.special import ndtr

        distances = np.abs(self.mu[:, None] - self.mu[None, :])
        uncertainty: Floats = ndtr(-distances / np.sqrt(self.variance[:, None] + self.variance[None, :]))
        np.fill_diagonal(uncertainty, 0.0)
        return uncertainty

    def draw(
        self, texts: Sequence[Sequence[str]], size: int, random: np.random.Generator
    ) -> tuple[list[int], tuple[float, ...]]:
        """Texts for one screen, given the systems of each, and the probability of each of its pairs.

        A pair is drawn by its uncertainty, and the screen is filled up at random. A share of the pairs is
        drawn evenly, so that every probability is above 0, also when the order of all systems is certain.
        """
        count = len(texts)
        if count <= size:
            return [*range(count)], (1.0,) * (count * (count - 1) // 2)
        systems = np.array([[name in text for name in self.systems] for text in texts], dtype=np.float64)
        first = np.triu(systems @ self.uncertainty() ** _SHARPNESS @ systems.T, 1)
        even = np.triu(np.ones((count, count)), 1) * 2 / (count * (count - 1))
        first = _EVEN * even + (1 - _EVEN) * first / first.sum() if first.sum() > 0 else even
        drawn = np.unravel_index(random.choice(first.size, p=first.ravel()), first.shape)
        others = [i for i in range(count) if i not in drawn]
        chosen = sorted([*map(int, drawn), *random.choice(others, size - 2, replace=False).tolist()])
        first += first.T
        of_text = first.sum(axis=0)
        one = np.add.outer(of_text, of_text) - 2 * first  # one text of a pair is in the first pair
        further = (size - 2) / (count - 2)
        two_further = further * (size - 3) / max(count - 3, 1)
        chances = first + one * further + (1 - first - one) * two_further
        return chosen, tuple(float(chances[pair]) for pair in combinations(chosen, 2))


class AdaptiveScalars:
    """EASL's Beta distribution of every output, and the items by the largest variance of their outputs."""

    def __init__(self, outputs: Mapping[int, int], scale: int, documents: Sequence[str] = ()) -> None:
        """`outputs` are the numbers of texts, by item; `documents` are those of the items if kept whole."""
        self.scale = scale
        self._documents = np.unique(documents, return_inverse=True)[1] if documents else None
        self.items = np.array(list(outputs), dtype=np.int64)
        *starts, total = np.cumsum([0, *outputs.values()]).tolist()
        self._starts = dict(zip(outputs, starts, strict=True))
        self._firsts = np.array(starts, dtype=np.int64)  # the first output of every item
        self._model = Easl.fresh(total)

    def update(self, item: int, scores: Sequence[float]) -> None:
        if item in self._starts:
            start = self._starts[item]
            places = np.arange(start, start + len(scores))
            self._model.update(places, np.asarray(scores, dtype=np.float64) / self.scale)

    def order(self, random: np.random.Generator) -> list[int]:
        """The items, the one with the most uncertain output first; ties are in random order.

        If documents are kept whole, their items have the mean of a document.
        """
        largest = np.maximum.reduceat(self._model.variances, self._firsts)
        if self._documents is not None:
            sums = np.bincount(self._documents, largest)
            largest = (sums / np.bincount(self._documents))[self._documents]
        shuffled = random.permutation(len(largest))
        return [int(i) for i in self.items[shuffled[np.argsort(-largest[shuffled], kind="stable")]]]
