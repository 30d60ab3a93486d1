"""The tables of `errata meta --benchmark`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errata.meta.judged_outputs import BenchmarkAgreement
from errata.significance.correlations import fisher_interval
from errata.tables import Cell, Column, Estimate, Table

_SYMBOLS = {"pearson": "r", "spearman": "ρ"}
_SAMPLES = 1000  # of the bootstrap over segments


def system_agreement_table(title: str, agreement: BenchmarkAgreement) -> Table:
    """Correlations with every kind of human scores, soft pairwise accuracy and clusters of metrics."""
    methods = list(agreement.levels)
    columns = [Column("metric")]
    columns += [Column(f"{method} {symbol}", 3, "max") for method in methods for symbol in _SYMBOLS.values()]
    columns += [Column("soft accuracy", 3, "max"), Column("cluster")]
    found = {
        (method, kind): level.correlations(kind)
        for method, level in agreement.levels.items()
        for kind in _SYMBOLS
    }
    soft = agreement.soft_accuracy()
    groups = agreement.system_clusters(methods[0])
    rows: list[Sequence[Cell]] = []
    for i, metric in enumerate(agreement.metrics):
        cells: list[Cell] = [metric]
        for (method, kind), values in found.items():
            items = len(agreement.levels[method].systems)
            cells.append(Estimate(float(values[i]), *fisher_interval(float(values[i]), items, kind=kind)))
        rows.append([*cells, soft[i], groups[i]])
    notes = [
        f"{len(agreement.view.systems)} systems; 95 % intervals by Fisher's z; soft pairwise accuracy as in "
        "mt-metrics-eval, from sentence scores",
        f"cluster: Williams' test on r with {methods[0]}, Holm's correction over all pairs of metrics",
    ]
    return Table(columns, rows, f"{title}: systems", notes)


def sentence_agreement_table(title: str, agreement: BenchmarkAgreement, *, seed: int = 1) -> Table:
    """Pairwise accuracy with a metric's ties counted as half and, where papers do so, by SEEDA's rule."""
    level, official = agreement.sentences, agreement.view.official_ties
    columns = [Column("metric"), Column("accuracy", 3, "max"), Column("τ", 3, "max")]
    if official:
        columns += [Column("official accuracy", 3, "max"), Column("official τ", 3, "max")]
    columns += [Column("ties %", 1), Column("calibrated", 3, "max"), Column("ε", 4), Column("cluster")]
    half = level.decided_accuracy("half")
    published = level.decided_accuracy("official")
    groups = agreement.sentence_clusters(seed=seed)
    counted = level.counts()
    rows: list[Sequence[Cell]] = []
    for i, (metric, (low, high)) in enumerate(
        zip(agreement.metrics, accuracy_intervals(agreement, seed=seed), strict=True)
    ):
        cells: list[Cell] = [metric, Estimate(float(half[i]), low, high), float(2 * half[i] - 1)]
        if official:
            cells += [float(published[i]), float(2 * published[i] - 1)]
        counts = counted[i]
        decided = counts.concordant + counts.discordant + counts.metric_ties
        calibrated = level.calibrated(i)
        cells += [100 * counts.metric_ties / decided, calibrated.accuracy, calibrated.epsilon, groups[i]]
        rows.append(cells)
    notes = [
        f"{int((level.outcomes != 0).sum()):,} comparisons that people decide; a metric's tie counts ½; "
        f"95 % intervals: {_SAMPLES:,} bootstrap samples of segments",
        f"calibrated: accuracy over all {len(level.outcomes):,} comparisons when differences up to ε are "
        "ties (the best ε for these data)",
        "cluster: paired permutation test over segments, Holm's correction over all pairs of metrics",
    ]
    if official:
        notes.insert(1, "official: a metric's tie is a loss of the system that comes first by name")
    return Table(columns, rows, f"{title}: sentences", notes)


def accuracy_intervals(agreement: BenchmarkAgreement, *, seed: int = 1) -> list[tuple[float, float]]:
    """95 % bootstrap intervals over segments of the accuracy with ties as half, one for every metric."""
    level = agreement.sentences
    lines = agreement.view.comparisons.line[level.outcomes != 0]
    size = int(lines.max(initial=-1)) + 1
    counts = np.bincount(lines, minlength=size)
    judged = np.flatnonzero(counts)
    right = np.stack([np.bincount(lines, weights=row, minlength=size)[judged] for row in level.hits("half")])
    weights = np.random.default_rng(seed).multinomial(
        len(judged), np.full(len(judged), 1 / len(judged)), size=_SAMPLES
    )
    drawn = (weights @ right.T) / (weights @ counts[judged])[:, None]
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))
