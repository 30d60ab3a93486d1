"""The gold edits of a corpus as integer arrays, for the native code that matches edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from errata.native.ragged import Ragged, check_array, check_offsets, select_runs
from errata.text.vocabulary import SentenceVocabulary, Vocabulary

if TYPE_CHECKING:
    from errata.corpus.model import Segment

NEVER = -1  # a token no text has


@dataclass(frozen=True, slots=True)
class EncodedEdits:
    """All annotators' edits, nested: segment → row (annotator) → edit → correction → tokens.

    The rows of segment i are `rows[i]:rows[i + 1]`, their edits `edits[row]:edits[row + 1]`, an edit's
    corrections `corrections[edit]:corrections[edit + 1]`; `tokens` has one row a correction. `types` are
    there only if no edit was left out. The arrays are validated here, once; native functions rely on it.
    """

    rows: npt.NDArray[np.int64]
    annotators: npt.NDArray[np.int64]
    edits: npt.NDArray[np.int64]
    spans: npt.NDArray[np.int32]
    corrections: npt.NDArray[np.int64]
    tokens: Ragged
    types: tuple[list[str], npt.NDArray[np.int32]] | None = None  # names, and the number of each edit's

    def __post_init__(self) -> None:
        check_array("annotators", self.annotators, np.int64)
        check_array("spans", self.spans, np.int32, 2)
        check_offsets("rows", self.rows, len(self.annotators))
        check_offsets("edits", self.edits, len(self.spans))
        check_offsets("corrections", self.corrections, len(self.tokens))
        if len(self.edits) != len(self.annotators) + 1 or len(self.corrections) != len(self.spans) + 1:
            raise ValueError("every annotator and every edit needs its offsets")

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """The row of every edit."""
        return np.repeat(np.arange(len(self.annotators), dtype=np.int64), np.diff(self.edits))

    @property
    def ascending(self) -> npt.NDArray[np.int64]:
        """The edits by row, start and end."""
        owners, (start, end), wide = self.owners, self.spans.T, 1 + int(self.spans.max(initial=0))
        if len(self.annotators) * wide**2 >= 1 << 63:
            return np.lexsort((end, start, owners))
        return np.argsort((owners * wide + start) * wide + end, kind="stable")  # they ascend nearly always

    def select(self, segments: npt.NDArray[np.int64]) -> EncodedEdits:
        """The edits of these segments, in this order; one may come several times."""
        rows, old_rows = select_runs(self.rows, segments)
        edits, old_edits = select_runs(self.edits, old_rows)
        corrections, old_corrections = select_runs(self.corrections, old_edits)
        tokens = self.tokens.select(old_corrections)
        types = None if self.types is None else (self.types[0], self.types[1][old_edits])
        return EncodedEdits(
            rows, self.annotators[old_rows], edits, self.spans[old_edits], corrections, tokens, types
        )


def encode_edits(
    segments: Sequence[Segment], lengths: Sequence[int], vocabulary: Vocabulary | SentenceVocabulary
) -> EncodedEdits:
    """Edits to ids, annotators ascending. Edits that reach outside their sentence are left out.

    `lengths` are the sentences', in tokens. A correction with irregular white space equals no tokens' text;
    it is kept, and never matches.
    """
    rows, edits, corrections = [0], [0], [0]
    annotators: list[int] = []
    spans: list[tuple[int, int]] = []
    words: list[list[str]] = []
    irregular: list[int] = []
    known: dict[str, list[str] | None] = {}  # tokens of a correction; None where they are irregular
    for length, by_annotator in zip(lengths, _plain_edits(segments), strict=True):
        for annotator, found in by_annotator:
            for start, end, texts, *_ in found:
                if not (0 <= start <= length and 0 <= end <= length):
                    continue
                spans.append((start, end))
                for correction in texts:
                    if correction not in known:
                        known[correction] = _regular(correction)
                    tokens = known[correction]
                    if tokens is None:
                        irregular.append(len(words))
                        tokens = ["?"]
                    words.append(tokens)
                corrections.append(len(words))
            edits.append(len(spans))
            annotators.append(annotator)
        rows.append(len(annotators))
    encoded = vocabulary.encode(words)
    encoded.values[encoded.offsets[irregular]] = NEVER
    return EncodedEdits(
        np.array(rows, dtype=np.int64),
        np.array(annotators, dtype=np.int64),
        np.array(edits, dtype=np.int64),
        np.array(spans, dtype=np.int32).reshape(-1, 2),
        np.array(corrections, dtype=np.int64),
        encoded,
    )


def _regular(correction: str) -> list[str] | None:
    tokens = correction.split()
    return tokens if " ".join(tokens) == correction else None


def _plain_edits(segments: Sequence[Segment]) -> Iterator[Iterable[tuple[int, Iterable[Any]]]]:
    """Annotators, ascending, with their edits as tuples: start, end, corrections."""
    quick = getattr(segments, "plain_edits", None)  # lazy sequences know them without making objects
    if quick is not None:
        yield from quick()
        return
    for segment in segments:
        yield [
            (annotation.annotator, [(edit.start, edit.end, edit.corrections) for edit in annotation.edits])
            for annotation in sorted(segment.annotations, key=lambda a: a.annotator)
        ]
