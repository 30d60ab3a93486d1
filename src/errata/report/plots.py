"""Pictures in one plain style, safe for the colour-blind; matplotlib comes with the extra `plot`."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from errata.corpus.files import StrPath, display, open_binary_output
from errata.errors import DataError, needs_extra
from errata.significance.compare import SystemComparison

FORMATS = (".svg", ".pdf", ".png")
# Okabe & Ito (2008): told apart by people with any common colour blindness
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.dpi": 150,
    "svg.hashsalt": "errata",  # the same picture is the same file
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def check_format(path: StrPath) -> None:
    """Raise an error unless the file's name says which kind of picture it is to be."""
    if Path(path).suffix not in FORMATS:
        raise DataError(
            f"cannot tell the kind of picture by the name {display(path)!r}",
            hint=f"let it end in {', '.join(FORMATS)}",
        )


def save_figure(draw: Callable[[Any], None], path: StrPath) -> None:
    """Let `draw` fill an empty figure and write it; no display is needed."""
    check_format(path)
    content = _rendered(draw, Path(path).suffix)  # before the file is opened, whose errors are of writing
    with open_binary_output(path) as file:
        file.write(content)


def figure_svg(draw: Callable[[Any], None]) -> str:
    """A figure as an `<svg>` element to put into a page."""
    text = _rendered(draw, ".svg").decode("utf-8")
    return text[text.index("<svg") :]


def _rendered(draw: Callable[[Any], None], kind: str) -> bytes:
    with needs_extra("drawing pictures", "plot"):
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    with matplotlib.rc_context(_STYLE):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        dated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[kind]
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind[1:], metadata=dated)
    return buffer.getvalue()


def draw_comparisons(comparisons: Sequence[SystemComparison], figure: Any) -> None:
    """A row a comparison: ranked dots with intervals, and a heat map of p-values."""
    height = max(2.2, 0.3 * max(len(comparison.systems) for comparison in comparisons) + 1)
    figure.set_size_inches(9, height * len(comparisons))
    axes = figure.subplots(len(comparisons), 2, squeeze=False)
    for (left, right), comparison in zip(axes, comparisons, strict=True):
        ranked_dots(left, comparison)
        heat_map(right, comparison)


def ranked_dots(axes: Any, comparison: SystemComparison) -> None:
    """Systems from the best to the worst, each a dot with its interval."""
    places = range(len(comparison.systems))
    scores = [comparison.scores[system] for system in comparison.systems]
    values = [score for score, _, _ in scores]
    # a BCa interval need not hold the score itself
    reach = [[max(0.0, v - low) for v, low, _ in scores], [max(0.0, high - v) for v, _, high in scores]]
    axes.errorbar(values, places, xerr=reach, fmt="o", color=COLORS[0], ecolor="#999999", capsize=2)
    axes.set_yticks(places, comparison.systems)
    axes.invert_yaxis()
    metric = comparison.metric
    name = metric.label(metric.parts[0])
    axes.set_xlabel(f"{name}, {100 * (1 - comparison.plan.alpha):g} % interval")
    axes.set_title(name if comparison.group is None else f"{name}, {comparison.group}", loc="left")


def heat_map(axes: Any, comparison: SystemComparison) -> None:
    """p-values of all pairs; dark where systems differ, a dot on those that do significantly."""
    import numpy as np
    from matplotlib.colors import LogNorm

    systems = comparison.systems
    place = {system: i for i, system in enumerate(systems)}
    grid = np.full((len(systems), len(systems)), np.nan)
    for pair in comparison.pairs:
        i, j = place[pair.first], place[pair.second]
        grid[i, j] = grid[j, i] = max(pair.adjusted, 1e-4)
        if pair.decision == "significant":
            axes.plot([j, i], [i, j], ".", color="white", markersize=4)
    image = axes.imshow(grid, cmap="cividis", norm=LogNorm(1e-4, 1))
    axes.set_xticks(range(len(systems)), systems, rotation=90)
    axes.set_yticks(range(len(systems)), systems)
    axes.spines[:].set_visible(False)
    kind = "p-value" if comparison.plan.correction == "none" else f"p-value ({comparison.plan.correction})"
    axes.figure.colorbar(image, ax=axes, label=kind)
    axes.set_title("dot: significant", loc="left")
