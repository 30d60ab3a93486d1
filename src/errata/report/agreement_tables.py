"""The tables and the figure of `errata meta --benchmark`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errata.meta.judged import Agreement
from errata.report.plots import COLORS
from errata.significance.correlations import fisher_interval
from errata.tables import Cell, Column, Estimate, Table

_SYMBOLS = {"pearson": "r", "spearman": "ρ"}
_SAMPLES = 1000  # of the bootstrap over segments


def system_agreement_table(title: str, agreement: Agreement) -> Table:
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


def sentence_agreement_table(title: str, agreement: Agreement, *, seed: int = 1) -> Table:
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


def accuracy_intervals(agreement: Agreement, *, seed: int = 1) -> list[tuple[float, float]]:
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


@dataclass(frozen=True)
class Standing:
    """How one metric does in one view: correlation over systems, accuracy over sentences, with intervals."""

    systems: Estimate
    sentences: Estimate


Leaderboard = Mapping[str, Mapping[str, Standing]]  # view -> metric


def standings(agreement: Agreement, *, seed: int = 1) -> dict[str, Standing]:
    """Spearman's ρ with the first kind of human scores, and pairwise accuracy, of every metric."""
    level = next(iter(agreement.levels.values()))
    rho, accuracy = level.correlations("spearman"), agreement.sentences.decided_accuracy("half")
    found = {}
    for i, (metric, ends) in enumerate(
        zip(agreement.metrics, accuracy_intervals(agreement, seed=seed), strict=True)
    ):
        reach = fisher_interval(float(rho[i]), len(level.systems), kind="spearman")
        found[metric] = Standing(Estimate(float(rho[i]), *reach), Estimate(float(accuracy[i]), *ends))
    return found


def leaderboard_table(board: Leaderboard) -> Table:
    """Every metric in every view, ordered by its mean accuracy over sentences."""
    columns = [Column("metric")]
    for view in board:
        columns += [Column(f"{view} ρ", 2, "max"), Column(f"{view} accuracy", 3, "max")]
    columns += [Column("mean ρ", 2, "max"), Column("mean accuracy", 3, "max")]
    rows: list[Sequence[Cell]] = []
    for metric in ordered(board):
        cells: list[Cell] = [metric]
        for by_metric in board.values():
            standing = by_metric.get(metric)
            cells += [None, None] if standing is None else [standing.systems, standing.sentences.value]
        rows.append([*cells, *_means(board, metric)])
    notes = ["ρ over systems with 95 % intervals; accuracy over the comparisons people decide, ties count ½"]
    return Table(columns, rows, "Metrics against people", notes)


def ordered(board: Leaderboard) -> list[str]:
    """The metrics, the best mean accuracy first."""
    metrics = dict.fromkeys(metric for by_metric in board.values() for metric in by_metric)
    return sorted(metrics, key=lambda metric: -_means(board, metric)[1])


def _means(board: Leaderboard, metric: str) -> tuple[float, float]:
    found = [by_metric[metric] for by_metric in board.values() if metric in by_metric]
    return (
        float(np.mean([each.systems.value for each in found])),
        float(np.mean([each.sentences.value for each in found])),
    )


def draw_leaderboard(board: Leaderboard) -> Callable[[Any], None]:
    """A row per metric, the best at the top: accuracy over sentences, and ρ over systems beside it."""

    def draw(figure: Any) -> None:
        metrics = ordered(board)
        figure.set_size_inches(9.5, 1.5 + 0.36 * len(metrics))
        left, right = figure.subplots(1, 2, sharey=True)
        offsets = np.linspace(-0.3, 0.3, len(board)) if len(board) > 1 else np.zeros(1)
        for k, (view, by_metric) in enumerate(board.items()):
            known = [metric for metric in metrics if metric in by_metric]
            places = [metrics.index(metric) + offsets[k] for metric in known]
            for axes, part in ((left, "sentences"), (right, "systems")):
                values = [getattr(by_metric[metric], part) for metric in known]
                reach = [[v.value - v.low for v in values], [v.high - v.value for v in values]]
                axes.errorbar(
                    [v.value for v in values], places, xerr=np.maximum(reach, 0), markersize=3.5,
                    color=COLORS[k % len(COLORS)], fmt="o" if k < len(COLORS) else "s", elinewidth=0.8,
                    label=view,
                )  # fmt: skip
        for axes, chance in ((left, 0.5), (right, 0.0)):
            axes.axvline(chance, color="#999999", linewidth=0.8, linestyle=":")
            for place in range(0, len(metrics), 2):
                axes.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", zorder=0)
            axes.set_ylim(len(metrics) - 0.5, -0.5)
        left.set_yticks(range(len(metrics)), metrics)
        left.set_title("Sentences: share of comparisons ordered as people do", loc="left")
        left.set_xlabel("accuracy (dotted: chance)")
        right.set_title("Systems: rank correlation with people", loc="left")
        right.set_xlabel("Spearman's ρ with 95 % interval")
        figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)

    return draw
