"""Existing edits: extracted anew from the corrected texts, classified, and compared with others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, tee

from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.edits.edit_arrays import PlainEdits
from errata.edits.merge import Span
from errata.edits.pipeline import BATCH, Extractor
from errata.errors import DataError
from errata.tables import Cell, Column, Table

# Types of edits that mark an error without correcting it; they leave the text as it is.
DETECTED = frozenset({"Um", "UNK"})
Annotated = tuple[str, Sequence[Edit]]  # a sentence and its edits


def place_edits(
    source: Sequence[str], edits: Iterable[Edit]
) -> tuple[tuple[str, ...], list[tuple[Edit, Span]]]:
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
    first, second = tee(annotated)
    targets = ((source, " ".join(place_edits(source.split(), edits)[0])) for source, edits in first)
    for (_, edits), extracted in zip(second, extractor.extract_all(targets), strict=True):
        detected = [
            Edit(edit.start, edit.end, " ".join(edit.correction.split()), "UNK")
            for edit in sorted(edits, key=lambda edit: (edit.start, edit.end))
            if edit.type in DETECTED
        ]
        joined = sorted([*detected, *extracted], key=lambda edit: (edit.start, edit.end))
        yield PlainEdits(joined, extracted.limit) if isinstance(extracted, PlainEdits) else tuple(joined)


def typed(
    extractor: Extractor, annotated: Iterable[Annotated], *, minimise: bool = True, keep_types: bool = False
) -> Iterator[tuple[Edit, ...]]:
    """The edits with the types of the rules; `minimise` first removes equal words at both ends."""
    stream = iter(annotated)
    while batch := list(islice(stream, BATCH)):
        texts = []
        for source, edits in batch:
            tokens = tuple(source.split())
            _check_spans(tokens, edits)
            texts.append((tokens, *place_edits(tokens, edits)))
        spans = [
            [
                span if edit.type in DETECTED or not minimise else minimal(tokens, target, span)
                for edit, span in placed
            ]
            for tokens, target, placed in texts
        ]
        to_type = [
            (tokens, target, span)
            for (tokens, target, _), some in zip(texts, spans, strict=True)
            for span in some
        ]
        types = iter(() if keep_types else extractor.types(to_type))
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
                f"the edit {edit.start} {edit.end} -> {edit.correction!r} is outside the sentence "
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


DifferingEdit = tuple[int, int, str, Edit]  # segment, annotator, `<` or `>` or `≠`, edit


@dataclass
class EditDifference:
    """How many edits two annotations share: spans with corrections, and spans with types as well."""

    one: int = 0
    other: int = 0
    spans: int = 0
    types: int = 0
    confusions: Counter[tuple[str, str]] = field(default_factory=Counter)  # (type of one, type of the other)

    @property
    def span_f1(self) -> float:
        return _f1(self.spans, self.one, self.other)

    @property
    def type_f1(self) -> float:
        return _f1(self.types, self.one, self.other)

    def add(self, one: Iterable[Edit], other: Iterable[Edit]) -> None:
        """Compare the edits of one more sentence."""
        one_types, other_types = _by_span(one), _by_span(other)
        self.one += len(one_types)
        self.other += len(other_types)
        for key in (key for key in one_types if key in other_types):
            self.spans += 1
            self.types += one_types[key] == other_types[key]
            if one_types[key] != other_types[key]:
                self.confusions[one_types[key], other_types[key]] += 1

    def tables(
        self, one: str, other: str, differing: Iterable[DifferingEdit] | None = None, *, top: int = 20
    ) -> list[Table]:
        """Counts, the most frequent confusions of types, and the edits in which two named files differ."""
        columns = [Column("edits of"), Column("edits"), Column("same span"), Column("same type")]
        counts: list[list[Cell]] = [
            [name, edits, self.spans, self.types, self.span_f1, self.type_f1]
            for name, edits in ((one, self.one), (other, self.other))
        ]
        tables = [Table([*columns, Column("span F1", 4), Column("span+type F1", 4)], counts)]
        if self.confusions and top:
            rows = [(a, b, n) for (a, b), n in self.confusions.most_common(top)]
            tables.append(Table([Column(one), Column(other), Column("edits")], rows, "types that differ"))
        if differing is not None:
            marks = {"<": one, ">": other, "≠": "both"}
            edits = [(n, a, marks[m], e.start, e.end, e.type, e.correction) for n, a, m, e in differing]
            names = ["line", "annotator", "in", "start", "end", "type", "correction"]
            tables.append(Table([Column(name) for name in names], edits, "edits that differ"))
        return tables


def compare(one: Corpus, other: Corpus) -> tuple[EditDifference, list[DifferingEdit]]:
    """The difference of the edits of two corpora, and every differing edit."""
    if one.sources != other.sources:
        raise DataError(
            "the two files do not have the same sentences", hint="compare edits of the same source"
        )
    difference = EditDifference()
    all_differing: list[DifferingEdit] = []
    for number, segments in enumerate(zip(one, other, strict=True), 1):
        for annotator in sorted({a.annotator for segment in segments for a in segment.annotations}):
            annotations = [segment.annotation(annotator) for segment in segments]
            left, right = (annotation.edits if annotation else () for annotation in annotations)
            difference.add(left, right)
            all_differing += [(number, annotator, mark, edit) for mark, edit in _differing(left, right)]
    return difference, all_differing


def _differing(left: Iterable[Edit], right: Iterable[Edit]) -> Iterator[tuple[str, Edit]]:
    for edits, others, mark in ((left, _by_span(right), "<"), (right, _by_span(left), ">")):
        for edit in edits:
            kind = others.get((edit.start, edit.end, edit.correction))
            if kind != edit.type:
                yield mark if kind is None else "≠", edit


def _by_span(edits: Iterable[Edit]) -> dict[tuple[int, int, str], str]:
    return {(edit.start, edit.end, edit.correction): edit.type for edit in edits}


def _f1(shared: int, one: int, other: int) -> float:
    return 2 * shared / (one + other) if one + other else 1.0
