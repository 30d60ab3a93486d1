"""The work on a piece of text: correcting it, or putting errors into it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from errata.corpus.blocks import LineBlock, NewText, join_lines
from errata_correct.corrector import Corrector, collect_hidden
from errata_correct.loading import load_corrector
from errata_correct.noise import Noise
from errata_correct.truncated import collect_truncated

_corrector = lru_cache(maxsize=2)(load_corrector)  # a worker loads a model once


@dataclass(frozen=True)
class Correct:
    """Corrects lines with the model of this name; a worker loads it when it first needs it.

    Changes with a confidence below `threshold` are left out; None is the model's default.
    """

    model: str
    mode: str = "spelling"
    tokenized: bool = False
    threshold: float | None = None

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

    def __call__(self, block: LineBlock) -> NewText:
        lines = block.lines()
        with collect_truncated() as truncated, collect_hidden() as hidden:
            if self.tokenized or block.is_m2:
                corrected = self.corrector.correct_tokenized(lines)
            else:
                corrected = self.corrector.correct(lines)
        left = tuple(block.place_of(line) for line in sorted(truncated))
        return NewText(join_lines(corrected), len(lines), left=left, hidden=sum(hidden))


@dataclass(frozen=True)
class Damage:
    """Puts errors into lines; the errors of a line depend only on the seed and on the line's number."""

    noise: Noise
    seed: int = 1

    def __call__(self, block: LineBlock) -> NewText:
        lines = block.lines()
        return NewText(join_lines(self.noise.stream(lines, self.seed, first=block.number)), len(lines))
