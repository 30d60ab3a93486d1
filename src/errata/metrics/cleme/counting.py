"""What chunks count: right, wrong, missed and rightly unchanged, with weights that depend on their length."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from errata.metrics.statistics import Floats

COLUMNS = ("tp", "fp_ne", "fp_un", "fn", "tn")  # in the order of the kernel
NO_WEIGHTS: Floats = np.ones((len(COLUMNS), 1))  # every chunk counts 1
_BEYOND = 46  # tokens more than the mean: e^-46 added to 1 is 1, so that weights do not change any more


class Clips(NamedTuple):
    """Scale and bounds of the length weights (Ye et al. 2023, Section 3.3)."""

    scale: float
    tp: tuple[float, float]
    fp: tuple[float, float]
    fn: tuple[float, float]

    def weights(self, mean: float) -> Floats:
        """The weights, columns × lengths, for a mean length of the references' changes."""
        lengths = range(math.ceil(mean) + _BEYOND)
        tp, fn = ([self._clipped(mean - n, bounds) for n in lengths] for bounds in (self.tp, self.fn))
        fp = [self._clipped(n - mean, self.fp) for n in lengths]
        return np.array([tp, fp, fp, fn, [1.0] * len(lengths)])

    def _clipped(self, exponent: float, bounds: tuple[float, float]) -> float:
        value = self.scale / (1 + (self.scale - 1) * math.exp(min(exponent, 700.0)))
        return min(max(value, bounds[0]), bounds[1])


CORPUS = Clips(2.0, (0.75, 1.25), (0.75, 1.25), (0.75, 1.25))
SENTENCE = {
    "dependent": Clips(10.0, (1.0, 10.0), (0.25, 1.0), (1.0, 1.0)),
    "independent": Clips(10.0, (2.5, 10.0), (0.25, 1.0), (1.0, 1.0)),
}
