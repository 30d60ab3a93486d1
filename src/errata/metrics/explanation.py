"""Why a sentence gets its score: one type for all metrics, which `errata.report.explanations` prints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["right", "wrong", "missed", "neutral"]
Ngrams = dict[str, int]  # n-gram -> how often


@dataclass(frozen=True, slots=True)
class ExplainedEdit:
    """A change of the source, how it counts, and its contribution to the score if that was computed."""

    start: int
    end: int
    before: str
    after: str
    verdict: Verdict = "neutral"
    note: str = ""
    value: float | None = None  # contribution to the score
    error: float | None = None  # standard error of a sampled value


@dataclass(frozen=True, slots=True)
class Shift:
    """A block of hypothesis tokens that moves from `start` to before `target`, as TER counts it."""

    tokens: str
    start: int
    target: int


@dataclass(frozen=True, slots=True)
class AlignedTokens:
    """A column of an alignment: one token of each text (None: a gap), and how the column counts."""

    tokens: tuple[str | None, ...]
    label: str = ""
    verdict: Verdict = "neutral"


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """The n-grams of one length: those that count for the hypothesis, against it, and not at all."""

    n: int
    rewarded: Ngrams
    penalised: Ngrams
    neither: Ngrams
    numerator: float
    denominator: float

    @property
    def ratio(self) -> float:
        """The contribution of this length: numerator / denominator, 0 if the denominator is 0."""
        return self.numerator / self.denominator if self.denominator else 0.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """A hypothesis against one reference or annotator, or against several together."""

    title: str
    numbers: dict[str, float]  # counts and scores by name
    chosen: bool = False  # among several, the one that decides the score
    references: tuple[str, ...] = ()
    edits: tuple[ExplainedEdit, ...] = ()
    shifts: tuple[Shift, ...] = ()
    ngrams: tuple[NgramCounts, ...] = ()
    texts: tuple[str, ...] = ()  # names of the texts that are aligned
    alignment: tuple[AlignedTokens, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """The score of one hypothesis, with everything that was compared and counted."""

    metric: str  # signature
    source: str
    hypothesis: str
    score: float
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Comparison:
        """The comparison that decides the score, or the first one if all count."""
        return next((each for each in self.comparisons if each.chosen), self.comparisons[0])


def align_edits(source: list[str], edits: tuple[ExplainedEdit, ...]) -> tuple[AlignedTokens, ...]:
    """The source above the hypothesis: one column per unchanged token and per edit."""
    columns: list[AlignedTokens] = []
    position = 0
    for edit in edits:
        columns += [AlignedTokens((token, token)) for token in source[position : edit.start]]
        sign = {"right": "✓", "wrong": "✗"}.get(edit.verdict, "")
        columns.append(AlignedTokens((edit.before or None, edit.after or None), sign, edit.verdict))
        position = max(position, edit.end)
    columns += [AlignedTokens((token, token)) for token in source[position:]]
    return tuple(columns)
