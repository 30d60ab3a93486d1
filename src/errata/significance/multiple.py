"""Corrections for many tests at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats

CORRECTIONS = ("none", "holm", "bh")


def holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's (1979) adjusted p-values: below α with a risk of α of any false alarm among all tests."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _restored(np.minimum(stepped, 1), order)


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Benjamini and Hochberg's (1995) adjusted p-values: below α with α of the findings false, on average."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    stepped = p[order] * len(p) / np.arange(1, len(p) + 1)
    stepped = np.minimum.accumulate(stepped[::-1])[::-1]
    return _restored(np.minimum(stepped, 1), order)


def adjust(p_values: npt.ArrayLike, correction: str) -> Floats:
    """Adjusted p-values by the name of the correction: `none`, `holm` or `bh`."""
    if correction not in CORRECTIONS:
        raise ValueError(f"the correction is one of {', '.join(CORRECTIONS)}, not {correction!r}")
    if correction == "none":
        return np.array(p_values, dtype=np.float64)
    return holm(p_values) if correction == "holm" else benjamini_hochberg(p_values)


def _restored(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    found = np.empty_like(values)
    found[order] = values
    return found
