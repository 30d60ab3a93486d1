"""Tables of scores: systems × metrics, by group, by sentence, over a limit; and notes for papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.tables import Cell, Column, Estimate, Table, latex_text

if TYPE_CHECKING:
    from errata.data.benchmarks import Benchmark

_NAMED = 5  # sentences over a limit that a note names; the table has all


def metric_names(metrics: Sequence[Metric]) -> list[str]:
    """A name for every metric's score; the parameters that differ tell metrics of one kind apart."""
    names = []
    for metric in metrics:
        twins = [other for other in metrics if other.name == metric.name]
        differ = [
            f"{key}={value}"
            for key, value in metric.parameters.items()
            if any(twin.parameters.get(key) != value for twin in twins)
        ]
        names.append(" ".join([metric.label(metric.parts[0]), *differ]))
    return names


def metric_labels(metrics: Sequence[Metric]) -> list[str]:
    """Short names that tell metrics apart: with the settings of the signature if a metric is given twice."""
    names = [metric.name for metric in metrics]
    return [
        name if names.count(name) == 1 else metric.signature.rpartition("|")[0]
        for name, metric in zip(names, metrics, strict=True)
    ]


def score_table(results: Results, bootstrap: tuple[int, int] | None = None) -> Table:
    """Systems × metrics; with intervals if `bootstrap` gives the number of samples and the seed."""
    rows: list[list[Cell]] = [[system, *_cells(results, system, bootstrap)] for system in results.systems]
    notes = [
        f"{name} = {signature}"
        for name, signature in zip(metric_names(results.metrics), signatures(results), strict=True)
    ]
    if bootstrap is not None:
        notes.append(f"[low, high]: 95 % bootstrap interval, {bootstrap[0]} samples, seed {bootstrap[1]}")
    notes += cut_notes(results)
    if results.benchmark is not None:
        notes += paper_notes(results, results.benchmark)
    return Table([Column("system"), *_columns(results)], list(rows), notes=notes)


def by_group_table(results: Results, label: str, bootstrap: tuple[int, int] | None = None) -> Table:
    """The same for every domain, document or other label by itself."""
    rows: list[list[Cell]] = []
    rules = set()
    for group, indices in results.groups(label).items():
        part = results.select(indices)
        rules.add(len(rows))
        rows += [
            [group or "(none)", len(indices), system, *_cells(part, system, bootstrap)]
            for system in results.systems
        ]
    columns = [Column(label), Column("segments"), Column("system"), *_columns(results, best=False)]
    return Table(columns, list(rows), title=f"by {label}", rules=frozenset(rules))


def sentence_table(results: Results) -> Table:
    """The score of every sentence by itself, systems below each other."""
    scores = {
        (system, number): results.score(system, number).sentences
        for system in results.systems
        for number in range(len(results.metrics))
    }
    rows: list[list[Cell]] = [
        [i + 1, system, *(float(scores[system, number][i]) for number in range(len(results.metrics)))]
        for i in range(len(results))
        for system in results.systems
    ]
    labels = metric_labels(results.metrics)
    columns = [
        Column(name, metric.decimals, key=f"{label}.{metric.parts[0]}")
        for name, label, metric in zip(metric_names(results.metrics), labels, results.metrics, strict=True)
    ]
    return Table([Column("line"), Column("system"), *columns], list(rows), title="by sentence")


def signatures(results: Results) -> list[str]:
    """The signature of every metric's scores, without the sentences of single systems that were cut.

    If systems have several, for instance because some are given as edits, each names its systems.
    """
    texts = []
    for number, metric in enumerate(results.metrics):
        systems: dict[str, list[str]] = {}
        for system in results.systems:
            signature = results.score(system, number).data_signature or metric.signature
            systems.setdefault(str(signature), []).append(system)
        several = "; ".join(f"{signature} ({', '.join(names)})" for signature, names in systems.items())
        texts.append(several if len(systems) > 1 else next(iter(systems)))
    return texts


