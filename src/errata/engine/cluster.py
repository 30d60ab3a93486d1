"""A Ray cluster: pieces of work on many machines; those of a node that dies are done again elsewhere."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from errata.engine.answers import MOST_LOST, answer, lost, opened
from errata.errors import ErrataError, needs_extra

_ASK_AGAIN = 5.0  # seconds
Item = TypeVar("Item")
Result = TypeVar("Result")


class Cluster:
    """The cluster at an address (`auto`: the one this machine belongs to); without one, a local Ray.

    Every node needs errata, in the same version, and what the work reads: models, and files that are
    opened by the workers.
    """

    def __init__(self, address: str | None = None) -> None:
        self._address = address

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        with needs_extra("the engine ray", "ray"):
            import ray
        ours = not ray.is_initialized()
        if ours:
            self._connect(ray)
        try:
            yield from _in_order(ray, work, items)
        finally:
            if ours:
                ray.shutdown()

    def _connect(self, ray: Any) -> None:
        settings = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self._address is None:
                os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is reported to anybody
                ray.init(include_dashboard=False, **settings)
            else:
                ray.init(address=self._address, **settings)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ErrataError(
                f"no Ray cluster at {self._address or 'this machine'}: {error}\n"
                "  hint: start one with `ray start --head`, or leave out --address"
            ) from None


def _in_order(ray: Any, work: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
    remote = ray.remote(num_cpus=1, max_retries=MOST_LOST - 1)(answer)
    shared = ray.put(work)
    source = iter(items)
    pending: deque[tuple[Any, Any, int]] = deque()  # reference, item, how often it was lost
    window, asked, more = 0, -math.inf, True
    failed: Exception | None = None
    while True:
        if time.monotonic() > asked + _ASK_AGAIN:  # nodes come and go: two pieces for each processor there is
            window, asked = 2 * int(ray.cluster_resources().get("CPU", 1)) + 2, time.monotonic()
        while more and len(pending) < window:
            try:
                item = next(source)
            except StopIteration:
                more = False
                break
            except Exception as error:  # raised when all before it is done, as in one process
                more, failed = False, error
                break
            pending.append((remote.remote(shared, item), item, 0))
        if not pending:
            if failed is not None:
                raise failed
            return
        reference, item, times = pending.popleft()
        try:
            found = ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise ErrataError(
                f"a worker cannot do its work: {error.cause or error}\n"
                "  hint: every node of the cluster needs this version of errata and its extras"
            ) from None
        except ray.exceptions.RayError as error:  # its node died, and Ray's own attempts were not enough
            if times + 1 == MOST_LOST:
                raise lost(item, error) from None
            pending.appendleft((remote.remote(shared, item), item, times + 1))
            continue
        yield opened(found)
