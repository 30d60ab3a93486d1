"""Checks of the parts of an answer that all tasks share, and the order in which cards were shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from errata_server.refused import Refused

Answer = dict[str, Any]
MAX_TEXT = 100_000  # characters of a correction
MAX_COMMENT = 4_000
MAX_SPANS = 200  # marks in one text
KEY = re.compile(r"[A-Za-z0-9-]{8,64}")  # what the page gives a judgment, so that it is stored once
MAX_REVISION = 100_000
REASONS = ("unclear", "broken", "offensive", "other")  # for skipping an item


class BadAnswerError(Refused, ValueError):
    """An answer that does not fit the item."""

    def __init__(self, message: str) -> None:
        super().__init__(400, message)


def check_text(value: object, most: int, what: str) -> str:
    """A text that can be stored: not too long, without NUL characters and lone surrogates."""
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        raise BadAnswerError(f"{what} is a text of at most {most} characters")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise BadAnswerError(f"{what} contains half of a character (a lone surrogate)") from None
    return value


def check_comment(value: object) -> str:
    return check_text(value, MAX_COMMENT, "a comment")


def check_seconds(value: object) -> float | None:
    """Seconds on task; None where they are not known."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 86_400:
        raise BadAnswerError("seconds is a number of seconds within a day")
    return float(value)


def check_whole(value: object, low: int, high: int, what: str) -> int:
    """A whole number between two bounds."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadAnswerError(f"{what} is a whole number from {low} to {high}")
    return value


def to_item_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The answer to the cards as shown, as an answer to the cards as stored."""
    return to_shown_order(answer, sorted(range(len(shown)), key=lambda place: shown[place]))


def to_shown_order(answer: Answer, shown: Sequence[int]) -> Answer:
    """The inverse: for a page that shows an answer given before."""
    return {
        name: [values[card] for card in shown] if isinstance(values, list) else values
        for name, values in answer.items()
    }
