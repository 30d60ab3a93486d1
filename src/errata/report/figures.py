"""Figures as in papers, each by name, drawn from results and perhaps human judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import combinations
from operator import attrgetter
from typing import Any

import numpy as np

from errata.errors import DataError
from errata.meta.evaluation import Evaluation, MetricAgreement, PeopleComparison
from errata.meta.sensitivity import BetaPlane, ReferenceCurve
from errata.report.plots import COLORS
from errata.tables import format_number

_MARKERS = "os^DvP"


def precision_recall(evaluation: Evaluation, figure: Any) -> None:
    """Precision and recall of every system, with lines of equal F."""
    planes, results = _planes(evaluation), evaluation.results
    for axes, plane in zip(_panels(figure, len(planes)), planes, strict=True):
        recall, precision = plane.recall, plane.precision
        has_edits = ~((recall == 0) & (precision == 1))  # without edits, precision is 1 by definition
        far, high = 1.15 * max(recall[has_edits], default=1), 1.15 * max(precision[has_edits], default=1)
        _iso_lines(axes, plane.beta, far, high)
        for i, system in enumerate(results.systems):
            if has_edits[i]:
                _point(axes, recall[i], precision[i], system, i)
        axes.set(xlim=(0, far), ylim=(0, high), xlabel="recall", ylabel="precision")
        axes.set_title(f"{evaluation.names[plane.number]}; lines: equal F", loc="left")


def beta(evaluation: Evaluation, figure: Any) -> None:
    """F of every system over β."""
    planes = _planes(evaluation)
    for axes, plane in zip(_panels(figure, len(planes)), planes, strict=True):
        for i, system in enumerate(evaluation.results.systems):
            _line(axes, plane.betas, plane.scores[i], system, i)
        _beta_axis(axes)
        axes.set_ylabel(evaluation.names[plane.number])
        axes.legend(fontsize=6, frameon=False, ncols=2)


def beta_people(evaluation: Evaluation, figure: Any) -> None:
    """Grundkiewicz et al. (2015), Figure 3; Náplava et al. (2022), Figure 2."""
    planes, people = _planes(evaluation), _people(evaluation)
    for axes, plane in zip(_panels(figure, len(planes)), planes, strict=True):
        for k, (kind, name) in enumerate([("pearson", "Pearson’s r"), ("spearman", "Spearman’s ρ")]):
            correlations = plane.correlations(people.places, people.level.human, kind)
            _line(axes, plane.betas, correlations, name, k)
        axes.axvline(plane.beta, color="#999999", linewidth=0.8, linestyle=":")
        _beta_axis(axes)
        axes.set_ylabel("correlation with people")
        axes.set_title(evaluation.names[plane.number], loc="left")
        axes.legend(frameon=False)


def scatter(evaluation: Evaluation, figure: Any) -> None:
    """Chollampatt & Ng (2018), Figure 1."""
    people = _people(evaluation)
    for axes, fit in zip(_panels(figure, len(people.fits)), people.fits, strict=True):
        for i, x, y in zip(people.places, fit.values, people.level.human, strict=True):
            system = evaluation.results.systems[i]
            _point(axes, x, y, system, i, strong=system in fit.outliers)
        if fit.line is not None:
            ends = np.array([fit.values.min(), fit.values.max()])
            axes.plot(ends, fit.line.slope * ends + fit.line.intercept, "--", color="#777777", linewidth=1)
        title = evaluation.names[fit.number]
        if fit.pearson is not None and fit.spearman is not None:
            title += f", r = {format_number(fit.pearson[0], 2)}, ρ = {format_number(fit.spearman[0], 2)}"
        axes.set_title(title, loc="left")
        axes.set(xlabel="metric", ylabel=f"people ({people.method})")
        axes.margins(0.12)


def williams(evaluation: Evaluation, figure: Any) -> None:
    """Chollampatt & Ng (2018), Figure 2: does the row's metric agree better with people?"""
    p, names = _people(evaluation).level.williams(), evaluation.names
    (axes,) = _panels(figure, 1)
    axes.imshow(p, cmap="cividis", vmin=0, vmax=0.5)
    axes.set_xticks(range(len(names)), names, rotation=45, ha="right")
    axes.set_yticks(range(len(names)), names)
    axes.spines[:].set_visible(False)
    for a, b in np.argwhere(~np.isnan(p)):
        bold = "bold" if p[a, b] < 0.05 else "normal"
        ink = "white" if p[a, b] < 0.25 else "black"
        axes.text(
            b, a, format_number(p[a, b], 3), ha="center", va="center", color=ink, fontsize=7, weight=bold
        )
    axes.set_title("p: does the row agree better?", loc="left")


