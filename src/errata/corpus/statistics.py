"""The content of a corpus in numbers: texts, edits by type and length, and error rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from errata.corpus.model import Corpus
from errata.corpus.segment import Annotation, Segment
from errata.errors import DataError

Ints = npt.NDArray[np.int64]

# The counts of an annotation; all statistics are sums of them.
COUNTS = (
    "source_tokens",
    "corrected_tokens",
    "edits",
    "source_in_edits",
    "corrected_in_edits",
    "touched",
    "longer_side",
    "levenshtein",
)
_COLUMN = {name: column for column, name in enumerate(COUNTS)}


@dataclass(frozen=True, slots=True)
class ErrorRate:
    """A definition of the error rate: one count divided by another."""

    name: str
    over: str
    by: str
    meaning: str


ERROR_RATES: dict[str, ErrorRate] = {
    rate.name: rate
    for rate in (
        ErrorRate(
            "source-tokens-in-edits", "source_in_edits", "source_tokens",
            "source tokens inside an edit / source tokens; insertions count nothing",
        ),
        ErrorRate(
            "corrected-tokens-in-edits", "corrected_in_edits", "corrected_tokens",
            "tokens of the corrections / tokens of the corrected text; deletions count nothing",
        ),
        ErrorRate(
            "touched-tokens", "touched", "source_tokens",
            "as source-tokens-in-edits, but an insertion counts as one token",
        ),
        ErrorRate("edits-per-token", "edits", "source_tokens", "edits / source tokens"),
        ErrorRate(
            "longer-side", "longer_side", "source_tokens",
            "the longer side of each edit, in tokens / source tokens",
        ),
        ErrorRate(
            "changed-tokens", "levenshtein", "source_tokens",
            "Levenshtein distance over tokens / source tokens (a word error rate)",
        ),
    )
}  # fmt: skip
DEFAULT_ERROR_RATE = "source-tokens-in-edits"

ANNOTATORS = {
    "pooled": "every annotation counts once, so a sentence with two counts twice",
    "mean": "every sentence counts once, with the mean of its annotations",
    "first": "the annotation of the lowest number only",
    "last": "the annotation of the highest number only",
    "any": "tokens inside an edit of any annotator (source-tokens-in-edits only)",
}


@dataclass(frozen=True, eq=False, repr=False)
class CorpusStatistics:
    """The counts of a corpus, and sums of them; `of` restricts them to some segments."""

    segments: Sequence[Segment]
    _rows: Ints  # one row per annotation
    _owner: Ints  # the segment of each row
    _per_segment: Ints  # tokens, annotations, tokens in any edit
    _edits: Sequence[Counter[tuple[str, int, int]]]  # per segment: (type, source length, corrected length)

    def of(self, indices: Sequence[int]) -> CorpusStatistics:
        """The statistics of these segments alone."""
        place = np.full(len(self.segments), -1, dtype=np.int64)
        place[list(indices)] = np.arange(len(indices))
        kept = place[self._owner] >= 0
        return CorpusStatistics(
            [self.segments[i] for i in indices],
            self._rows[kept],
            place[self._owner[kept]],
            self._per_segment[list(indices)],
            [self._edits[i] for i in indices],
        )

    @staticmethod
    def together(parts: Sequence[CorpusStatistics]) -> CorpusStatistics:
        """The statistics of several corpora as one."""
        offsets = np.cumsum([0, *(len(part.segments) for part in parts)])
        return CorpusStatistics(
            [segment for part in parts for segment in part.segments],
            np.concatenate([part._rows for part in parts]),
            np.concatenate([part._owner + offset for part, offset in zip(parts, offsets, strict=False)]),
            np.concatenate([part._per_segment for part in parts]),
            [counts for part in parts for counts in part._edits],
        )

    def groups(self, name: str) -> dict[str, CorpusStatistics]:
        """The statistics by document, paragraph or any meta field."""
        groups = Corpus(self.segments).groups(name)
        if set(groups) == {""}:
            fields = sorted({field for segment in self.segments for field in segment.meta})
            raise DataError(
                f"no segment has a {name!r}",
                hint=f"there are {', '.join(fields)}" if fields else "give a side file: --meta meta.tsv",
            )
        return {label: self.of(indices) for label, indices in groups.items()}

    @property
    def documents(self) -> int | None:
        """The number of documents to which at least one segment belongs; None if no segment has one."""
        names = {segment.document for segment in self.segments} - {None}
        return len(names) or None

    @property
    def paragraphs(self) -> int | None:
        """The number of paragraphs to which at least one segment belongs; None if no segment has one."""
        names = {(s.document, s.paragraph) for s in self.segments if s.paragraph is not None}
        return len(names) or None

    @property
    def without_paragraph(self) -> int:
        """The number of segments without a paragraph, if others have one."""
        return sum(segment.paragraph is None for segment in self.segments) if self.paragraphs else 0

    @property
    def tokens(self) -> int:
        """Tokens of the sources."""
        return int(self._per_segment[:, 0].sum())

    @property
    def annotated_tokens(self) -> int:
        """Tokens of the sources, once for each annotation."""
        return int(self._rows[:, _COLUMN["source_tokens"]].sum())

    @property
    def annotations(self) -> int:
        """Annotations: references, over all segments."""
        return len(self._rows)

    @property
    def edits(self) -> int:
        """Edits of all annotators."""
        return int(self._rows[:, _COLUMN["edits"]].sum())

    @property
    def references_per_segment(self) -> dict[int, int]:
        """The number of segments by the number of their references."""
        values, counts = np.unique(self._per_segment[:, 1], return_counts=True)
        return {int(value): int(count) for value, count in zip(values, counts, strict=True)}

    @property
    def changed(self) -> float | None:
        """The share of annotations that change their sentence."""
        return float((self._rows[:, _COLUMN["levenshtein"]] > 0).mean()) if len(self._rows) else None

    @cached_property
    def types(self) -> Counter[str]:
        """Edits by error type."""
        totals: Counter[str] = Counter()
        for counts in self._edits:
            for (kind, _, _), count in counts.items():
                totals[kind] += count
        return totals

    @cached_property
    def lengths(self) -> Counter[tuple[int, int]]:
        """Edits by their number of source and corrected tokens."""
        totals: Counter[tuple[int, int]] = Counter()
        for counts in self._edits:
            for (_, before, after), count in counts.items():
                totals[before, after] += count
        return totals

    def error_rate(self, definition: str = DEFAULT_ERROR_RATE, annotators: str = "pooled") -> float | None:
        """The error rate by one of `ERROR_RATES`, with several annotators combined as `ANNOTATORS` says."""
        if definition not in ERROR_RATES or annotators not in ANNOTATORS:
            raise DataError(
                f"no error rate {definition!r} over {annotators!r} annotators",
                hint=f"there are {', '.join(ERROR_RATES)}; over {', '.join(ANNOTATORS)}",
            )
        rate = ERROR_RATES[definition]
        if annotators == "any":
            if definition != DEFAULT_ERROR_RATE:
                raise DataError(f"'any' is possible for {DEFAULT_ERROR_RATE} only, not for {definition}")
            annotated = self._per_segment[self._per_segment[:, 1] > 0]
            over, by = float(annotated[:, 2].sum()), float(annotated[:, 0].sum())
        else:
            weights = self._weights(annotators)
            over = float(self._rows[:, _COLUMN[rate.over]] @ weights)
            by = float(self._rows[:, _COLUMN[rate.by]] @ weights)
        return over / by if by else None

    def _weights(self, annotators: str) -> npt.NDArray[np.float64]:
        if annotators == "mean":
            each: npt.NDArray[np.float64] = 1.0 / self._per_segment[self._owner, 1]
            return each
        weights = np.ones(len(self._rows))
        if len(weights) and annotators == "first":  # the annotations of a segment are adjacent and in order
            weights[1:] = self._owner[1:] != self._owner[:-1]
        elif len(weights) and annotators == "last":
            weights[:-1] = self._owner[1:] != self._owner[:-1]
        return weights


def count(corpus: Corpus) -> CorpusStatistics:
    """Count a corpus: one pass over its annotations."""
    rows: list[tuple[int, ...]] = []
    owner: list[int] = []
    per_segment: list[tuple[int, int, int]] = []
    edits: list[Counter[tuple[str, int, int]]] = []
    segments: list[Segment] = []
    for index, segment in enumerate(corpus):
        tokens = segment.tokens
        inside: set[int] = set()
        kinds: Counter[tuple[str, int, int]] = Counter()
        ordered = sorted(segment.annotations, key=lambda annotation: annotation.annotator)
        with corpus.at(index):
            for annotation in ordered:
                rows.append(_row(tokens, annotation))
                owner.append(index)
                for edit in annotation.edits:
                    inside.update(range(edit.start, edit.end))
                    kinds[edit.type, edit.end - edit.start, len(edit.correction.split())] += 1
        per_segment.append((len(tokens), len(ordered), len(inside)))
        edits.append(kinds)
        segments.append(Segment(segment.source, (), segment.document, segment.paragraph, segment.meta))
    return CorpusStatistics(
        segments,
        np.array(rows, dtype=np.int64).reshape(-1, len(COUNTS)),
        np.array(owner, dtype=np.int64),
        np.array(per_segment, dtype=np.int64).reshape(-1, 3),
        edits,
    )


def _row(tokens: Sequence[str], annotation: Annotation) -> tuple[int, ...]:
    corrected = annotation.text.split()  # raises for edits that overlap or leave the sentence
    lengths = [(edit.end - edit.start, len(edit.correction.split())) for edit in annotation.edits]
    return (
        len(tokens),
        len(corrected),
        len(lengths),
        sum(before for before, _ in lengths),
        sum(after for _, after in lengths),
        sum(max(before, 1) for before, _ in lengths),
        sum(max(before, after) for before, after in lengths),
        Levenshtein.distance(tokens, corrected),
    )
