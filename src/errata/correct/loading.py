"""Correctors by name or path: what kind a model is follows from its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from errata.errors import DataError, MissingExtraError

SHIPPED = Path(__file__).parent / "models"
_SUFFIX = ".channel"


class Corrector(Protocol):
    """Corrects lines of text; line i of the result belongs to line i of the input."""

    def correct(self, lines: Sequence[str]) -> list[str]: ...
    def correct_tokenized(self, lines: Sequence[str]) -> list[str]: ...


def models() -> list[str]:
    """The names of the shipped models."""
    return sorted(path.stem for path in SHIPPED.glob(f"*{_SUFFIX}"))


def load_corrector(name: str, mode: str = "spelling") -> Corrector:
    """A shipped model by its name, or the model in a file (noisy channel) or folder (Transformer)."""
    path = SHIPPED / f"{name}{_SUFFIX}" if name in models() else Path(name)
    if path.is_file():
        from errata.correct.noisy_channel import NoisyChannel

        return NoisyChannel.load(path, mode)
    if (path / "model.bin").is_file():
        from errata.correct.transformer.export import CT2Corrector

        return CT2Corrector(path)
    if (path / "model.json").is_file():
        try:
            from errata.correct.transformer.corrector import TorchCorrector
        except ImportError:
            raise MissingExtraError("a Transformer model", "torch") from None
        return TorchCorrector(path)
    known = ", ".join(models()) or "none is installed"
    raise DataError(
        "there is no such model", path=name, hint=f"shipped models: {known}; or give a file or folder"
    )
