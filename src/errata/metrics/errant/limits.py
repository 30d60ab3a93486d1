"""The sentences that ERRANT cannot align and merge within the limits."""

from __future__ import annotations

from collections.abc import Mapping

from errata.metrics.batch import Batch
from errata.metrics.errant.keys import Wanted
from errata.metrics.statistics import Cut

DONE = "edits of a Levenshtein alignment, without categories"


def cut_segments(batch: Batch, beyond: Mapping[int, str], wanted: Wanted) -> tuple[Cut, ...]:
    """Segments whose hypothesis or references have plain edits; `beyond` has limits of hypotheses."""
    limits = dict(beyond)
    if wanted.limits:
        for i, number in enumerate(batch.distinct[1]):
            rows = range(*wanted.rows[number : number + 2].tolist())
            of_references = [wanted.limits[row] for row in rows if row in wanted.limits]
            if of_references:
                limits.setdefault(i, of_references[0])
    return tuple(
        Cut(i, len(batch.sources[i].split()), len(batch.hypotheses[i].split()), limits[i], DONE)
        for i in sorted(limits)
    )
