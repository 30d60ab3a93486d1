"""The papers' figures as files: each by name, drawn from results and, where it shows people, judgments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from errata.errors import DataError
from errata.human.judgments import Judgments
from errata.metrics.results import Results
from errata.report.payload import Settings, curves, planes
from errata.report.people import people_data
from errata.report.plots import COLORS
from errata.report.scores import metric_names
from errata.significance.correlations import correlation, williams_test

Draw = Callable[[Any], None]
_MARKERS = "os^DvP"


@dataclass(frozen=True)
class PaperFigure:
    """A figure: what it shows, whether it needs judgments, and what draws it."""

    shows: str
    people: bool
    make: Callable[[Results, Judgments | None], Draw]


def precision_recall(results: Results, judgments: Judgments | None) -> Draw:
    found = _planes(results)

    def draw(figure: Any) -> None:
        for axes, plane in zip(_panels(figure, len(found)), found, strict=True):
            recall, precision = (np.array(plane[name], dtype=float) for name in ("recall", "precision"))
            made = ~((recall == 0) & (precision == 1))  # no edits at all: precision is 1 by definition
            far, high = 1.15 * max(recall[made], default=1), 1.15 * max(precision[made], default=1)
            _iso_lines(axes, plane["beta"], far, high)
            for i, system in enumerate(results.systems):
                if made[i]:
                    _point(axes, recall[i], precision[i], system, i)
            axes.set(xlim=(0, far), ylim=(0, high), xlabel="recall", ylabel="precision")
            axes.set_title(f"{metric_names(results)[plane['metric']]}; lines: equal F", loc="left")

    return draw


def beta(results: Results, judgments: Judgments | None) -> Draw:
    found = _planes(results)

    def draw(figure: Any) -> None:
        for axes, plane in zip(_panels(figure, len(found)), found, strict=True):
            for i, system in enumerate(results.systems):
                _line(axes, plane["betas"], plane["sweep"][i], system, i)
            _beta_axis(axes)
            axes.set_ylabel(metric_names(results)[plane["metric"]])
            axes.legend(fontsize=6, frameon=False, ncols=2)

    return draw


def beta_people(results: Results, judgments: Judgments | None) -> Draw:
    """Grundkiewicz et al. (2015), Figure 3; Náplava et al. (2022), Figure 2."""
    found = _planes(results)
    human, known = _human(results, judgments)

    def draw(figure: Any) -> None:
        for axes, plane in zip(_panels(figure, len(found)), found, strict=True):
            for k, (kind, name) in enumerate([("pearson", "Pearson’s r"), ("spearman", "Spearman’s ρ")]):
                scores = np.array(plane["sweep"], dtype=float)[known].T
                _line(axes, plane["betas"], [correlation(row, human, kind) for row in scores], name, k)
            axes.axvline(plane["beta"], color="#999999", linewidth=0.8, linestyle=":")
            _beta_axis(axes)
            axes.set_ylabel("correlation with people")
            axes.set_title(metric_names(results)[plane["metric"]], loc="left")
            axes.legend(frameon=False)

    return draw


def scatter(results: Results, judgments: Judgments | None) -> Draw:
    """Chollampatt & Ng (2018), Figure 1."""
    assert judgments is not None
    data = people_data(results, judgments)
    human, known = _human(results, judgments)

    def draw(figure: Any) -> None:
        for axes, fit in zip(_panels(figure, len(results.metrics)), data["scatter"], strict=True):
            values = np.array([results.score(results.systems[i], fit["metric"]).value for i in known])
            for i, x, y in zip(known, values, human, strict=True):
                _point(axes, x, y, results.systems[i], i, strong=results.systems[i] in fit["outliers"])
            if fit["line"]:
                ends = np.array([values.min(), values.max()])
                axes.plot(ends, fit["line"][0] * ends + fit["line"][1], "--", color="#777777", linewidth=1)
            r = f", r = {fit['pearson'][0]:.2f}, ρ = {fit['spearman'][0]:.2f}" if "pearson" in fit else ""
            axes.set_title(metric_names(results)[fit["metric"]] + r, loc="left")
            axes.set(xlabel="metric", ylabel=f"people ({data['method']})")
            axes.margins(0.12)

    return draw


def williams(results: Results, judgments: Judgments | None) -> Draw:
    """Chollampatt & Ng (2018), Figure 2: does the row's metric follow people more closely?"""
    human, known = _human(results, judgments)
    names = metric_names(results)
    signs = [1 if metric.higher_is_better else -1 for metric in results.metrics]
    scores = [
        np.array([signs[m] * results.score(results.systems[i], m).value for i in known])
        for m in range(len(names))
    ]
    p = np.full((len(names), len(names)), np.nan)
    for a in range(len(names)):
        for b in range(len(names)):
            if a != b and correlation(scores[a], human) > correlation(scores[b], human):
                p[a, b] = williams_test(human, scores[a], scores[b]).p

    def draw(figure: Any) -> None:
        (axes,) = _panels(figure, 1)
        axes.imshow(p, cmap="cividis", vmin=0, vmax=0.5)
        _named(axes, names, names)
        for a, b in np.argwhere(~np.isnan(p)):
            bold = "bold" if p[a, b] < 0.05 else "normal"
            ink = "white" if p[a, b] < 0.25 else "black"
            axes.text(b, a, f"{p[a, b]:.3f}", ha="center", va="center", color=ink, fontsize=7, weight=bold)
        axes.set_title("p: does the row agree better?", loc="left")

    return draw


