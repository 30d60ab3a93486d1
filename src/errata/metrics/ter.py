"""Translation edit rate (Snover, Dorr, Schwartz, Micciulla and Makhoul 2006) and edits per sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from errata import limits
from errata.corpus.segment import Segment
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch, encode
from errata.metrics.statistics import Floats, Numbers, Statistics, cut_segments, limits_of_rows
from errata.metrics.totals import choose_alone
from errata.native import ter

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation

_INSTEAD = {"work": "only the shifts found until then"}
OPERATIONS = ("keep", "substitute", "insert", "delete")  # as `errata.native.ter` numbers them


@dataclass(frozen=True)
class TER(SumMetric):
    """Edits (insertions, deletions, substitutions, shifts) to the nearest reference, per reference token.

    `ster` is the same per sentence, and the four kinds of edits add up to it. Tokens are those between
    white space, with their case. Equals sacreBLEU's TER; lower is better.
    """

    name: ClassVar[str] = "ter"
    white_space = "unicode"
    title: ClassVar[str] = "TER"
    columns: ClassVar[tuple[str, ...]] = (
        "insertions", "deletions", "substitutions", "shifts", "reference_length",
    )  # fmt: skip
    computed_by = "native"
    parts: ClassVar[tuple[str, ...]] = (
        "ter", "ster", "insertions", "deletions", "substitutions", "shifts",
    )  # fmt: skip
    higher_is_better: ClassVar[bool] = False
    by_reference: ClassVar[bool] = True

    def features(self, batch: Batch) -> Statistics:
        """The edits to every reference, and its length."""
        texts = encode(batch, self.name)
        references = texts.references
        edits, cut = ter.edits(texts.hypothesis, references.ids, references.offsets, limits.current().work)
        values = np.column_stack([edits, references.ids.lengths])
        exceeded = limits_of_rows(cut, references.offsets, {1: "work"})
        cuts = cut_segments(exceeded, texts.source, texts.hypothesis, _INSTEAD)
        return Statistics(self.columns, values, references.offsets, references.annotators, cuts)

    def best(self, statistics: Statistics) -> tuple[Numbers, Floats]:
        """The edits (segments × 4) to the nearest reference, and the references' mean length."""
        rows = choose_alone(statistics, lambda _, rows: [-rows[:, :4].sum(axis=1)])
        owner = np.repeat(np.arange(len(statistics)), statistics.counts)
        lengths = np.bincount(owner, weights=statistics.values[:, 4], minlength=len(statistics))
        return statistics.values[rows, :4], lengths / np.maximum(statistics.counts, 1)

    def summands(self, statistics: Statistics) -> Floats:
        """The edits to the nearest reference, the references' mean length, and 1."""
        edits, lengths = self.best(statistics)
        return np.column_stack([edits, lengths, np.ones(len(statistics))])

    def from_sums(self, sums: Floats) -> Floats:
        edits, segments = sums[:, :4], np.maximum(sums[:, 5:], 1)
        total = edits.sum(axis=1)
        rate = edit_rate(total, sums[:, 4])
        return np.column_stack([rate, total / segments[:, 0], edits / segments])

    def sentence_scores(self, statistics: Statistics) -> Floats:
        edits, lengths = self.best(statistics)
        return edit_rate(edits.sum(axis=1).astype(np.float64), lengths)

    def explain(self, segment: Segment, hypothesis: str) -> Explanation:
        """The shifts and the alignment against every reference."""
        from errata.metrics.explainers import explain_ter

        return explain_ter(self, segment, hypothesis)


def edit_rate(edits: Floats, length: Floats) -> Floats:
    """Edits per reference token; against an empty reference, 1 if there are edits and 0 if not."""
    return np.where(length > 0, edits / np.maximum(length, 1e-300), (edits > 0).astype(np.float64))
