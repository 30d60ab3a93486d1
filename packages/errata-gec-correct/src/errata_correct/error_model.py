"""How probably each letter, word or comma is written wrongly; a table in TSV that people can read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata.models.ngram_model import UNIT
from errata_correct.confusions import Confusions
from errata_correct.letters import without_marks
from errata_correct.profile import Profile

_HEADER = "operation\tclean\twritten\tprobability"
_OPERATIONS = ("replace", "delete", "insert", "swap", "word", "drop", "add", "other", "marks")


def cost(probability: float) -> int:
    """A probability as the integer cost that native code adds up."""
    return round(-math.log(max(probability, 1e-12)) * UNIT)


def _probability(text: str) -> float:
    p = float(text)
    if not 0 <= p <= 1:
        raise ValueError(text)
    return p


@dataclass(frozen=True)
class ErrorModel:
    """Probabilities of errors given what should have been written.

    `replace` maps (clean, written) letters, `delete` a clean letter, `insert` a written one; `words` maps
    (clean, written) words; `drop` are tokens that get lost, `add` those put in needlessly.
    """

    replace: Mapping[tuple[str, str], float] = field(default_factory=dict)
    delete: Mapping[str, float] = field(default_factory=dict)
    insert: Mapping[str, float] = field(default_factory=dict)
    swap: float = 1e-4
    words: Mapping[tuple[str, str], float] = field(default_factory=dict)
    drop: Mapping[str, float] = field(default_factory=dict)
    add: Mapping[str, float] = field(default_factory=dict)
    other: float = 2e-5  # of an error never seen
    marks: float = 5e-3  # of a wrong or missing diacritic never seen

    @classmethod
    def from_profile(cls, profile: Profile) -> ErrorModel:
        """The letters', words' and commas' part of an error profile, without regard to case."""
        replace: dict[tuple[str, str], float] = {}
        delete: dict[str, float] = {}
        insert: dict[str, float] = {}
        swaps = []
        for char, operations in profile.characters.items():
            clean = char.lower()
            for operation, p in operations.items():
                kind, _, written = operation.partition(" ")
                written = written.lower()
                if kind == "replace" and clean != written:
                    replace[clean, written] = max(p, replace.get((clean, written), 0.0))
                elif kind == "delete":
                    delete[clean] = max(p, delete.get(clean, 0.0))
                elif kind == "insert":
                    insert[written] = insert.get(written, 0.0) + p / max(len(profile.characters), 1)
                elif kind == "swap":
                    swaps.append(p)
        words: dict[tuple[str, str], float] = {}
        for clean, texts in profile.words.items():
            for written, p in texts.items():
                if (
                    written
                    and clean.lower() != written.lower()
                    and clean[:1].isalpha()
                    and written[:1].isalpha()
                ):
                    words[clean.lower(), written.lower()] = p
        tokens = sum(profile.insertions.values()) or 1.0
        added = profile.chances.get("insert", 0.0) * profile.insertions.get(",", 0.0) / tokens
        return cls(
            replace, delete, insert, sum(swaps) / max(len(swaps), 1) or 1e-4, words,
            {",": profile.words.get(",", {}).get("", 0.0)}, {",": added},
        )  # fmt: skip

    def with_letters(self, letters: Confusions) -> ErrorModel:
        """This model with the letter errors that were learned by expectation–maximisation."""
        return replace(
            self,
            replace=letters.replace,
            delete=letters.delete,
            insert=letters.insert,
            swap=letters.swap or self.swap,
        )

    def with_words(self, words: Mapping[tuple[str, str], float]) -> ErrorModel:
        """This model with other probabilities of (clean, written) words."""
        return replace(self, words=words)

    def lines(self) -> Iterator[str]:
        """A heading, then a line for every error."""
        rows = [("replace", c, w, p) for (c, w), p in self.replace.items()]
        rows += [("delete", c, "", p) for c, p in self.delete.items()]
        rows += [("insert", "", w, p) for w, p in self.insert.items()]
        rows += [("swap", "", "", self.swap), ("other", "", "", self.other), ("marks", "", "", self.marks)]
        rows += [("word", c, w, p) for (c, w), p in self.words.items()]
        rows += [("drop", c, "", p) for c, p in self.drop.items()]
        rows += [("add", "", w, p) for w, p in self.add.items()]
        yield _HEADER
        for operation, clean, written, p in rows:
            yield f"{operation}\t{clean}\t{written}\t{p:.6g}"

    @classmethod
    def parse(cls, lines: Iterable[str], path: str | Path | None = None) -> ErrorModel:
        """What `lines` gave; `path` is the file that they come from."""
        found: dict[str, dict[tuple[str, str], float]] = {name: {} for name in _OPERATIONS}
        for number, line in enumerate(lines, 1):
            if number == 1 or not line:
                continue
            try:
                operation, clean, written, p = line.split("\t")
                found[operation][clean, written] = _probability(p)
            except (ValueError, KeyError):
                hint = f"columns: {_HEADER!r}; operations: {', '.join(_OPERATIONS)}"
                raise DataError(f"not an error: {line!r}", path=path, line=number, hint=hint) from None
        return cls(
            found["replace"],
            {c: p for (c, _), p in found["delete"].items()},
            {w: p for (_, w), p in found["insert"].items()},
            found["swap"].get(("", ""), 1e-4),
            found["word"],
            {c: p for (c, _), p in found["drop"].items()},
            {w: p for (_, w), p in found["add"].items()},
            found["other"].get(("", ""), cls.other),
            found["marks"].get(("", ""), cls.marks),
        )

    def tables(self, alphabet: str, mode: str) -> tuple[npt.NDArray[np.int32], ...]:
        """Costs of replace, delete, insert, and `same`, by letter class: 1… of this alphabet, 0 any other."""
        size = len(alphabet) + 1
        never = 1 << 20
        replace = np.full((size, size), cost(self.other), dtype=np.int32)
        same = np.zeros((size, size), dtype=np.int32)
        delete = np.full(size, cost(self.other * 5), dtype=np.int32)
        insert = np.full(size, cost(self.other * 2), dtype=np.int32)
        place = {char: i for i, char in enumerate(alphabet, 1)}
        bases = [without_marks(char) for char in alphabet]
        for i, clean in enumerate(alphabet, 1):
            for j, written in enumerate(alphabet, 1):
                if bases[i - 1] == bases[j - 1]:
                    same[i, j] = 1
                    p = max(self.replace.get((clean, written), 0.0), self.marks)
                    replace[i, j] = cost(p)
                    if mode == "diacritics":
                        replace[i, j] = 0 if written == bases[i - 1] else never
                elif (clean, written) in self.replace:
                    replace[i, j] = cost(max(self.replace[clean, written], self.other))
        for char, p in self.delete.items():
            if char in place:
                delete[place[char]] = cost(max(p, self.other))
        for char, p in self.insert.items():
            if char in place:
                insert[place[char]] = cost(max(p, self.other))
        return replace, delete, insert, same
