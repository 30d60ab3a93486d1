"""Correcting and damaging streams: what a worker does with a piece of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from errata.corpus.line_jobs import LineWork, Piece, PieceResult
from errata_correct.loading import load_suggester, model_digest
from errata_correct.noise import Noise
from errata_correct.suggestions import Suggester
from errata_correct.truncated import unfinished

_suggester = lru_cache(maxsize=2)(load_suggester)  # a worker loads a model once


@dataclass(frozen=True)
class Correct(LineWork):
    """Corrects lines with the model of this name; a worker loads it when it first needs it.

    Changes with a confidence below `threshold` are left out; None is the model's default.
    """

    model: str
    mode: str = "spelling"
    tokenized: bool = False
    threshold: float | None = None

    reads: ClassVar[str] = "source"
    writes: ClassVar[str] = "hypothesis"

    @property
    def suggester(self) -> Suggester:
        return _suggester(self.model, self.mode, self.threshold)

    @property
    def concurrent(self) -> bool:
        """Whether pieces of text may be corrected side by side; this builds what all of them need."""
        prepare = getattr(self.suggester.corrector, "prepare", None)
        if prepare is not None:
            prepare()
        return prepare is not None

    def described(self) -> str:
        options = f"mode:{self.mode}|tokenized:{self.tokenized}|threshold:{self.threshold}"
        return f"correct|model:{Path(self.model).name}-{model_digest(self.model)}|{options}"

    def __call__(self, piece: Piece) -> PieceResult:
        with unfinished() as lines:
            made = super().__call__(piece)
        return made._replace(left=tuple(piece.place_of(line) for line in sorted(lines)))

    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        suggester = self.suggester
        if suggester.least("all") <= 0 and (self.tokenized or tokenized):
            return suggester.corrector.correct_tokenized(lines)  # no need to compute confidences
        return (suggester.correct_tokenized if self.tokenized or tokenized else suggester.correct)(lines)


@dataclass(frozen=True)
class Damage(LineWork):
    """Puts errors into lines; a line's depend on the seed and on its number in the whole stream alone."""

    noise: Noise
    seed: int = 1

    reads: ClassVar[str] = "reference"
    writes: ClassVar[str] = "source"

    def described(self) -> str:
        return f"noise|{self.noise.digest}|seed:{self.seed}"

    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        return list(self.noise.stream(lines, self.seed, first=number))
