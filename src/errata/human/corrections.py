"""Agreement of annotators who corrected the same text, and what they changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from errata.array_types import Floats
from errata.corpus.model import Corpus
from errata.errors import DataError
from errata.tables import Column, Table, format_known

Texts = Sequence[str | None]  # one annotator's corrected texts; None if there is none
_TER_PARTS = ("ster", "insertions", "deletions", "substitutions", "shifts")


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two versions: the share of identical sentences, and TER's edits per sentence."""

    first: str
    second: str
    sentences: int
    identical: float
    ster: float
    insertions: float
    deletions: float
    substitutions: float
    shifts: float

    @property
    def changed(self) -> float:
        """The share of sentences that differ."""
        return 1 - self.identical


def difference(
    first: Texts, second: Texts, names: tuple[str, str] = ("", ""), *, lowercase: bool = True
) -> Difference:
    """Compare two sets of texts on the sentences that both have.

    Sentences are identical if their texts are equal. sTER is the mean number of edits (insertions, deletions,
    substitutions, shifts) that turn the first text into the second. It ignores case, as in the published
    figures, unless `lowercase` is False.
    """
    from errata.metrics.ter import TER

    if len(first) != len(second):
        raise DataError(
            f"{len(first)} sentences of {names[0]}, {len(second)} of {names[1]}", hint="give parallel texts"
        )
    shared = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not shared:
        raise DataError(f"no sentence that both {names[0]} and {names[1]} corrected")
    before, after = (
        [text.lower() if lowercase else text for text in side] for side in zip(*shared, strict=True)
    )
    corpus = Corpus.from_lists(before, after)
    metric = TER()
    weights = np.ones((1, len(shared)), dtype=np.int64)
    values = metric.aggregate(metric.statistics(corpus, before), weights)[0]
    parts: dict[str, float] = dict(zip(metric.parts, values.tolist(), strict=True))
    identical = sum(a == b for a, b in shared) / len(shared)
    edits = {name: parts[name] for name in _TER_PARTS}
    return Difference(names[0], names[1], len(shared), identical, **edits)


def average(differences: Sequence[Difference], first: str, second: str) -> Difference:
    """The mean of several comparisons (Sakaguchi et al. 2016: over all pairs of annotators)."""
    names = ("identical", *_TER_PARTS)
    means = {name: float(np.mean([getattr(d, name) for d in differences])) for name in names}
    return Difference(first, second, differences[0].sentences, **means)


def changes(
    source: Texts, sets: Mapping[str, Sequence[Texts]], *, lowercase: bool = True
) -> list[Difference]:
    """The changes of each set of annotators to the source (Sakaguchi et al. 2016 Figure 2)."""
    return [
        average(
            [difference(source, texts, ("source", name), lowercase=lowercase) for texts in annotators],
            "source",
            name,
        )
        for name, annotators in sets.items()
    ]


def agreements(sets: Mapping[str, Sequence[Texts]], *, lowercase: bool = True) -> list[Difference]:
    """Agreement within each set and between any two sets, over all pairs of annotators (Table 4)."""
    means = []
    for name, annotators in sets.items():
        inside = [difference(a, b, (name, name), lowercase=lowercase) for a, b in combinations(annotators, 2)]
        if inside:
            means.append(average(inside, name, name))
    for (first, first_set), (second, second_set) in combinations(sets.items(), 2):
        across = [
            difference(a, b, (first, second), lowercase=lowercase) for a in first_set for b in second_set
        ]
        means.append(average(across, first, second))
    return means


@dataclass(frozen=True, eq=False)
class Acceptance:
    """Second pass: the share of one annotator's corrected sentences that another annotator finds correct.

    `[i, j]`: corrected by the first annotator j and judged by the second annotator i; NaN for no sentences.
    """

    second: tuple[str, ...]
    first: tuple[str, ...]
    accepted: Floats
    sentences: Floats

    @property
    def shares(self) -> Floats:
        none = np.full(self.accepted.shape, np.nan)
        shares: Floats = np.divide(self.accepted, self.sentences, out=none, where=self.sentences > 0)
        return shares

    @property
    def mean(self) -> float:
        """The mean over the cells."""
        return float(np.nanmean(self.shares))

    @property
    def deviation(self) -> float:
        """The standard deviation over the cells, printed after the mean by Náplava et al. (2022)."""
        return float(np.nanstd(self.shares, ddof=1)) if np.isfinite(self.shares).sum() > 1 else float("nan")

    def table(self) -> Table:
        """Second-pass acceptance: rows are judges, columns are correctors (GECCC Table 3)."""
        rows = [
            (name, *(None if np.isnan(share) else 100 * float(share) for share in row))
            for name, row in zip(self.second, self.shares, strict=True)
        ]
        return Table(
            [Column("second \\ first"), *(Column(name, 2) for name in self.first)],
            rows,
            title="Second-pass acceptance, %",
            notes=[f"mean {100 * self.mean:.2f}, standard deviation {format_known(100 * self.deviation, 2)}"],
        )


def acceptance(rows: Iterable[tuple[str, str, bool]]) -> Acceptance:
    """The matrix from (first annotator, second annotator, found correct) (GECCC Table 3)."""
    rows = list(rows)
    first = sorted({row[0] for row in rows})
    second = sorted({row[1] for row in rows})
    accepted, sentences = np.zeros((len(second), len(first))), np.zeros((len(second), len(first)))
    for author, judge, correct in rows:
        cell = second.index(judge), first.index(author)
        accepted[cell] += correct
        sentences[cell] += 1
    return Acceptance(tuple(second), tuple(first), accepted, sentences)


def differences_table(differences: Sequence[Difference], title: str, *, share: str) -> Table:
    """Differences between corrections: identical or changed sentences, sTER and its kinds of edits."""
    paired = share == "identical %"
    rows = []
    for d in differences:
        names = (d.first, d.second) if paired else (d.second,)
        edits = (d.ster, d.insertions, d.deletions, d.substitutions, d.shifts)
        rows.append((*names, d.sentences, 100 * (d.identical if paired else d.changed), *edits))
    columns = [Column("annotators"), *([Column("and")] if paired else []), Column("sentences")]
    columns += [Column(share, 1), Column("sTER", 2)]
    columns += [Column(name, 2) for name in ("insertions", "deletions", "substitutions", "shifts")]
    return Table(columns, rows, title=title)
