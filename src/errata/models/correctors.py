"""Correctors of other distributions, found by name through the entry points `errata.correctors`.

An entry point names a function without arguments that returns a `Corrector`, or the path of a model in a
format of errata-gec-correct. Its name is what users write.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import entry_points
from typing import Protocol, cast

from errata.errors import MissingPackageError

OPENER = "errata-gec-correct"  # the entry point whose function opens shipped models, files and folders


class Corrector(Protocol):
    """Corrects lines of text; line i of the result belongs to line i of the input."""

    def correct(self, lines: Sequence[str]) -> list[str]:
        """Correct running text."""
        ...

    def correct_tokenized(self, lines: Sequence[str]) -> list[str]:
        """Correct text whose tokens are separated by blanks, and return it in the same form."""
        ...


def load_corrector(name: str) -> Corrector:
    """The corrector of this name, or the one in a file or folder."""
    entries = {entry.name: entry for entry in entry_points(group="errata.correctors")}
    if name in entries and name != OPENER:
        value = entries[name].load()
        if callable(value):
            return cast(Corrector, value())
    if OPENER not in entries:
        raise MissingPackageError(f"the corrector {name!r}", OPENER)
    return cast(Callable[[str], Corrector], entries[OPENER].load())(name)