def _columns(results: Results, best: bool = True) -> list[Column]:
    columns = []
    names, labels = metric_names(results.metrics), metric_labels(results.metrics)
    for name, label, metric in zip(names, labels, results.metrics, strict=True):
        better: Literal["max", "min"] | None = None
        if best:
            better = "max" if metric.higher_is_better else "min"
        columns += [
            Column(metric.label(part), metric.decimals, key=f"{label}.{part}") for part in metric.shown
        ]
        columns.append(Column(name, metric.decimals, better, f"{label}.{metric.parts[0]}"))
    return columns


def _cells(results: Results, system: str, bootstrap: tuple[int, int] | None) -> list[Cell]:
    cells: list[Cell] = []
    for number, metric in enumerate(results.metrics):
        score = results.score(system, number)
        cells += [score.parts[part] for part in metric.shown]
        if bootstrap is None:
            cells.append(score.value)
        else:
            low, high = results.interval(system, number, samples=bootstrap[0], seed=bootstrap[1])
            cells.append(Estimate(score.value, low, high))
    return cells


def cut_notes(results: Results) -> list[str]:
    """A line for every score with sentences over a limit: which they are, and the end of the signature."""
    notes = []
    for system in results.systems:
        for number, metric in enumerate(results.metrics):
            score = results.score(system, number)
            if not score.cuts:
                continue
            named = ", ".join(str(cut.segment + 1) for cut in score.cuts[:_NAMED])
            more = f" and {len(score.cuts) - _NAMED} more" if len(score.cuts) > _NAMED else ""
            fields = "".join(f"|{name}:{value}" for name, value in score.cut_fields().items())
            notes.append(
                f"{metric.label(metric.parts[0])} of {system}: sentence {named}{more} beyond a limit; "
                f"the signature has {fields}"
            )
    return notes


def cut_tables(results: Results) -> list[Table]:
    """Every sentence over a limit, by system and metric: its size, the limit, and the cheaper computation."""
    rows: list[list[Cell]] = []
    limits: dict[str, None] = {}
    for number, metric in enumerate(results.metrics):
        for system in results.systems:
            for cut in results.score(system, number).cuts:
                limits[cut.at] = None
                rows.append(
                    [system, metric.name, cut.segment + 1, cut.source, cut.hypothesis, cut.limit, cut.done]
                )
    if not rows:
        return []
    columns = [
        Column("system"), Column("metric"), Column("sentence"), Column("source tokens"),
        Column("hypothesis tokens"), Column("limit"), Column("done instead"),
    ]  # fmt: skip
    notes = [f"limits a sentence: {', '.join(limits)} (ERRATA_LIMIT_WORK, ERRATA_LIMIT_MEMORY)"]
    return [Table(columns, list(rows), title="sentences beyond a limit", notes=notes)]


def paper_notes(results: Results, name: str) -> list[str]:
    """The benchmark with citation and licence, and the scores of every system as a sentence and in LaTeX."""
    from errata.data.benchmarks import benchmark

    about = benchmark(name)
    entry = about.entry
    notes = [
        f"benchmark {name} = {about.title}, {len(results):,} segments, {about.tokens}; "
        f"licence: {entry.licence or 'see ' + entry.homepage}",
        f"cite: {entry.citation}",
    ]
    if about.note:
        notes.append(f"note: {about.note}")
    for system in results.systems:
        notes.append(f"text: {_sentence(results, system, about)}")
        notes.append(f"LaTeX: {_row(results, system)}")
    return notes


def _sentence(results: Results, system: str, about: Benchmark) -> str:
    """The scores of a system by all metrics, as a sentence for a paper."""
    scores = []
    for number, (metric, label) in enumerate(
        zip(results.metrics, metric_names(results.metrics), strict=True)
    ):
        parts = results.score(system, number).parts
        details = [f"{metric.label(part)} {parts[part]:.{metric.decimals}f}" for part in metric.shown]
        in_brackets = f" ({', '.join(details)})" if details else ""
        scores.append(f"{label} = {parts[metric.parts[0]]:.{metric.decimals}f}{in_brackets}")
    return f"{system}: {'; '.join(scores)} on {about.title} ({about.cite})."


def _row(results: Results, system: str) -> str:
    cells = [latex_text(system)]
    for number, metric in enumerate(results.metrics):
        parts = results.score(system, number).parts
        cells += [f"{parts[part]:.{metric.decimals}f}" for part in (*metric.shown, metric.parts[0])]
    return " & ".join(cells) + r" \\"
