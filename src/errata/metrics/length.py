"""The length of the output, a baseline for meta-evaluation that knows nothing of corrections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.text.lines import Lines, Places, character_counts


@dataclass(frozen=True)
class Length(SentenceMetric):
    """The mean number of characters per output, blanks included; neither good nor bad by itself."""

    name: ClassVar[str] = "length"
    title: ClassVar[str] = "length"
    parts: ClassVar[tuple[str, ...]] = ("length",)
    decimals: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    of_tokens: ClassVar[bool] = False
    computed_by = "native"

    def scores(self, batch: Batch) -> Places:
        """The number of characters of every hypothesis."""
        return character_counts(Lines.of(batch.hypotheses))
