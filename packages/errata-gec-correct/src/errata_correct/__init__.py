"""Correctors and the errors to train them: `load("cs-spelling").correct(["Přiliš žluťoučky kůň."])`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata_correct.loading import Corrector

__all__ = ["load"]


def load(name: str) -> Corrector:
    """The corrector of this name (`models()` lists the shipped ones) or in this file or folder."""
    from errata_correct.loading import load_corrector

    return load_corrector(name)