def metrics(evaluation: Evaluation, figure: Any) -> None:
    """Napoles et al. (2015), Figure 1: every two metrics against each other."""
    results, names, agreement = evaluation.results, evaluation.names, _agreement(evaluation)
    pairs = list(combinations(range(len(results.metrics)), 2))
    scores = [[results.score(system, m).value for system in results.systems] for m in range(len(names))]
    signs = [1 if metric.higher_is_better else -1 for metric in results.metrics]
    for axes, (a, b) in zip(_panels(figure, len(pairs)), pairs, strict=True):
        for i, system in enumerate(results.systems):
            _point(axes, scores[a][i], scores[b][i], system, i)
        axes.set(xlabel=names[a], ylabel=names[b])
        if agreement.pearson is not None:
            r = signs[a] * signs[b] * agreement.pearson[a, b]
            axes.set_title(f"r = {format_number(r, 2)}", loc="left")
        axes.margins(0.12)


def ranks(evaluation: Evaluation, figure: Any) -> None:
    """Sakaguchi et al. (2016), Figures 4 and 6: the ranks of the systems in every ranking."""
    results, columns = evaluation.results, []
    for m, (name, metric) in enumerate(zip(evaluation.names, results.metrics, strict=True)):
        values = np.array([results.score(system, m).value for system in results.systems])
        columns.append((name, values if metric.higher_is_better else -values))
    if evaluation.judgments is not None:
        people = _people(evaluation)
        human = np.full(len(results.systems), np.nan)
        human[list(people.places)] = people.level.human
        columns.insert(0, ("people", human))
    places = [(-values).argsort(kind="stable").argsort(kind="stable") + 1 for _, values in columns]
    (axes,) = _panels(figure, 1, width=1.6 * len(columns) + 2, height=0.28 * len(results.systems) + 1.2)
    for i, system in enumerate(results.systems):
        line = [
            float("nan") if np.isnan(values[i]) else float(place[i])
            for (_, values), place in zip(columns, places, strict=True)
        ]
        _line(axes, range(len(columns)), line, system, i, marker=True)
        for at, x, side in ((line[0], -0.08, "right"), (line[-1], len(columns) - 0.92, "left")):
            if not np.isnan(at):
                axes.text(x, at, system, ha=side, va="center", fontsize=7)
    axes.set_xticks(range(len(columns)), [name for name, _ in columns])
    axes.set_yticks([])
    axes.set_xlim(-0.7, len(columns) - 0.3)
    axes.spines[:].set_visible(False)
    axes.invert_yaxis()


def references(evaluation: Evaluation, figure: Any) -> None:
    """Sakaguchi et al. (2016), Figure 5: scores with more references."""
    curves = _curves(evaluation)
    for axes, (number, curve) in zip(_panels(figure, len(curves)), curves.items(), strict=True):
        for i, system in enumerate(evaluation.results.systems):
            _line(axes, curve.counts, curve.scores[:, i], system, i, marker=True)
        axes.set_xticks(curve.counts)
        axes.set(xlabel="references", ylabel=evaluation.names[number])
        axes.legend(fontsize=6, frameon=False, ncols=2)