def metrics(results: Results, judgments: Judgments | None) -> Draw:
    """Napoles et al. (2015), Figure 1: every two metrics against each other."""
    pairs = list(combinations(range(len(results.metrics)), 2))
    if not pairs:
        raise DataError("a comparison of metrics needs two of them", hint="give several with --metric")
    names = metric_names(results)
    scores = [[results.score(system, m).value for system in results.systems] for m in range(len(names))]

    def draw(figure: Any) -> None:
        for axes, (a, b) in zip(_panels(figure, len(pairs)), pairs, strict=True):
            for i, system in enumerate(results.systems):
                _point(axes, scores[a][i], scores[b][i], system, i)
            axes.set(xlabel=names[a], ylabel=names[b])
            if len(results.systems) > 2:
                axes.set_title(f"r = {correlation(scores[a], scores[b]):.2f}", loc="left")
            axes.margins(0.12)

    return draw


def ranks(results: Results, judgments: Judgments | None) -> Draw:
    """Sakaguchi et al. (2016), Figures 4 and 6: places of the systems, ranking by ranking."""
    columns = []
    for m, (name, metric) in enumerate(zip(metric_names(results), results.metrics, strict=True)):
        values = np.array([results.score(system, m).value for system in results.systems])
        columns.append((name, values if metric.higher_is_better else -values))
    if judgments is not None:
        human, known = _human(results, judgments)
        everyone = np.full(len(results.systems), np.nan)
        everyone[known] = human
        columns.insert(0, ("people", everyone))
    places = [(-values).argsort(kind="stable").argsort(kind="stable") + 1 for _, values in columns]

    def draw(figure: Any) -> None:
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

    return draw


def references(results: Results, judgments: Judgments | None) -> Draw:
    """Sakaguchi et al. (2016), Figure 5: scores with more references."""
    found = curves(results, Settings(), lambda steps: None)
    if not found:
        raise DataError("a curve over references needs texts and several references a sentence")

    def draw(figure: Any) -> None:
        for axes, curve in zip(_panels(figure, len(found)), found, strict=True):
            count = len(curve["scores"][0])
            for i, system in enumerate(results.systems):
                _line(axes, range(1, count + 1), curve["scores"][i], system, i, marker=True)
            axes.set_xticks(range(1, count + 1))
            axes.set(xlabel="references", ylabel=metric_names(results)[curve["metric"]])
            axes.legend(fontsize=6, frameon=False, ncols=2)

    return draw


def distinct(results: Results, judgments: Judgments | None) -> Draw:
    """Grundkiewicz et al. (2015), Figure 1: how many different outputs a sentence gets."""
    if results.outputs is None:
        raise DataError("the outputs are needed", hint="give the texts instead of --stats")
    lines = list(results.outputs.values())
    counts = Counter(len({tuple(texts[i].split()) for texts in lines}) for i in range(len(results)))

    def draw(figure: Any) -> None:
        (axes,) = _panels(figure, 1)
        axes.bar(list(counts), list(counts.values()), color=COLORS[0])
        axes.set(xlabel="different outputs of a sentence", ylabel="sentences")
        axes.set_xticks(range(1, len(lines) + 1))

    return draw


def types(results: Results, judgments: Judgments | None) -> Draw:
    """Náplava et al. (2022), Figure 1: the ten most frequent error types, by domain."""
    if results.corpus is None:
        raise DataError("the gold edits are needed", hint="give the texts instead of --stats")
    groups = results.groups("domain") if "domain" in results.labels else {"": list(range(len(results)))}
    corpus = results.corpus
    counts = {
        name: Counter(edit.type for i in rows for note in corpus[i].annotations for edit in note.edits)
        for name, rows in groups.items()
    }
    totals: Counter[str] = sum(counts.values(), Counter())
    top = [name for name, _ in totals.most_common(10)]

    def draw(figure: Any) -> None:
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

    return draw


