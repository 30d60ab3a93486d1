"""Coefficients of agreement between judges: Cohen's, Scott's and Fleiss' κ, and Krippendorff's α."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers
from errata.errors import DataError

Labels = Sequence[Hashable] | npt.NDArray[np.generic]
WEIGHTS = ("plain", "linear", "quadratic")
LEVELS = ("nominal", "ordinal", "interval", "ratio")


def confusion(first: Labels, second: Labels, labels: Sequence[Hashable] | None = None) -> Integers:
    """Confusion matrix of two judges' labels; rows and columns are in the order of `labels`."""
    if len(first) != len(second):
        raise DataError(f"{len(first)} labels of the first judge but {len(second)} of the second")
    pairs = Counter(zip(_as_list(first), _as_list(second), strict=True))
    if labels is None:
        labels = sorted({label for pair in pairs for label in pair})  # type: ignore[type-var]
    number = {label: i for i, label in enumerate(labels)}
    unknown = {label for pair in pairs for label in pair} - number.keys()
    if unknown:
        raise DataError(f"labels that are not among those expected: {sorted(map(str, unknown))}")
    table = np.zeros((len(number), len(number)), dtype=np.int64)
    for (label, other), count in pairs.items():
        table[number[label], number[other]] = count
    return table


def cohen_kappa(
    first: Labels, second: Labels, *, weights: str = "plain", labels: Sequence[Hashable] | None = None
) -> float:
    """Cohen's κ of two judges; `linear` and `quadratic` weight a disagreement by its distance in `labels`."""
    return kappa_of_table(confusion(first, second, labels), weights=weights)


def scott_pi(first: Labels, second: Labels, *, labels: Sequence[Hashable] | None = None) -> float:
    """Scott's π: κ with chance from both judges' pooled frequencies, as in WMT and in GEC papers."""
    return kappa_of_table(confusion(first, second, labels), pooled=True)


def kappa_of_table(table: npt.ArrayLike, *, weights: str = "plain", pooled: bool = False) -> float:
    """κ = 1 − observed / expected disagreement of a confusion matrix; NaN if none is expected.

    The expected agreement is the product of the two judges' frequencies (Cohen 1960, 1968), or with `pooled`
    the square of their mean (Scott 1955).
    """
    counts = np.asarray(table, dtype=np.float64)
    if weights not in WEIGHTS:
        raise ValueError(f"weights are one of {', '.join(WEIGHTS)}, not {weights!r}")
    total = counts.sum()
    if not total:
        return float("nan")
    labels = np.arange(len(counts))
    steps = np.abs(labels[:, None] - labels[None, :]).astype(np.float64)
    distance = {"plain": (steps > 0).astype(np.float64), "linear": steps, "quadratic": steps**2}[weights]
    rows, columns = counts.sum(axis=1) / total, counts.sum(axis=0) / total
    if pooled:
        rows = columns = (rows + columns) / 2
    expected = float((distance * np.outer(rows, columns)).sum())
    observed = float((distance * counts).sum() / total)
    return 1 - observed / expected if expected else float("nan")


def fleiss_kappa(counts: npt.ArrayLike) -> float:
    """Fleiss' κ (1971) from items × categories: the number of judges that put an item into a category."""
    table = np.asarray(counts, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise DataError("Fleiss' κ needs a table of items × categories")
    judges = table.sum(axis=1)
    if (judges != judges[0]).any() or judges[0] < 2:
        raise DataError(
            "Fleiss' κ needs the same number of judges, at least two, for every item",
            hint="Krippendorff's α allows missing judgments",
        )
    agreed = ((table * (table - 1)).sum(axis=1) / (judges * (judges - 1))).mean()
    chance = ((table.sum(axis=0) / table.sum()) ** 2).sum()
    return float((agreed - chance) / (1 - chance)) if chance < 1 else float("nan")


def krippendorff_alpha(ratings: npt.ArrayLike, *, level: str = "nominal") -> float:
    """Krippendorff's α from judges × items, with NaN for missing judgments.

    `level` says how values differ: `nominal` (equal or not), `ordinal` (by the values between them),
    `interval` (squared difference) or `ratio`. Items with fewer than two judgments do not count. α is NaN if
    all judgments are the same. (Krippendorff 2011, *Computing Krippendorff's Alpha-Reliability*.)
    """
    if level not in LEVELS:
        raise ValueError(f"the level is one of {', '.join(LEVELS)}, not {level!r}")
    table = np.asarray(ratings, dtype=np.float64)
    if table.ndim != 2:
        raise DataError("Krippendorff's α needs a table of judges × items")
    table = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    judged = ~np.isnan(table)
    values, number = np.unique(table[judged], return_inverse=True)
    if level == "ratio" and len(values) and values[0] < 0:
        raise DataError("the ratio level needs values that are not negative")
    cells = np.nonzero(judged)[1] * len(values) + number
    sizes = (table.shape[1], len(values))  # items × values
    counts = np.bincount(cells, minlength=sizes[0] * sizes[1]).reshape(sizes).astype(np.float64)
    judgments = counts.sum(axis=1, keepdims=True)
    coincidences = counts.T @ (counts / (judgments - 1)) - np.diag((counts / (judgments - 1)).sum(axis=0))
    totals = coincidences.sum(axis=1)
    distance = _distance(values, totals, level)
    expected = float(totals @ distance @ totals) / max(totals.sum() - 1, 1)
    observed = float((coincidences * distance).sum())
    return 1 - observed / expected if expected else float("nan")


def _distance(values: Floats, totals: Floats, level: str) -> Floats:
    """The squared differences of all pairs of values at a level of measurement."""
    rows, columns = values[:, None], values[None, :]
    if level == "nominal":
        return np.not_equal(rows, columns).astype(np.float64)
    if level == "interval":
        return np.square(rows - columns)
    if level == "ratio":
        sums = rows + columns
        ratio: Floats = np.divide(rows - columns, sums, out=np.zeros_like(sums), where=sums != 0)
        return np.square(ratio)
    # ordinal: all judgments from one value to the other, with half of those at the two ends
    middle = np.cumsum(totals) - totals / 2
    return np.square(middle[:, None] - middle[None, :])


def _as_list(labels: Labels) -> Sequence[Hashable]:
    return labels.tolist() if isinstance(labels, np.ndarray) else labels
