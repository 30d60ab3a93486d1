"""What every benchmark needs: times, ratios with intervals, and the description of the machine.

A contest runs two programs on the same input in turns, in alternating order, in one process, and gives
the ratio of their medians with a bootstrap interval over the rounds.
"""

from __future__ import annotations

import gc
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from errata.tables import Column, Estimate, Table

Work = Callable[[], Any]
Clock = Callable[[], float]
SHORTEST = 0.02  # seconds a timing takes at least; quicker work is repeated within it
_RESAMPLES = 2000


@dataclass(frozen=True)
class Budget:
    """How long one measurement may take, in seconds, and its smallest and largest number of rounds."""

    seconds: float = 6.0
    fewest: int = 5
    most: int = 15


QUICK = Budget(seconds=1.0, fewest=3, most=5)


def one_thread() -> None:
    """Start the program again with the libraries behind numpy, spaCy and PyTorch on one thread.

    They read the variables when they are loaded; without this, seconds of the processor would not compare.
    """
    names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    if any(os.environ.get(name) != "1" for name in names):
        os.environ.update(dict.fromkeys(names, "1"))
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


# -- times -----------------------------------------------------------------------------------------


def seconds_of(work: Work, clock: Clock = time.process_time, times: int = 1) -> float:
    """Seconds of one call, measured over `times` calls."""
    begin = clock()
    for _ in range(times):
        work()
    return (clock() - begin) / times


def repeats(work: Work, clock: Clock = time.process_time) -> int:
    """How many calls make a timing long enough to trust."""
    once = max(seconds_of(work, clock), 1e-7)
    return max(1, round(SHORTEST / once))


def in_turns(
    works: Sequence[Work], budget: Budget, clock: Clock = time.process_time, times: Sequence[int] = ()
) -> list[list[float]]:
    """Seconds of each work in every round; each round begins with another of them.

    Each has been called before, so that what it keeps for later calls is there. `times` is how often
    each is called in a round, if that is known. Very slow work gets three rounds, whatever the budget says.
    """
    if budget.most == 1:
        times = [1] * len(works)
    times = times or [repeats(work, clock) for work in works]
    found: list[list[float]] = [[] for _ in works]
    gc.collect()
    gc.freeze()  # so that neither side pays for looking through what lives on from before
    begin = time.perf_counter()
    for number in range(budget.most):
        spent = time.perf_counter() - begin
        if spent > budget.seconds and (
            number >= budget.fewest or (number >= 3 and spent > 3 * budget.seconds)
        ):
            break
        for i in range(len(works)):
            place = (i + number) % len(works)
            found[place].append(seconds_of(works[place], clock, times[place]))
    gc.unfreeze()
    return found


# -- intervals -------------------------------------------------------------------------------------


def _draws(rounds: int) -> np.ndarray:
    return np.random.default_rng(1).integers(0, rounds, (_RESAMPLES, rounds))


def median(values: Sequence[float], factor: float = 1.0) -> Estimate:
    """The median with a 95 % bootstrap interval over the rounds."""
    array = np.asarray(values) * factor
    low, high = np.percentile(np.median(array[_draws(len(array))], axis=1), [2.5, 97.5])
    return Estimate(float(np.median(array)), float(low), float(high))


def ratio(above: Sequence[float], below: Sequence[float]) -> Estimate:
    """The ratio of the medians; whole rounds are drawn, as both sides of one saw the same machine."""
    over, under = np.asarray(above), np.asarray(below)
    draws = _draws(len(over))
    drawn = np.median(over[draws], axis=1) / np.median(under[draws], axis=1)
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(float(np.median(over) / np.median(under)), float(low), float(high))


# -- contests --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Contest:
    """The same task for errata and for another package; both sides return what they computed.

    `note` replaces the comparison of their numbers where they do not compute the same thing.
    """

    task: str
    rival: str  # "sacreBLEU", as the table names it
    package: str  # "sacrebleu", as pip does
    ours: Work
    theirs: Work
    note: str = ""


