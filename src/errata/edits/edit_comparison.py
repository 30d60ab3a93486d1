"""Two sets of edits of the same sentences side by side: where spans and types agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from errata.corpus.model import Corpus, Edit
from errata.errors import DataError


@dataclass
class Difference:
    """How many edits two annotations share, as spans with corrections and with types as well."""

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
        ours, theirs = _by_span(one), _by_span(other)
        self.one += len(ours)
        self.other += len(theirs)
        for key in (key for key in ours if key in theirs):
            self.spans += 1
            self.types += ours[key] == theirs[key]
            if ours[key] != theirs[key]:
                self.confusions[ours[key], theirs[key]] += 1


def compare(one: Corpus, other: Corpus) -> tuple[Difference, Iterator[tuple[int, int, str, Edit]]]:
    """The difference of two corpora, and where: segment, annotator, `<` or `>` or `≠`, edit."""
    if one.sources != other.sources:
        raise DataError(
            "the two files do not have the same sentences", hint="compare edits of the same source"
        )
    difference = Difference()
    places: list[tuple[int, int, str, Edit]] = []
    for number, (ours, theirs) in enumerate(zip(one, other, strict=True), 1):
        for annotator in sorted({a.annotator for a in (*ours.annotations, *theirs.annotations)}):
            mine, yours = ours.annotation(annotator), theirs.annotation(annotator)
            left, right = mine.edits if mine else (), yours.edits if yours else ()
            difference.add(left, right)
            places += [(number, annotator, mark, edit) for mark, edit in _unlike(left, right)]
    return difference, iter(places)


def _unlike(left: Iterable[Edit], right: Iterable[Edit]) -> Iterator[tuple[str, Edit]]:
    ours, theirs = _by_span(left), _by_span(right)
    for edit in left:
        kind = theirs.get((edit.start, edit.end, edit.correction))
        if kind != edit.type:
            yield "<" if kind is None else "≠", edit
    for edit in right:
        kind = ours.get((edit.start, edit.end, edit.correction))
        if kind != edit.type:
            yield ">" if kind is None else "≠", edit


def _by_span(edits: Iterable[Edit]) -> dict[tuple[int, int, str], str]:
    return {(edit.start, edit.end, edit.correction): edit.type for edit in edits}


def _f1(shared: int, one: int, other: int) -> float:
    return 2 * shared / (one + other) if one + other else 1.0
