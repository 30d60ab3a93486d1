"""Which sentences ERRANT could not align and merge within the limits, and what their counts may be."""

from __future__ import annotations

from collections.abc import Sequence

from errata import limits
from errata.corpus.model import Corpus, Edit
from errata.edits.pipeline import PlainEdits
from errata.metrics.cuts import Cut
from errata.metrics.statistics import Integers

DONE = "edits of a Levenshtein alignment, without categories"
Edits = Sequence[Edit]


def cut_segments(
    corpus: Corpus,
    hypotheses: Sequence[str],
    edits: Sequence[Edits],
    references: Sequence[Sequence[Edits]],
    values: Integers,
    offsets: Integers,
) -> tuple[Cut, ...]:
    """Segments whose hypothesis or references have plain edits.

    At worst no edit is right and there are as many as tokens of both texts; at best all are right.
    """
    found = []
    for i, (ours, given) in enumerate(zip(edits, references, strict=True)):
        plain = [some for some in (ours, *given) if isinstance(some, PlainEdits)]
        if not plain:
            continue
        words, length = len(corpus.sources[i].split()), len(hypotheses[i].split())
        worst, best = [], []
        rows = values[offsets[i] : offsets[i + 1]].tolist()
        for (tp, fp, fn), annotation, theirs in zip(rows, corpus[i].annotations, given, strict=True):
            made = words + length if isinstance(ours, PlainEdits) else tp + fp
            if isinstance(theirs, PlainEdits):
                gold = words + len(annotation.text.split())
            else:
                gold = tp + fn
            changed = isinstance(theirs, PlainEdits) or isinstance(ours, PlainEdits)
            worst.append((0, made, gold) if changed else (tp, fp, fn))
            best.append(
                ((gold, 0, 0) if gold and made else (0, min(made, 1), gold)) if changed else (tp, fp, fn)
            )
        found.append(
            Cut(i, words, length, plain[0].limit, str(limits.current()), DONE, tuple(worst), tuple(best))
        )
    return tuple(found)
