"""GREEN (Koyama et al. 2024): F over n-grams that were kept, deleted and inserted as in a reference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from errata.metrics.base import ScanMetric
from errata.metrics.batch import Batch, encode, encode_as_bytes, encode_characters
from errata.metrics.parameters import parameter
from errata.metrics.signature import WhiteSpace
from errata.metrics.statistics import Floats, Numbers, Statistics
from errata.metrics.totals import f_beta, share
from errata.native import ngrams


@dataclass(frozen=True)
class GREEN(ScanMetric):
    """F_β of n-gram edits: geometric means of precision and recall over the orders 1 to `n`.

    Each sentence is compared with the reference that gives it the best F, and the counts are added up.
    `unit` is `word` (tokens between white space) or `character` (of the line as it is). `empty` says what
    precision and recall are where there is nothing to count: `official` is 1 for precision and 0 for recall;
    `gec-metrics`, another implementation, has 1 wherever no n-gram is wrong (or missing), compares
    references by F over all orders alone, and takes no-break and ideographic spaces for parts of tokens.
    """

    n: int = parameter(4, at_least=1, at_most=32)
    beta: float = parameter(2.0, above=0)
    unit: Literal["word", "character"] = "word"
    empty: Literal["official", "gec-metrics"] = "official"

    name: ClassVar[str] = "green"
    title: ClassVar[str] = "GREEN"
    parts: ClassVar[tuple[str, ...]] = ("f", "precision", "recall")
    computed_by = "native"
    running: ClassVar[bool] = False

    @property
    def white_space(self) -> WhiteSpace:  # type: ignore[override]
        """Characters include blanks."""
        if self.unit == "character":
            return "kept"
        return "ascii" if self.empty == "gec-metrics" else "unicode"

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """True positives, false positives and false negatives by order."""
        return tuple(f"{what}{k}" for what in ("tp", "fp", "fn") for k in range(1, self.n + 1))

    def counts(self, batch: Batch) -> Statistics:
        """Counts of n-gram edits against every reference."""
        if self.unit == "character":
            texts = encode_characters(batch, self.name)
        elif self.empty == "gec-metrics":
            texts = encode_as_bytes(batch, self.name, stripped=True)
        else:
            texts = encode(batch, self.name)
        references = texts.references
        counts = ngrams.edit_counts(*texts.texts, self.n, 0)
        return Statistics(self.columns, counts, references.offsets, references.annotators)

    def better(self, totals: Numbers, rows: Numbers) -> Iterator[Floats]:
        """Compare references by F over the orders 1 to n, then (officially) 1 to n − 1, and so on."""
        last = self.n - 1 if self.empty == "gec-metrics" else 0
        logs = self._logs(totals)
        return (self._f(logs, order)[0] for order in range(self.n, last, -1))

    def from_totals(self, totals: Numbers) -> Floats:
        """F, precision and recall over all orders."""
        return np.stack(self._f(self._logs(totals), self.n), axis=-1)

    def _logs(self, totals: Numbers) -> Floats:
        """The logarithms of precision and recall by order."""
        n, counts = self.n, totals.astype(np.float64)
        tp, wrong = counts[..., :n], counts[..., n:].reshape(*counts.shape[:-1], 2, n)
        of_nothing = np.array([[1.0], [0.0 if self.empty == "official" else 1.0]])
        with np.errstate(divide="ignore"):
            return np.log(share(tp[..., None, :], tp[..., None, :] + wrong, of_nothing))

    def _f(self, logs: Floats, order: int) -> tuple[Floats, Floats, Floats]:
        """F, and the geometric means of precision and recall over the orders 1 to `order`."""
        precision, recall = np.moveaxis(np.exp(logs[..., :order].mean(axis=-1)), -1, 0)
        return f_beta(precision, recall, self.beta), precision, recall
