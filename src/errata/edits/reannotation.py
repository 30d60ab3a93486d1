"""Existing edits: extracted anew from the corrected texts, or only classified."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, tee

from errata.corpus.segment import Edit
from errata.edits.edit_arrays import PlainEdits
from errata.edits.merge import Span
from errata.edits.pipeline import BATCH, Extractor
from errata.errors import DataError

# Types of edits that mark an error without correcting it; they leave the text as it is.
DETECTED = frozenset({"Um", "UNK"})
Annotated = tuple[str, Sequence[Edit]]  # a sentence and its edits


def place(source: Sequence[str], edits: Iterable[Edit]) -> tuple[tuple[str, ...], list[tuple[Edit, Span]]]:
    """The corrected tokens, and the edits from left to right with their spans in both texts."""
    target = list(source)
    placed: list[tuple[Edit, Span]] = []
    shift = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        detected = edit.type in DETECTED
        tokens = list(source[edit.start : edit.end]) if detected else edit.correction.split()
        begin = edit.start + shift
        target[begin : edit.end + shift] = tokens
        placed.append((edit, (edit.start, edit.end, begin, begin + len(tokens))))
        shift += len(tokens) - (edit.end - edit.start)
    return tuple(target), placed


def extracted_anew(extractor: Extractor, annotated: Iterable[Annotated]) -> Iterator[tuple[Edit, ...]]:
    """The edits that the rules extract from each sentence and its corrected text; detected errors stay."""
    ones, others = tee(annotated)
    targets = ((source, " ".join(place(source.split(), edits)[0])) for source, edits in ones)
    for (_, edits), extracted in zip(others, extractor.extract_all(targets), strict=True):
        detected = [
            Edit(edit.start, edit.end, " ".join(edit.correction.split()), "UNK")
            for edit in sorted(edits, key=lambda edit: (edit.start, edit.end))
            if edit.type in DETECTED
        ]
        together = sorted([*detected, *extracted], key=lambda edit: (edit.start, edit.end))
        if isinstance(extracted, PlainEdits):
            yield PlainEdits(together, extracted.limit)
        else:
            yield tuple(together)


def typed(
    extractor: Extractor, annotated: Iterable[Annotated], *, minimise: bool = True, keep_types: bool = False
) -> Iterator[tuple[Edit, ...]]:
    """The given edits with the types of the rules; `minimise` first removes equal words at both ends."""
    stream = iter(annotated)
    while batch := list(islice(stream, BATCH)):
        texts = []
        for source, edits in batch:
            tokens = tuple(source.split())
            _check_spans(tokens, edits)
            texts.append((tokens, *place(tokens, edits)))
        spans = [
            [
                span if edit.type in DETECTED or not minimise else minimal(tokens, target, span)
                for edit, span in placed
            ]
            for tokens, target, placed in texts
        ]
        asked = [
            (tokens, target, span)
            for (tokens, target, _), some in zip(texts, spans, strict=True)
            for span in some
        ]
        types = iter(() if keep_types else extractor.types(asked))
        for (_, target, placed), some in zip(texts, spans, strict=True):
            typed_edits: list[Edit] = []
            for (edit, _), span in zip(placed, some, strict=True):
                kind = edit.type if keep_types else next(types)
                correction = edit.correction.split() if edit.type in DETECTED else target[span[2] : span[3]]
                typed_edits.append(Edit(span[0], span[1], " ".join(correction), kind))
            yield tuple(typed_edits)


def _check_spans(source: Sequence[str], edits: Iterable[Edit]) -> None:
    for edit in edits:
        if not 0 <= edit.start <= edit.end <= len(source):
            raise DataError(
                f"the edit {edit.start} {edit.end} -> {edit.correction!r} leaves the sentence "
                f"{' '.join(source)!r}",
                hint="`errata corpus check` lists all such edits",
            )


def minimal(source: Sequence[str], target: Sequence[str], span: Span) -> Span:
    """The edit without equal words at its beginning and end: a b → a c becomes b → c."""
    start, end, to_start, to_end = span
    while start < end and to_start < to_end and source[start] == target[to_start]:
        start += 1
        to_start += 1
    while start < end and to_start < to_end and source[end - 1] == target[to_end - 1]:
        end -= 1
        to_end -= 1
    return start, end, to_start, to_end
