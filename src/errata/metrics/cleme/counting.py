"""Counting chunks: right, wrong, missed and rightly unchanged, with weights that depend on their length."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from errata.metrics.cleme.chunks import Chunk, Version

COLUMNS = ("tp", "fp_ne", "fp_un", "fn", "tn")
Row = list[float]  # in the order of these columns


class Clips(NamedTuple):
    """Scale and bounds of the length weights (Ye et al. 2023, Section 3.3)."""

    scale: float
    tp: tuple[float, float]
    fp: tuple[float, float]
    fn: tuple[float, float]


CORPUS = Clips(2.0, (0.75, 1.25), (0.75, 1.25), (0.75, 1.25))
SENTENCE = {
    "dependent": Clips(10.0, (1.0, 10.0), (0.25, 1.0), (1.0, 1.0)),
    "independent": Clips(10.0, (2.5, 10.0), (0.25, 1.0), (1.0, 1.0)),
}


@dataclass(frozen=True)
class Weights:
    """The weight of a chunk by its length, relative to the mean length of the references' changes."""

    clips: Clips | None  # None: every chunk counts 1
    mean: float = 0.0

    def __call__(self, column: str, chunk: Chunk, tokens: Sequence[str]) -> float:
        if self.clips is None or column == "tn":
            return 1.0
        length = max(len(chunk.source), len(tokens))
        if column in ("fp_ne", "fp_un"):
            return _clipped(self.clips.scale, length - self.mean, self.clips.fp)
        return _clipped(self.clips.scale, self.mean - length, getattr(self.clips, column))


def _clipped(scale: float, exponent: float, bounds: tuple[float, float]) -> float:
    value = scale / (1 + (scale - 1) * math.exp(min(exponent, 700.0)))
    return min(max(value, bounds[0]), bounds[1])


def dependent(chunks: Sequence[Chunk], weights: Weights) -> list[Row]:
    """One row per reference, each compared with the hypothesis by itself."""
    references = range(len(chunks[0].references))
    return [_row(chunks, columns(chunks, number), weights) for number in references]


def independent(chunks: Sequence[Chunk], weights: Weights) -> list[Row]:
    """One row for all references together: a chunk is right if any reference has it."""
    return [_row(chunks, columns(chunks, None), weights)]


def columns(chunks: Iterable[Chunk], reference: int | None) -> list[str]:
    """The column that every chunk counts in: against one reference, or, with None, against all of them."""
    if reference is None:
        return [against_all(chunk) for chunk in chunks]
    return [_against(chunk, chunk.references[reference]) for chunk in chunks]


def _against(chunk: Chunk, reference: Version) -> str:
    ours = chunk.hypothesis
    if ours.changed:
        if ours.tokens == reference.tokens:
            return "tp"
        return "fp_ne" if reference.changed else "fp_un"
    return "tn" if ours.tokens == reference.tokens else "fn"


def against_all(chunk: Chunk) -> str:
    """The column that a chunk counts in if it may agree with any reference."""
    ours, references = chunk.hypothesis, chunk.references
    if ours.changed:
        if any(ours.tokens == reference.tokens for reference in references):
            return "tp"
        return "fp_ne" if any(reference.changed for reference in references) else "fp_un"
    return "fn" if all(reference.changed for reference in references) else "tn"


def _row(chunks: Sequence[Chunk], names: Sequence[str], weights: Weights) -> Row:
    return summed(
        (name, weights(name, chunk, chunk.hypothesis.tokens))
        for chunk, name in zip(chunks, names, strict=True)
    )


def summed(weighted: Iterable[tuple[str, float]]) -> Row:
    """The sum of weights in every column."""
    sums = dict.fromkeys(COLUMNS, 0.0)
    for name, weight in weighted:
        sums[name] += weight
    return list(sums.values())


def lengths_of_changes(chunks: Iterable[Chunk]) -> tuple[int, int]:
    """The summed lengths of the references' changed chunks, and their number."""
    lengths = [
        max(len(chunk.source), len(reference.tokens))
        for chunk in chunks
        for reference in chunk.references
        if reference.changed
    ]
    return sum(lengths), len(lengths)
