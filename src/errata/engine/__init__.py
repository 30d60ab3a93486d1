"""How work is spread: over threads, over processes of this machine, or over a Ray cluster.

Kernels take ranges of segments (`spread`); streams are cut into pieces of work (`engine(…).map`). Neither the
number of workers nor their kind, nor a worker that dies, shows in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from errata.engine.threads import Shared, Threads, between, in_order, in_worker, jobs_or_default, spread
from errata.errors import ErrataError

__all__ = [
    "ENGINES", "Engine", "Shared", "between", "engine", "in_order", "in_worker", "jobs_or_default", "spread",
]  # fmt: skip

ENGINES = ("threads", "processes", "ray")
Item = TypeVar("Item")
Result = TypeVar("Result")


class Engine(Protocol):
    """Runs pieces of work somewhere."""

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of the items, which are taken as they are needed: a stream stays one.

        `work` and items are sent to other processes: functions of a module, or frozen dataclasses with
        `__call__`. What `work` raises is raised here.
        """


def engine(name: str = "threads", *, jobs: int | None = None, address: str | None = None) -> Engine:
    """The engine of this name; `address` is that of a running Ray cluster, `jobs` a number of threads or
    processes."""
    if address is not None and name != "ray":
        raise ErrataError("an address is that of a Ray cluster\n  hint: --engine ray")
    if name == "threads":
        return Threads(jobs)
    if name == "processes":
        from errata.engine.processes import Processes

        return Processes(jobs_or_default(jobs or None))
    if name == "ray":
        from errata.engine.cluster import Cluster

        return Cluster(address)
    raise ErrataError(f"there is no engine {name!r}\n  hint: one of {', '.join(ENGINES)}")
