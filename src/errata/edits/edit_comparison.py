"""Comparison of two sets of edits of the same sentences: where spans and types agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from errata.corpus.model import Corpus
from errata.corpus.segment import Edit
from errata.errors import DataError
from errata.tables import Cell, Column, Table

Place = tuple[int, int, str, Edit]  # segment, annotator, `<` or `>` or `≠`, edit


@dataclass
class Difference:
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
        self, one: str, other: str, places: Iterable[Place] | None = None, *, top: int = 20
    ) -> list[Table]:
        """Counts, the most frequent confusions of types, and the `places` where two named files differ."""
        columns = [Column("edits of"), Column("edits"), Column("same span"), Column("same type")]
        counts: list[list[Cell]] = [
            [name, edits, self.spans, self.types, self.span_f1, self.type_f1]
            for name, edits in ((one, self.one), (other, self.other))
        ]
        tables = [Table([*columns, Column("span F1", 4), Column("span+type F1", 4)], counts)]
        if self.confusions and top:
            rows = [(a, b, n) for (a, b), n in self.confusions.most_common(top)]
            tables.append(Table([Column(one), Column(other), Column("edits")], rows, "types that differ"))
        if places is not None:
            marks = {"<": one, ">": other, "≠": "both"}
            edits = [(n, a, marks[m], e.start, e.end, e.type, e.correction) for n, a, m, e in places]
            names = ["line", "annotator", "in", "start", "end", "type", "correction"]
            tables.append(Table([Column(name) for name in names], edits, "edits that differ"))
        return tables


def compare(one: Corpus, other: Corpus) -> tuple[Difference, list[Place]]:
    """The difference of two corpora, and each differing edit: segment, annotator, `<` or `>` or `≠`, edit."""
    if one.sources != other.sources:
        raise DataError(
            "the two files do not have the same sentences", hint="compare edits of the same source"
        )
    difference = Difference()
    places: list[Place] = []
    for number, segments in enumerate(zip(one, other, strict=True), 1):
        for annotator in sorted({a.annotator for segment in segments for a in segment.annotations}):
            annotations = [segment.annotation(annotator) for segment in segments]
            left, right = (annotation.edits if annotation else () for annotation in annotations)
            difference.add(left, right)
            places += [(number, annotator, mark, edit) for mark, edit in _differing(left, right)]
    return difference, places


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
