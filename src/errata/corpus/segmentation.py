"""Sentences to paragraphs to documents: segments merged, edits re-based, references joined."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from errata.corpus.annotator_filter import MISSING, stand_in
from errata.corpus.model import Annotation, Corpus, Edit, Segment
from errata.corpus.partition import units

LEVELS = ("paragraph", "document")


def members(corpus: Corpus, level: str) -> list[list[int]]:
    """Which segments make each paragraph or document: the inverse of regrouping.

    A segment without a label stands alone. Groups come in the order of their first segment.
    """
    if level not in LEVELS:
        raise ValueError(f"one regroups to {' or '.join(LEVELS)}, not {level!r}")
    return units(corpus, level, "give a side file: --meta meta.tsv, or corpus.with_meta(…)")


def regroup(corpus: Corpus, level: str, *, missing: str = "drop") -> Corpus:
    """Merge the segments of each paragraph or document into one, joined by a space.

    An annotator who is missing from some of the segments (`missing`) is left out of the merged one
    (`drop`: the merged text would not be theirs); or counts as having changed nothing there (`source`);
    or is completed by the first annotator present (`first`).
    """
    if missing not in MISSING:
        raise ValueError(f"missing is one of {', '.join(MISSING)}, not {missing!r}")
    merged = []
    for group in members(corpus, level):
        segments = [corpus[index] for index in group]
        with corpus.at(group[0]):
            merged.append(_merge(segments, level, missing))
    return Corpus(merged, names=corpus.names)


def _merge(segments: Sequence[Segment], level: str, missing: str) -> Segment:
    if len(segments) == 1:
        only = segments[0]
        paragraph = only.paragraph if level == "paragraph" else None
        return Segment(only.source, only.annotations, only.document, paragraph, only.meta)
    source = _joined([segment.source for segment in segments])
    starts = [*accumulate((len(segment.tokens) for segment in segments), initial=0)]
    annotations = []
    for annotator in sorted({a.annotator for segment in segments for a in segment.annotations}):
        pieces = [stand_in(segment, annotator, missing) for segment in segments]
        given = [piece for piece in pieces if piece is not None]
        if len(given) == len(segments):
            annotations.append(_concatenated(source, given, starts, annotator))
    first = segments[0]
    shared = {
        key: value
        for key, value in first.meta.items()
        if all(segment.meta.get(key) == value for segment in segments)
    }
    paragraph = first.paragraph if level == "paragraph" else None
    return Segment(source, tuple(annotations), first.document, paragraph, shared)


def _concatenated(
    source: str, pieces: Sequence[Annotation], starts: Sequence[int], annotator: int
) -> Annotation:
    """One annotation of the joined source: of texts if all are texts, otherwise of edits."""
    if all(piece.given_as_text for piece in pieces):
        return Annotation(source, text=_joined([piece.text for piece in pieces]), annotator=annotator)
    edits: list[Edit] = []
    for piece, start in zip(pieces, starts, strict=False):
        edits += [edit.moved(start) for edit in piece.edits]
    implicit = all(piece.implicit for piece in pieces)
    return Annotation(source, edits=edits, annotator=annotator, implicit=implicit)


def _joined(texts: Sequence[str]) -> str:
    return " ".join(text for text in texts if text)
