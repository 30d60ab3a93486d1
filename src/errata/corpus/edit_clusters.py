"""Edits of several annotators as clusters of alternatives, as the I-measure groups them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError
from errata.text.tokenizers import word_tokenize


@dataclass(frozen=True, slots=True)
class Cluster:
    """Edits that overlap: each annotator's are an alternative; `required` if every annotator has one."""

    alternatives: tuple[tuple[int, tuple[Edit, ...]], ...]  # annotator and edits
    required: bool
    type: str = "UNK"


def cluster_edits(segment: Segment, *, retokenize: bool = True) -> tuple[Cluster, ...]:
    """The clusters of a segment, from left to right.

    Corrections are tokenised again as in the Penn Treebank unless told otherwise; those that a file with
    clusters gives, and those found by comparing texts, are taken as they are.
    """
    if segment.clusters is not None:
        return segment.clusters
    edits = [
        (annotation.annotator, _retokenized(edit) if again else edit)
        for annotation in segment.annotations
        for again in (retokenize and not annotation.given_as_text,)
        for edit in annotation.edits
    ]
    length = len(segment.tokens) if edits else 0
    for _, edit in edits:
        if not 0 <= edit.start <= edit.end <= length:
            raise DataError(
                f"the edit {edit.start} {edit.end} -> {edit.correction!r} is outside the sentence "
                f"{segment.source!r}",
                hint="`errata corpus check` lists all such edits",
            )
    groups: list[list[tuple[int, Edit]]] = []
    reached: list[tuple[int, int]] = []  # by all edits of each group
    for item in sorted(edits, key=lambda item: item[1].start - item[1].end):
        start, end = item[1].start, item[1].end
        for number, (first, last) in enumerate(reached):
            if start <= last and first <= end and any(overlap(item[1], other) for _, other in groups[number]):
                groups[number].append(item)
                reached[number] = min(first, start), max(last, end)
                break
        else:
            groups.append([item])
            reached.append((start, end))
    groups.sort(key=lambda group: (group[0][1].start, group[0][1].end))
    annotators = {annotation.annotator for annotation in explicit(segment)}
    return tuple(_cluster(group, annotators) for group in groups)


def explicit(segment: Segment) -> tuple[Annotation, ...]:
    """The annotations that the file has lines for."""
    return tuple(annotation for annotation in segment.annotations if not annotation.implicit)


def overlap(one: Edit, other: Edit) -> bool:
    """Whether two edits touch the same tokens; an insertion has to be strictly inside the other's span."""
    if (one.start, one.end) == (other.start, other.end):
        return True
    if one.start == one.end:
        return other.start < one.start < other.end
    if other.start == other.end:
        return one.start < other.start < one.end
    return other.start < one.end <= other.end or other.start <= one.start < other.end


def _cluster(group: list[tuple[int, Edit]], annotators: set[int]) -> Cluster:
    by_annotator: dict[int, list[Edit]] = {}
    for annotator, edit in group:
        by_annotator.setdefault(annotator, []).append(edit)
    alternatives = tuple((annotator, tuple(by_annotator[annotator])) for annotator in sorted(by_annotator))
    return Cluster(alternatives, by_annotator.keys() >= annotators, group[0][1].type)


def _retokenized(edit: Edit) -> Edit:
    correction = " ".join(word_tokenize(edit.correction))
    return edit if correction == edit.correction else replace(edit, correction=correction)
