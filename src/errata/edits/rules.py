"""How edits get their types, and what rules share that are not in a kernel: the two sides of an edit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from errata.edits.alignment import Integers
from errata.edits.columns import Columns
from errata.edits.merging import Span
from errata.edits.tokens import TaggedSentence


@dataclass(frozen=True)
class Side:
    """The tokens of one side of an edit, column by column."""

    sentence: TaggedSentence
    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start

    @property
    def forms(self) -> tuple[str, ...]:
        return self.sentence.forms[self.start : self.end]

    @property
    def lower(self) -> tuple[str, ...]:
        return self.sentence.lower[self.start : self.end]

    @property
    def lemmas(self) -> tuple[str, ...]:
        return self.sentence.lemmas[self.start : self.end]

    @property
    def upos(self) -> tuple[str, ...]:
        return self.sentence.upos[self.start : self.end]

    @property
    def tags(self) -> tuple[str, ...]:
        return self.sentence.tags[self.start : self.end]

    @property
    def deps(self) -> tuple[str, ...]:
        return self.sentence.deps[self.start : self.end]

    def without_last(self) -> Side:
        return Side(self.sentence, self.start, self.end - 1)


class TypeRules(ABC):
    """The types of a language's edits."""

    @abstractmethod
    def types(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> list[str]:
        """The types of edits between sentences (source, correction), which are given as numbers."""


class SideRules(TypeRules):
    """Types by rules that look at the strings of both sides, one edit after the other."""

    def types(
        self, columns: Columns, sentences: Integers, spans: Integers, jobs: int | None = None
    ) -> list[str]:
        return [
            self.classify(columns.sentence(one), columns.sentence(other), (a, b, c, d))
            for (one, other), (a, b, c, d) in zip(sentences.tolist(), spans.tolist(), strict=True)
        ]

    def classify(self, source: TaggedSentence, target: TaggedSentence, span: Span) -> str:
        """The type of an edit: `M:` (missing), `U:` (unnecessary) or `R:` (replaced) and a category.

        `UNK` if nothing changes: somebody saw an error and did not correct it.
        """
        o, c = Side(source, span[0], span[1]), Side(target, span[2], span[3])
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
