"""What a single sentence may cost, so that one broken line never stops a whole corpus.

Work is counted in steps (cells of a table, arcs of a lattice), not in seconds: what is cut, and so the score,
is the same on every machine and for any number of threads. `docs/limits.md` has the seconds.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from errata.errors import ErrataError

LEAST_MEMORY = 1 << 20
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_NUMBER = re.compile(r"([0-9]+)([KMGT]?)", re.ASCII)


@dataclass(frozen=True)
class Limits:
    """The most steps and the most bytes that one sentence, with all its references, may take."""

    work: int = 1 << 29
    memory: int = 2 << 30

    def __post_init__(self) -> None:
        if self.work < 1 or self.memory < LEAST_MEMORY:
            raise ErrataError("a sentence needs at least a step of work and a MiB of memory")

    def __str__(self) -> str:
        return f"work={_short(self.work)},memory={_short(self.memory)}"


_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current() -> Limits:
    """The limits that hold: of `limited`, or ERRATA_LIMIT_WORK and ERRATA_LIMIT_MEMORY, or the defaults."""
    here = _limits.get()
    if here is not None:
        return here
    usual = Limits()
    return Limits(from_environment("WORK", usual.work), from_environment("MEMORY", usual.memory))


@contextmanager
def limited(*, work: int | None = None, memory: int | None = None) -> Iterator[Limits]:
    """Other limits for what is scored inside the block."""
    before = current()
    made = Limits(before.work if work is None else work, before.memory if memory is None else memory)
    token = _limits.set(made)
    try:
        yield made
    finally:
        _limits.reset(token)


def from_environment(name: str, usual: int) -> int:
    """The number in the variable `ERRATA_LIMIT_NAME`, which may end in K, M, G or T; else the usual one."""
    given = os.environ.get(f"ERRATA_LIMIT_{name}", "").strip()
    if not given:
        return usual
    found = _NUMBER.fullmatch(given.upper())
    if found is None:
        raise ErrataError(f"ERRATA_LIMIT_{name}={given!r}\n  hint: a number, such as 500M or 2G")
    return int(found[1]) * _UNITS[found[2]]


def _short(number: int) -> str:
    for unit, size in reversed(_UNITS.items()):
        if number % size == 0:
            return f"{number // size}{unit}"
    raise AssertionError("every number is a multiple of 1")
