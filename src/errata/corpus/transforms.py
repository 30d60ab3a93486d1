"""Transformations of corpora: annotators, merged segments, splits and samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Edit, Segment
from errata.errors import DataError

MISSING = ("drop", "source", "first")
LEVELS = ("paragraph", "document")
UNITS = ("document", "paragraph", "segment")


# -- annotators ---------------------------------------------------------------------------------------------


def only_annotators(corpus: Corpus, annotators: Collection[int]) -> Corpus:
    """The corpus with only the annotations of these annotators; with none, the sources."""
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


def annotation_or_substitute(segment: Segment, annotator: int, missing: str) -> Annotation | None:
    """An annotation of a segment; if it is missing: None, no edits, or the first annotator's."""
    annotation = segment.annotation(annotator)
    if annotation is not None or missing == "drop":
        return annotation
    if missing == "first" and segment.annotations:
        first = segment.annotations[0]
        if first.given_as_text:
            return Annotation(segment.source, text=first.text, annotator=annotator)
        return Annotation(segment.source, edits=first.edits, annotator=annotator)
    return Annotation(segment.source, edits=(), annotator=annotator)


def completed(corpus: Corpus, missing: str) -> Corpus:
    """The corpus with an annotation of every segment by every annotator."""
    segments = []
    for segment in corpus:
        annotations = [
            annotation_or_substitute(segment, annotator, missing) for annotator in corpus.annotators
        ]
        segments.append(replace(segment, annotations=tuple(a for a in annotations if a is not None)))
    return Corpus(segments, origin=corpus.origin, names=corpus.names)


# -- merged segments ----------------------------------------------------------------------------------------


def members(corpus: Corpus, level: str) -> list[list[int]]:
    """The segments of each paragraph or document, in the order of their first segments.

    A segment without a label is a group of one.
    """
    if level not in LEVELS:
        raise ValueError(f"a level is {' or '.join(LEVELS)}, not {level!r}")
    return units(corpus, level, "give a side file: --meta meta.tsv, or corpus.with_meta(…)")


def regroup(corpus: Corpus, level: str, *, missing: str = "drop") -> Corpus:
    """Merge the segments of each paragraph or document into one, joined by a space.

    If an annotator is missing from some of the segments, `missing` decides: the annotator is left out of the
    merged segment (`drop`), the missing annotations have no edits (`source`), or they are those of the first
    annotator (`first`).
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
        pieces = [annotation_or_substitute(segment, annotator, missing) for segment in segments]
        present = [piece for piece in pieces if piece is not None]
        if len(present) == len(segments):
            annotations.append(_concatenated(source, present, starts, annotator))
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


# -- splits and samples -------------------------------------------------------------------------------------


def units(
    corpus: Corpus,
    unit: str,
    remedy: str = "give a side file (--meta meta.tsv), or choose --unit segment",
) -> list[list[int]]:
    """Indices of segments that stay together; one without a document (paragraph) is a group of one."""
    if unit not in UNITS:
        raise ValueError(f"a unit is one of {', '.join(UNITS)}, not {unit!r}")
    if unit == "segment":
        return [[index] for index in range(len(corpus))]
    groups = corpus.groups(unit)
    alone = [[index] for index in groups.pop("", [])]
    if alone and not groups:
        raise DataError(
            f"no segment says which {unit} it belongs to",
            path=corpus.origin.path if corpus.origin else None,
            hint=remedy,
        )
    return sorted([*groups.values(), *alone], key=lambda group: group[0])


def split(
    corpus: Corpus,
    sizes: Sequence[float],
    *,
    unit: str = "document",
    by: str | None = None,
    seed: int = 1,
) -> list[Corpus]:
    """Split into parts in this proportion of segments, without splitting units such as documents.

    Units are taken in random order, and each is added to the part that lacks the most segments. With `by` (a
    meta field), the units of each of its values are distributed separately.
    """
    if len(sizes) < 2 or any(not size > 0 for size in sizes):
        raise DataError("a split has two or more sizes, all above zero", hint="for example 80/10/10")
    groups = units(corpus, unit)
    if len(groups) < len(sizes):
        raise DataError(f"{len(groups)} {unit}s cannot make {len(sizes)} parts")
    random = np.random.default_rng(seed)
    parts: list[list[int]] = [[] for _ in sizes]
    lacking = np.zeros(len(sizes))
    for stratum in _strata(corpus, groups, by):
        lacking += np.array(sizes) / sum(sizes) * sum(map(len, stratum))
        for place in random.permutation(len(stratum)):
            part = int(np.argmax(lacking))
            lacking[part] -= len(stratum[place])
            parts[part] += stratum[place]
    if not all(parts):
        raise DataError(
            f"{len(groups)} {unit}s are too few: part {parts.index([]) + 1} would be empty",
            hint="ask for fewer or more even parts, or split by a smaller unit: --unit segment",
        )
    return [corpus.select(sorted(part)) for part in parts]


def sample(
    corpus: Corpus, size: int, *, unit: str = "segment", by: str | None = None, seed: int = 1
) -> Corpus:
    """`size` segments (or documents, paragraphs) at random, in the order of the corpus.

    With `by` (a meta field) each of its values keeps its share, rounded to the largest remainder.
    """
    groups = units(corpus, unit)
    if not 0 < size <= len(groups):
        raise DataError(f"cannot sample {size} of {len(groups)} {unit}s")
    random = np.random.default_rng(seed)
    strata = _strata(corpus, groups, by)
    shares = np.array([len(stratum) for stratum in strata]) * size / len(groups)
    quota = np.floor(shares).astype(int)
    rest = np.argsort(quota - shares, kind="stable")[: size - int(quota.sum())]
    quota[rest] += 1
    chosen: list[int] = []
    for stratum, wanted in zip(strata, quota, strict=True):
        for place in random.choice(len(stratum), size=wanted, replace=False):
            chosen += stratum[place]
    return corpus.select(sorted(chosen))


def _strata(corpus: Corpus, groups: Sequence[list[int]], by: str | None) -> list[list[list[int]]]:
    """The units by the label of their first segment, in order of first appearance."""
    strata: dict[str, list[list[int]]] = {}
    for group in groups:
        strata.setdefault(corpus[group[0]].label(by) if by else "", []).append(group)
    if by and set(strata) == {""}:
        raise DataError(
            f"no segment has a {by!r}",
            path=corpus.origin.path if corpus.origin else None,
            hint="give a side file: --meta meta.tsv",
        )
    return list(strata.values())
