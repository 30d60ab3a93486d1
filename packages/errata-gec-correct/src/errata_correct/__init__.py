"""Correctors and the errors to train them: `load("cs").correct(["Přiliš žluťoučky kůň."])`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata_correct.corrector import Corrector

__all__ = ["load"]


def load(name: str, threshold: float | None = None, mode: str = "spelling") -> Corrector:
    """The corrector of this name (`errata correct --help` lists the shipped ones) or in this file or folder.

    It makes the changes whose confidence reaches the threshold, which is the model's own by default; 0 makes
    all changes. `mode` is what a noisy channel does: correct `spelling`, restore `diacritics`, or `strip`
    them.
    """
    from errata_correct.loading import load_corrector

    return load_corrector(name, mode, threshold)
