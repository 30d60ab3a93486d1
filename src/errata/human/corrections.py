"""How far annotators agree who corrected the same text, and what they changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from errata.array_types import Floats
from errata.corpus.model import Corpus
from errata.errors import DataError

Texts = Sequence[str | None]  # one annotator's corrected texts, None where he is missing
_EDITS = ("ster", "insertions", "deletions", "substitutions", "shifts")  # parts of TER


@dataclass(frozen=True, slots=True)
class Difference:
    """How two texts of the same sentences differ: share of equal sentences, and TER's edits per sentence."""

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
    """Compare two sets of texts, over the sentences that both have.

    Identity is that of the text as it stands. sTER is the mean number of edits (insertions,
    deletions, substitutions, shifts) that turn the first into the second; it ignores case, as the
    published figures do, unless `lowercase` is False.
    """
    from errata.metrics.ter import TER

    if len(first) != len(second):
        raise DataError(
            f"{len(first)} sentences of {names[0]}, {len(second)} of {names[1]}", hint="give parallel texts"
        )
    shared = [(a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None]
    if not shared:
        raise DataError(f"no sentence that both {names[0]} and {names[1]} corrected")
    ours, theirs = (
        [text.lower() if lowercase else text for text in side] for side in zip(*shared, strict=True)
    )
    corpus = Corpus.from_lists(ours, theirs)
    metric = TER()
    weights = np.ones((1, len(shared)), dtype=np.int64)
    values = metric.aggregate(metric.statistics(corpus, ours), weights)[0]
    parts: dict[str, float] = dict(zip(metric.parts, values.tolist(), strict=True))
    identical = sum(a == b for a, b in shared) / len(shared)
    edits = {name: parts[name] for name in _EDITS}
    return Difference(names[0], names[1], len(shared), identical, **edits)


def average(differences: Sequence[Difference], first: str, second: str) -> Difference:
    """The mean of several comparisons (Sakaguchi et al. 2016: over all pairs of annotators)."""
    means = {name: float(np.mean([getattr(d, name) for d in differences])) for name in ("identical", *_EDITS)}
    return Difference(first, second, differences[0].sentences, **means)


def changes(
    source: Texts, sets: Mapping[str, Sequence[Texts]], *, lowercase: bool = True
) -> list[Difference]:
    """What each set of annotators changed in the source (Sakaguchi et al. 2016 Figure 2)."""
    return [
        average(
            [difference(source, texts, ("source", name), lowercase=lowercase) for texts in annotators],
            "source",
            name,
        )
        for name, annotators in sets.items()
    ]


def agreements(sets: Mapping[str, Sequence[Texts]], *, lowercase: bool = True) -> list[Difference]:
    """Agreement within each set and between every two, over all pairs of annotators (Table 4)."""
    found = []
    for name, annotators in sets.items():
        inside = [difference(a, b, (name, name), lowercase=lowercase) for a, b in combinations(annotators, 2)]
        if inside:
            found.append(average(inside, name, name))
    for (one, ours), (other, theirs) in combinations(sets.items(), 2):
        across = [difference(a, b, (one, other), lowercase=lowercase) for a in ours for b in theirs]
        found.append(average(across, one, other))
    return found


@dataclass(frozen=True, eq=False)
class Acceptance:
    """Second pass: how many of one annotator's corrected sentences another one finds correct.

    `[i, j]`: judged by the second annotator i, corrected by the first annotator j; NaN where none were.
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
        """The standard deviation over the cells, which Náplava et al. (2022) print behind the mean."""
        return float(np.nanstd(self.shares, ddof=1)) if np.isfinite(self.shares).sum() > 1 else float("nan")


def acceptance(rows: Iterable[tuple[str, str, bool]]) -> Acceptance:
    """The matrix from (first annotator, second annotator, found correct) (GECCC Table 3)."""
    rows = list(rows)
    first = sorted({row[0] for row in rows})
    second = sorted({row[1] for row in rows})
    accepted, sentences = np.zeros((len(second), len(first))), np.zeros((len(second), len(first)))
    for author, judge, correct in rows:
        place = second.index(judge), first.index(author)
        accepted[place] += correct
        sentences[place] += 1
    return Acceptance(tuple(second), tuple(first), accepted, sentences)
