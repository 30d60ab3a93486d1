"""How edits get their types, and what rules share that are not in a kernel: the two sides of an edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from errata.edits.alignment import Integers
from errata.edits.columns import Columns


@dataclass(frozen=True, slots=True)
class Side:
    """The tokens of one side of an edit, column by column."""

    forms: tuple[str, ...]
    lower: tuple[str, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    deps: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.forms)

    def without_last(self) -> Side:
        return Side(self.forms[:-1], self.lower[:-1], self.lemmas[:-1], self.upos[:-1], self.deps[:-1])


class TypeRules(ABC):
    """The types of a language's edits."""

    @abstractmethod
    def types(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> list[str]:
        """The types of edits between sentences (source, correction), which are given as numbers."""


class SideRules(TypeRules):
    """Types by rules that look at the strings of both sides, once for all edits that are alike."""

    def types(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> list[str]:
        bounds = columns.tokens.offsets[sentences].repeat(2, axis=1) + spans  # the tokens of both sides
        known: dict[tuple[bytes, bytes], str] = {}
        found = []
        for a, b, c, d in bounds.tolist():
            one, other = columns.analyses(a, b), columns.analyses(c, d)
            key = one.tobytes(), other.tobytes()
            if key not in known:
                known[key] = self.classify(_side(columns, one), _side(columns, other))
            found.append(known[key])
        return found

    def classify(self, o: Side, c: Side) -> str:
        """The type of an edit: `M:` (missing), `U:` (unnecessary) or `R:` (replaced) and a category.

        `UNK` if nothing changes: somebody saw an error and did not correct it.
        """
        if o.forms == c.forms:
            return "UNK"
        # Doctor → The doctor: a last word that only changes case is not what the edit is about.
        while o and c and (len(o) > 1 or len(c) > 1) and o.lower[-1] == c.lower[-1]:
            o, c = o.without_last(), c.without_last()
        if not o and not c:
            return "UNK"
        if not o:
            return "M:" + self.one_sided(c)
        if not c:
            return "U:" + self.one_sided(o)
        return "R:" + self.two_sided(o, c)

    @abstractmethod
    def one_sided(self, side: Side) -> str:
        """The category of words that are missing or unnecessary."""

    @abstractmethod
    def two_sided(self, o: Side, c: Side) -> str:
        """The category of words that replace others."""


def _side(columns: Columns, analyses: Integers) -> Side:
    forms, lower, lemmas, upos, _, deps = analyses.tolist()
    return Side(
        tuple(map(columns.forms.__getitem__, forms)),
        tuple(map(columns.lowers.names.__getitem__, lower)),
        tuple(map(columns.lemmas.names.__getitem__, lemmas)),
        tuple(map(columns.upos.names.__getitem__, upos)),
        tuple(map(columns.deps.names.__getitem__, deps)),
    )
