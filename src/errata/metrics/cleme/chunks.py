"""Chunks: the stretches of a source that are compared as wholes across a hypothesis and its references."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from errata.corpus.model import Edit

Tokens = tuple[str, ...]
Edits = tuple[Edit, ...]


class Version(NamedTuple):
    """What a text has in a chunk: its tokens, whether it has an edit there, and the types of its edits."""

    tokens: Tokens
    changed: bool
    types: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """One stretch of the source, in the hypothesis and in every reference."""

    source: Tokens
    hypothesis: Version
    references: tuple[Version, ...]


@lru_cache(maxsize=1 << 12)  # the first pass needs them, too, and so do further metrics of the family
def chunks_of(source: str, hypothesis: Edits, references: tuple[Edits, ...]) -> tuple[Chunk, ...]:
    """Divide a source where any text has edits (Ye et al. 2023, Section 3).

    Edits that overlap or touch, of whichever text, fall into one interval; these intervals and the stretches
    between them are the chunks. References that delete everything are dropped unless all of them do.
    """
    tokens = tuple(source.split())
    kept = [edits for edits in references if _apply(tokens, 0, len(tokens), edits)] or list(references[:1])
    texts = [_real(edits) for edits in (hypothesis, *kept)]
    bounds = _intervals(edit for edits in texts for edit in edits)
    chunks, place = [], 0
    for start, end in bounds:
        if place < start:
            chunks.append(_chunk(tokens, place, start, [()] * len(texts)))
        inside = [[edit for edit in edits if start <= edit.start <= edit.end <= end] for edits in texts]
        chunks.append(_chunk(tokens, start, end, inside))
        place = end
    if place < len(tokens) or not chunks:
        chunks.append(_chunk(tokens, place, len(tokens), [()] * len(texts)))
    return tuple(chunks)


def _real(edits: Iterable[Edit]) -> list[Edit]:
    return [edit for edit in edits if edit.type != "noop" and edit.start >= 0]


def _intervals(edits: Iterable[Edit]) -> list[tuple[int, int]]:
    bounds: list[tuple[int, int]] = []
    for edit in sorted(edits, key=lambda edit: edit.start):
        if bounds and edit.start <= bounds[-1][1]:
            bounds[-1] = (bounds[-1][0], max(bounds[-1][1], edit.end))
        else:
            bounds.append((edit.start, edit.end))
    return bounds


def _chunk(tokens: Tokens, start: int, end: int, inside: Sequence[Sequence[Edit]]) -> Chunk:
    versions = [
        Version(_apply(tokens, start, end, edits), bool(edits), tuple(edit.type for edit in edits))
        for edits in inside
    ]
    return Chunk(tokens[start:end], versions[0], tuple(versions[1:]))


def _apply(tokens: Tokens, start: int, end: int, edits: Iterable[Edit]) -> Tokens:
    """The tokens start:end after these edits."""
    out: list[str] = []
    place = start
    for edit in sorted(_real(edits), key=lambda edit: edit.start):
        out += tokens[place : edit.start]
        out += edit.correction.split()
        place = max(place, edit.end)
    return (*out, *tokens[place:end])
