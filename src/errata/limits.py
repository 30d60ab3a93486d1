"""Limits of work and memory per sentence, so that one broken line never stops a whole corpus.

Work is counted in steps (cells of a table, arcs of a lattice), not in seconds: the same sentences are cut on
every machine and with any number of threads. `docs/limits.md` has the seconds.
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
            raise ErrataError("a sentence needs at least one step of work and one MiB of memory")

    def __str__(self) -> str:
        return f"work={_short(self.work)},memory={_short(self.memory)}"


_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


def current() -> Limits:
    """The limits in force: of `limited`, or ERRATA_LIMIT_WORK and ERRATA_LIMIT_MEMORY, or the defaults."""
    limits = _limits.get()
    if limits is None:
        limits = Limits(from_environment("WORK", Limits.work), from_environment("MEMORY", Limits.memory))
    return limits


@contextmanager
def limited(
    limits: Limits | None = None, *, work: int | None = None, memory: int | None = None
) -> Iterator[Limits]:
    """Set other limits inside the block: these, or those in force with another `work` or `memory`."""
    limits = limits or current()
    limits = Limits(limits.work if work is None else work, limits.memory if memory is None else memory)
    token = _limits.set(limits)
    try:
        yield limits
    finally:
        _limits.reset(token)


def from_environment(name: str, default: int) -> int:
    """The number in the variable `ERRATA_LIMIT_NAME`, which may end in K, M, G or T; else the default."""
    text = os.environ.get(f"ERRATA_LIMIT_{name}", "").strip()
    if not text:
        return default
    number = _NUMBER.fullmatch(text.upper())
    if number is None:
        raise ErrataError(f"ERRATA_LIMIT_{name}={text!r}\n  hint: a number, such as 500M or 2G")
    return int(number[1]) * _UNITS[number[2]]


def _short(number: int) -> str:
    for unit, size in reversed(_UNITS.items()):
        if number % size == 0:
            return f"{number // size}{unit}"
    raise AssertionError("every number is a multiple of 1")
