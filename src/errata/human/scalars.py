"""Scores on a scale (direct assessment, EASL, marked error spans), and rankings of systems from them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from errata.array_types import Floats, Integers
from errata.errors import DataError
from errata.human.rankings import Ranking, rank_systems
from errata.significance.agreement_coefficients import kappa_of_table
from errata.tables import Column, Table

ScalarsType = TypeVar("ScalarsType", bound="Scalars")
METHODS = {"mean": "mean score", "z": "mean z-score", "easl": "EASL"}


@dataclass(frozen=True, eq=False)
class Scalars:
    """Scores in columns: entry e is the score of a system on a segment of a document by a judge."""

    systems: tuple[str, ...]
    judges: tuple[str, ...]
    segments: tuple[tuple[str, str], ...]  # (document, segment)
    judge: Integers
    segment: Integers
    system: Integers
    score: Floats

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[str, str, str, str, float]]) -> Scalars:
        """From (judge, document, segment, system, score)."""
        rows = list(rows)
        systems = sorted({row[3] for row in rows})
        judges = list(dict.fromkeys(row[0] for row in rows))
        segments = list(dict.fromkeys((row[1], row[2]) for row in rows))
        system_number = {name: i for i, name in enumerate(systems)}
        judge_number = {name: i for i, name in enumerate(judges)}
        segment_number = {name: i for i, name in enumerate(segments)}
        return cls(
            systems=tuple(systems),
            judges=tuple(judges),
            segments=tuple(segments),
            judge=np.array([judge_number[row[0]] for row in rows], dtype=np.int64),
            segment=np.array([segment_number[row[1], row[2]] for row in rows], dtype=np.int64),
            system=np.array([system_number[row[3]] for row in rows], dtype=np.int64),
            score=np.array([row[4] for row in rows], dtype=np.float64),
        )

    def __len__(self) -> int:
        return len(self.score)

    def select(self: ScalarsType, judges: Sequence[str] = (), exclude: Sequence[str] = ()) -> ScalarsType:
        """Only the scores of these judges, or all but those excluded."""
        for name in (*judges, *exclude):
            if name not in self.judges:
                raise DataError(f"no judge {name!r}", hint=f"there are: {', '.join(self.judges)}")
        chosen = [
            i for i, name in enumerate(self.judges) if (not judges or name in judges) and name not in exclude
        ]
        keep = np.isin(self.judge, chosen)
        columns = ("judge", "segment", "system", "score")
        return replace(self, **{name: getattr(self, name)[keep] for name in columns})

    def by_label(self, labels: Sequence[str]) -> dict[str, Scalars]:
        """The scores by label; `labels` has one per segment."""
        own = np.array(labels)[self.segment]
        columns = ("judge", "segment", "system", "score")
        return {
            label: replace(self, **{name: getattr(self, name)[own == label] for name in columns})
            for label in dict.fromkeys(labels)
        }

    def standardised(self) -> Scalars:
        """Scores with mean 0 and standard deviation 1 for every judge, so that strictness does not matter."""
        score = self.score.copy()
        for judge in range(len(self.judges)):
            own = self.judge == judge
            if own.any():
                spread = score[own].std()
                score[own] = (score[own] - score[own].mean()) / (spread if spread > 0 else 1)
        return replace(self, score=score)

    def table(self, judge: int | None = None) -> Floats:
        """Mean scores of all judges or of one (segments × systems); NaN if there are none."""
        rows, columns, values = self.segment, self.system, self.score
        if judge is not None:
            own = self.judge == judge
            rows, columns, values = rows[own], columns[own], values[own]
        n = len(self.systems)
        size = len(self.segments) * n
        sums = np.bincount(rows * n + columns, weights=values, minlength=size)
        counts = np.bincount(rows * n + columns, minlength=size)
        means: Floats = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
        return means.reshape(-1, n)


def system_table(scalars: Scalars, method: str) -> Floats:
    """The score of every system on every segment (segments × systems) by `mean`, `z` or `easl`."""
    if method == "mean":
        return scalars.table()
    if method == "z":
        return scalars.standardised().table()
    if method == "easl":
        return easl_table(scalars)
    raise DataError(f"no method {method!r} for scores", hint=f"one of {', '.join(METHODS)}")


def easl_table(scalars: Scalars) -> Floats:
    """EASL's score (the mode) of each output; the scale is from the lowest to the highest score."""
    low, high = scalars.score.min(), scalars.score.max()
    n = len(scalars.systems)
    model = Easl.fresh(len(scalars.segments) * n)
    cell = scalars.segment * n + scalars.system
    model.update(cell, (scalars.score - low) / (high - low if high > low else 1))
    judged = np.bincount(cell, minlength=len(model.alpha)) > 0
    return np.where(judged, model.modes, np.nan).reshape(-1, n)


