"""Review of suggestions one by one: each is accepted, rejected, or replaced by the reviewer's text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from errata_correct.corrector import Corrector, Suggestion
from errata_correct.truncated import collect_truncated, report_truncated

_AT_ONCE = 100  # texts that are corrected before the reviewer sees them


class Question(NamedTuple):
    """A suggestion to decide on, the text it belongs to, and the numbers of finished and of all texts."""

    text: str
    suggestion: Suggestion
    done: int
    total: int


# An answer: the replacement to make, None to leave the text as it is.
Ask = Callable[[Question], str | None]


class Quit(Exception):  # noqa: N818 (not an error)
    """Raised by the function that asks the user, to end the review."""


@dataclass
class Review:
    """The accepted suggestions for every text; texts that were not reached have none."""

    accepted: list[list[Suggestion]]
    reviewed: int = 0
    finished: bool = False

    @property
    def changes(self) -> int:
        return sum(map(len, self.accepted))


def review(texts: Sequence[str], corrector: Corrector, ask: Ask) -> Review:
    """Ask about every suggestion in order; an interrupt ends the review and keeps all decisions made."""
    result = Review([[] for _ in texts])
    try:
        for begin in range(0, len(texts), _AT_ONCE):
            with collect_truncated() as truncated:
                suggested = corrector.suggest(texts[begin : begin + _AT_ONCE])
            report_truncated(begin + number for number in truncated)
            for number, suggestions in enumerate(suggested, begin):
                for suggestion in suggestions:
                    answer = ask(Question(texts[number], suggestion, number, len(texts)))
                    result.reviewed += 1
                    if answer is not None:
                        result.accepted[number].append(replace(suggestion, text=answer))
        result.finished = True
    except (KeyboardInterrupt, EOFError, Quit):
        pass
    return result
