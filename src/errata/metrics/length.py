"""The length of the output, a baseline for meta-evaluation that knows nothing of corrections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from errata.metrics.base import Need, SentenceMetric
from errata.metrics.batch import Batch
from errata.metrics.statistics import Integers
from errata.text.lines import Lines


@dataclass(frozen=True)
class Length(SentenceMetric):
    """The mean number of characters per output, blanks included; neither good nor bad by itself."""

    name: ClassVar[str] = "length"
    title: ClassVar[str] = "length"
    parts: ClassVar[tuple[str, ...]] = ("length",)
    decimals: ClassVar[int] = 2
    needs: ClassVar[frozenset[Need]] = frozenset({"source"})
    of_tokens: ClassVar[bool] = False
    concurrent: ClassVar[bool] = True

    def scores(self, batch: Batch) -> Integers:
        """The number of characters of every hypothesis."""
        given = batch.hypotheses
        lines = given if isinstance(given, Lines) else Lines.of(given)
        inside = np.flatnonzero(np.frombuffer(lines.data, dtype=np.int8) < -64)  # of a character in UTF-8
        before, behind = (np.searchsorted(inside, places) for places in (lines.starts, lines.ends))
        return (lines.ends - behind) - (lines.starts - before)
