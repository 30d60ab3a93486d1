"""Which sentences ERRANT could not align and merge within the limits, and what their counts may be."""

from __future__ import annotations

from collections.abc import Mapping

from errata import limits
from errata.metrics.batch import Batch
from errata.metrics.errant.keys import Wanted
from errata.metrics.length_limits import Cut
from errata.metrics.statistics import Integers

DONE = "edits of a Levenshtein alignment, without categories"


def cut_segments(
    batch: Batch, beyond: Mapping[int, str], wanted: Wanted, values: Integers, offsets: Integers
) -> tuple[Cut, ...]:
    """Segments whose hypothesis or references have plain edits.

    At worst no edit is right and there are as many as tokens of both texts; at best all are right.
    """
    corpus, (_, numbers) = batch.corpus, batch.distinct
    rows = (
        {i: range(*wanted.rows[n : n + 2].tolist()) for i, n in enumerate(numbers)} if wanted.limits else {}
    )
    referred = [i for i, some in rows.items() if any(row in wanted.limits for row in some)]
    found = []
    for i in sorted({*beyond, *referred}):
        words, length = len(corpus.sources[i].split()), len(batch.hypotheses[i].split())
        theirs = [wanted.limits.get(row, "") for row in rows.get(i, ())] or [""] * len(corpus[i].annotations)
        worst, best = [], []
        counts = values[offsets[i] : offsets[i + 1]].tolist()
        for (tp, fp, fn), annotation, limit in zip(counts, corpus[i].annotations, theirs, strict=True):
            made = words + length if i in beyond else tp + fp
            gold = words + len(annotation.text.split()) if limit else tp + fn
            changed = limit or i in beyond
            worst.append((0, made, gold) if changed else (tp, fp, fn))
            best.append(
                ((gold, 0, 0) if gold and made else (0, min(made, 1), gold)) if changed else (tp, fp, fn)
            )
        first = beyond.get(i) or next(filter(None, theirs))
        found.append(Cut(i, words, length, first, str(limits.current()), DONE, tuple(worst), tuple(best)))
    return tuple(found)
