"""Where the process that feeds a Ray cluster becomes the limit: python benchmarks/nodes.py --nodes 10 100

The nodes are Ray's own test cluster: so many raylets with one processor each, all on this machine. They
score shards with M² in three ways. `text` is read and sent by the parent; `rows` of Parquet are read by the
workers; with `wait`, text is sent and a worker only waits as long as a node of the given speed would need.

All nodes share the cores of this machine, so throughput says little. CPU time per piece of work says more:
that of the parent, of Ray's own processes and of the workers, each without what they spend in the same time
when there is no work. On a real cluster the parent has a core for itself; it is the limit when that is busy.

To fit 100 nodes into 12 GB they have no dashboard agent and no runtime environment agent: processes that
sleep stand in for these, since a raylet insists on having both. Neither takes part in the work.
"""

from __future__ import annotations

import argparse
import logging
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
from scale import make

from errata import sample
from errata.corpus.streaming import Stream
from errata.engine import map_ordered, open_executor
from errata.metrics import metric
from errata.metrics.evaluate import ChunkScorer, evaluate
from errata.tables import Column, Table

PAIRS = 12_000  # of a shard
SHARDS = 1  # per node
STORE = 80_000_000  # bytes of shared memory of a node, about the least that Ray takes
SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_worker_niceness": "0",  # workers share the cores with raylets, and would wait for them
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
}
QUIET = {  # what raylets do while there is no work, for which 100 of them would need a core
    "enable_metrics_collection": False,
    "event_stats": False,
    "memory_monitor_refresh_ms": 0,
    "object_manager_timer_freq_ms": 1000,
    "local_fs_monitor_interval_ms": 10_000,
    "kill_idle_workers_interval_ms": 10_000,
    "raylet_check_for_unexpected_worker_disconnect_interval_ms": 10_000,
    "gcs_pull_resource_loads_period_milliseconds": 10_000,
    "raylet_report_resources_period_milliseconds": 500,
    "health_check_period_ms": 30_000,
}
SLEEPS = "sh -c 'exec tail -s 5 --pid=$PPID -f /dev/null'"  # until its raylet ends
REST = 5  # seconds


@dataclass(frozen=True)
class Wait:
    """Takes as long as a node would, and gives the answer that one chunk has."""

    answer: Any
    seconds: float

    def __call__(self, chunk: Any) -> Any:
        time.sleep(self.seconds)
        return self.answer


def without_agents() -> None:
    """Start raylets with processes that sleep for agents, and without workers before there is work."""
    from ray import _raylet
    from ray._private import services

    native: Any = _raylet
    start: Any = services.start_ray_process
    none = [
        native.METRICS_AGENT_PORT_NAME, native.METRICS_EXPORT_PORT_NAME,
        native.DASHBOARD_AGENT_LISTEN_PORT_NAME,
    ]  # fmt: skip
    instead = {
        "dashboard_agent_command": SLEEPS, "runtime_env_agent_command": SLEEPS,
        "num_prestart_python_workers": "0",
    }  # fmt: skip

    def started(command: list[str], *others: Any, **options: Any) -> Any:
        if command[0] == services.RAYLET_EXECUTABLE:
            names = [argument[2:].partition("=")[0] for argument in command]
            given = dict(argument[2:].partition("=")[::2] for argument in command)
            for port in (*none, native.RUNTIME_ENV_AGENT_PORT_NAME):  # what the agents would tell
                native.persist_port(given["session_dir"], given["node_id"], port, -1 if port in none else 1)
            command = [
                f"--{name}={instead[name]}" if name in instead else argument
                for name, argument in zip(names, command, strict=True)
            ]
        return start(command, *others, **options)

    services.start_ray_process = started


@contextmanager
def cluster(nodes: int, spare: float) -> Iterator[None]:
    """A cluster of so many nodes that this process is connected to; given up where memory gets short."""
    import ray
    from ray.cluster_utils import Cluster

    found: Any = Cluster()
    lean = {"num_cpus": 1, "include_log_monitor": False}
    try:
        found.add_node(
            **lean, object_store_memory=4 * STORE, include_dashboard=False, no_monitor=True,
            _system_config=QUIET,
        )  # fmt: skip
        for number in range(1, nodes):
            found.add_node(**lean, wait=False, object_store_memory=STORE)
            check_memory(spare, f"with {number} of {nodes} nodes")
        found.wait_for_nodes(600)
        ray.init(address=found.address, log_to_driver=False, logging_level=logging.ERROR)
        yield
    finally:
        ray.shutdown()
        found.shutdown()


def check_memory(spare: float, when: str) -> None:
    left = psutil.virtual_memory().available / 1e9
    if left < spare:
        raise SystemExit(f"only {left:.1f} GB of memory are left {when}")


def total(number: Callable[[Any], float]) -> dict[str, float]:
    """The sum of a number over this process, over Ray's own and over the workers."""
    parent = psutil.Process()
    found = {"parent": number(parent), "Ray": 0.0, "workers": 0.0}
    for process in parent.children(recursive=True):
        try:
            found["workers" if process.name().startswith("ray::") else "Ray"] += number(process)
        except psutil.Error:  # it has ended
            continue
    return found


