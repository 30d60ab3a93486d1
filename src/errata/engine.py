"""Parallel work on any `concurrent.futures.Executor`: threads, processes, or a Dask, Ray or MPI cluster.

`map_ordered` runs all tasks. Results come in the order of the items and do not depend on the executor, on the
number of workers, or on a worker that dies. There is one level of parallelism: inside a task,
`jobs_or_default` is 1. Every node of a cluster needs the same version of errata, and the files to read.
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import copy_context
from typing import Any, TypeVar

from errata.errors import ErrataError, needs_extra

ENGINES = ("threads", "processes", "ray")
_MAX_ATTEMPTS = 3  # a task may cost this many workers
_this_thread = threading.local()
Item = TypeVar("Item")
Result = TypeVar("Result")


def jobs_or_default(jobs: int | None) -> int:
    """The number of workers: `jobs`, or `ERRATA_JOBS`, or every core of this process; 1 inside a task."""
    if getattr(_this_thread, "is_worker", False):
        return 1
    if jobs is None:
        setting = os.environ.get("ERRATA_JOBS") or "0"
        if not setting.isdecimal():
            raise ErrataError(f"ERRATA_JOBS={setting!r}\n  hint: it is a number of threads, 0 for every core")
        jobs = int(setting)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return jobs if jobs > 0 else cores


@contextmanager
def open_executor(
    name: str = "threads", *, jobs: int | None = None, address: str | None = None
) -> Iterator[Executor | None]:
    """The executor of this name; None stands for the calling thread, where one thread is enough.

    `jobs` is the number of threads or processes, `address` that of a Ray cluster. Other executors, such as
    `distributed.Client(…).get_executor()` and `mpi4py.futures.MPIPoolExecutor()`, can take its place.
    """
    if address is not None and name != "ray":
        raise ErrataError("an address is that of a Ray cluster\n  hint: --engine ray")
    if name not in ENGINES:
        raise ErrataError(f"there is no engine {name!r}\n  hint: one of {', '.join(ENGINES)}")
    workers = jobs_or_default(jobs or None)
    context: AbstractContextManager[Executor | None] = nullcontext()
    if name == "ray":
        context = RayExecutor(address)
    elif name == "processes":
        context = ProcessPool(workers)
    elif workers > 1:
        context = ThreadPool(workers)
    with context as executor:
        yield executor


def without_threads(executor: Executor | None, function: object) -> Executor | None:
    """The executor; but the calling thread (None) in place of threads for a function not `concurrent`."""
    runs_threads = isinstance(executor, ThreadPoolExecutor)
    return None if runs_threads and not getattr(function, "concurrent", False) else executor


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], jobs: int | None = None
) -> Iterator[Result]:
    """Results of a function in the order of the items, computed by threads."""
    with open_executor(jobs=jobs) as executor:
        yield from map_ordered(executor, function, items)


def map_ordered(
    executor: Executor | None,
    function: Callable[[Item], Result],
    items: Iterable[Item],
    window: int | None = None,
) -> Iterator[Result]:
    """Results of a function in the order of the items; without an executor, in the calling thread.

    At most `window` items are in progress (by default two per worker, and two more), so that a stream is
    read no further than necessary. Function and items are sent to other processes: use functions of a module,
    or frozen dataclasses with `__call__`. An error of the function or of `items` is raised in its turn.
    """
    if executor is None:
        yield from map(function, items)
        return
    source, tasks = iter(items), deque[tuple[Item, Future[Result]]]()
    done, limit, reading = 0, 0, True
    failure: Exception | None = None
    try:
        while True:
            if done % 64 == 0:  # machines join and leave a cluster
                limit = window or 2 * _workers(executor) + 2
            while reading and len(tasks) < limit:
                try:
                    item = next(source)
                except StopIteration:
                    reading = False
                except Exception as error:
                    reading, failure = False, error
                else:
                    tasks.append((item, executor.submit(function, item)))
            if not tasks:
                break
            result = _result(executor, function, *tasks[0])
            tasks.popleft()
            done += 1
            yield result
    finally:
        for _, future in tasks:
            future.cancel()
    if failure is not None:
        raise failure


def _workers(executor: Executor) -> int:
    """The number of tasks that an executor runs at a time, where it says so."""
    if (client := getattr(executor, "_client", None)) is not None:  # Dask
        return sum(client.ncores().values())
    names = ("workers", "_max_workers", "num_workers")  # errata's, the standard library's, mpi4py's
    counts = [count for name in names if isinstance(count := getattr(executor, name, None), int)]
    return counts[0] if counts else jobs_or_default(None)


def _result(
    executor: Executor, function: Callable[[Item], Result], item: Item, future: Future[Result]
) -> Result:
    """The result of a task, which is repeated if a process was killed; Dask and Ray do this by themselves.

    A broken pool does not say which task broke it: its unfinished tasks are repeated one at a time.
    """
    attempts = 1
    while True:
        try:
            return future.result()
        except Exception as error:
            is_broken, is_ray = isinstance(error, BrokenExecutor), type(error).__module__.startswith("ray.")
            if is_broken and attempts < _MAX_ATTEMPTS:
                attempts, future = attempts + 1, executor.submit(function, item)
                continue
            if is_ray and isinstance(cause := getattr(error, "cause", None), Exception):
                raise cause from None  # Ray has an error of its own around that of the task
            if not (is_broken or is_ray or type(error).__name__ == "KilledWorker"):
                raise
            place = getattr(item, "place", None) or f"{item!r:.80}"
            raise ErrataError(
                f"{_MAX_ATTEMPTS} workers died one after the other on the same task ({place}): {error}\n"
                "  hint: if memory is short, use fewer --jobs; look for a very long line there"
            ) from None


class ThreadPool(ThreadPoolExecutor):
    """Threads that see the context variables of the caller, such as limits."""

    def __init__(self, workers: int) -> None:
        super().__init__(workers, "errata", lambda: setattr(_this_thread, "is_worker", True))

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        return super().submit(copy_context().run, function, *args, **kwargs)


class ProcessPool(Executor):
    """A process pool that starts again after one of its processes was killed."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._start()

    def _start(self) -> None:
        import multiprocessing  # only here, because it takes some milliseconds
        from concurrent.futures import ProcessPoolExecutor

        context = multiprocessing.get_context("spawn")  # a fork would copy locks that threads may hold
        ignore = signal.SIGINT, signal.SIG_IGN
        self._pool = ProcessPoolExecutor(self.workers, context, signal.signal, ignore)

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        set_mask = getattr(signal, "pthread_sigmask", lambda how, mask: None)  # Windows has none
        before = set_mask(signal.SIG_BLOCK, {signal.SIGINT})  # new processes leave Ctrl-C to their parent
        try:
            return self._pool.submit(_call, function, *args, **kwargs)
        except BrokenExecutor:
            self._start()
            return self._pool.submit(_call, function, *args, **kwargs)
        finally:
            set_mask(signal.SIG_SETMASK, before)

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is not None:  # the results are not needed
            for process in [*(self._pool._processes or {}).values()]:
                process.terminate()
        self._pool.shutdown(cancel_futures=True)


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function in another process; an error that cannot be sent is replaced by its text."""
    _this_thread.is_worker = True
    try:
        return function(*args, **kwargs)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))  # nosec B301 # bytes written in the same line
        except Exception:
            raise RuntimeError(repr(error)).with_traceback(error.__traceback__) from None
        raise


class RayExecutor(Executor):
    """The Ray cluster at an address (`auto`: the one this machine belongs to); without one, a local Ray."""

    def __init__(self, address: str | None = None) -> None:
        import logging

        with needs_extra("the engine ray", "ray"):
            import ray
        self._ray: Any = ray
        self._is_owner = not ray.is_initialized()
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # a local Ray reports nothing to anybody
        where: dict[str, Any] = {"include_dashboard": False} if address is None else {"address": address}
        try:
            if self._is_owner:
                ray.init(**where, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise ErrataError(
                f"no Ray cluster at {address or 'this machine'}: {error}\n"
                "  hint: start one with `ray start --head`, or leave out --address"
            ) from None
        self._run = ray.remote(num_cpus=1, max_retries=_MAX_ATTEMPTS - 1)(_call)
        self._sent: tuple[Any, Any] = None, None  # a function, and its copy on the cluster

    @property
    def workers(self) -> int:
        return int(self._ray.cluster_resources().get("CPU", 1))

    def submit(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self._sent[0] is not function:
            self._sent = function, self._ray.put(function)
        future: Future[Any] = self._run.remote(self._sent[1], *args, **kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        if self._is_owner:
            self._ray.shutdown()
