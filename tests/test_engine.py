"""How work is spread over threads and processes."""

from __future__ import annotations

import _thread
import sys
import threading
import time
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from errata.engine import Shared, engine, in_order, jobs_or_default, spread, threads
from errata.errors import DataError, ErrataError, MissingExtraError
from scale_work import Square


def test_results_come_in_order_for_any_number_of_threads() -> None:
    for jobs in (1, 2, 7):
        assert list(in_order(lambda i: i * i, range(50), jobs)) == [i * i for i in range(50)]


def test_the_thread_that_waits_takes_part() -> None:
    both = threading.Barrier(2)

    def work(number: int) -> int:
        if number < 2:
            both.wait(60)  # the first two run side by side
        return threading.get_ident()

    assert threading.get_ident() in list(in_order(work, range(8), jobs=2))


def test_an_error_is_raised_in_its_turn_and_nothing_goes_on_after_it() -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise DataError("the third")
        return number

    results = in_order(work, range(1000), jobs=3)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(DataError, match="the third"):
        next(results)
    count = len(begun)
    assert count < 1000
    results = in_order(work, range(4, 1000), jobs=3)
    next(results)
    results.close()
    count = len(begun)
    assert list(in_order(work, range(4, 9), jobs=2)) == [*range(4, 9)]
    assert len(begun) == count + 5


def test_a_thread_without_memory_takes_no_task_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    caller, ended = threading.get_ident(), threading.Event()

    class Short:
        """What belongs to a thread, which only the calling thread has memory for."""

        def __setattr__(self, name: str, value: object) -> None:
            if threading.get_ident() != caller:
                ended.set()
                raise MemoryError
            super().__setattr__(name, value)

    def numbers() -> Iterator[int]:
        yield from range(2)  # a thread is started for the second
        assert ended.wait(60)
        yield from range(2, 5)

    monkeypatch.setattr(threads, "_here", Short())
    assert list(in_order(lambda i: i * i, numbers(), 2)) == [0, 1, 4, 9, 16]


def test_an_interrupt_between_taking_a_task_and_running_it_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    caller, run = threading.get_ident(), threads._Task.run
    begun, interrupted = threading.Event(), threading.Event()
    ended: list[int] = []

    def interrupting(task: threads._Task) -> None:
        if threading.get_ident() != caller:
            return run(task)
        assert begun.wait(60)
        interrupted.set()
        raise KeyboardInterrupt

    def work(number: int) -> None:
        begun.set()
        assert interrupted.wait(60)
        ended.append(number)

    monkeypatch.setattr(threads._Task, "run", interrupting)
    with pytest.raises(KeyboardInterrupt):
        list(in_order(work, range(100), jobs=2))
    assert 0 < len(ended) < 100  # what the other thread had begun came to its end


@pytest.mark.parametrize("available", [0, 1])
def test_threads_that_cannot_be_started_leave_their_work_to_the_others(
    monkeypatch: pytest.MonkeyPatch, available: int
) -> None:
    start, begun = threads.start_new_thread, []

    def limited(*arguments: Any) -> int:
        if len(begun) == available:
            raise RuntimeError("can't start new thread")
        begun.append(1)
        return start(*arguments)

    monkeypatch.setattr(threads, "start_new_thread", limited)
    assert list(in_order(lambda i: i * i, range(50), 4)) == [i * i for i in range(50)]
    assert len(begun) == available


def test_another_interrupt_leaves_no_thread_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = [threading.Event() for _ in range(3)]
    work_on, left = threads._work_on, [*ended]

    class Interrupted(threads.SimpleQueue):  # type: ignore[type-arg]
        def get_nowait(self) -> Any:
            raise KeyboardInterrupt

    def watched(*arguments: Any) -> None:
        work_on(*arguments)
        left.pop().set()

    monkeypatch.setattr(threads, "SimpleQueue", Interrupted)
    monkeypatch.setattr(threads, "_work_on", watched)
    with pytest.raises(KeyboardInterrupt):
        list(in_order(lambda i: i * i, range(50), 4))
    assert all(event.wait(60) for event in ended)


def test_shared_work_is_done_once_and_again_only_after_an_error() -> None:
    calls: list[int] = []

    def work() -> int:
        calls.append(1)
        if len(calls) == 1:
            raise DataError("not yet")
        return len(calls)

    shared = Shared(work)
    with pytest.raises(DataError, match="not yet"):
        shared()
    assert [*in_order(lambda _: shared(), range(9), 3)] == [2] * 9


def test_work_within_work_makes_no_more_threads() -> None:
    used: set[int] = set()
    covered = [[0] * 500 for _ in range(8)]

    def outer(number: int) -> int:
        def work(start: int, stop: int) -> None:
            used.add(threading.get_ident())
            for item in range(start, stop):
                covered[number][item] += 1

        spread(work, 500, jobs=4)
        return sum(covered[number])

    assert list(in_order(outer, range(8), jobs=3)) == [500] * 8
    assert covered == [[1] * 500] * 8
    assert len(used) <= 3


@pytest.mark.parametrize("first", [0, 1])
def test_a_thread_without_a_task_takes_part_in_work_within_work(first: int) -> None:
    came, context = threading.Event(), ContextVar("context", default=0)
    seen: list[int] = []

    def outer(number: int) -> None:
        owner = threading.get_ident()

        def work(start: int, stop: int) -> None:
            seen.append(context.get())
            if threading.get_ident() == owner:
                came.wait(2)  # of the many pieces, another thread should take one
            else:
                came.set()

        if number == first:
            context.set(7)
            spread(work, 10_000, jobs=2, chunk=1)

    list(in_order(outer, range(2), jobs=2))
    assert came.is_set()
    assert set(seen) == {7}


