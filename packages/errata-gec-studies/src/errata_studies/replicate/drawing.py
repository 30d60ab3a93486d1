"""The pictures of replications."""

from __future__ import annotations

from typing import Any

import numpy as np

from errata.report.plots import COLORS
from errata_studies.replicate.charts import AmongDraws, Bars, Chart, Curves, Scatter


def draw_chart(chart: Chart, figure: Any) -> None:
    """Draw a chart into an empty figure."""
    if isinstance(chart, Scatter):
        _scatter(chart, figure)
    elif isinstance(chart, Curves):
        _curves(chart, figure)
    elif isinstance(chart, Bars):
        _bars(chart, figure)
    else:
        _among_draws(chart, figure)


def _scatter(chart: Scatter, figure: Any) -> None:
    level = chart.level
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


def _curves(chart: Curves, figure: Any) -> None:
    x = chart.x
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


def _bars(chart: Bars, figure: Any) -> None:
    groups, series, stacked = chart.groups, chart.series, chart.stacked
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


def _among_draws(chart: AmongDraws, figure: Any) -> None:
    names, draws = chart.names, chart.draws
    figure.set_size_inches(max(5.0, 0.9 * len(names) + 1), 3.2)
    axes = figure.subplots()
    width = 0.7 / len(draws)
    for k, (label, values) in enumerate(draws.items()):
        places = np.arange(len(names)) + (k - (len(draws) - 1) / 2) * width
        low, middle, high = np.quantile(values, [0.025, 0.5, 0.975], axis=0)
        color = COLORS[k % len(COLORS)]
        axes.vlines(places, low, high, color=color, linewidth=4, alpha=0.5, label=f"{label}: 95 %")
        axes.plot(places, middle, "o", color=color, markersize=3)
    axes.plot(np.arange(len(names)), chart.published, "D", color=COLORS[1], markersize=5, label="published")
    axes.set_xticks(range(len(names)), names, fontsize=7)
    axes.legend(frameon=False, fontsize=7, loc="lower left")