def distinct(evaluation: Evaluation, figure: Any) -> None:
    """Grundkiewicz et al. (2015), Figure 1: the number of distinct outputs per sentence."""
    counts = Counter(evaluation.distinct)
    (axes,) = _panels(figure, 1)
    axes.bar(list(counts), list(counts.values()), color=COLORS[0])
    axes.set(xlabel="distinct outputs of a sentence", ylabel="sentences")
    axes.set_xticks(range(1, len(evaluation.results.systems) + 1))


def types(evaluation: Evaluation, figure: Any) -> None:
    """Náplava et al. (2022), Figure 1: the ten most frequent error types, by domain."""
    counts = evaluation.edit_types
    totals: Counter[str] = sum(counts.values(), Counter())
    top = [name for name, _ in totals.most_common(10)]
    (axes,) = _panels(figure, 1, width=7)
    width = 0.8 / len(counts)
    for k, (name, count) in enumerate(counts.items()):
        shares = [100 * count[kind] / max(1, sum(count.values())) for kind in top]
        places = np.arange(len(top)) + (k - (len(counts) - 1) / 2) * width
        hatch = ("", "//", "..")[k // len(COLORS) % 3]
        axes.bar(places, shares, width, color=COLORS[k % len(COLORS)], hatch=hatch, label=name or None)
    axes.set_xticks(range(len(top)), top, rotation=45, ha="right")
    axes.set_ylabel("% of edits")
    if len(counts) > 1:
        axes.legend(frameon=False)


def changes(evaluation: Evaluation, figure: Any) -> None:
    """Sakaguchi et al. (2016), Figure 2: how much annotators and systems change the source."""
    differences = evaluation.changes
    systems = set(evaluation.results.systems)
    names = [difference.second for difference in differences]
    left, right = _panels(figure, 2, width=max(3.6, 0.3 * len(names) + 1.5))
    colours = [COLORS[0] if name in systems else COLORS[1] for name in names]
    left.bar(range(len(names)), [100 * each.changed for each in differences], color=colours)
    left.set(ylim=(0, 100), ylabel="% of sentences changed")
    base = np.zeros(len(names))
    for k, part in enumerate(("insertions", "deletions", "substitutions", "shifts")):
        heights = np.array([float(getattr(each, part)) for each in differences])
        right.bar(range(len(names)), heights, bottom=base, color=COLORS[k], label=part)
        base += heights
    right.set_ylabel("edits per sentence (sTER)")
    right.legend(fontsize=6, frameon=False)
    for axes in (left, right):
        axes.set_xticks(range(len(names)), names, rotation=45, ha="right", fontsize=7)


def references_people(evaluation: Evaluation, figure: Any) -> None:
    """Sakaguchi et al. (2016), Figure 3: correlation with people by metric and set of references."""
    _people(evaluation)
    rows, results = evaluation.by_annotator, evaluation.results
    (axes,) = _panels(figure, 1, width=max(4.2, 1.2 * len(results.metrics) + 1.5))
    width = 0.8 / len(rows)
    for k, (name, values) in enumerate(rows.items()):
        places = np.arange(len(values)) + (k - (len(rows) - 1) / 2) * width
        axes.bar(places, values, width, color=COLORS[k % len(COLORS)], label=name)
    axes.axhline(0, color="black", linewidth=0.6)
    axes.set_xticks(range(len(results.metrics)), evaluation.names)
    axes.set_ylabel("Spearman’s ρ with people")
    axes.legend(fontsize=6, frameon=False)


FIGURES: dict[str, Callable[[Evaluation, Any], None]] = {
    "beta": beta,
    "beta-people": beta_people,
    "changes": changes,
    "distinct": distinct,
    "metrics": metrics,
    "precision-recall": precision_recall,
    "ranks": ranks,
    "references": references,
    "references-people": references_people,
    "scatter": scatter,
    "types": types,
    "williams": williams,
}
_NEED_JUDGMENTS = ("beta-people", "references-people", "scatter", "williams")


def figure_named(name: str, evaluation: Evaluation) -> Callable[[Any], None]:
    """The function that draws the figure of this name (one of `FIGURES`); missing data is an error."""
    if name in _NEED_JUDGMENTS and evaluation.judgments is None:
        raise DataError(f"the figure {name!r} needs human judgments", hint="give them with --human")
    for needed in _NEEDED.get(name, ()):
        needed(evaluation)
    return partial(FIGURES[name], evaluation)


def _planes(evaluation: Evaluation) -> list[BetaPlane]:
    if not evaluation.planes:
        raise DataError("no metric has precision, recall and β", hint="add m2 or errant to --metric")
    return evaluation.planes


def _people(evaluation: Evaluation) -> PeopleComparison:
    people = evaluation.people
    assert people is not None
    if len(people.places) < 4:
        raise DataError(
            f"only {len(people.places)} systems are both scored and judged", hint="at least four are needed"
        )
    return people


def _agreement(evaluation: Evaluation) -> MetricAgreement:
    if evaluation.agreement is None:
        raise DataError("a comparison of metrics needs at least two", hint="give several with --metric")
    return evaluation.agreement


def _curves(evaluation: Evaluation) -> dict[int, ReferenceCurve]:
    if not evaluation.curves:
        raise DataError("a curve over references needs texts with several references per sentence")
    return evaluation.curves


# Computed before matplotlib is imported, so that errors of the data come first.
_NEEDED: dict[str, tuple[Callable[[Evaluation], object], ...]] = {
    "beta": (_planes,),
    "beta-people": (_planes, _people),
    "changes": (attrgetter("changes"),),
    "distinct": (attrgetter("distinct"),),
    "metrics": (_agreement,),
    "precision-recall": (_planes,),
    "references": (_curves,),
    "references-people": (_people, attrgetter("by_annotator")),
    "scatter": (_people,),
    "types": (attrgetter("edit_types"),),
    "williams": (_people,),
}


def _panels(figure: Any, count: int, *, width: float = 4.2, height: float = 3.4) -> list[Any]:
    columns = min(3, count)
    rows = -(-count // columns)
    figure.set_size_inches(width * columns, height * rows)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in axes[count:]:
        unused.set_visible(False)
    return axes[:count]


def _point(axes: Any, x: float, y: float, name: str, i: int, *, strong: bool = False) -> None:
    axes.plot([x], [y], _MARKERS[i % len(_MARKERS)], color=COLORS[i % len(COLORS)], markersize=5)
    weight = "bold" if strong else "normal"
    axes.annotate(name, (x, y), (4, 3), textcoords="offset points", fontsize=7, weight=weight)


def _line(axes: Any, xs: Any, ys: Any, name: str, i: int, *, marker: bool = False) -> None:
    style = ("-", "--", ":")[i // len(COLORS) % 3]
    mark = _MARKERS[i % len(_MARKERS)] if marker else None
    colour = COLORS[i % len(COLORS)]
    axes.plot(xs, ys, style, color=colour, label=name, marker=mark, markersize=4, linewidth=1.4)


def _beta_axis(axes: Any) -> None:
    axes.set(xscale="log", xlabel="β")
    axes.set_xticks([0.1, 0.2, 0.5, 1, 2, 5], ["0.1", "0.2", "0.5", "1", "2", "5"])
    axes.minorticks_off()


def _iso_lines(axes: Any, beta: float, far: float, high: float) -> None:
    recall = np.linspace(1e-3, far, 200)
    for f in np.arange(0.1, 1.0, 0.1):
        below = (1 + beta**2) * recall - beta**2 * f
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(below > 0, f * recall / below, np.nan)
        precision[(precision > high) | (precision < 0)] = np.nan
        axes.plot(recall, precision, color="#bbbbbb", linewidth=0.7, zorder=0)
        if not np.isnan(precision[-1]):
            axes.text(far, precision[-1], f"{f:.1f}", fontsize=6, color="#777777", va="center")