def rank_scalars(
    scalars: Scalars, method: str, *, runs: int = 1000, level: float = 0.95, seed: int = 1
) -> Ranking:
    """Rank systems by their mean over segments; a bootstrap over segments gives ranges and clusters."""
    if not len(scalars):
        raise DataError("there are no scores", hint="check the filters")
    table = system_table(scalars, method)
    judged = ~np.isnan(table).all(axis=1)
    table = table[judged]
    scored = (~np.isnan(table)).astype(np.float64)
    filled = np.where(scored > 0, table, 0.0)
    segments = len(table)
    weights = np.random.default_rng(seed).multinomial(segments, np.full(segments, 1 / segments), size=runs)
    scores = filled.sum(axis=0) / scored.sum(axis=0)
    counts = weights @ scored
    # A system without a score in a sample keeps its own score.
    samples = np.where(counts > 0, (weights @ filled) / np.maximum(counts, 1), scores)
    return rank_systems(scalars.systems, samples, scores=scores, level=level)


# -- EASL (Sakaguchi & Van Durme 2018) ---------------------------------------------------------------


@dataclass(eq=False)
class Easl:
    """A Beta(α, β) distribution of every item's quality in [0, 1]; the score is the mode."""

    alpha: Floats
    beta: Floats

    @classmethod
    def fresh(cls, items: int) -> Easl:
        """Items without scores: Beta(1, 1)."""
        return cls(np.ones(items), np.ones(items))

    def update(self, items: Integers | list[int] | int, scores: npt.ArrayLike) -> None:
        """Add scores in [0, 1]: a score s adds s to α and 1 − s to β."""
        values = np.asarray(scores, dtype=np.float64)
        if values.size and not (values.min() >= 0 and values.max() <= 1):
            raise DataError(
                f"a score outside of 0..1: {values.min():g}..{values.max():g}", hint="divide by the scale"
            )
        np.add.at(self.alpha, items, values)
        np.add.at(self.beta, items, 1 - values)

    @property
    def modes(self) -> Floats:
        """(α − 1) / (α + β − 2), and 0.5 without scores."""
        total = self.alpha + self.beta - 2
        modes: Floats = np.divide(self.alpha - 1, total, out=np.full(total.shape, 0.5), where=total > 0)
        return modes

    @property
    def variances(self) -> Floats:
        """αβ / ((α + β)²(α + β + 1))."""
        total = self.alpha + self.beta
        return self.alpha * self.beta / (total**2 * (total + 1))


SEVERITIES = ("minor", "major", "critical")
SpanSums = defaultdict[tuple[str, ...], float]  # counts by name, see `span_sums`


@dataclass(frozen=True)
class Span:
    """An error in the tokens `start:end` of a text."""

    start: int
    end: int
    category: str
    severity: str


@dataclass(frozen=True)
class MarkedText:
    """The spans that one judge marked in one text of a segment."""

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
        """The agreement of judges about spans: names of measures with their values."""
        by_segment: dict[str, list[MarkedText]] = {}
        for segment, text in self.marked:
            by_segment.setdefault(segment, []).append(text)
        sums: SpanSums = defaultdict(float)
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


def span_sums(marked: Sequence[MarkedText]) -> SpanSums:
    """Counts of agreement on one segment, over all pairs of judges who saw the same text.

    The keys are ("spans", NAME) for numbers of texts, tokens, marked tokens and marked characters, and
    ("category" or "severity", LABEL, LABEL) for tokens that both judges marked.
    """
    sums: SpanSums = defaultdict(float)
    by_text: dict[str, dict[str, MarkedText]] = {}
    for one in marked:
        by_text.setdefault(one.text, {}).setdefault(one.judge, one)  # repeated screens: the first counts
    for text, by_judge in by_text.items():
        tokens = text.split()
        labels = {judge: _labels(by_judge[judge].spans) for judge in by_judge}
        for first, second in combinations(sorted(by_judge), 2):
            _add_pair(sums, tokens, labels[first], labels[second])
    return sums


def _labels(spans: Sequence[Span]) -> dict[int, Span]:
    """The marked tokens, each with the most severe span that covers it."""
    labels: dict[int, Span] = {}
    for span in sorted(spans, key=lambda span: SEVERITIES.index(span.severity)):
        for place in range(span.start, span.end):
            labels[place] = span
    return labels


def _add_pair(sums: SpanSums, tokens: Sequence[str], first: dict[int, Span], second: dict[int, Span]) -> None:
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

    one_only = get("marked") - 2 * get("both")
    table = np.array([[get("both"), one_only / 2], [one_only / 2, get("tokens") - get("both") - one_only]])
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
