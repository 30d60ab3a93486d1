"""The leaderboard of metrics over benchmarks: two tables, and a figure of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from errata.meta.judged_outputs import BenchmarkAgreement
from errata.significance.correlations import fisher_interval
from errata.tables import Cell, Column, Estimate, Table


@dataclass(frozen=True)
class Standing:
    """One metric in one view: correlation over systems and accuracy over sentences, with intervals."""

    systems: Estimate
    sentences: Estimate


Leaderboard = Mapping[str, Mapping[str, Standing]]  # view -> metric


def standings(agreement: BenchmarkAgreement, *, seed: int = 1) -> dict[str, Standing]:
    """Spearman's ρ with the first kind of human score, and pairwise accuracy, of every metric."""
    level = next(iter(agreement.levels.values()))
    rho, accuracy = level.correlations("spearman"), agreement.sentences.decided_accuracy("half")
    by_metric = {}
    for i, (metric, interval) in enumerate(
        zip(agreement.metrics, agreement.accuracy_intervals(seed=seed), strict=True)
    ):
        rho_interval = fisher_interval(float(rho[i]), len(level.systems), kind="spearman")
        by_metric[metric] = Standing(
            Estimate(float(rho[i]), *rho_interval), Estimate(float(accuracy[i]), *interval)
        )
    return by_metric


def leaderboard_tables(board: Leaderboard) -> list[Table]:
    """Every metric in every view: accuracy over sentences, and correlation over systems."""
    mean = "; ".join(_shared(board))
    return [
        _table(board, "sentences", 3, "Metrics against people: sentences", [
            "share of the comparisons decided by people that a metric orders in the same way; its ties count "
            "½; 95 % intervals from bootstrap samples of segments",
            f"mean: over {mean}",
        ]),
        _table(board, "systems", 2, "Metrics against people: systems", [
            "Spearman's ρ with Expected Wins or mean ratings; 95 % intervals by Fisher's z",
            f"mean: over {mean}",
        ]),
    ]  # fmt: skip


def _table(board: Leaderboard, part: str, decimals: int, title: str, notes: list[str]) -> Table:
    columns = [Column("metric"), Column("mean", decimals, "max")]
    columns += [Column(view, decimals, "max") for view in board]
    rows: list[Sequence[Cell]] = []
    for metric in ordered(board):
        estimates = [getattr(by[metric], part) if metric in by else None for by in board.values()]
        rows.append([metric, _mean(board, metric, part), *estimates])
    return Table(columns, rows, title, notes)


def ordered(board: Leaderboard) -> list[str]:
    """The metrics, best mean accuracy first."""
    metrics = dict.fromkeys(metric for by_metric in board.values() for metric in by_metric)
    return sorted(metrics, key=lambda metric: -_mean(board, metric, "sentences"))


def _shared(board: Leaderboard) -> list[str]:
    """The views with the most metrics, so that all means are over the same views."""
    most = max(len(by_metric) for by_metric in board.values())
    return [view for view, by_metric in board.items() if len(by_metric) == most]


def _mean(board: Leaderboard, metric: str, part: str) -> float:
    return float(np.mean([getattr(board[view][metric], part).value for view in _shared(board)]))


# -- the figure -----------------------------------------------------------------------------------------


def draw_leaderboard(board: Leaderboard, figure: Any) -> None:
    """One row per metric, the best at the top; one column per view, coloured by agreement with people."""
    metrics = ordered(board)
    figure.set_size_inches(3.2 + 0.92 * (len(board) + 1), 2.4 + 0.23 * len(metrics))
    left, right = figure.subplots(1, 2, sharey=True)
    _panel(left, board, metrics, "sentences", 0.5, "Sentences: share ordered as people do")
    _panel(right, board, metrics, "systems", 0.0, "Systems: rank correlation ρ")
    left.set_yticks(range(len(metrics)), metrics)
    figure.supxlabel(
        "Blue: a metric agrees with people; red: it ranks against them. Pale: its 95 % interval includes "
        "chance. Bold: the best of a column.",
        fontsize=8,
    )


def _panel(axes: Any, board: Leaderboard, metrics: list[str], part: str, chance: float, title: str) -> None:
    """One half of the figure: means first, then the views."""
    values = np.full((len(metrics), len(board) + 1), np.nan)
    sure = np.zeros(values.shape, dtype=bool)  # the interval excludes chance
    for i, metric in enumerate(metrics):
        values[i, 0], sure[i, 0] = _mean(board, metric, part), True
        for j, by_metric in enumerate(board.values(), 1):
            if metric in by_metric:
                estimate = getattr(by_metric[metric], part)
                values[i, j] = estimate.value
                sure[i, j] = not estimate.low <= chance <= estimate.high
    reach = np.nanmax(np.abs(values - chance))
    axes.imshow(
        values, cmap="RdBu", vmin=chance - 1.3 * reach, vmax=chance + 1.3 * reach, aspect="auto",
        alpha=np.where(sure, 1.0, 0.25),
    )  # fmt: skip
    best = np.max(np.where(np.isnan(values), -np.inf, values), axis=0)
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = sure[i, j] and abs(value - chance) > 0.8 * reach
            axes.text(
                j, i, _two_decimals(value), ha="center", va="center", fontsize=7,
                color="white" if dark else "black" if sure[i, j] else "#666666",
                weight="bold" if round(value, 2) == round(best[j], 2) else "normal",
            )  # fmt: skip
    axes.set_xticks(range(len(board) + 1), ["mean", *map(_short, board)], fontsize=7)
    axes.tick_params(top=True, bottom=False, labeltop=True, labelbottom=False, length=0)
    axes.axvline(0.5, color="white", linewidth=4)
    axes.set_title(title, loc="left", pad=8)
    axes.spines[:].set_visible(False)


def _short(view: str) -> str:
    """The name of a view as the head of a column."""
    return view.removesuffix(", all").removesuffix(", mean rating").replace(", ", "\n")


def _two_decimals(value: float) -> str:
    """A number with two decimals and without the zero before the point."""
    return f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1).replace("-", "−")
