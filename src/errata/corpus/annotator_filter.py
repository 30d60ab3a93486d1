"""Which annotators a corpus keeps, and what stands in for one who is missing."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from errata.corpus.model import Annotation, Corpus, Segment
from errata.errors import DataError

MISSING = ("drop", "source", "first")


def only_annotators(corpus: Corpus, annotators: Collection[int]) -> Corpus:
    """The corpus with the annotations of these annotators alone (none: the sources)."""
    unknown = sorted(set(annotators) - set(corpus.annotators))
    if unknown:
        raise DataError(
            f"there is no annotator {unknown[0]}",
            path=corpus.origin.path if corpus.origin else None,
            hint=f"there are {', '.join(map(str, corpus.annotators)) or 'none'}",
        )
    segments = [
        replace(segment, annotations=tuple(a for a in segment.annotations if a.annotator in annotators))
        for segment in corpus
    ]
    names = {number: name for number, name in corpus.names.items() if number in annotators}
    return Corpus(segments, origin=corpus.origin, names=names)


def stand_in(segment: Segment, annotator: int, missing: str) -> Annotation | None:
    """What an annotator said about a segment; if nothing: None, no change, or what the first one said."""
    found = segment.annotation(annotator)
    if found is not None or missing == "drop":
        return found
    if missing == "first" and segment.annotations:
        first = segment.annotations[0]
        if first.given_as_text:
            return Annotation(segment.source, text=first.text, annotator=annotator)
        return Annotation(segment.source, edits=first.edits, annotator=annotator)
    return Annotation(segment.source, edits=(), annotator=annotator)


def completed(corpus: Corpus, missing: str) -> Corpus:
    """The corpus in which every annotator says something about every segment."""
    segments = []
    for segment in corpus:
        found = [stand_in(segment, annotator, missing) for annotator in corpus.annotators]
        segments.append(replace(segment, annotations=tuple(a for a in found if a is not None)))
    return Corpus(segments, origin=corpus.origin, names=corpus.names)
