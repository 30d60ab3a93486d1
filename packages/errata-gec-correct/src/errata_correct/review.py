"""Suggestions reviewed one by one: accepted, rejected, or replaced by the reviewer's own words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from errata_correct.suggestions import Suggester, Suggestion
from errata_correct.truncated import tell, unfinished

_AT_ONCE = 100  # texts that are corrected ahead of the reviewer


class Question(NamedTuple):
    """A suggestion to decide on: the text it belongs to, and how many texts are done and there are."""

    text: str
    suggestion: Suggestion
    done: int
    total: int


# An answer: the replacement to make, None to leave the text as it is.
Ask = Callable[[Question], str | None]


class Quit(Exception):  # noqa: N818 (no error: the reviewer has had enough)
    """Raised by the function that asks the user, to end the review."""


@dataclass
class Review:
    """What was accepted for every text; texts that were not reached have nothing."""

    accepted: list[list[Suggestion]]
    reviewed: int = 0
    finished: bool = False

    @property
    def changes(self) -> int:
        return sum(map(len, self.accepted))


def review(texts: Sequence[str], suggester: Suggester, ask: Ask) -> Review:
    """Ask about every suggestion in order; an interrupt ends the review and keeps all decisions made."""
    found = Review([[] for _ in texts])
    try:
        for begin in range(0, len(texts), _AT_ONCE):
            batch = texts[begin : begin + _AT_ONCE]
            with unfinished() as left:
                suggested = suggester.suggest(batch)
            tell(begin + number for number in left)
            for number, suggestions in enumerate(suggested, begin):
                for suggestion in suggestions:
                    answer = ask(Question(texts[number], suggestion, number, len(texts)))
                    found.reviewed += 1
                    if answer is not None:
                        found.accepted[number].append(replace(suggestion, text=answer))
        found.finished = True
    except (KeyboardInterrupt, EOFError, Quit):
        pass
    return found
