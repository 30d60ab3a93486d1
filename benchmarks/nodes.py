"""Where the process that feeds a Ray cluster becomes the limit: python benchmarks/nodes.py --nodes 1 10 100

The nodes are Ray's own test cluster: so many raylets with one processor each, all on this machine. A worker
does not compute; it waits as long as a node of the given speed would need for its chunk, and answers. So
two cores can stand for a hundred nodes, and what is measured is what the parent does: reading, sending,
receiving. The machine has to be idle: where others use it, the nodes themselves are late.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from scale import make

from errata.corpus.chunks import Stream
from errata.engine import engine
from errata.metrics import metric
from errata.metrics.pipeline import ScoreChunk
from errata.tables import Column, Table

STORE = 80_000_000  # bytes of shared memory of a node, about the least that Ray takes


@dataclass(frozen=True)
class Wait:
    """Takes as long as a node would, and gives the answer that one chunk has."""

    answer: Any
    seconds: float

    def __call__(self, chunk: Any) -> Any:
        time.sleep(self.seconds)
        return self.answer


def measure(nodes: int, chunks: list[Any], answer: Any, sentences: int, seconds: float) -> list[Any]:
    """One cluster: sentences per second that came back, those the nodes could do, and the parent's CPU."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 1, "object_store_memory": 4 * STORE, "include_dashboard": False},
    )
    try:
        for _ in range(nodes - 1):
            cluster.add_node(wait=False, num_cpus=1, object_store_memory=STORE, include_log_monitor=False)
        cluster.wait_for_nodes(600)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        work, count = Wait(answer, seconds), max(40, 12 * nodes)
        for _ in engine("ray").map(work, islice(cycle(chunks), 4 * nodes)):  # start all workers
            pass
        began, spent = time.perf_counter(), time.process_time()
        done = sum(1 for _ in engine("ray").map(work, islice(cycle(chunks), count)))
        wall, spent = time.perf_counter() - began, time.process_time() - spent
    finally:
        ray.shutdown()
        cluster.shutdown()
    rate = done * sentences / wall
    possible = nodes * sentences / seconds
    return [nodes, done, rate, possible, rate / possible, spent / done * 1000, spent / wall]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 10, 100])
    parser.add_argument("--speed", type=float, default=6000, help="sentences/s of one node")
    options = parser.parse_args()
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    rows: list[list[Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder, 12_000)
        chunks = list(Stream(str(folder / "gold.m2"), hypotheses=[("hyp", str(folder / "hyp.txt"))]))
        answers = [ScoreChunk((metric("m2"),), (0,), 1)(chunk) for chunk in chunks]
        sentences = 12_000 // len(chunks)
        for nodes in options.nodes:
            rows.append(measure(nodes, chunks, answers[0], sentences, sentences / options.speed))
            print(*rows[-1], flush=True)
    names = ["nodes", "chunks", "sentences/s", "the nodes alone", "share", "parent's CPU ms a chunk"]
    decimals = [0, 0, 0, 0, 2, 2]
    columns = [Column(n, d) for n, d in zip(names, decimals, strict=True)]
    print(Table([*columns, Column("parent's CPU share", 2)], [*rows]))


if __name__ == "__main__":
    main()
