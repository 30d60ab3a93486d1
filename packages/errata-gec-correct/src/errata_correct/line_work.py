"""The work on a piece of text: correcting it, or putting errors into it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from errata.corpus.line_jobs import LineWork, Piece, PieceResult
from errata_correct.corrector import Corrector, collect_hidden
from errata_correct.loading import load_corrector, model_digest
from errata_correct.noise import Noise
from errata_correct.truncated import collect_truncated

_corrector = lru_cache(maxsize=2)(load_corrector)  # a worker loads a model once


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
    def corrector(self) -> Corrector:
        return _corrector(self.model, self.mode, self.threshold)

    @property
    def concurrent(self) -> bool:
        """Whether pieces of text may be corrected at the same time; this builds their tables."""
        prepare = getattr(self.corrector.model, "prepare", None)
        if prepare is not None:
            prepare()
        return prepare is not None

    def described(self) -> str:
        options = f"mode:{self.mode}|tokenized:{self.tokenized}|threshold:{self.threshold}"
        return f"correct|model:{Path(self.model).name}-{model_digest(self.model)}|{options}"

    def __call__(self, piece: Piece) -> PieceResult:
        with collect_truncated() as truncated, collect_hidden() as hidden:
            result = super().__call__(piece)
        left = tuple(piece.place_of(line) for line in sorted(truncated))
        return result._replace(left=left, hidden=sum(hidden))

    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        if self.tokenized or tokenized:
            return self.corrector.correct_tokenized(lines)
        return self.corrector.correct(lines)


@dataclass(frozen=True)
class Damage(LineWork):
    """Puts errors into lines; the errors of a line depend only on the seed and on the line's number."""

    noise: Noise
    seed: int = 1

    reads: ClassVar[str] = "reference"
    writes: ClassVar[str] = "source"

    def described(self) -> str:
        return f"noise|{self.noise.digest}|seed:{self.seed}"

    def lines(self, lines: Sequence[str], number: int, tokenized: bool) -> list[str]:
        return list(self.noise.stream(lines, self.seed, first=number))
