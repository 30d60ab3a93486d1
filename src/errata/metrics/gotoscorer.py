"""GoToScorer (Gotou et al. 2020): F over chunks, weighted by how many systems fail at them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from errata.corpus.files import display, read_lines
from errata.errors import DataError
from errata.metrics.base import SumMetric
from errata.metrics.batch import Batch, rows_of_annotator
from errata.metrics.edit_metric import EditSequenceMetric
from errata.metrics.parameters import parameter
from errata.metrics.statistics import Floats, Integers, Numbers
from errata.metrics.totals import prf
from errata.native import edit_matches

Observed = tuple[list[str], Integers, Integers]  # systems; per chunk, how many have it; chunks per segment


@dataclass(frozen=True)
class GoToScorer(EditSequenceMetric, SumMetric):
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
    exact: ClassVar[bool] = True

    def chosen(self, batch: Batch) -> tuple[Integers, Integers]:
        """The reference of every segment, and the number of its chunks."""
        corpus, numbers = batch.distinct

        def compute() -> tuple[Integers, Integers]:
            annotators = corpus.annotator_numbers
            chosen = rows_of_annotator(self.annotator, annotators, rows, self.name, corpus.first)
            sizes: Integers = edit_matches.chunk_numbers(corpus.source_ids, corpus.annotations.owners, gold)
            return chosen, sizes[chosen]

        gold, rows = self.reference_sequences(corpus, batch.jobs)
        chosen, sizes = corpus.once((self.name, self.annotator, self.extracted), compute)
        return chosen[numbers], sizes[numbers]

    def compared(self, batch: Batch, weights: Floats) -> tuple[Numbers, Floats]:
        """Whether hypotheses have the chunks of their references, and the weighted counts."""
        corpus, numbers = batch.distinct
        chosen, sizes = self.chosen(batch)
        gold, _ = self.reference_sequences(corpus, batch.jobs)
        edits = self.hypothesis_sequences(batch)
        sources = corpus.source_ids
        counts: tuple[Numbers, Floats] = edit_matches.count_weighted_chunks(
            sources, numbers, edits, gold, chosen, _offsets(sizes), weights
        )
        return counts

    def observe(self, batches: Mapping[str, Batch]) -> Observed:
        """The systems, and for every reference chunk how many of them have it."""
        first = next(iter(batches.values()))
        if self.weights != "systems":
            return [], np.zeros(0, dtype=np.int64), np.zeros(len(first), dtype=np.int64)
        _, sizes = self.chosen(first)
        if any(not np.array_equal(self.chosen(batch)[1], sizes) for batch in batches.values()):
            raise DataError(
                "gotoscorer weighs the chunks of one reference for all systems, and post-edits differ",
                hint="choose gotoscorer:weights=none with post-edits",
            )
        weights = np.ones(int(sizes.sum()))
        matches = self.for_systems(lambda batch: self.compared(batch, weights)[0], batches)
        return list(batches), np.sum([*matches.values()], axis=0, dtype=np.int64), sizes

    def settle(self, observations: Sequence[Observed]) -> Mapping[str, Any]:
        """The weights of all reference chunks, and the systems that determine them."""
        if self.weights == "none":
            return {}
        sizes = np.concatenate([sizes for _, _, sizes in observations])
        if self.weights != "systems":
            lines = [*_weights_in(self.weights)]
            if len(lines) != len(sizes):
                raise DataError(
                    f"weights of {len(lines)} segments for a corpus of {len(sizes)}",
                    path=self.weights,
                    hint="give one line of weights per segment",
                )
            flat = np.array([weight for line in lines for weight in line], dtype=np.float64)
            return {"weights": flat, "offsets": _offsets([*map(len, lines)])}
        systems = observations[0][0]
        weights = 1 - np.concatenate([counts for _, counts, _ in observations]) / len(systems)
        return {"weights": weights, "offsets": _offsets(sizes), "systems": ",".join(systems)}

    def features(self, batch: Batch) -> Floats:
        """Weighted counts of chunks that are right, wrong, missed and rightly left alone."""
        return self.compared(batch, self._weights(batch, self.chosen(batch)[1]))[1]

    def _weights(self, batch: Batch, sizes: Integers) -> Floats:
        """The weights of the chunks of every segment; `sizes` has their numbers."""
        if "weights" not in batch.settled:
            return np.ones(int(sizes.sum()))
        first = batch.corpus.first - 1
        offsets = batch.settled["offsets"][first : first + len(sizes) + 1]
        wrong = np.append(np.diff(offsets), np.full(len(sizes) - len(offsets) + 1, -1)) != sizes
        if wrong.any():
            segment = int(np.argmax(wrong))
            raise DataError(
                f"the weights do not fit segment {first + segment + 1}, which has {sizes[segment]} chunks",
                hint="weights belong to one corpus, one reference and one way to extract edits",
            )
        weights: Floats = batch.settled["weights"][offsets[0] : offsets[-1]] if len(sizes) else np.ones(0)
        return weights

    def from_sums(self, sums: Floats) -> Floats:
        """F, precision and recall of weighted counts, and the counts."""
        tp, fp, fn, _ = sums.T
        return np.column_stack([*prf(tp, fp, fn, self.beta), sums])


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


def _offsets(sizes: Integers | Sequence[int]) -> Integers:
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return offsets
