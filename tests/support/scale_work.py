"""Pieces of work for tests of engines: they live in a module, so that other processes can have them."""

from __future__ import annotations

import os
import signal
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from errata.errors import DataError, MissingExtraError
from errata.metrics.batch import Batch
from errata.metrics.m2 import M2
from errata.metrics.statistics import Statistics


@dataclass(frozen=True)
class Square:
    """n²; some numbers are errors, and some kill whoever works on them."""

    wrong: int = -1
    missing: int = -1
    deadly: int = -1
    odd: int = -1
    marker: str = ""  # a file that is there when the deadly work was tried before

    def __call__(self, n: int) -> int:
        if n == self.wrong:
            raise DataError("not a number", path="numbers.txt", line=n, hint="count again")
        if n == self.missing:
            raise MissingExtraError("squaring", "squares")
        if n == self.odd:
            raise UnpicklableError(lambda: n)
        if n == self.deadly and not (self.marker and Path(self.marker).exists()):
            if self.marker:
                Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return n * n


class UnpicklableError(Exception):
    """An error that cannot be sent."""


@dataclass(frozen=True)
class FallenM2(M2):
    """M², whose process is killed the first time a certain source comes by."""

    source: str = ""
    marker: str = ""

    def counts(self, batch: Batch) -> Statistics:
        if self.source in batch.sources and not Path(self.marker).exists():
            Path(self.marker).touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().counts(batch)


@dataclass(frozen=True)
class StuckM2(M2):
    """M², which never ends on a certain worker: a node of a Ray cluster, or a process of a Dask cluster.

    Other workers wait until that one has begun.
    """

    worker: str = ""
    marker: str = ""

    def counts(self, batch: Batch) -> Statistics:
        marker, deadline = Path(self.marker), time.monotonic() + 60
        if _this_worker() == self.worker:
            marker.touch()
            time.sleep(600)
        while not marker.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        return super().counts(batch)


def _this_worker() -> str:
    ray = sys.modules.get("ray")
    if ray is not None and ray.is_initialized():
        return str(ray.get_runtime_context().get_node_id())
    return str(os.getpid())
