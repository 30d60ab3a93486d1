"""Lines whose correction exceeds the length limit: they stay as they are, and the caller is told."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from errata.errors import plural

_SHOWN = 5  # places that are named
_collector: ContextVar[set[int] | None] = ContextVar("collector", default=None)


@contextmanager
def unfinished() -> Iterator[set[int]]:
    """Collect the numbers of such lines, counted from 0, instead of warning about them."""
    found: set[int] = set()
    before = _collector.set(found)
    try:
        yield found
    finally:
        _collector.reset(before)


def tell(lines: Iterable[int]) -> None:
    """Report truncated lines, counted from 0, to the current collector, or as a warning if there is none."""
    numbers = sorted(set(lines))
    found = _collector.get()
    if found is not None:
        found.update(numbers)
    elif numbers:
        warnings.warn(unfinished_note([f"line {number + 1}" for number in numbers]), stacklevel=3)


def unfinished_note(places: Sequence[str]) -> str:
    """What to say of such lines, given where they are."""
    named = ", ".join(places[:_SHOWN]) + (", …" if len(places) > _SHOWN else "")
    lines = f"{len(places):,} {plural(len(places), 'line')}"
    return f"{lines} exceeded the length limit and stay uncorrected, wholly or in part: {named}"
