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
def collect_truncated() -> Iterator[set[int]]:
    """Collect the numbers of truncated lines, counted from 0, instead of warning about them."""
    numbers: set[int] = set()
    before = _collector.set(numbers)
    try:
        yield numbers
    finally:
        _collector.reset(before)


def report_truncated(lines: Iterable[int]) -> None:
    """Report truncated lines, counted from 0, to the current collector, or as a warning if there is none."""
    numbers = sorted(set(lines))
    collected = _collector.get()
    if collected is not None:
        collected.update(numbers)
    elif numbers:
        warnings.warn(truncated_note([f"line {number + 1}" for number in numbers]), stacklevel=3)


def truncated_note(places: Sequence[str]) -> str:
    """A note about truncated lines at these places."""
    named = ", ".join(places[:_SHOWN]) + (", …" if len(places) > _SHOWN else "")
    lines = f"{len(places):,} {plural(len(places), 'line')}"
    return f"{lines} exceeded the length limit and may lack corrections: {named}"
