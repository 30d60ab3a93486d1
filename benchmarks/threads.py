"""What two threads gain for every arithmetic metric, from files to scores: python benchmarks/threads.py

The speed-up on the clock needs an idle machine. That of Amdahl's law does not: it is the CPU time of a run on
one thread, divided by that of the serial work of a run on two plus half of that of the work side by side.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import script
from measure import Budget, in_turns, ratio
from texts import Texts
from throughput import score, specifications, title

from errata.engine import threads
from errata.metrics import metric
from errata.tables import Column, Table


def arithmetic() -> list[str]:
    """The metrics that kernels compute."""
    return [name for name in specifications(spacy=False) if metric(name).concurrent]


@contextmanager
def shared() -> Iterator[list[float]]:
    """A list that gets the CPU seconds of every piece of work that threads may do side by side."""
    run, found = threads._Task.run, []

    def timed(task: threads._Task) -> None:
        begin = time.thread_time()
        run(task)
        found.append(time.thread_time() - begin)

    threads._Task.run = timed  # type: ignore[assignment, method-assign]
    try:
        yield found
    finally:
        threads._Task.run = run  # type: ignore[method-assign]


def shares(data: Texts, specification: str, rounds: int) -> tuple[float, float, float]:
    """The least CPU seconds of one thread; and of two, those of serial work and of work side by side."""
    one = serial = side = float("inf")
    for _ in range(rounds):
        begin = time.process_time()
        score(data, specification, len(data.systems), 1)
        one = min(one, time.process_time() - begin)
        begin = time.process_time()
        with shared() as pieces:
            score(data, specification, len(data.systems), 2)
        serial = min(serial, time.process_time() - begin - sum(pieces))
        side = min(side, sum(pieces))
    return one, serial, side


def details(data: Texts, budget: Budget) -> Iterator[Table]:
    rows: list[list[Any]] = []
    for specification in arithmetic():
        script.say(f"threads of {specification}")
        one, serial, side = shares(data, specification, 3 * budget.fewest)
        works = [lambda j=jobs, s=specification: score(data, s, len(data.systems), j) for jobs in (1, 2)]
        times = in_turns(works, budget, time.perf_counter, (1, 1))
        predicted = one / (serial + side / 2)
        rows.append([title(specification), one * 1e3, serial * 1e3, side * 1e3, predicted, ratio(*times)])
    columns = [
        Column("metric"), Column("CPU ms, 1 thread", 1), Column("2 threads: serial", 1),
        Column("side by side", 1), Column("by Amdahl: times", 2), Column("on the clock: times", 2),
    ]  # fmt: skip
    yield Table(columns, rows, title="Two threads")


if __name__ == "__main__":
    script.main(__doc__, details=details)
