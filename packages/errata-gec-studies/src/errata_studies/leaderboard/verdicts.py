"""Published figures beside recomputed ones, and what explains those that differ.

A figure that does not come out is computed again with other gold standards, other versions and settings of
the scorer, and other tokenisations. A variant is the cause only if it gives all printed digits of at least
two figures of the system: with dozens of variants, a single figure may agree by chance.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from errata.corpus.model import Corpus
from errata.meta.sensitivity import restricted_to
from errata.metrics.api import Preprocessing
from errata.metrics.base import Metric
from errata.metrics.results import Results
from errata.metrics.score import Score
from errata.tables import Cell as TableCell
from errata.tables import Column, Table
from errata_studies.leaderboard.entries import FIGURES, Benchmark, Entry, Published
from errata_studies.replicate.exhibits import (
    EQUAL,
    NOT_TESTABLE,
    Cause,
    Cell,
    prints_as,
    verdict_summary,
)

_LEAST = 2  # figures that a variant must give to be a cause
# Versions and settings of the official scorers, which papers do not always name.
_SCORERS: dict[str, list[dict[str, Any]]] = {
    "m2": [
        *[{"max_unchanged_words": words} for words in (0, 1, 3, 4, 5)],
        {"ignore_whitespace_casing": True},
        {"insertions": "2014"},
        {"sentence": "last"},
        {"beta": 1.0},
    ],
    "gleu": [{"variant": "paper"}, {"brevity": "inverted"}, {"sampling": "all"}],
}
FIGURE_FIELDS = ("benchmark", "system", "figure", "published", "recomputed", "verdict", "cause")
SYSTEM_FIELDS = (
    "benchmark", "system", "year", "metric", "precision", "recall", "score", "repository", "commit", "path",
    "licence", "figures printed in", "signature",
)  # fmt: skip

Texts = Sequence[str]


@dataclass(frozen=True, slots=True)
class Variant:
    """Another way to compute a score: segments, gold standard, metric, and a change of the outputs."""

    name: str
    corpus: Corpus
    metric: Metric
    kept: Sequence[int] | None = None  # segments, if not all
    change: Callable[[Texts], Texts] = lambda lines: lines

    def score(self, lines: Texts) -> Score:
        lines = self.change(lines)
        return self.metric.score(self.corpus, lines if self.kept is None else [lines[i] for i in self.kept])


@dataclass(frozen=True, slots=True)
class Verified:
    """A published figure, its recomputed value and the signature of the latter."""

    entry: Entry
    figure: Published
    cell: Cell
    signature: str

    @property
    def verdict(self) -> str:
        """The verdict on the cell; a figure that the output was fitted to proves nothing."""
        return NOT_TESTABLE if self.figure.fitted and self.cell.verdict == EQUAL else self.cell.verdict

    @property
    def cause(self) -> str:
        if self.verdict == NOT_TESTABLE:
            return f"the output was adjusted until it gave this figure ({self.figure.fitted})"
        return "" if self.cell.cause is None or self.verdict == EQUAL else self.cell.cause.text

    @property
    def recomputed(self) -> str:
        """The value with one digit more than printed where the two differ."""
        value = self.cell.reproduced
        more = 0 if self.verdict in (EQUAL, NOT_TESTABLE) else 1
        return f"{value:.{(self.cell.decimals or 0) + more}f}" if isinstance(value, float) else "–"


def verify(benchmark: Benchmark, results: Results) -> list[Verified]:
    """Every published figure of a benchmark with its verdict, in the order of the systems."""
    verified: list[Verified] = []
    for entry in benchmark.entries:
        for name in dict.fromkeys(figure.metric for figure in entry.published):
            figures = [figure for figure in entry.published if figure.metric == name]
            verified += _verify(benchmark, results, entry, figures)
    return verified


def _verify(
    benchmark: Benchmark, results: Results, entry: Entry, figures: Sequence[Published]
) -> Iterator[Verified]:
    """The figures of a system by one metric."""
    kind = figures[0].metric.lower()
    number = next((n for n, metric in enumerate(results.metrics) if metric.name == kind), None)
    if number is None:
        cause = Cause(f"the metric {kind} is not among those of the benchmark", absent=True)
        for figure in figures:
            yield Verified(entry, figure, Cell(entry.name, figure.name, figure.text, None, cause=cause), "")
        return
    score = results.score(entry.name, number)
    values = [_value(_of_domain(results, figure, entry.name, number), figure) for figure in figures]
    cells = [
        Cell(entry.name, figure.name, figure.text, value)
        for figure, value in zip(figures, values, strict=True)
    ]
    whole = [k for k, figure in enumerate(figures) if not figure.domain]
    if any(cells[k].verdict != EQUAL for k in whole):
        causes = explain(benchmark, results.metrics[number], entry, [figures[k] for k in whole])
        for k, cause in zip(whole, causes, strict=True):
            cells[k] = replace(cells[k], cause=cause)
    signature = str(score.data_signature or score.metric.signature)
    for figure, cell in zip(figures, cells, strict=True):
        yield Verified(entry, figure, cell, signature)


def _of_domain(results: Results, figure: Published, system: str, number: int) -> Score | None:
    if not figure.domain:
        return results.score(system, number)
    groups = results.groups("domain") if "domain" in results.labels else {}
    return results.select(groups[figure.domain]).score(system, number) if figure.domain in groups else None


def _value(score: Score | None, figure: Published) -> float | None:
    if score is None:
        return None
    part = FIGURES[figure.part]
    value = score.parts.get(part) if part else score.value
    return None if value is None else float(figure.scale * value)


def explain(benchmark: Benchmark, metric: Metric, entry: Entry, figures: Sequence[Published]) -> list[Cause]:
    """The simplest variants that give all printed digits as the cause of each, or what was tried in vain."""
    lines = benchmark.outputs[entry.name]
    nearest, least, tried = "", float("inf"), 0
    causes: list[tuple[str, list[float | None]]] = []
    for variant in variants(benchmark, metric):
        score = variant.score(lines)
        values = [_value(score, figure) for figure in figures]
        tried += 1
        if len(figures) >= _LEAST and all(
            value is not None and prints_as(value, figure.text)
            for value, figure in zip(values, figures, strict=True)
        ):
            causes.append((variant.name, values))
        off = max(
            abs(value - float(figure.text)) if value is not None else float("inf")
            for value, figure in zip(values, figures, strict=True)
        )
        if off < least:
            nearest, least = variant.name, off
    if causes:
        changes = min(name.count("; ") for name, _ in causes)  # combinations count if nothing simpler does
        simplest = [each for each in causes if each[0].count("; ") == changes]
        names = ", or ".join(name for name, _ in simplest)
        return [Cause(names, gives=value) for value in simplest[0][1]]
    digits = max(len(figure.text.partition(".")[2]) for figure in figures)
    text = f"none of {tried} variants gives these digits; nearest: {nearest}, off by up to {least:.{digits}f}"
    return [Cause(text) for _ in figures]


def variants(benchmark: Benchmark, metric: Metric) -> Iterator[Variant]:
    """Other gold standards, each with other scorers, and other tokenisations of the outputs."""
    corpus = benchmark.corpus
    golds: list[tuple[str, Corpus, Sequence[int] | None]] = [("", corpus, None)]
    golds += [(f"gold: {title}", gold, None) for title, gold in benchmark.golds.items()]
    if len(corpus.annotators) > 1:
        golds += [(f"gold: annotator {a} alone", *restricted_to(corpus, {a})) for a in corpus.annotators]
    scorers = [("", metric)]
    for fields in _SCORERS.get(metric.name, []):
        changed = ", ".join(f"{key}={value}" for key, value in fields.items())
        scorers.append((f"scorer: {changed}", replace(metric, **fields)))
    for gold, texts, kept in golds:
        for scorer, other in scorers:
            if gold or scorer:
                yield Variant("; ".join(filter(None, (gold, scorer))), texts, other, kept)
    for name, change in _tokenisations(corpus).items():
        yield Variant(f"tokenisation: {name}", corpus, metric, change=change)


def _tokenisations(corpus: Corpus) -> dict[str, Callable[[Texts], Texts]]:
    def prepared(preprocessing: Preprocessing) -> Callable[[Texts], Texts]:
        return lambda lines: preprocessing.apply(corpus, {"output": lines})["output"]

    return {
        "changed text split as in the Penn Treebank": prepared(Preprocessing("penn")),
        "changed text split by Moses": prepared(Preprocessing("moses")),
        "quotes and dashes of the source": prepared(Preprocessing(normalize=("quotes", "dashes"))),
        "hyphenated words joined": lambda lines: list(map(_joined, corpus.sources, lines)),
    }


def _joined(source: str, line: str) -> str:
    """The line, with hyphenated words of the source that it splits joined again."""
    for word in {word for word in source.split() if re.fullmatch(r"[^\W_]+(-[^\W_]+)+", word)}:
        line = f" {line} ".replace(f" {word.replace('-', ' - ')} ", f" {word} ").strip()
    return line


def figure_table(verified: Mapping[str, Sequence[Verified]]) -> Table:
    """Published and recomputed figures of all benchmarks side by side."""
    rows = [
        (name, each.entry.name, each.figure.name, each.figure.text, each.recomputed, each.verdict, each.cause)
        for name, figures in verified.items()
        for each in figures
    ]
    counts = Counter(each.verdict for figures in verified.values() for each in figures)
    columns = [Column(name) for name in FIGURE_FIELDS]
    return Table(columns, rows, "Published figures", [verdict_summary(counts)])


def system_table(benchmarks: Sequence[tuple[Benchmark, Results]]) -> Table:
    """The scores of every system by the first metric, and where its output comes from."""
    rows: list[Sequence[TableCell]] = []
    for benchmark, results in benchmarks:
        for entry in benchmark.entries:
            score = results.score(entry.name)
            parts = [score.parts.get(part) for part in ("precision", "recall")]
            where = "; ".join(dict.fromkeys(figure.where for figure in entry.published))
            signature = str(score.data_signature or score.metric.signature)
            head = [benchmark.name, entry.name, entry.year, score.metric.name, *parts, score.value]
            rows.append([*head, *entry.provenance.values(), entry.licence, where, signature])
    columns = [
        Column(name, 4 if name in ("precision", "recall", "score") else None) for name in SYSTEM_FIELDS
    ]
    return Table(columns, rows, "Systems")
