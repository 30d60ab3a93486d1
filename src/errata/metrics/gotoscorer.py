"""GoToScorer (Gotou et al. 2020): F over chunks, weighted by how many systems fail at them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from errata.corpus.files import display, read_lines
from errata.corpus.model import Corpus, Edit
from errata.errors import DataError
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch
from errata.metrics.errant.extraction import EditMetric, once
from errata.metrics.fractions import prf
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats


class Chunk(NamedTuple):
    """A stretch of the source: an edit, a token, or a gap between tokens, with the text that stands there."""

    start: int
    end: int
    text: str
    edited: bool


@dataclass(frozen=True)
class GoToScorer(EditMetric, SumMetric):
    """F_β over the chunks of one reference, each weighted by its difficulty.

    `weights="systems"` takes 1 − the share of the systems at hand that get a chunk right, so that the score
    depends on the set of systems; `none` counts every chunk once; any other value is a file with one line of
    weights per segment, one for each chunk of its reference. `annotator` says which reference is used.
    """

    weights: str = "systems"
    annotator: int = parameter(0, at_least=0)
    beta: float = parameter(0.5, above=0)

    name: ClassVar[str] = "gotoscorer"
    title: ClassVar[str] = "GoToScorer"
    columns: ClassVar[tuple[str, ...]] = ("tp", "fp", "fn", "tn")
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall", "tp", "fp", "fn", "tn")
    shown: ClassVar[tuple[str, ...]] = ("precision", "recall")
    first_pass: ClassVar[bool] = True

    def reference_chunks(self, batch: Batch) -> list[list[Chunk]]:
        """The chunks of the reference of every segment, found once for all systems."""
        corpus, numbers = batch.distinct
        key = self.name, self.annotator, self.extracted
        chosen = once(corpus, key, lambda: self._chosen(corpus))
        return [chosen[i] for i in numbers]

    def _chosen(self, corpus: Corpus) -> list[list[Chunk]]:
        edits = self.reference_edits(corpus)
        chosen: list[list[Chunk]] = []
        for i, (segment, some) in enumerate(zip(corpus, edits, strict=True)):
            places = [a.annotator for a in segment.annotations]
            if len(places) == 1 and self.annotator == 0:
                places = [0]  # the only reference, whatever its number
            if self.annotator not in places:
                raise DataError(
                    f"segment {corpus.first + i} has no reference of annotator {self.annotator}",
                    hint="choose another one with gotoscorer:annotator=N",
                )
            chosen.append(chunks_of(segment.source, some[places.index(self.annotator)]))
        return chosen

    def hypothesis_chunks(self, batch: Batch) -> list[list[Chunk]]:
        """The chunks of every hypothesis."""
        edits = self.hypothesis_edits(batch.corpus, batch.hypotheses, batch.jobs)
        return [chunks_of(source, ours) for source, ours in zip(batch.sources, edits, strict=True)]

    def observe(self, batches: Mapping[str, Batch]) -> tuple[list[str], list[list[int]]]:
        """The systems, and for every reference chunk how many of them have it."""
        first = next(iter(batches.values()))
        if self.weights != "systems":
            return [], [[] for _ in range(len(first))]
        references = self.reference_chunks(first)
        counts = [[0] * len(chunks) for chunks in references]
        for batch in batches.values():
            for row, wanted, ours in zip(counts, references, self.hypothesis_chunks(batch), strict=True):
                made = {(chunk.start, chunk.end, chunk.text) for chunk in ours}
                for i, chunk in enumerate(wanted):
                    row[i] += (chunk.start, chunk.end, chunk.text) in made
        return list(batches), counts

    def settle(self, observations: Sequence[tuple[list[str], list[list[int]]]]) -> Mapping[str, Any]:
        """The weights of all reference chunks, and the systems that they come from."""
        if self.weights == "none":
            return {}
        if self.weights != "systems":
            given = [*_weights_in(self.weights)]
            segments = sum(len(rows) for _, rows in observations)
            if len(given) != segments:
                raise DataError(
                    f"weights of {len(given)} segments for a corpus of {segments}",
                    path=self.weights,
                    hint="give one line of weights per segment",
                )
            return _flat(given)
        systems = observations[0][0]
        counts = [row for _, rows in observations for row in rows]
        weights = _flat([[1 - n / len(systems) for n in row] for row in counts])
        return {**weights, "systems": ",".join(systems)}

    def features(self, batch: Batch) -> list[list[float]]:
        """Weighted counts of chunks that are right, wrong, missed and rightly left alone."""
        references = self.reference_chunks(batch)
        rows = []
        for i, (wanted, ours) in enumerate(zip(references, self.hypothesis_chunks(batch), strict=True)):
            rows.append(_counts(wanted, ours, self._weights(batch, i, len(wanted))))
        return rows

    def _weights(self, batch: Batch, index: int, chunks: int) -> Sequence[float]:
        if "weights" not in batch.settled:
            return [1.0] * chunks
        segment = batch.corpus.first - 1 + index
        offsets = batch.settled["offsets"]
        if segment + 1 >= len(offsets) or offsets[segment + 1] - offsets[segment] != chunks:
            raise DataError(
                f"the weights do not fit segment {segment + 1}, which has {chunks} chunks",
                hint="weights belong to one corpus, one reference and one way to extract edits",
            )
        found: list[float] = batch.settled["weights"][offsets[segment] : offsets[segment + 1]].tolist()
        return found

    def from_sums(self, sums: Floats) -> Floats:
        """F, precision and recall of weighted counts, and the counts."""
        tp, fp, fn, _ = sums.T
        return np.column_stack([*prf(tp, fp, fn, self.beta), sums])


def chunks_of(source: str, edits: Sequence[Edit]) -> list[Chunk]:
    """Every edit, every other token, and every gap without an insertion, from left to right."""
    tokens = source.split()
    made = sorted((e for e in edits if e.type != "noop" and e.start >= 0), key=lambda e: (e.start, e.end))
    chunks: list[Chunk] = []
    place, gap = 0, True  # gap: nothing stands at this place yet
    for edit in made:
        while place < edit.start:
            chunks += [Chunk(place, place, "", False)] * gap
            chunks.append(Chunk(place, place + 1, tokens[place], False))
            place, gap = place + 1, True
        if edit.start < edit.end and gap and place == edit.start:
            chunks.append(Chunk(place, place, "", False))
        chunks.append(Chunk(edit.start, edit.end, edit.correction, True))
        place, gap = max(place, edit.end), edit.end > edit.start
    while place < len(tokens):
        chunks += [Chunk(place, place, "", False)] * gap
        chunks.append(Chunk(place, place + 1, tokens[place], False))
        place, gap = place + 1, True
    return [*chunks, *[Chunk(place, place, "", False)] * gap]


def _counts(wanted: Sequence[Chunk], ours: Sequence[Chunk], weights: Sequence[float]) -> list[float]:
    tp = fp = fn = tn = 0.0
    by_span = {(chunk.start, chunk.end): chunk for chunk in ours}
    edits = [chunk for chunk in ours if chunk.edited]
    ends = [edit.end for edit in edits]
    for chunk, weight in zip(wanted, weights, strict=True):
        same = by_span.get((chunk.start, chunk.end))
        if same is not None:
            right, edited = same.text == chunk.text, same.edited
        elif chunk.start == chunk.end:
            right, edited = True, False
        else:
            right = False
            place = bisect_right(ends, chunk.start)  # the first edit that ends behind the chunk's start
            edited = place < len(edits) and edits[place].start < chunk.end
        if edited and right:
            tp += weight
        elif edited:
            fp += weight
            fn += weight if chunk.edited else 0.0
        elif right:
            tn += weight
        else:
            fn += weight
    return [tp, fp, fn, tn]


def _weights_in(path: str) -> Iterator[list[float]]:
    """The weights of every line of a file."""
    for number, line in enumerate(read_lines(path), 1):
        try:
            weights = [float(text) for text in line.split()]
        except ValueError as error:
            weights, problem = [], f"{str(error)[:80]}{'…' if len(str(error)) > 80 else ''}"
        else:
            problem = "" if all(0 <= w < math.inf for w in weights) else "a weight is negative or not finite"
        if problem:
            hint = "a line has one weight of at least 0 for every chunk of the reference"
            raise DataError(problem, path=display(path), line=number, hint=hint)
        yield weights


def _flat(rows: Sequence[Sequence[float]]) -> dict[str, Any]:
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return {"weights": np.array([w for row in rows for w in row], dtype=np.float64), "offsets": offsets}
