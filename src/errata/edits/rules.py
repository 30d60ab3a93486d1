"""How edits get their types, and what the rules of all languages share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from errata.edits.alignment import Integers
from errata.edits.arrays import TYPES, type_numbers
from errata.edits.columns import Columns
from errata.edits.words import WordList

PENDING = -1  # the type of an edit of whose forms more has to be found out
FIRST_CLASS = 16  # the first number of a category that is named after a class of words
_OPERATIONS = ("", "M:", "U:", "R:")
_OPERATION = 1 << 24


class TypeRules(ABC):
    """The types of a language's edits."""

    @abstractmethod
    def numbers(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> Integers:
        """The types of edits between sentences (source, correction), as their numbers in `TYPES`.

        A type is an operation, `M:` (missing), `U:` (unnecessary) or `R:` (replaced), and a category; `UNK`
        if nothing changes: somebody saw an error and did not correct it.
        """

    def types(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> list[str]:
        """The names of these types."""
        return list(map(TYPES.names.__getitem__, self.numbers(columns, sentences, spans, jobs).tolist()))


class Forms:
    """What is known of the forms of some columns: whether they are words, and their stems."""

    def __init__(self, words: WordList, stem: Callable[[str], str]) -> None:
        self.words: Integers = np.zeros(0, dtype=np.int8)
        self.stems: Integers = np.zeros(0, dtype=np.int32)
        self._list = words
        self._stem = stem
        self._numbers: dict[str, int] = {}

    def grow(self, count: int) -> None:
        """Make room for so many forms; without a list of words none is wrong."""
        more = count - len(self.words)
        if more:
            self.words = np.concatenate([self.words, np.full(more, -1 if len(self._list) else 1, np.int8)])
            self.stems = np.concatenate([self.stems, np.full(more, -1, dtype=np.int32)])

    def look_up(self, columns: Columns, sentences: Integers, spans: Integers) -> None:
        """Find out whether the first forms of sources are words; where that is known, the stems of both."""
        places = columns.tokens.offsets[sentences] + spans[:, [0, 2]]
        forms = columns.tokens.form[places]
        is_new = self.words[forms[:, 0]] < 0
        for form in np.unique(forms[is_new, 0]).tolist():
            self.words[form] = columns.forms[form] in self._list
        for form in np.unique(forms[~is_new]).tolist():
            stem = self._stem(columns.forms[form])
            self.stems[form] = self._numbers.setdefault(stem, len(self._numbers))


def numbered(found: Integers, categories: Sequence[str], classes: Sequence[str]) -> Integers:
    """The numbers in `TYPES` of types that are given as a kernel numbers them."""
    different, places = np.unique(found, return_inverse=True)
    names = []
    for number in different.tolist():
        operation, category = divmod(number, _OPERATION)
        name = classes[category - FIRST_CLASS] if category >= FIRST_CLASS else categories[category]
        names.append(_OPERATIONS[operation] + name if operation else "UNK")
    return type_numbers(names)[places]
