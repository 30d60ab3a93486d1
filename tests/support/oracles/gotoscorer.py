"""GoToScorer as its specification tells it, chunk by chunk: slow, obvious, independent of the metric."""

from __future__ import annotations

from collections.abc import Sequence

Edit = tuple[int, int, str]
Chunk = tuple[int, int, str, bool]


def chunks(tokens: Sequence[str], edits: Sequence[Edit]) -> list[Chunk]:
    inserted = {start for start, end, _ in edits if start == end}
    covered = {i for start, end, _ in edits for i in range(start, end)}
    inner = {i for start, end, _ in edits for i in range(start + 1, end)}
    found = [(start, end, text, True) for start, end, text in edits]
    found += [(i, i + 1, token, False) for i, token in enumerate(tokens) if i not in covered]
    found += [(i, i, "", False) for i in range(len(tokens) + 1) if i not in inserted and i not in inner]
    return sorted(found, key=lambda chunk: chunk[:2])


def weights(reference: Sequence[Chunk], systems: Sequence[Sequence[Chunk]]) -> list[float]:
    return [
        1 - sum(any(other[:3] == chunk[:3] for other in ours) for ours in systems) / len(systems)
        for chunk in reference
    ]


def counts(reference: Sequence[Chunk], ours: Sequence[Chunk], weighed: Sequence[float]) -> list[float]:
    tp = fp = fn = tn = 0.0
    for (start, end, text, wanted), weight in zip(reference, weighed, strict=True):
        same = [chunk for chunk in ours if chunk[:2] == (start, end)]
        if same:
            right, edited = same[0][2] == text, same[0][3]
        elif start == end:
            right, edited = True, False
        else:
            right = False
            edited = any(chunk[3] and chunk[0] < end and start < chunk[1] for chunk in ours)
        tp += weight * (edited and right)
        fp += weight * (edited and not right)
        fn += weight * (not right and (not edited or wanted))
        tn += weight * (right and not edited)
    return [tp, fp, fn, tn]
