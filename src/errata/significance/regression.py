"""The straight line through systems' scores, and the systems that lie far from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats

FAR = 2.0  # studentised residuals beyond which a system counts as an outlier


@dataclass(frozen=True, eq=False)
class Regression:
    """Least squares: y = intercept + slope · x, with each point's studentised residual."""

    slope: float
    intercept: float
    residuals: Floats  # externally studentised: each against the line through the others

    @property
    def outliers(self) -> list[int]:
        """Numbers of the points far from the line."""
        return [int(i) for i in np.flatnonzero(np.abs(self.residuals) > FAR)]


def regression(x: npt.ArrayLike, y: npt.ArrayLike) -> Regression | None:
    """The line of y on x; None where x does not vary or there are fewer than four points."""
    x, y = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n = len(x)
    centred = x - x.mean() if n else x
    spread = float(centred @ centred)
    if n < 4 or not spread > 1e-18 or not np.isfinite(y).all():
        return None
    slope = float(centred @ (y - y.mean())) / spread
    intercept = float(y.mean() - slope * x.mean())
    errors = y - intercept - slope * x
    leverage = 1 / n + centred**2 / spread
    total = float(errors @ errors)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = np.maximum(total - errors**2 / (1 - leverage), 0) / (n - 3)  # variance without the point
        residuals = errors / np.sqrt(others * (1 - leverage))
    tiny = np.abs(errors) <= 1e-9 * max(float(np.abs(y).max()), 1e-300)
    return Regression(slope, intercept, np.where(tiny | ~np.isfinite(residuals), 0.0, residuals))
