"""System level: how metrics' scores of systems correlate with people's, and which metric does it better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from errata.errors import DataError
from errata.metrics.statistics import Floats
from errata.significance.correlations import (
    CORRELATIONS,
    bootstrap_interval,
    fisher_interval,
    metric_permutation_test,
    williams_test,
)

KINDS = tuple(CORRELATIONS)
WILLIAMS = "one-tailed; a small p: the row's metric correlates better than the column's"


@dataclass(frozen=True, eq=False)
class SystemLevel:
    """Human and metric scores of the same systems; higher is better in both."""

    systems: tuple[str, ...]
    human: Floats  # systems
    metrics: tuple[str, ...]
    scores: Floats  # metrics × systems

    @classmethod
    def of(cls, human: Mapping[str, float], scores: Mapping[str, Mapping[str, float]]) -> SystemLevel:
        """From scores by name; systems that people or a metric did not score are an error, not left out."""
        systems = tuple(human)
        for metric, given in scores.items():
            lacking = [name for name in systems if name not in given]
            unknown = [name for name in given if name not in human]
            if lacking or unknown:
                told = f"no score for {', '.join(lacking)}" if lacking else f"{', '.join(unknown)} not judged"
                raise DataError(
                    f"{metric} and the human scores are not about the same systems: {told}",
                    hint="name systems alike in both, or leave some out with --without",
                )
        if len(systems) < 3:
            raise DataError(f"a correlation over {len(systems)} systems means nothing", hint="give more")
        rows = [[given[name] for name in systems] for given in scores.values()]
        return cls(systems, np.array(list(human.values())), tuple(scores), np.array(rows))

    def without(self, *names: str) -> SystemLevel:
        """The same without some systems (outliers)."""
        return self.select([i for i, name in enumerate(self.systems) if name not in names])

    def select(self, kept: Sequence[int]) -> SystemLevel:
        """The same for systems of these numbers."""
        chosen = list(kept)
        return SystemLevel(
            tuple(self.systems[i] for i in chosen), self.human[chosen], self.metrics, self.scores[:, chosen]
        )

    def correlations(self, kind: str = "pearson") -> Floats:
        """Every metric's correlation with people."""
        return CORRELATIONS[kind](self.scores, self.human)

    def interval(
        self,
        metric: int,
        kind: str = "pearson",
        *,
        method: str = "fisher",
        samples: int = 1000,
        seed: int = 1,
    ) -> tuple[float, float]:
        """A 95 % interval for one correlation: Fisher's, or a bootstrap over systems."""
        if method == "bootstrap":
            return bootstrap_interval(self.scores[metric], self.human, kind=kind, samples=samples, seed=seed)
        found = float(self.correlations(kind)[metric])
        return fisher_interval(found, len(self.systems), kind=kind)

    def leave_one_out(self, kind: str = "pearson") -> Floats:
        """Correlations with each system left out (metrics × systems): the check for outliers."""
        return np.stack([self.without(name).correlations(kind) for name in self.systems], axis=1)

    def williams(self, kind: str = "pearson") -> Floats:
        """One-tailed p of Williams' test (metrics × metrics) where the row is better; NaN elsewhere."""
        found = self.correlations(kind)
        p = np.full((len(self.metrics), len(self.metrics)), np.nan)
        for i, ours in enumerate(self.scores):
            for j, theirs in enumerate(self.scores):
                if i != j and found[i] > found[j]:
                    p[i, j] = williams_test(self.human, ours, theirs, kind=kind).p
        return p

    def windows(self, size: int, kind: str = "pearson") -> Floats:
        """Correlations over each `size` neighbours in the human ranking (metrics × windows), best first.

        A metric that tells good systems from bad ones need not tell good ones from each other.
        """
        if not 3 <= size <= len(self.systems):
            raise DataError(f"a window of {size} out of {len(self.systems)} systems", hint="at least 3")
        order = np.argsort(-self.human, kind="stable")
        starts = range(len(self.systems) - size + 1)
        return np.stack(
            [self.select(order[start : start + size].tolist()).correlations(kind) for start in starts], axis=1
        )


def perm_both(
    human: Floats,
    sentences: Sequence[Floats],
    *,
    kind: str = "pearson",
    permutations: int = 1000,
    seed: int = 1,
) -> Floats:
    """One-tailed p of PERM-BOTH (metrics × metrics), for sentence scores of systems × segments each.

    `human` is a score a system or systems × segments; NaN where the row's metric is not the better one.
    """
    human = np.asarray(human, dtype=np.float64)
    people = np.broadcast_to(human[:, None], sentences[0].shape) if human.ndim == 1 else human
    p = np.full((len(sentences), len(sentences)), np.nan)
    for i, ours in enumerate(sentences):
        for j, theirs in enumerate(sentences):
            if i != j:
                test = metric_permutation_test(
                    people, ours, theirs, kind=kind, permutations=permutations, seed=seed
                )
                if test.difference > 0:
                    p[i, j] = test.p
    return p
