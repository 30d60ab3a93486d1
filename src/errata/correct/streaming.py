"""Correcting and damaging streams: what a worker does with a piece of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from errata.corpus.pieces import LineWork
from errata.correct.loading import Corrector, load_corrector
from errata.correct.noise import Noise

_corrector = lru_cache(maxsize=2)(load_corrector)  # a worker loads a model once


@dataclass(frozen=True)
class Correct(LineWork):
    """Corrects lines with the model of this name; a worker loads it when it first needs it."""

    model: str
    mode: str = "spelling"
    tokenized: bool = False

    reads: ClassVar[str] = "source"
    writes: ClassVar[str] = "hypothesis"

    @property
    def corrector(self) -> Corrector:
        return _corrector(self.model, self.mode)

    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        work = self.corrector.correct_tokenized if self.tokenized or tokenized else self.corrector.correct
        return work(lines)


@dataclass(frozen=True)
class Damage(LineWork):
    """Puts errors into lines; a line's depend on the seed and on its number in the whole stream alone."""

    noise: Noise
    seed: int = 1

    reads: ClassVar[str] = "reference"
    writes: ClassVar[str] = "source"

    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        return list(self.noise.stream(lines, self.seed, first=number))
