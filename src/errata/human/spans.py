"""Marked error spans (MQM): what they cost, and how far annotators agree on them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from errata.human.scalars import Scalars
from errata.significance.agreement_coefficients import kappa_of_table
from errata.tables import Column, Table

SEVERITIES = ("minor", "major", "critical")
Totals = defaultdict[tuple[str, ...], float]  # counts by name, see `span_sums`


@dataclass(frozen=True)
class Span:
    """Tokens `start:end` of a text with what is wrong there."""

    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True)
class MarkedText:
    """What one judge marked in one text of a segment."""

    judge: str
    text: str  # its tokens, with blanks between them
    spans: tuple[Span, ...]


@dataclass(frozen=True, eq=False)
class MarkedScores(Scalars):
    """Scores that come from marked spans, with the segment and the marks of every text."""

    marked: tuple[tuple[str, MarkedText], ...] = ()

    def select(self, judges: Sequence[str] = (), exclude: Sequence[str] = ()) -> MarkedScores:
        """Only the scores and marks of these judges, or all but those excluded."""
        marked = tuple(
            (segment, text)
            for segment, text in self.marked
            if (not judges or text.judge in judges) and text.judge not in exclude
        )
        return replace(super().select(judges, exclude), marked=marked)

    def agreement(self) -> list[tuple[str, float]]:
        """How far judges agree on what is wrong; names of measures with their values."""
        by_segment: dict[str, list[MarkedText]] = {}
        for segment, text in self.marked:
            by_segment.setdefault(segment, []).append(text)
        sums: Totals = defaultdict(float)
        for texts in by_segment.values():
            for key, number in span_sums(texts).items():
                sums[key] += number
        return span_agreement_of_sums(sums)

    def agreement_table(self) -> Table:
        """Agreement on marked spans."""
        rows = [(name, None if np.isnan(value) else value) for name, value in self.agreement()]
        notes = ["over all pairs of judges who marked the same text; κ is Scott's π"]
        return Table(
            [Column("measure"), Column("value", 3)], rows, title="Agreement on marked spans", notes=notes
        )


def penalty(spans: Iterable[Span], weights: Mapping[str, float]) -> float:
    """The sum of the weights of the severities, as in MQM (Freitag et al. 2021)."""
    return float(sum(weights[span.severity] for span in spans))


def span_sums(marked: Sequence[MarkedText]) -> Totals:
    """What the marks in the texts of one segment add, over all pairs of judges who saw the same text.

    spans, …: texts, tokens, tokens that both or one of two judges marked, and the same for characters
    category and severity, label, label: tokens that both marked, by what they called them
    """
    sums: Totals = defaultdict(float)
    by_text: dict[str, dict[str, MarkedText]] = {}
    for one in marked:
        by_text.setdefault(one.text, {}).setdefault(one.judge, one)  # repeated screens: the first counts
    for text, by_judge in by_text.items():
        tokens = text.split()
        labels = {judge: _labels(by_judge[judge].spans) for judge in by_judge}
        for first, second in combinations(sorted(by_judge), 2):
            _meet(sums, tokens, labels[first], labels[second])
    return sums


def _labels(spans: Sequence[Span]) -> dict[int, Span]:
    """The marked tokens, each with the most severe span that covers it."""
    labels: dict[int, Span] = {}
    for span in sorted(spans, key=lambda span: SEVERITIES.index(span.severity)):
        for place in range(span.start, span.end):
            labels[place] = span
    return labels


def _meet(sums: Totals, tokens: Sequence[str], first: dict[int, Span], second: dict[int, Span]) -> None:
    both = first.keys() & second.keys()
    sums["spans", "texts"] += 1
    sums["spans", "tokens"] += len(tokens)
    sums["spans", "both"] += len(both)
    sums["spans", "marked"] += len(first) + len(second)
    sums["spans", "characters both"] += sum(len(tokens[place]) for place in both)
    sums["spans", "characters marked"] += sum(len(tokens[place]) for place in [*first, *second])
    for place in both:
        for name in ("category", "severity"):
            one, other = sorted((getattr(first[place], name), getattr(second[place], name)))
            sums[name, one, other] += 1


def span_agreement_of_sums(sums: Mapping[tuple[str, ...], float]) -> list[tuple[str, float]]:
    """F1 of marked tokens and characters, and κ (Scott's π): marked or not, category, severity."""

    def get(name: str) -> float:
        return sums.get(("spans", name), 0.0)

    def f1(kind: str) -> float:
        marked = get(f"{kind}marked")
        return 2 * get(f"{kind}both") / marked if marked else float("nan")

    apart = get("marked") - 2 * get("both")
    table = np.array([[get("both"), apart / 2], [apart / 2, get("tokens") - get("both") - apart]])
    return [
        ("F1 of marked tokens", f1("")),
        ("F1 of marked characters", f1("characters ")),
        ("κ of tokens, marked or not", kappa_of_table(table, pooled=True)),
        ("κ of categories, where both marked", _label_kappa(sums, "category")),
        ("κ of severities, where both marked", _label_kappa(sums, "severity")),
        ("texts that two annotators marked", get("texts")),
    ]


def _label_kappa(sums: Mapping[tuple[str, ...], float], name: str) -> float:
    pairs = {key[1:]: number for key, number in sums.items() if key[0] == name}
    labels = sorted({label for pair in pairs for label in pair})
    place = {label: i for i, label in enumerate(labels)}
    table = np.zeros((len(labels), len(labels)))
    for (one, other), number in pairs.items():
        table[place[one], place[other]] += number / 2
        table[place[other], place[one]] += number / 2
    return kappa_of_table(table, pooled=True)
