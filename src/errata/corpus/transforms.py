"""Transformations of corpora: annotators, merged segments, splits, samples, aligned documents."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise

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


# -- corrected documents ------------------------------------------------------------------------------------


_UNIT = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|\w+|[^\w\s]")  # a word, a character, a mark
_END = re.compile(r"[.!?…。！？։؟।:;]['\"’”“»)\]]*$")
_CLOSING = re.compile(r"[.!?…,;:。！？，、։؟।)\]»”’]")
_WINDOW = 10  # units before and after the place where the end of a sentence is expected
# Penalties in characters, chosen on the development set of GECCC: an end without final punctuation, before a
# closing mark, before a small letter, inside a word; a sentence without any text; and a line break's bonus.
_NO_END, _BEFORE_CLOSING, _BEFORE_SMALL, _NO_BLANK, _EMPTY, _LINE_BREAK = 5.0, 3.0, 4.0, 4.0, 5.0, -3.0
_SOURCE_SHARE = 0.3  # how much of the penalty of the end in the source excuses the same in the correction


def align_correction(sentences: Sequence[str], corrected: str) -> list[str]:
    """The corrected text of each source sentence; the order is kept, and the texts are the whole correction.

    Line breaks of the correction may be anywhere. The ends of all sentences are chosen together, near the
    places that an alignment of words expects: they minimise the character edits from every sentence to its
    correction, plus penalties for unlikely ends. An empty text means that the sentence was deleted.
    """
    from rapidfuzz.distance import Levenshtein

    units = [match.span() for match in _UNIT.finditer(corrected)]
    if not units or not sentences:
        return [""] * len(sentences)
    gaps = [0, *(start for start, _ in units[1:]), len(corrected)]  # where a sentence can begin or end
    penalties = [0.0, *(_penalty(corrected, left, right) for (_, left), (right, _) in pairwise(units)), 0.0]
    usual = [_SOURCE_SHARE * _penalty(f"{a} {b}", len(a), len(a) + 1) for a, b in pairwise(sentences)]
    best = {0: 0.0}  # the least cost so far, by the gap where the last sentence ends
    beginnings: list[dict[int, int]] = []  # for every sentence: its best beginning, by its end
    ends = _possible_ends(sentences, corrected, units)
    for sentence, candidates, excused in zip(sentences, ends, [*usual, 0.0], strict=True):
        source = " ".join(sentence.split())
        costs: dict[int, tuple[float, int]] = {}
        for end in candidates:
            costs[end] = min(
                (cost + Levenshtein.distance(source, text) + _EMPTY * (not text), start)
                for start, cost in best.items()
                if start <= end
                for text in [" ".join(corrected[gaps[start] : gaps[end]].split())]
            )
        best = {
            end: cost + penalties[end] - min(excused, max(0.0, penalties[end]))
            for end, (cost, _) in costs.items()
        }
        beginnings.append({end: start for end, (_, start) in costs.items()})
    chosen = [len(units)]
    for beginning in reversed(beginnings):
        chosen.append(beginning[chosen[-1]])
    return [corrected[gaps[start] : gaps[end]].strip() for start, end in pairwise(reversed(chosen))]


def _possible_ends(sentences: Sequence[str], corrected: str, units: Sequence[tuple[int, int]]) -> list[range]:
    """The gaps where each sentence may end: near the unit that is aligned with its last one."""
    from rapidfuzz.distance import Levenshtein

    target = [corrected[start:end].casefold() for start, end in units]
    source: list[str] = []
    lengths = []
    for sentence in sentences:
        source += _UNIT.findall(sentence.casefold())
        lengths.append(len(source))
    expected = [0] * (len(source) + 1)
    for block in Levenshtein.opcodes(source, target):
        size, new_size = block.src_end - block.src_start, block.dest_end - block.dest_start
        for place in range(size + 1):
            expected[block.src_start + place] = block.dest_start + round(place / max(1, size) * new_size)
    middles = [expected[length] for length in lengths[:-1]]
    last = len(units)
    ranges = [range(max(0, middle - _WINDOW), min(last, middle + _WINDOW) + 1) for middle in middles]
    return [*ranges, range(last, last + 1)]


def _penalty(text: str, left: int, right: int) -> float:
    """How unlikely it is that one sentence ends at `left` and the next one begins at `right`."""
    if "\n" in text[left:right]:
        return _LINE_BREAK
    return (
        _NO_END * (_END.search(text[max(0, left - 5) : left]) is None)
        + _BEFORE_CLOSING * (_CLOSING.match(text, right) is not None)
        + _BEFORE_SMALL * text[right : right + 1].islower()
        + _NO_BLANK * (left == right)
    )