@dataclass(frozen=True)
class Recorded:
    """A task of errata next to the seconds an original program was once seen to take for it."""

    task: str
    program: str
    seconds: float
    ours: Work


CONTEST_COLUMNS = [
    Column("task"), Column("alternative"), Column("errata ms", 2), Column("theirs ms", 2),
    Column("times as long", 2), Column("rounds"), Column("numbers"),
]  # fmt: skip
RECORDED_COLUMNS = [
    Column("task"), Column("original program"), Column("recorded s", 1), Column("errata s", 4),
    Column("times as long", 0), Column("rounds"),
]  # fmt: skip


def installed(package: str) -> str | None:
    """The version of a package, or None."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def contest_row(contest: Contest, budget: Budget) -> list[Any]:
    """A row of the table of contests; without times where the other package is missing or fails."""
    release = installed(contest.package)
    if release is None:
        return [contest.task, contest.rival, None, None, None, None, f"{contest.package} is not installed"]
    rival = contest.rival if contest.rival.endswith(release) else f"{contest.rival} {release}"
    try:
        theirs = contest.theirs()
    except Exception as error:  # another package's fault, whatever it is, must not end the run
        reason = f"does not run here: {type(error).__name__}"
        return [contest.task, rival, None, None, None, None, reason]
    note = contest.note or agreement(contest.ours(), theirs)
    ours, others = in_turns([contest.ours, contest.theirs], budget)
    times = [median(ours, 1e3).value, median(others, 1e3).value]
    return [contest.task, rival, *times, ratio(others, ours), len(ours), note]


def agreement(ours: Any, theirs: Any) -> str:
    """In words, how far the two sides' numbers are from each other."""
    first, second = np.asarray(ours), np.asarray(theirs)
    if first.dtype.kind == second.dtype.kind == "U" and first.shape == second.shape:
        same = float((first == second).mean())
        return "equal" if same == 1 else f"{same:.1%} of the items equal"
    if first.shape != second.shape:
        return f"of other shapes: {first.shape}, {second.shape}"
    apart = float(np.nanmax(np.abs(first - second), initial=0.0))
    return "equal" if apart < 1e-9 else f"up to {apart:.1g} apart"


def recorded_row(record: Recorded, budget: Budget) -> list[Any]:
    """A row of the table of recorded figures."""
    record.ours()
    (ours,) = in_turns([record.ours], budget)
    value = median(ours)
    against = Estimate(*(record.seconds / value_ for value_ in (value.value, value.high, value.low)))
    return [record.task, record.program, record.seconds, value.value, against, len(ours)]


# -- the machine -----------------------------------------------------------------------------------

PACKAGES = (
    "numpy", "scipy", "rapidfuzz", "Cython", "sacrebleu", "errant", "spacy", "gec-metrics", "nltk", "jiwer",
    "trueskill", "krippendorff", "scikit-learn", "statsmodels",
)  # fmt: skip


def machine() -> Table:
    """The processor and the versions: what a number means nothing without; no names, no folders."""
    from errata import __version__

    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    rows: list[tuple[str, str]] = [
        ("date", time.strftime("%Y-%m-%d")),
        ("processor", _processor()),
        ("cores", f"{usable} of {os.cpu_count()}"),
        ("memory", _memory()),
        ("load before the run", f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"),
        ("system", f"{platform.system()} {platform.machine()}"),
        ("Python", f"{platform.python_implementation()} {platform.python_version()}"),
        ("errata", __version__ + (", compiled" if _compiled() else ", not compiled")),
        *((name, installed(name) or "not installed") for name in PACKAGES),
    ]
    return Table([Column("what"), Column("is")], list(rows))


def _compiled() -> bool:
    from errata import native

    return not native.pure() and all(native.compiled(name) for name in native.names())


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError):
        return "unknown"
