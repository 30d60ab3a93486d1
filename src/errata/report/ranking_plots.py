"""Pictures of human rankings: intervals with cluster lines, and who beats whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from errata.human.pairs import Tally
from errata.human.rankings import Ranking, head_to_head
from errata.report.plots import draw_dots, name_both_axes


def draw_rankings(rankings: Sequence[tuple[str, Ranking]], tally: Tally | None, figure: Any) -> None:
    """A panel for every ranking, and the head-to-head matrix where there are pairs."""
    panels = len(rankings) + (tally is not None)
    height = max(2.4, 0.26 * len(rankings[0][1].systems) + 1.2)
    figure.set_size_inches(3.6 * panels, height)
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for panel, (title, ranking) in zip(axes, rankings, strict=False):
        intervals(panel, ranking, title)
    if tally is not None:
        wins(axes[-1], tally, rankings[0][1])


def intervals(axes: Any, ranking: Ranking, title: str) -> None:
    """Systems from best to worst with their intervals; a line between clusters."""
    draw_dots(axes, ranking.systems, ranking.scores, ranking.low, ranking.high)
    for place in ranking.lines:
        axes.axhline(place - 0.5, color="#555555", linewidth=0.8, linestyle="--")
    axes.set_xlabel("score; dashed lines part clusters")
    axes.set_title(title, loc="left")


def wins(axes: Any, tally: Tally, ranking: Ranking) -> None:
    """The share of decided comparisons the row's system won against the column's."""
    order = np.asarray(ranking.order)
    shares = head_to_head(tally)[np.ix_(order, order)]
    image = axes.imshow(shares, cmap="PuOr_r", vmin=0, vmax=1)
    name_both_axes(axes, ranking.systems)
    if len(order) <= 16:
        for i, j in np.argwhere(~np.isnan(shares)).tolist():
            text = f"{shares[i, j]:.2f}".removeprefix("0")
            axes.text(j, i, text, ha="center", va="center", fontsize=5)
    axes.figure.colorbar(image, ax=axes, label="row beats column")
    axes.set_title("Head to head", loc="left")
