"""Distributions that tests need, without `scipy.stats`, which takes longer to load than most commands run."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from errata.metrics.statistics import Floats

# `scipy.special` is loaded by what needs it: a score alone does not.


def binomial_pmf(hits: npt.ArrayLike, samples: int, p: float) -> Floats:
    """The probability of so many hits."""
    from scipy.special import gammaln, xlog1py, xlogy

    k = np.asarray(hits, dtype=np.float64)
    ways = gammaln(samples + 1) - gammaln(k + 1) - gammaln(samples - k + 1)
    found: Floats = np.exp(ways + xlogy(k, p) + xlog1py(samples - k, -p))
    return found


def mean_ranks(values: npt.ArrayLike) -> Floats:
    """Ranks from 1 on over the last axis, the mean of them for equal values; all NaN beside a NaN."""
    given = np.asarray(values, dtype=np.float64)
    order = np.argsort(given, axis=-1, kind="stable")
    ascending = np.take_along_axis(given, order, axis=-1)
    places = np.broadcast_to(np.arange(given.shape[-1]), given.shape)
    begins = np.ones(given.shape, dtype=np.bool_)
    begins[..., 1:] = ascending[..., 1:] != ascending[..., :-1]
    ends = np.ones(given.shape, dtype=np.bool_)
    ends[..., :-1] = begins[..., 1:]
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    last = np.where(ends, places, given.shape[-1])
    last = np.minimum.accumulate(last[..., ::-1], axis=-1)[..., ::-1]
    found = np.empty(given.shape)
    np.put_along_axis(found, order, (first + last) / 2 + 1, axis=-1)
    found[np.isnan(given).any(axis=-1)] = np.nan
    return found
