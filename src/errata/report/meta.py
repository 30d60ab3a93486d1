"""Tables and pictures of meta-evaluation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from errata.meta.systems import SystemLevel
from errata.metrics.base import Floats
from errata.report.plots import COLORS
from errata.report.table import Column, Table

SYMBOLS = {"pearson": "r", "spearman": "ρ", "kendall": "τ"}


def williams_table(metrics: Sequence[str], p: Floats, title: str) -> Table:
    """p-values, row better than column; empty where it is not."""
    columns = [Column("better"), *(Column(name, 5) for name in metrics)]
    rows: list[Any] = [
        [name, *(None if np.isnan(value) else float(value) for value in row)]
        for name, row in zip(metrics, p, strict=True)
    ]
    return Table(
        columns, rows, title, ["one-tailed; a small p: the row's metric correlates better than the column's"]
    )


def scatter(level: SystemLevel, human: str) -> Callable[[Any], None]:
    """A panel a metric: systems by metric score and human score."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(3.2 * len(level.metrics), 3)
        panels = figure.subplots(1, len(level.metrics), squeeze=False)[0]
        r = level.correlations("pearson")
        rho = level.correlations("spearman")
        for k, axes in enumerate(panels):
            axes.scatter(level.human, level.scores[k], s=14, color=COLORS[k % len(COLORS)])
            for i, name in enumerate(level.systems):
                axes.annotate(name, (level.human[i], level.scores[k, i]), fontsize=6, alpha=0.8)
            axes.set_title(f"{level.metrics[k]}: r {r[k]:.3f}, ρ {rho[k]:.3f}")
            axes.set_xlabel(human)

    return draw


def curves(
    x: Sequence[float],
    lines: Mapping[str, Sequence[float] | Floats],
    *,
    xlabel: str,
    ylabel: str,
    mark: Mapping[str, float] | None = None,
    band: tuple[Sequence[float], Sequence[float]] | None = None,
) -> Callable[[Any], None]:
    """Lines over a parameter, with vertical marks and a band from lowest to highest."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(5.5, 3.2)
        axes = figure.subplots()
        for k, (name, y) in enumerate(lines.items()):
            axes.plot(x, y, color=COLORS[k % len(COLORS)], label=name, marker="." if len(x) < 25 else "")
        if band is not None:
            axes.fill_between(x, *band, color=COLORS[0], alpha=0.15, linewidth=0)
        for name, place in (mark or {}).items():
            axes.axvline(place, color="#666666", linestyle="--", linewidth=0.8)
            axes.annotate(name, (place, axes.get_ylim()[0]), fontsize=7, color="#666666")
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.legend(frameon=False, fontsize=7)

    return draw


def bars(
    groups: Sequence[str], series: Mapping[str, Sequence[float]], *, ylabel: str, stacked: bool = False
) -> Callable[[Any], None]:
    """Groups of bars, a colour a series; or one bar a group, the series on top of each other."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(max(5.0, 0.8 * len(groups) + 2), 3.2)
        axes = figure.subplots()
        places = np.arange(len(groups), dtype=float)
        width = 0.7 if stacked else 0.8 / max(len(series), 1)
        base = np.zeros(len(groups))
        for k, (name, values) in enumerate(series.items()):
            heights = np.nan_to_num(np.asarray(values, dtype=float))
            shift = 0.0 if stacked else (k - (len(series) - 1) / 2) * width
            color = COLORS[k % len(COLORS)]
            axes.bar(places + shift, heights, width, bottom=base if stacked else 0, color=color, label=name)
            if stacked:
                base = base + heights
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xticks(places, groups, rotation=30, ha="right", fontsize=7)
        axes.set_ylabel(ylabel)
        axes.legend(frameon=False, fontsize=7, ncols=2)

    return draw


def among_draws(
    names: Sequence[str], draws: Mapping[str, Floats], published: Floats
) -> Callable[[Any], None]:
    """Published figures among what random draws give (draws × figures), one strip a way of drawing."""

    def draw(figure: Any) -> None:
        figure.set_size_inches(max(5.0, 0.9 * len(names) + 1), 3.2)
        axes = figure.subplots()
        width = 0.7 / len(draws)
        for k, (label, values) in enumerate(draws.items()):
            places = np.arange(len(names)) + (k - (len(draws) - 1) / 2) * width
            low, middle, high = np.quantile(values, [0.025, 0.5, 0.975], axis=0)
            color = COLORS[k % len(COLORS)]
            axes.vlines(places, low, high, color=color, linewidth=4, alpha=0.5, label=f"{label}: 95 %")
            axes.plot(places, middle, "o", color=color, markersize=3)
        axes.plot(np.arange(len(names)), published, "D", color=COLORS[1], markersize=5, label="published")
        axes.set_xticks(range(len(names)), names, fontsize=7)
        axes.legend(frameon=False, fontsize=7, loc="lower left")

    return draw


def verdict_bars(rows: Mapping[str, Sequence[int]], names: Sequence[str]) -> Callable[[Any], None]:
    """How many cells of each row (a paper) have which verdict."""
    colours = (COLORS[2], COLORS[4], "#999999", COLORS[1])

    def draw(figure: Any) -> None:
        figure.set_size_inches(6.5, 0.35 * len(rows) + 0.9)
        axes = figure.subplots()
        left = np.zeros(len(rows))
        for k, name in enumerate(names):
            widths = np.array([counts[k] for counts in rows.values()], dtype=float)
            axes.barh(range(len(rows)), widths, left=left, color=colours[k], label=name)
            left += widths
        axes.set_yticks(range(len(rows)), list(rows))
        axes.invert_yaxis()
        axes.set_xlabel("cells")
        axes.legend(frameon=False, fontsize=7, ncols=4, loc="lower right")

    return draw
