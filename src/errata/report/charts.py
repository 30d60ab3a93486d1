"""The pictures of replications."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from errata.replicate.charts import AmongDraws, Bars, Chart, Curves, Scatter
from errata.report.plots import COLORS


def draw_chart(chart: Chart) -> Callable[[Any], None]:
    """The function that draws a chart into an empty figure."""
    if isinstance(chart, Scatter):
        return _scatter(chart)
    if isinstance(chart, Curves):
        return _curves(chart)
    return _bars(chart) if isinstance(chart, Bars) else _among_draws(chart)


def _scatter(chart: Scatter) -> Callable[[Any], None]:
    level = chart.level

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
            axes.set_xlabel(chart.human)

    return draw


def _curves(chart: Curves) -> Callable[[Any], None]:
    x = chart.x

    def draw(figure: Any) -> None:
        figure.set_size_inches(5.5, 3.2)
        axes = figure.subplots()
        for k, (name, y) in enumerate(chart.lines.items()):
            axes.plot(x, y, color=COLORS[k % len(COLORS)], label=name, marker="." if len(x) < 25 else "")
        if chart.band is not None:
            axes.fill_between(x, *chart.band, color=COLORS[0], alpha=0.15, linewidth=0)
        for name, place in chart.marks.items():
            axes.axvline(place, color="#666666", linestyle="--", linewidth=0.8)
            axes.annotate(name, (place, axes.get_ylim()[0]), fontsize=7, color="#666666")
        axes.set_xlabel(chart.xlabel)
        axes.set_ylabel(chart.ylabel)
        axes.legend(frameon=False, fontsize=7)

    return draw


def _bars(chart: Bars) -> Callable[[Any], None]:
    groups, series, stacked = chart.groups, chart.series, chart.stacked

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
        axes.set_ylabel(chart.ylabel)
        axes.legend(frameon=False, fontsize=7, ncols=2)

    return draw


def _among_draws(chart: AmongDraws) -> Callable[[Any], None]:
    names, draws = chart.names, chart.draws

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
        axes.plot(
            np.arange(len(names)), chart.published, "D", color=COLORS[1], markersize=5, label="published"
        )
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