def test_all_threads_without_a_task_take_part_in_work_within_work() -> None:
    used: set[int] = set()
    all_came = threading.Event()

    def work(start: int, stop: int) -> None:
        used.add(threading.get_ident())
        if len(used) == 5:
            all_came.set()
        all_came.wait(0.2)  # there are more than a hundred pieces, which idle threads come to one by one

    def outer(number: int) -> None:
        if number == 0:
            spread(work, 100_000, jobs=5, chunk=1)

    list(in_order(outer, range(5), jobs=5))
    assert len(used) == 5


def test_spread_work_asks_the_team_for_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """`ERRATA_JOBS` counts only where no number is given."""
    monkeypatch.setenv("ERRATA_JOBS", "many")
    list(in_order(lambda _: spread(lambda start, stop: None, 1000), range(3), jobs=2))


@pytest.mark.parametrize("error", [DataError, SystemExit, None])
def test_spread_work_leaves_no_thread_behind(error: type[BaseException] | None) -> None:
    """Whether it ends, fails in any thread or is given up: nothing waits for ever, and nobody works on."""
    before, working = _thread._count(), 0
    lock = threading.Lock()

    def work(start: int, stop: int) -> None:
        nonlocal working
        with lock:
            working += 1
        try:
            spread(lambda start, stop: None, 200, chunk=8)
            if error is not None and start > 300:
                raise error("item")
        finally:
            with lock:
                working -= 1

    def outer(number: int) -> int:
        spread(work, 40 * number, chunk=4)
        return number

    for turn in range(30):
        results = in_order(outer, range(12), jobs=2 + turn % 4)
        assert next(results) == 0
        if turn % 3 == 0:
            results.close()  # type: ignore[attr-defined]
        elif error is None:
            assert [*results] == [*range(1, 12)]
        else:
            with pytest.raises((error, RuntimeError)):
                list(results)
        assert working == 0
    for _ in range(1000):
        if _thread._count() <= before:
            break
        time.sleep(0.01)
    assert _thread._count() <= before


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_the_first_error_of_spread_work_is_raised(jobs: int) -> None:
    def work(start: int, stop: int) -> None:
        for item in range(start, stop):
            if item in (100, 300, 500):
                raise DataError(f"item {item}")

    def within(number: int) -> None:
        if number:
            spread(work, 1000, jobs, chunk=8)

    for _ in range(20):
        with pytest.raises(DataError, match="item 100"):
            spread(work, 1000, jobs, chunk=8)
        with pytest.raises(DataError, match="item 100"):
            list(in_order(within, range(3), jobs))


def test_a_number_of_threads_that_is_none_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_JOBS", "3")
    assert jobs_or_default(None) == 3
    monkeypatch.setenv("ERRATA_JOBS", "many")
    with pytest.raises(ErrataError, match="hint: it is a number of threads"):
        jobs_or_default(None)


def test_every_engine_gives_results_in_order_from_a_stream_it_reads_as_needed() -> None:
    for name in ("threads", "processes"):
        taken = []

        def numbers(count: int, taken: list[int] = taken) -> Iterator[int]:
            for n in range(count):
                taken.append(n)
                yield n

        results = engine(name, jobs=2).map(Square(), numbers(200))
        assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
        assert len(taken) < 15
        assert list(results) == [n * n for n in range(5, 200)]


def test_an_error_in_a_process_arrives_as_it_was_raised() -> None:
    workers = engine("processes", jobs=2)
    results = workers.map(Square(wrong=3), range(10))
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    with pytest.raises(DataError, match=r"numbers.txt:3: not a number\n  hint: count again") as raised:
        next(results)
    assert (raised.value.path, raised.value.line) == ("numbers.txt", 3)
    with pytest.raises(MissingExtraError, match=r"pip install 'errata-gec\[squares\]'"):
        list(workers.map(Square(missing=2), range(10)))
    with pytest.raises(RuntimeError, match="Unpicklable"):
        list(workers.map(Square(odd=2), range(10)))


def test_an_error_of_the_stream_comes_after_the_results_before_it() -> None:
    def failing() -> Iterator[int]:
        yield from range(6)
        raise DataError("the file ends in the middle")

    for name in ("threads", "processes"):
        found = []
        with pytest.raises(DataError, match="in the middle"):
            found.extend(engine(name, jobs=2).map(Square(), failing()))
        assert len(found) == 6 or name == "threads"
        for number, result in enumerate(engine(name, jobs=2).map(Square(wrong=2), failing())):
            assert result == number * number
            if number == 1:
                break


def test_the_work_of_a_killed_process_is_done_again(tmp_path: Path) -> None:
    work = Square(deadly=7, marker=str(tmp_path / "tried"))
    assert list(engine("processes", jobs=2).map(work, range(30))) == [n * n for n in range(30)]
    assert (tmp_path / "tried").exists()


def test_work_that_kills_every_process_is_an_error_in_the_end() -> None:
    with pytest.raises(ErrataError, match=r"3 workers died .* \(7\): exit code -9"):
        list(engine("processes", jobs=2).map(Square(deadly=7), range(30)))


def test_an_engine_that_is_none_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ErrataError, match="one of threads, processes, ray"):
        engine("steam")
    with pytest.raises(ErrataError, match="hint: --engine ray"):
        engine("processes", address="auto")
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"errata-gec\[ray\]"):
        list(engine("ray").map(Square(), [1]))
