"""The error model of a noisy channel, a readable table in TSV, and the weights of the channel."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from errata.errors import DataError
from errata.models.ngram_model import UNIT
from errata_correct.letters import without_marks

_HEADER = "operation\tclean\twritten\tprobability"
_OPERATIONS = ("replace", "delete", "insert", "swap", "word", "drop", "add", "other", "marks")
_WEIGHT_RANGES = {
    # The search relies on lower bounds of costs.
    **dict.fromkeys(("language", "lemma", "tag"), (0, 300)),
    **dict.fromkeys(("edits_known", "edits_unknown"), (0, 4)),
    "capitalize": (0, 1),
}


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
        tables: dict[str, dict[tuple[str, str], float]] = {name: {} for name in _OPERATIONS}
        for number, line in enumerate(lines, 1):
            if number == 1 or not line:
                continue
            try:
                operation, clean, written, p = line.split("\t")
                tables[operation][clean, written] = _probability(p)
            except (ValueError, KeyError):
                hint = f"columns: {_HEADER!r}; operations: {', '.join(_OPERATIONS)}"
                raise DataError(f"not an error: {line!r}", path=path, line=number, hint=hint) from None
        return cls(
            tables["replace"],
            {c: p for (c, _), p in tables["delete"].items()},
            {w: p for (_, w), p in tables["insert"].items()},
            tables["swap"].get(("", ""), 1e-4),
            tables["word"],
            {c: p for (c, _), p in tables["drop"].items()},
            {w: p for (_, w), p in tables["add"].items()},
            tables["other"].get(("", ""), cls.other),
            tables["marks"].get(("", ""), cls.marks),
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


@dataclass(frozen=True)
class Weights:
    """Weights that tuning sets; costs are natural logarithms."""

    language: float = 1.0  # of forms
    lemma: float = 0.0
    tag: float = 0.0
    change: float = 2.0  # for every word changed
    unknown: float = 4.0  # for keeping a word that the lexicon lacks
    comma: float = 1.0  # for every comma set or removed
    edits_known: int = 1  # most edits of a word that is in the lexicon
    edits_unknown: int = 2
    capitalize: int = 1  # the first word of a sentence

    def text(self) -> str:
        """As lines of a name and a value."""
        return "\n".join(f"{name}\t{value}" for name, value in asdict(self).items())

    @classmethod
    def parse(cls, text: str) -> Weights:
        """What `text` gave; a ValueError for weights that the search cannot use."""
        kinds: dict[str, Any] = {f.name: type(f.default) for f in fields(cls)}
        fields_of_text = dict(line.split("\t") for line in text.split("\n"))
        values: dict[str, Any] = {name: kinds[name](value) for name, value in fields_of_text.items()}
        for name, value in values.items():
            least, most = _WEIGHT_RANGES.get(name, (-1000, 1000))
            if not least <= value <= most:
                raise ValueError(f"the weight {name} is {value}")
        return cls(**values)
