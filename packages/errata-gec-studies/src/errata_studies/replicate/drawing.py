"""The charts of replications: each function takes what it shows and the empty figure that it draws into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from errata.meta.levels import SystemLevel
from errata.metrics.statistics import Floats
from errata.report.plots import COLORS


def scatter(level: SystemLevel, human: str, figure: Any) -> None:
    """One panel per metric: systems by human score, with the label `human`, and metric score."""
    figure.set_size_inches(3.2 * len(level.metrics), 3)
    panels = figure.subplots(1, len(level.metrics), squeeze=False)[0]
    r, rho = level.correlations("pearson"), level.correlations("spearman")
    for k, axes in enumerate(panels):
        axes.scatter(level.human, level.scores[k], s=14, color=COLORS[k % len(COLORS)])
        for i, name in enumerate(level.systems):
            axes.annotate(name, (level.human[i], level.scores[k, i]), fontsize=6, alpha=0.8)
        axes.set_title(f"{level.metrics[k]}: r {r[k]:.3f}, ρ {rho[k]:.3f}")
        axes.set_xlabel(human)


def curves(
    x: Sequence[float], lines: Mapping[str, Sequence[float] | Floats], labels: tuple[str, str],
    marks: Mapping[str, float], band: tuple[Sequence[float], Sequence[float]] | None, figure: Any,
) -> None:  # fmt: skip
    """Lines over a parameter, with vertical marks and a band from the lowest to the highest value."""
    figure.set_size_inches(5.5, 3.2)
    axes = figure.subplots()
    for k, (name, y) in enumerate(lines.items()):
        axes.plot(x, y, color=COLORS[k % len(COLORS)], label=name, marker="." if len(x) < 25 else "")
    if band is not None:
        axes.fill_between(x, *band, color=COLORS[0], alpha=0.15, linewidth=0)
    for name, place in marks.items():
        axes.axvline(place, color="#666666", linestyle="--", linewidth=0.8)
        axes.annotate(name, (place, axes.get_ylim()[0]), fontsize=7, color="#666666")
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    axes.legend(frameon=False, fontsize=7)


def bars(
    groups: Sequence[str], series: Mapping[str, Sequence[float]], ylabel: str, stacked: bool, figure: Any
) -> None:
    """Groups of bars, one colour per series; when stacked, the series of a group form one bar."""
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
        base = base + heights
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xticks(places, groups, rotation=30, ha="right", fontsize=7)
    axes.set_ylabel(ylabel)
    axes.legend(frameon=False, fontsize=7, ncols=2)


def heat(names: Sequence[str], titles: Sequence[str], panels: Sequence[Floats], figure: Any) -> None:
    """A square of p-values per panel, row against column; small ones are dark."""
    figure.set_size_inches(2.6 * len(panels) + 0.6, 2.6)
    for axes, title, values in zip(
        figure.subplots(1, len(panels), squeeze=False)[0], titles, panels, strict=True
    ):
        axes.imshow(-np.log10(np.clip(np.nan_to_num(values, nan=1.0), 1e-6, 1)), cmap="Blues", vmin=0, vmax=4)
        for (i, j), value in np.ndenumerate(values):
            if not np.isnan(value):
                axes.text(j, i, f"{value:.3f}", ha="center", va="center", fontsize=7)
        axes.set_xticks(range(len(names)), names, fontsize=7)
        axes.set_yticks(range(len(names)), names, fontsize=7)
        axes.set_title(title, fontsize=8)


def slopes(columns: Sequence[str], rankings: Sequence[Sequence[str]], figure: Any) -> None:
    """Rankings side by side, with a line per system."""
    figure.set_size_inches(1.9 * len(columns) + 1.5, 3.4)
    axes = figure.subplots()
    for k, name in enumerate(rankings[0]):
        places = [ranking.index(name) + 1 for ranking in rankings]
        axes.plot(range(len(columns)), places, marker=".", color=COLORS[k % len(COLORS)], linewidth=1)
        axes.annotate(
            name,
            (0, places[0]),
            xytext=(-6, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=7,
        )
    axes.set_xlim(-0.6, len(columns) - 0.8)
    axes.set_xticks(range(len(columns)), columns, fontsize=7)
    axes.invert_yaxis()
    axes.set_ylabel("place")


def among_draws(names: Sequence[str], draws: Mapping[str, Floats], published: Floats, figure: Any) -> None:
    """Published figures among those that random draws give (draws × figures, by the way of drawing)."""
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
