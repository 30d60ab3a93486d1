"""Translation edit rate (Snover, Dorr, Schwartz, Micciulla and Makhoul 2006) and edits per sentence."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import numpy.typing as npt

from errata import limits
from errata.corpus.model import Segment
from errata.engine import spread
from errata.kernels import ter as kernel
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.cuts import Cut
from errata.metrics.encoding import Encoded, encode
from errata.metrics.scanning import choose_alone
from errata.metrics.statistics import Floats, Numbers, Statistics

if TYPE_CHECKING:
    from errata.metrics.explanation import Explanation

_MOST_SHIFTS = 1000  # that the kernel makes of one hypothesis
OPERATIONS = ("keep", "substitute", "insert", "delete")  # as the kernel numbers them


@dataclass(frozen=True)
class TER(SumMetric):
    """Edits (insertions, deletions, substitutions, shifts) to the nearest reference, per reference token.

    `ster` is the same per sentence, and the four kinds of edits add up to it. Tokens are those between
    white space, with their case. Equals sacreBLEU's TER; lower is better.
    """

    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "TER"
    columns: ClassVar[tuple[str, ...]] = (
        "insertions", "deletions", "substitutions", "shifts", "reference_length",
    )  # fmt: skip
    concurrent: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = (
        "ter", "ster", "insertions", "deletions", "substitutions", "shifts",
    )  # fmt: skip
    higher_is_better: ClassVar[bool] = False
    by_reference: ClassVar[bool] = True

    def features(self, batch: Batch) -> Statistics:
        """The edits to every reference, and its length."""
        texts = encode(batch, self.name)
        references = texts.references
        out = np.zeros((len(references.ids), 5), dtype=np.int64)
        out[:, 4] = references.ids.lengths
        longest = int(max(texts.hypothesis.lengths.max(initial=0), out[:, 4].max(initial=0)))
        arrays = texts.hypothesis_and_references
        most = limits.current().work
        cut = np.zeros(len(out), dtype=np.uint8)

        def work(start: int, stop: int) -> None:
            kernel.edits(*arrays, start, stop, out, *scratch(longest), most, cut)

        spread(work, len(batch), batch.jobs)
        return Statistics(
            self.columns, out, references.offsets, references.annotators, _cuts(texts, out, cut)
        )

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


def _cuts(texts: Encoded, values: Numbers, cut: npt.NDArray[np.uint8]) -> tuple[Cut, ...]:
    """The segments for which no further shifts were looked for.

    Shifts that were not found can only save edits, and as many words as the texts do not share are edited.
    """
    found = []
    references = texts.references
    rows = np.flatnonzero(cut)
    for i in np.unique(np.searchsorted(references.offsets, rows, side="right") - 1).tolist():
        begin, end = references.offsets[i : i + 2].tolist()
        worst = tuple(map(tuple, values[begin:end].tolist()))
        best = []
        for row in range(begin, end):
            ours, theirs = Counter(texts.hypothesis[i].tolist()), Counter(references.ids[row].tolist())
            longer = max(ours.total(), theirs.total())
            least = max(longer - (ours & theirs).total(), 1) if cut[row] else int(values[row, :4].sum())
            best.append((0, 0, least, 0, theirs.total()))
        sizes = len(texts.source[i]), len(texts.hypothesis[i])
        done = "only the shifts found until then"
        found.append(Cut(i, *sizes, "work", str(limits.current()), done, worst, tuple(best)))
    return tuple(found)


def scratch(longest: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the kernel writes words, path and shifts to, for texts of at most so many tokens."""
    words, path = np.zeros(longest + 1, np.int32), np.zeros(2 * longest + 1, np.int64)
    return words, path, np.zeros((_MOST_SHIFTS, 3), np.int64)


def edit_rate(edits: Floats, length: Floats) -> Floats:
    """Edits per reference token; against nothing, 1 if there is anything and 0 if not."""
    return np.where(length > 0, edits / np.maximum(length, 1e-300), (edits > 0).astype(np.float64))