def spent_by(work: Callable[[], Any]) -> tuple[Any, dict[str, float], float]:
    """The result of some work, the CPU time of each kind of process meanwhile, and how long it took."""

    def cpu() -> dict[str, float]:
        return total(lambda process: sum(process.cpu_times()[:2]))

    before, began = cpu(), time.perf_counter()
    result = work()
    wall = time.perf_counter() - began
    return result, {kind: after - before[kind] for kind, after in cpu().items()}, wall


def make_shards(folder: Path, shards: int) -> None:
    """The first shard of each kind, and links to it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    make(folder, PAIRS)
    (folder / "gold.m2").rename(folder / "gold-0.m2")
    (folder / "hyp.txt").rename(folder / "hyp-0.txt")
    segments = list(islice(cycle(sample.load("en").corpus), PAIRS))
    columns = {
        "source": [one.source for one in segments],
        "references": [list(one.references) for one in segments],
        "hypothesis": (folder / "hyp-0.txt").read_text(encoding="utf-8").splitlines(),
    }
    pq.write_table(pa.table(columns), folder / "rows-0.parquet", row_group_size=PAIRS // 2)
    for name in ("gold-{}.m2", "hyp-{}.txt", "rows-{}.parquet"):
        for number in range(1, shards):
            (folder / name.format(number)).symlink_to(folder / name.format(0))


def stream(folder: Path, way: str, shards: str) -> Stream:
    if way == "rows":
        return Stream(str(folder / f"rows-{shards}.parquet"))
    outputs = [("hypothesis", str(folder / f"hyp-{shards}.txt"))]
    return Stream(str(folder / f"gold-{shards}.m2"), hypotheses=outputs)


def scored(pieces: Any, name: str, workers: str) -> float:
    with open_executor(workers) as executor:
        results = evaluate(pieces, [metric(name)], executor, keep=False)
    return float(results["hypothesis", name].value)


def measure(way: str, nodes: int, folder: Path, options: argparse.Namespace) -> list[Any]:
    """Throughput, and the CPU time per piece of each kind of process."""
    first = list(stream(folder, way, "0"))
    seconds = PAIRS / len(first) / options.speed
    work = Wait(ChunkScorer((metric(options.metric),), (0,), ({},), jobs=1)(first[0]), seconds)

    def run(pieces: Any) -> float:
        if way == "wait":
            with open_executor("ray") as executor:
                return sum(1 for _ in map_ordered(executor, work, pieces))
        return scored(pieces, options.metric, "ray")

    run(islice(cycle(first), 4 * nodes))  # start all workers
    check_memory(options.spare, f"with {nodes} nodes at work")
    rest = spent_by(lambda: time.sleep(REST))[1]
    found, used, wall = spent_by(lambda: run(stream(folder, way, "*")))
    if way != "wait" and nodes <= 10:
        alone = scored(stream(folder, way, "*"), options.metric, "threads")
        assert found == alone, "the engines disagree"
    count = len(first) * SHARDS * nodes
    each = [1000 * max(used[kind] - rest[kind] * wall / REST, 0) / count for kind in used]
    memory = total(lambda process: process.memory_full_info().pss)
    return [
        way, nodes, count, count / wall, PAIRS * SHARDS * nodes / wall, *each, used["parent"] / wall,
        sum(used.values()) / wall, sum(rest.values()) / REST,
        (memory["Ray"] + memory["workers"]) / nodes / 1e6,
    ]  # fmt: skip


def main() -> None:
    ways = ("text", "wait", "rows")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, nargs="+", default=[10, 25, 50, 100])
    parser.add_argument("--ways", nargs="+", choices=ways, default=ways)
    parser.add_argument("--metric", default="m2")
    parser.add_argument("--speed", type=float, default=6000, help="sentences/s of a node that waits")
    parser.add_argument("--spare", type=float, default=4, help="GB of memory to leave to others")
    options = parser.parse_args()
    os.environ.update(SETTINGS)
    without_agents()
    rows: list[Sequence[Any]] = []
    for nodes in options.nodes:
        with tempfile.TemporaryDirectory() as name:
            make_shards(Path(name), SHARDS * nodes)
            with cluster(nodes, options.spare):
                for way in options.ways:
                    rows.append(measure(way, nodes, Path(name), options))
                    print(*rows[-1], flush=True)
    names = ["way", "nodes", "pieces", "pieces/s", "sentences/s", "CPU ms a piece: parent", "Ray", "workers"]
    names += ["parent's share of a core", "cores used", "when idle", "MB a node"]
    columns = [Column(n, d) for n, d in zip(names, (0, 0, 0, 1, 0, 2, 2, 2, 2, 2, 2, 0), strict=True)]
    print(Table(columns, rows).render("markdown"))


if __name__ == "__main__":
    main()
