"""The chunks of any edits, also of such as overlap, and what they count as: slow, with lists of objects."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errata.corpus.segment import Edit
from errata.metrics.cleme import Chunk, Version

Tokens = tuple[str, ...]
Edits = tuple[Edit, ...]


def chunks_of(source: str, hypothesis: Edits, references: Sequence[Edits], independent: bool) -> list[Chunk]:
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
    return [chunk._replace(columns=columns(chunk, independent)) for chunk in chunks]


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
    return Chunk(tokens[start:end], versions[0], tuple(versions[1:]), ())


def _apply(tokens: Tokens, start: int, end: int, edits: Iterable[Edit]) -> Tokens:
    out: list[str] = []
    place = start
    for edit in sorted(_real(edits), key=lambda edit: edit.start):
        out += tokens[place : edit.start]
        out += edit.correction.split()
        place = max(place, edit.end)
    return (*out, *tokens[place:end])


def columns(chunk: Chunk, independent: bool) -> tuple[str, ...]:
    return (_against_all(chunk),) if independent else tuple(_against(chunk, one) for one in chunk.references)


def _against(chunk: Chunk, reference: Version) -> str:
    ours = chunk.hypothesis
    if ours.changed:
        if ours.tokens == reference.tokens:
            return "tp"
        return "fp_ne" if reference.changed else "fp_un"
    return "tn" if ours.tokens == reference.tokens else "fn"


def _against_all(chunk: Chunk) -> str:
    ours, references = chunk.hypothesis, chunk.references
    if ours.changed:
        if any(ours.tokens == reference.tokens for reference in references):
            return "tp"
        return "fp_ne" if any(reference.changed for reference in references) else "fp_un"
    return "fn" if all(reference.changed for reference in references) else "tn"
