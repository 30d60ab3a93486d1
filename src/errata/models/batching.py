"""Batches of texts of similar length, so that little is computed for padding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def by_length(lengths: Sequence[int], most_tokens: int) -> Iterator[list[int]]:
    """The numbers of the texts in batches: longest first, and at most so many tokens with their padding.

    A text that is longer than `most_tokens` is a batch of its own.
    """
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    batch: list[int] = []
    for i in order:
        if batch and (len(batch) + 1) * max(lengths[batch[0]], 1) > most_tokens:
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch
