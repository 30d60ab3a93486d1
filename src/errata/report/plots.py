"""Plots in one plain style, safe for colour-blind readers, and the leaderboard of metrics.

matplotlib comes with the extra `plot`.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from errata.corpus.files import StrPath, display, open_binary_output
from errata.errors import DataError, needs_extra
from errata.human.drift import Drift
from errata.human.pairs import Tally
from errata.human.rankings import Ranking, head_to_head
from errata.meta.audit import Audit, Finding
from errata.meta.judged_outputs import BenchmarkAgreement
from errata.metrics.statistics import Floats
from errata.significance.compare import SystemComparison
from errata.significance.correlations import fisher_interval
from errata.tables import Cell, Column, Estimate, Table

FORMATS = (".svg", ".pdf", ".png")
# Okabe & Ito (2008): distinguishable with any common colour blindness
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#F0E442", "#000000")
_STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "figure.dpi": 150,
    "svg.hashsalt": "errata",  # the same figure gives the same bytes
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}


def _check_format(path: StrPath) -> None:
    """Raise an error unless the suffix of the file is that of an image format."""
    if Path(path).suffix not in FORMATS:
        raise DataError(
            f"{display(path)!r} has no suffix of an image format",
            hint=f"use one of {', '.join(FORMATS)}",
        )


def save_figure(draw: Callable[[Any], None], path: StrPath) -> None:
    """Call `draw` with an empty figure, and write the figure to a file."""
    _check_format(path)
    content = _rendered(draw, Path(path).suffix)
    with open_binary_output(path) as file:
        file.write(content)


def figure_svg(draw: Callable[[Any], None]) -> str:
    """A figure as an `<svg>` element for a page."""
    text = _rendered(draw, ".svg").decode("utf-8")
    return text[text.index("<svg") :]


def _rendered(draw: Callable[[Any], None], kind: str) -> bytes:
    with needs_extra("plotting", "plot"):
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    with matplotlib.rc_context(_STYLE):
        figure = Figure(layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        no_date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {}}[kind]
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind[1:], metadata=no_date)
    return buffer.getvalue()


def draw_comparisons(comparisons: Sequence[SystemComparison], figure: Any) -> None:
    """One row per comparison: ranked dots with intervals, and a heat map of p-values."""
    height = max(2.2, 0.3 * max(len(comparison.systems) for comparison in comparisons) + 1)
    figure.set_size_inches(9, height * len(comparisons))
    axes = figure.subplots(len(comparisons), 2, squeeze=False)
    for (left, right), comparison in zip(axes, comparisons, strict=True):
        _ranked_dots(left, comparison)
        _heat_map(right, comparison)


def _ranked_dots(axes: Any, comparison: SystemComparison) -> None:
    """Systems from best to worst, each a dot with its interval."""
    scores = np.array([comparison.scores[system] for system in comparison.systems])
    _draw_dots(axes, comparison.systems, *scores.T)
    metric = comparison.metric
    name = metric.label(metric.parts[0])
    axes.set_xlabel(f"{name}, {100 * (1 - comparison.plan.alpha):g} % interval")
    axes.set_title(name if comparison.group is None else f"{name}, {comparison.group}", loc="left")


def _draw_dots(axes: Any, systems: Sequence[str], values: Floats, low: Floats, high: Floats) -> None:
    """A dot with its interval for every system, from top to bottom."""
    places = range(len(systems))
    # a BCa interval need not contain the score itself
    errors = [np.maximum(values - low, 0), np.maximum(high - values, 0)]
    axes.errorbar(values, places, xerr=errors, fmt="o", color=COLORS[0], ecolor="#999999", capsize=2)
    axes.set_yticks(places, systems)
    axes.invert_yaxis()


def _name_both_axes(axes: Any, systems: Sequence[str]) -> None:
    """Names of systems on both axes of a square heat map without a frame."""
    axes.set_xticks(range(len(systems)), systems, rotation=90)
    axes.set_yticks(range(len(systems)), systems)
    axes.spines[:].set_visible(False)


def _heat_map(axes: Any, comparison: SystemComparison) -> None:
    """p-values of all pairs: dark for small ones, with a dot where the difference is significant."""
    from matplotlib.colors import LogNorm

    systems = comparison.systems
    index = {system: i for i, system in enumerate(systems)}
    grid = np.full((len(systems), len(systems)), np.nan)
    for pair in comparison.pairs:
        i, j = index[pair.first], index[pair.second]
        grid[i, j] = grid[j, i] = max(pair.adjusted, 1e-4)
        if pair.decision == "significant":
            axes.plot([j, i], [i, j], ".", color="white", markersize=4)
    image = axes.imshow(grid, cmap="cividis", norm=LogNorm(1e-4, 1))
    _name_both_axes(axes, systems)
    kind = "p-value" if comparison.plan.correction == "none" else f"p-value ({comparison.plan.correction})"
    axes.figure.colorbar(image, ax=axes, label=kind)
    axes.set_title("dot: significant", loc="left")


# -- human rankings -------------------------------------------------------------------------------------


def draw_rankings(rankings: Sequence[tuple[str, Ranking]], tally: Tally | None, figure: Any) -> None:
    """One panel per ranking, and the head-to-head matrix if there are pairs."""
    panels = len(rankings) + (tally is not None)
    height = max(2.4, 0.26 * len(rankings[0][1].systems) + 1.2)
    figure.set_size_inches(3.6 * panels, height)
    axes = figure.subplots(1, panels, squeeze=False)[0]
    for panel, (title, ranking) in zip(axes, rankings, strict=False):
        _ranking_intervals(panel, ranking, title)
    if tally is not None:
        _win_shares(axes[-1], tally, rankings[0][1])


def _ranking_intervals(axes: Any, ranking: Ranking, title: str) -> None:
    """Systems from best to worst with their intervals; a line between clusters."""
    _draw_dots(axes, ranking.systems, ranking.scores, ranking.low, ranking.high)
    for place in ranking.lines:
        axes.axhline(place - 0.5, color="#555555", linewidth=0.8, linestyle="--")
    axes.set_xlabel("score; dashed lines separate clusters")
    axes.set_title(title, loc="left")


def _win_shares(axes: Any, tally: Tally, ranking: Ranking) -> None:
    """The share of decided comparisons that the row's system won against the column's."""
    order = np.asarray(ranking.order)
    shares = head_to_head(tally)[np.ix_(order, order)]
    image = axes.imshow(shares, cmap="PuOr_r", vmin=0, vmax=1)
    _name_both_axes(axes, ranking.systems)
    if len(order) <= 16:
        for i, j in np.argwhere(~np.isnan(shares)).tolist():
            text = f"{shares[i, j]:.2f}".removeprefix("0")
            axes.text(j, i, text, ha="center", va="center", fontsize=5)
    axes.figure.colorbar(image, ax=axes, label="row beats column")
    axes.set_title("Head to head", loc="left")


def draw_drift(drift: Drift, figure: Any) -> None:
    """Agreement or severity of each judge in the quarters of the work, and judge effects if there are any."""
    panels = 1 if drift.effects is None else 2
    figure.set_size_inches(4.8 + 3.2 * (panels - 1), 3.2)
    axes, *more = figure.subplots(1, panels, squeeze=False)[0][::-1]  # the legend is at the right
    if drift.effects is not None:
        places = range(len(drift.judges), 0, -1)
        more[0].errorbar(drift.effects[:, 0], places, xerr=1.96 * drift.effects[:, 1], fmt="o", capsize=2)
        more[0].set_yticks(places, drift.judges, fontsize=6)
        more[0].axvline(0, color="#999999", linewidth=0.5)
        more[0].set_xlabel("judge effect")
    for k, (judge, parts) in enumerate(zip(drift.judges, drift.parts(), strict=True)):
        style = ("-", "--", ":")[k // len(COLORS) % 3]
        axes.plot(
            range(1, len(parts) + 1), parts, style, marker="o", color=COLORS[k % len(COLORS)], label=judge
        )
    axes.set_xticks(range(1, drift.parts().shape[1] + 1))
    axes.set_xlabel("quarter of the work")
    axes.set_ylabel(drift.what)
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))


def draw_audits(audits: Sequence[tuple[str, Audit]], figure: Any) -> None:
    """One panel per metric: scores of source and reference with increasing damage."""
    figure.set_size_inches(3.4 * len(audits), 3)
    panels = figure.subplots(1, len(audits), squeeze=False)[0]
    for axes, (name, audit) in zip(panels, audits, strict=True):
        for k, (group, start) in enumerate((("source", audit.source), ("reference", audit.reference))):
            line = [(0.0, start)]
            line += [(f.probe.rate, f.score) for f in audit.findings if f.probe.group == group]
            axes.plot(*zip(*line, strict=True), marker=".", color=COLORS[k], label=f"{group}, damaged")
        low, high = axes.get_ylim()
        for score, names in _near([f for f in audit.findings if not f.probe.group], (high - low) / 25):
            axes.axhline(score, color="#999999", linewidth=0.5)
            axes.annotate(", ".join(names), (0.82, score), fontsize=5, va="bottom", ha="right")
        axes.set_title(name)
        axes.set_xlabel("share of tokens damaged")
        axes.legend(frameon=False, fontsize=6)


def _near(findings: Sequence[Finding], distance: float) -> list[tuple[float, list[str]]]:
    """Groups of findings whose scores are too close for separate labels."""
    groups: list[tuple[float, list[str]]] = []
    for finding in sorted(findings, key=lambda each: each.score):
        if groups and finding.score - groups[-1][0] < distance:
            groups[-1][1].append(finding.probe.name)
        else:
            groups.append((finding.score, [finding.probe.name]))
    return groups


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
    significant = np.zeros(values.shape, dtype=bool)  # the interval excludes chance
    for i, metric in enumerate(metrics):
        values[i, 0], significant[i, 0] = _mean(board, metric, part), True
        for j, by_metric in enumerate(board.values(), 1):
            if metric in by_metric:
                estimate = getattr(by_metric[metric], part)
                values[i, j] = estimate.value
                significant[i, j] = not estimate.low <= chance <= estimate.high
    reach = np.nanmax(np.abs(values - chance))
    axes.imshow(
        values, cmap="RdBu", vmin=chance - 1.3 * reach, vmax=chance + 1.3 * reach, aspect="auto",
        alpha=np.where(significant, 1.0, 0.25),
    )  # fmt: skip
    best = np.max(np.where(np.isnan(values), -np.inf, values), axis=0)
    for (i, j), value in np.ndenumerate(values):
        if not np.isnan(value):
            dark = significant[i, j] and abs(value - chance) > 0.8 * reach
            axes.text(
                j, i, _two_decimals(value), ha="center", va="center", fontsize=7,
                color="white" if dark else "black" if significant[i, j] else "#666666",
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
    """A number with two decimals, without the zero before the point."""
    return f"{round(value, 2) + 0.0:.2f}".replace("0.", ".", 1).replace("-", "−")
