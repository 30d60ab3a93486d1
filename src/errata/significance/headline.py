"""The headline of a comparison: two sentences that say who leads, what separates them, and on which data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errata.errors import plural

_HARDLY = 0.1  # the share of pairs up to which a ranking separates hardly anything
_NAMED = 4  # items that a sentence names


@dataclass(frozen=True)
class Ranked:
    """Items in order by one criterion, and the pairs of them that differ significantly."""

    criterion: str  # M² F0.5, Pearson's r with people
    items: tuple[str, ...]  # the best first
    different: frozenset[frozenset[str]]

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return len(self.items) * (len(self.items) - 1) // 2

    @property
    def separates(self) -> bool:
        """Whether enough pairs differ to speak of leaders."""
        return len(self.different) > _HARDLY * self.pairs

    @property
    def leaders(self) -> tuple[str, ...]:
        """The best item, and those that do not differ significantly from it."""
        best = self.items[0]
        return tuple(item for item in self.items if frozenset((best, item)) not in self.different)

    def clause(self, by: Sequence[str]) -> str:
        """Who leads by these criteria, which have the same leaders, or that they separate hardly anything."""
        criteria, count = _listed(by), len(self.different)
        if not self.separates:
            verb = "separates" if len(by) == 1 else "separate"
            what = "hardly anything" if count else "nothing"
            return f"{criteria} {verb} {what} ({count} of {self.pairs} {plural(self.pairs, 'pair')})"
        best, *others = self.leaders
        if not others:
            return f"{best} leads by {criteria}"
        if any(pair <= set(self.leaders) for pair in self.different):
            return f"{best} leads by {criteria} and cannot be told from {_listed(others)}"
        return f"{_listed(self.leaders)} lead by {criteria} and cannot be told apart"


def headline(rankings: Sequence[Ranked], data: str) -> str:
    """Two sentences: who leads by which criterion and what separates hardly anything, and the data.

    Criteria of which the same can be said share a clause; those that name leaders come first.
    """
    criteria: dict[str, list[Ranked]] = {}
    for ranked in rankings:
        criteria.setdefault(ranked.clause(["it"]), []).append(ranked)
    groups = sorted(criteria.values(), key=lambda group: not group[0].separates)
    clauses = [group[0].clause([ranked.criterion for ranked in group]) for group in groups]
    return f"{'; '.join(clauses)}. {data}"


def data_in_words(name: str, sentences: int, systems: int, more: str = "") -> str:
    """The second sentence: the data and their size."""
    size = f"{sentences:,} {plural(sentences, 'sentence')} of " if sentences else ""
    systems_in_words = f"{systems} {plural(systems, 'system')}"
    return f"The data are {size}{name or 'the input'} and {systems_in_words}{more}."


def _listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`; a long list ends with the number of the others."""
    if len(names) > _NAMED + 1:
        names = [*names[:_NAMED], f"{len(names) - _NAMED} others"]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
