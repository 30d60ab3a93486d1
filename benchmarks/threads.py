"""What two threads gain for all that kernels compute, from files to scores: python benchmarks/threads.py

The speed-up on the clock needs an idle machine. That of Amdahl's law does not: it is the CPU time of a run on
one thread, divided by that of the serial work of a run on two plus half of that of the work side by side.
*Outside kernels* is the CPU time of one thread that holds the GIL, or may: two threads do that in turns, but
one of them may do it while the other is in a kernel. The second table has files of ten times as many lines
and, for metrics whose run is short, a hundred times as many systems: what they gain beyond the first table is
lost to fixed costs there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import kernel_clock
import script
from measure import Budget, in_turns, ratio
from texts import Texts
from throughput import Job, score, specifications, title, tools

from errata import engine
from errata.metrics import metric
from errata.tables import Column, Table

_SHORT = 0.04  # seconds of a run in which fixed costs show


def arithmetic() -> list[str]:
    """The metrics that kernels compute."""
    return [name for name in specifications(spacy=False) if metric(name).concurrent]


def metrics(data: Texts) -> Iterator[tuple[str, Job]]:
    """These metrics of all systems."""
    for specification in arithmetic():
        work = lambda jobs, s=specification: score(data, s, len(data.systems), jobs)  # noqa: E731
        yield title(specification), work


def works(data: Texts) -> Iterator[tuple[str, Job]]:
    """These metrics, tagging, and extracting edits."""
    yield from metrics(data)
    for what, _, work in islice(tools(data), 2):
        yield what, work


@contextmanager
def shared() -> Iterator[list[float]]:
    """A list that gets the CPU seconds of every piece of work that threads may do side by side."""
    submit, seconds = engine.ThreadPool.submit, list[float]()

    def timed(function: Any, *args: Any) -> Any:
        begin = time.thread_time()
        result = function(*args)
        seconds.append(time.thread_time() - begin)
        return result

    engine.ThreadPool.submit = lambda pool, *task: submit(pool, timed, *task)  # type: ignore[method-assign]
    try:
        yield seconds
    finally:
        engine.ThreadPool.submit = submit  # type: ignore[method-assign]


def shares(work: Job, rounds: int) -> tuple[float, float, float, float]:
    """The least CPU seconds of one thread, all and outside kernels; and of two, serial and side by side."""
    one = held = serial = side = float("inf")
    for _ in range(rounds):
        kernel_clock.seconds[0] = 0.0
        begin = time.process_time()
        work(1)
        seconds = time.process_time() - begin
        one, held = min(one, seconds), min(held, seconds - kernel_clock.seconds[0])
        begin = time.process_time()
        with shared() as pieces:
            work(2)
        serial = min(serial, time.process_time() - begin - sum(pieces))
        side = min(side, sum(pieces))
    return one, held, serial, side


@contextmanager
def longer(data: Texts, times: int) -> Iterator[Texts]:
    """Files that have everything so many times."""
    with TemporaryDirectory() as folder:

        def repeated(path: Path) -> Path:
            found = Path(folder, path.name)
            found.write_bytes(path.read_bytes() * times)
            return found

        yield replace(
            data, gold=repeated(data.gold), source=repeated(data.source),
            reference_files=tuple(map(repeated, data.reference_files)),
            systems=tuple(map(repeated, data.systems)),
        )  # fmt: skip


def gain(work: Job, budget: Budget) -> Any:
    """How many times as fast two threads are on the clock."""
    both = [lambda j=jobs: work(j) for jobs in (1, 2)]
    return ratio(*in_turns(both, budget, time.perf_counter, (1, 1)))


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    rows: list[list[Any]] = []
    short: list[str] = []
    for what, work in works(data):
        script.say(f"threads of {what}")
        one, held, serial, side = shares(work, 3 * budget.fewest)
        predicted = one / (serial + side / 2)
        times = [1e3 * seconds for seconds in (one, held, serial, side)]
        rows.append([what, *times, predicted, gain(work, budget)])
        short += [what] if one < _SHORT else []
    columns = [
        Column("what"), Column("CPU ms, 1 thread", 1), Column("outside kernels", 1),
        Column("2 threads: serial", 1), Column("side by side", 1), Column("by Amdahl: times", 2),
        Column("on the clock: times", 2),
    ]  # fmt: skip
    yield Table(columns, rows, title="Two threads")
    more: list[list[Any]] = []
    many = dict(metrics(replace(data, systems=data.systems * 100)))
    few = Budget(budget.seconds, 3, 3)
    with longer(data, 10) as long:
        for what, work in works(long):
            script.say(f"threads of {what}, larger input")
            copies = gain(many[what], few) if what in short and what in many else None
            more.append([what, gain(work, few), copies])
    yield Table(
        [Column("what"), Column("10 times the lines: times", 2), Column("100 times the systems: times", 2)],
        more, title="Two threads, larger input",
    )  # fmt: skip


if __name__ == "__main__":
    script.main(__doc__, details=details)
