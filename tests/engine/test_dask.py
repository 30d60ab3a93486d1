"""A Dask cluster of two processes on this machine; one is killed in a run, and the scores are the same."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errata import sample
from errata.corpus import blocks
from errata.corpus.formats import read_corpus, write_corpus
from errata.corpus.model import Corpus
from errata.corpus.streaming import Stream
from errata.engine import map_ordered
from errata.errors import DataError, ErrataError
from errata.metrics import metric
from errata.metrics.evaluate import evaluate
from scale_work import Square, StuckM2

distributed = pytest.importorskip("distributed", reason="distributed is not installed")


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    settings = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with distributed.LocalCluster(n_workers=2, **settings) as cluster, distributed.Client(cluster) as made:
        made.wait_for_workers(2, timeout=60)
        yield made


def test_a_worker_killed_in_the_middle_changes_nothing(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 1 << 15)  # many small chunks
    texts = sample.load("en")
    write_corpus(Corpus(list(texts.corpus) * 50), tmp_path / "gold.m2")
    hypotheses = [*texts.outputs["neural"]] * 50
    (tmp_path / "hyp.txt").write_text("\n".join(hypotheses) + "\n", encoding="utf-8")
    pid, marker = next(iter(client.run(os.getpid).values())), tmp_path / "working"

    def kill() -> None:
        while not marker.exists():
            time.sleep(0.02)
        os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    metrics = [StuckM2(worker=str(pid), marker=str(marker)), metric("gleu")]
    stream = Stream(str(tmp_path / "gold.m2"), hypotheses=[("neural", str(tmp_path / "hyp.txt"))])
    results = evaluate(stream, metrics, client.get_executor(), keep=False)
    killer.join(60)
    assert not killer.is_alive()
    corpus = read_corpus(tmp_path / "gold.m2")
    for number, scored in enumerate([metric("m2"), metric("gleu")]):
        expected = scored.score(corpus, hypotheses, jobs=1)
        assert results.score("neural", number).parts == expected.parts


def test_errors_of_workers_are_those_of_the_caller(client: Any) -> None:
    executor = client.get_executor()
    assert list(map_ordered(executor, Square(), range(30))) == [n * n for n in range(30)]
    with pytest.raises(DataError, match=r"numbers.txt:3: not a number\n  hint: count again"):
        list(map_ordered(executor, Square(wrong=3), range(10)))


def test_a_task_that_kills_every_worker_is_an_error_in_the_end(client: Any) -> None:
    with pytest.raises(ErrataError, match=r"workers died .* \(7\)"):
        list(map_ordered(client.get_executor(), Square(deadly=7), range(8)))
