"""EASL: partial ranking with scalars (Sakaguchi & Van Durme 2018), a Beta distribution for every item."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata.human.judgments import Floats, Integers


@dataclass(eq=False)
class Easl:
    """What is known of every item: Beta(α, β) of its quality in [0, 1]; its score is the mode."""

    alpha: Floats
    beta: Floats
    gamma: float = 0.1

    @classmethod
    def fresh(cls, items: int, *, gamma: float = 0.1) -> Easl:
        """Items of which nothing is known: Beta(1, 1)."""
        return cls(np.ones(items), np.ones(items), gamma)

    def update(self, items: Integers | list[int] | int, scores: npt.ArrayLike) -> None:
        """Take in scores in [0, 1]: s adds s to α and 1 − s to β."""
        values = np.asarray(scores, dtype=np.float64)
        if values.size and not (values.min() >= 0 and values.max() <= 1):
            raise DataError(
                f"a score outside of 0..1: {values.min():g}..{values.max():g}", hint="divide by the scale"
            )
        np.add.at(self.alpha, items, values)
        np.add.at(self.beta, items, 1 - values)

    @property
    def modes(self) -> Floats:
        """(α − 1) / (α + β − 2), and 0.5 where nothing is known."""
        total = self.alpha + self.beta - 2
        modes: Floats = np.divide(self.alpha - 1, total, out=np.full(total.shape, 0.5), where=total > 0)
        return modes

    @property
    def variances(self) -> Floats:
        """αβ / ((α + β)²(α + β + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total**2 * (total + 1))

    def quality(self, item: int) -> Floats:
        """How well every item matches this one: √(2γ²/c²)·exp(−Δ²/2c²), c² = 2γ² + σᵢ² + σⱼ²."""
        variance = self.variances
        noise = 2 * self.gamma**2
        c2 = noise + variance[item] + variance
        apart = self.modes[item] - self.modes
        matched: Floats = np.sqrt(noise / c2) * np.exp(-(apart**2) / (2 * c2))
        return matched

    def next_screens(self, screens: int, *, size: int = 5, seed: int = 1) -> Integers:
        """The items to show next (screens × size): those of largest variance, each with partners.

        Partners are drawn by match quality, none twice on one screen. In the first round, when all
        variances are equal, the heads are random.
        """
        items = len(self.alpha)
        if size > items:
            raise DataError(f"screens of {size} items, but there are {items}")
        generator = np.random.default_rng(seed)
        shuffled = generator.permutation(items)
        heads = shuffled[np.argsort(-self.variances[shuffled], kind="stable")][:screens]
        found = np.empty((len(heads), size), dtype=np.int64)
        for row, head in enumerate(heads):
            weights = self.quality(int(head))
            weights[head] = 0
            partners = generator.choice(items, size - 1, replace=False, p=weights / weights.sum())
            found[row] = [head, *partners]
        return found
