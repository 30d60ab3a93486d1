"""Correctors and the errors to train them: `load("cs").correct(["Přiliš žluťoučky kůň."])`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata_correct.suggestions import Suggester

__all__ = ["load"]


def load(name: str, threshold: float | None = None) -> Suggester:
    """The corrector of this name (`models()` lists the shipped ones) or in this file or folder.

    It makes the same changes as `errata correct`: those whose confidence reaches the threshold, by default
    the model's own; 0 makes all changes.
    """
    from errata_correct.loading import load_suggester

    return load_suggester(name, threshold=threshold)