def changes(results: Results, judgments: Judgments | None) -> Draw:
    """Sakaguchi et al. (2016), Figure 2: how much annotators and systems change the source."""
    from errata.human.corrections import changes as changed

    if results.corpus is None or results.outputs is None:
        raise DataError("the texts are needed", hint="give them instead of --stats")
    corpus = results.texts if results.texts is not None else results.corpus
    sets: dict[str, list[Sequence[str | None]]] = {
        f"annotator {k + 1}": [corpus.references(a)] for k, a in enumerate(corpus.annotators)
    }
    annotators = set(sets)
    # Blanks at the end of lines are no changes.
    for name, lines in results.outputs.items():
        sets[name] = [[" ".join(line.split()) for line in lines]]
    made = changed([" ".join(line.split()) for line in corpus.sources], sets)
    names = [one.second for one in made]

    def draw(figure: Any) -> None:
        left, right = _panels(figure, 2, width=max(3.6, 0.3 * len(made) + 1.5))
        colours = [COLORS[1] if name in annotators else COLORS[0] for name in names]
        left.bar(range(len(made)), [100 * one.changed for one in made], color=colours)
        left.set(ylim=(0, 100), ylabel="% of sentences changed")
        base = np.zeros(len(made))
        for k, part in enumerate(("insertions", "deletions", "substitutions", "shifts")):
            heights = np.array([float(getattr(one, part)) for one in made])
            right.bar(range(len(made)), heights, bottom=base, color=COLORS[k], label=part)
            base += heights
        right.set_ylabel("edits a sentence (sTER)")
        right.legend(fontsize=6, frameon=False)
        for axes in (left, right):
            axes.set_xticks(range(len(made)), names, rotation=45, ha="right", fontsize=7)

    return draw


def references_people(results: Results, judgments: Judgments | None) -> Draw:
    """Sakaguchi et al. (2016), Figure 3: correlation with people by metric and set of references."""
    from errata.metrics.reference_curve import restricted_to

    human, known = _human(results, judgments)
    if results.corpus is None or results.outputs is None:
        raise DataError("the texts are needed", hint="give them instead of --stats")
    lines = [results.outputs[results.systems[i]] for i in known]
    rows: dict[str, list[float]] = {}
    for number, metric in enumerate(results.metrics):
        corpus = results.texts if results.texts is not None and metric.reads == "texts" else results.corpus
        for k, annotator in enumerate(corpus.annotators):
            part, kept = restricted_to(corpus, {annotator})
            scores = [metric.score(part, [each[i] for i in kept]).value for each in lines]
            rows.setdefault(f"annotator {k + 1}", []).append(correlation(scores, human, "spearman"))
        everyone = [results.score(results.systems[i], number).value for i in known]
        rows.setdefault("all", []).append(correlation(everyone, human, "spearman"))

    def draw(figure: Any) -> None:
        (axes,) = _panels(figure, 1, width=max(4.2, 1.2 * len(results.metrics) + 1.5))
        width = 0.8 / len(rows)
        for k, (name, values) in enumerate(rows.items()):
            places = np.arange(len(values)) + (k - (len(rows) - 1) / 2) * width
            axes.bar(places, values, width, color=COLORS[k % len(COLORS)], label=name)
        axes.axhline(0, color="black", linewidth=0.6)
        axes.set_xticks(range(len(results.metrics)), metric_names(results))
        axes.set_ylabel("Spearman’s ρ with people")
        axes.legend(fontsize=6, frameon=False)

    return draw


FIGURES: dict[str, PaperFigure] = {
    "beta": PaperFigure("F over β", False, beta),
    "beta-people": PaperFigure("correlation with people over β", True, beta_people),
    "changes": PaperFigure("how much annotators and systems change", False, changes),
    "distinct": PaperFigure("how many different outputs sentences get", False, distinct),
    "metrics": PaperFigure("every two metrics against each other", False, metrics),
    "precision-recall": PaperFigure("precision and recall with lines of equal F", False, precision_recall),
    "ranks": PaperFigure("the systems' places by metric, and by people", False, ranks),
    "references": PaperFigure("scores with 1, 2, … references", False, references),
    "references-people": PaperFigure("correlation with people by reference", True, references_people),
    "scatter": PaperFigure("each metric against people, with regression and outliers", True, scatter),
    "types": PaperFigure("the most frequent error types by domain", False, types),
    "williams": PaperFigure("which metric follows people more closely", True, williams),
}


def figure_named(name: str, results: Results, judgments: Judgments | None) -> Draw:
    """What draws the figure of this name (one of `FIGURES`)."""
    figure = FIGURES[name]
    if figure.people and judgments is None:
        raise DataError(f"the figure {name!r} shows people's judgments", hint="give them with --human")
    return figure.make(results, judgments)


def _planes(results: Results) -> list[dict[str, Any]]:
    found = planes(results)
    if not found:
        raise DataError("no metric here has precision, recall and β", hint="add m2 or errant to --metric")
    return found


def _human(results: Results, judgments: Judgments | None) -> tuple[Any, list[int]]:
    """People's scores, and the numbers of the systems they belong to."""
    assert judgments is not None
    data = people_data(results, judgments)
    score = dict(zip(data["systems"], data["scores"], strict=True))
    known = [i for i, name in enumerate(results.systems) if name in score]
    if len(known) < 4:
        raise DataError(f"only {len(known)} systems are both scored and judged", hint="four are needed")
    return np.array([score[results.systems[i]] for i in known]), known


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


def _named(axes: Any, columns: list[str], rows: list[str]) -> None:
    axes.set_xticks(range(len(columns)), columns, rotation=45, ha="right")
    axes.set_yticks(range(len(rows)), rows)
    axes.spines[:].set_visible(False)


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
