"""Batches made ready while the network learns: by a thread, or by processes that leave it all the time."""

from __future__ import annotations

import itertools
import multiprocessing
import queue
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

from errata.errors import DataError, ErrataError
from errata_correct.transformer.examples import Batch, Examples
from errata_correct.transformer.folder import read_subwords

_NO_SENTENCE = "no sentence is short enough"


def by_thread(examples: Examples, subwords: Any, epoch: int) -> Generator[tuple[int, Batch], None, None]:
    """Epoch after epoch of batches; ends when closed."""
    ready: queue.Queue[tuple[int, Batch] | BaseException] = queue.Queue(256)
    closed = threading.Event()

    def put(item: tuple[int, Batch] | BaseException) -> None:
        while not closed.is_set():
            try:
                ready.put(item, timeout=0.5)
                return
            except queue.Full:
                continue

    def fill() -> None:
        try:
            for number in itertools.count(epoch):
                batch: Batch | None = None
                for batch in examples.batches(subwords, number):
                    put((number, batch))
                    if closed.is_set():
                        return
                if batch is None:
                    raise DataError(_NO_SENTENCE, hint="raise `longest` under [model]")
        except BaseException as error:  # handed to the thread that waits
            put(error)

    threading.Thread(target=fill, daemon=True).start()
    try:
        while True:
            item = ready.get()
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        closed.set()


def by_processes(
    examples: Examples, subwords: Path, epoch: int, workers: int
) -> Generator[tuple[int, Batch], None, None]:
    """The same batches in the same order; worker k prepares every `workers`-th epoch.

    On Linux they are forked: they share this process's texts instead of getting a copy.
    """
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    queues = [context.Queue(64) for _ in range(workers)]
    processes = [
        context.Process(target=_prepare, args=(examples, subwords, epoch + k, workers, ready), daemon=True)
        for k, ready in enumerate(queues)
    ]
    for process in processes:
        process.start()
    try:
        for number in itertools.count(epoch):
            worker = (number - epoch) % workers
            batches = 0
            while (batch := _next(queues[worker], processes[worker])) is not None:
                if isinstance(batch, Exception):
                    raise batch
                batches += 1
                yield number, batch
            if not batches:
                raise DataError(_NO_SENTENCE, hint="raise `longest` under [model]")
    finally:
        for process in processes:
            process.terminate()


def _next(ready: Any, process: Any) -> Any:
    while True:
        try:
            return ready.get(timeout=5)
        except queue.Empty:
            if not process.is_alive():
                return ErrataError("a process that prepares batches died; memory may be short")


def _prepare(examples: Examples, subwords: Path, epoch: int, step: int, ready: Any) -> None:
    try:
        processor = read_subwords(subwords)
        for number in itertools.count(epoch, step):
            for batch in examples.batches(processor, number):
                ready.put(batch)
            ready.put(None)
    except Exception as error:  # told to the process that waits
        ready.put(
            error if isinstance(error, ErrataError) else ErrataError(f"preparing batches failed: {error}")
        )
