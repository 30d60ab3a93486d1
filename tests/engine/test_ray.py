"""A Ray cluster of two nodes on this machine; one is killed in the middle, and nobody can tell."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from errata import sample
from errata.corpus import blocks
from errata.corpus.formats import read_corpus, write_corpus
from errata.corpus.model import Corpus
from errata.corpus.streaming import Stream
from errata.engine import open_executor
from errata.errors import DataError
from errata.metrics import metric
from errata.metrics.evaluate import evaluate

os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # nodes on the loopback address
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
ray = pytest.importorskip("ray", reason="ray is not installed")
from ray import cloudpickle  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

import scale_work  # noqa: E402
from scale_work import StuckM2  # noqa: E402

cloudpickle.register_pickle_by_value(scale_work)  # workers cannot import the tests

NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "node_ip_address": "127.0.0.1"}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    made = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample a hundred times: gold.m2, source.txt and hyp.txt."""
    folder = tmp_path_factory.mktemp("corpus")
    made = sample.load("en")
    write_corpus(Corpus(list(made.corpus) * 100), folder / "gold.m2")
    (folder / "source.txt").write_text("\n".join([*made.corpus.sources] * 100) + "\n", encoding="utf-8")
    (folder / "hyp.txt").write_text("\n".join([*made.outputs["neural"]] * 100) + "\n", encoding="utf-8")
    return folder


def test_a_node_killed_in_the_middle_changes_nothing(
    cluster: Any, files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1 << 15)  # many small chunks
    second = cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    assert ray.cluster_resources()["CPU"] == 2
    marker = tmp_path / "working"
    killed = threading.Event()

    def kill() -> None:
        while not marker.exists():  # until it has a piece of work, which it will never finish
            time.sleep(0.02)
        cluster.remove_node(second, allow_graceful=False)
        killed.set()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    metrics = [StuckM2(worker=second.node_id, marker=str(marker)), metric("gleu")]
    read = Stream(str(files / "gold.m2"), hypotheses=[("neural", str(files / "hyp.txt"))])
    with open_executor("ray") as executor:
        scores = evaluate(read, metrics, executor, keep=False)
    killer.join(60)
    assert killed.is_set()
    deadline = time.monotonic() + 60  # the cluster hears of the death later than the work's owner
    while [node["Alive"] for node in ray.nodes()].count(True) > 1 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [node["Alive"] for node in ray.nodes()].count(True) == 1
    assert len(scores) == 6000
    hypotheses = (files / "hyp.txt").read_text(encoding="utf-8").splitlines()
    corpus = read_corpus(files / "gold.m2")
    for number, scored in enumerate([metric("m2"), metric("gleu")]):
        whole = scored.score(corpus, hypotheses, jobs=1)
        assert scores.score("neural", number).parts == whole.parts


def test_the_command_line_scores_on_a_running_cluster(
    cluster: Any, files: Path, run: Callable[..., Any]
) -> None:
    texts = ("--m2", files / "gold.m2", "--hyp", files / "hyp.txt", "--format", "tsv")
    alone = run("score", *texts)
    together = run("score", *texts, "--engine", "ray", "--address", cluster.address)
    assert together.returncode == 0, together.stderr
    assert together.stdout == alone.stdout


def test_errors_of_workers_come_home(cluster: Any, files: Path, tmp_path: Path) -> None:
    wrong = (files / "gold.m2").read_text(encoding="utf-8") + "\nS a b\nA 0 1|||X|||y|||REQUIRED\n"
    (tmp_path / "gold.m2").write_text(wrong, encoding="utf-8")
    (tmp_path / "hyp.txt").write_text(
        (files / "hyp.txt").read_text(encoding="utf-8") + "a b\n", encoding="utf-8"
    )
    if not ray.is_initialized():
        ray.init(address=cluster.address, log_to_driver=False)
    read = Stream(str(tmp_path / "gold.m2"), hypotheses=[("h", str(tmp_path / "hyp.txt"))])
    with open_executor("ray") as executor, pytest.raises(DataError, match="an edit has 6 fields") as raised:
        evaluate(read, [metric("m2")], executor, keep=False)
    assert raised.value.line == wrong.count("\n")
