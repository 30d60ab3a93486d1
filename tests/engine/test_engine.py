"""Tasks on threads and processes: order, errors, interrupts, and workers that are killed."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextvars import ContextVar
from pathlib import Path

import pytest

from errata.engine import in_order, jobs_or_default, map_ordered, open_executor, without_threads
from errata.errors import DataError, ErrataError, MissingExtraError
from scale_work import Square


def test_results_come_in_order_for_any_number_of_threads() -> None:
    for jobs in (1, 2, 7):
        assert list(in_order(lambda i: i * i, range(50), jobs)) == [i * i for i in range(50)]


def test_an_error_is_raised_in_its_turn_and_no_task_is_started_after_it() -> None:
    started: list[int] = []

    def work(number: int) -> int:
        started.append(number)
        if number == 3:
            raise DataError("the third")
        return number

    results = in_order(work, range(1000), jobs=3)
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(DataError, match="the third"):
        next(results)
    assert len(started) < 1000
    results = in_order(work, range(4, 1000), jobs=3)
    next(results)
    results.close()  # type: ignore[attr-defined]
    count = len(started)
    assert count < 100
    assert list(in_order(work, range(4, 9), jobs=2)) == [*range(4, 9)]
    assert len(started) == count + 5


def test_an_interrupt_ends_the_tasks_that_have_not_started() -> None:
    ended: list[int] = []
    second = threading.Event()

    def work(number: int) -> int:
        assert second.wait(60)
        ended.append(number)
        return number

    def numbers() -> Iterator[int]:
        yield from range(4)
        second.set()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(in_order(work, numbers(), jobs=2))
    assert threading.active_count() == 1 or all("errata" not in t.name for t in threading.enumerate())
    assert len(ended) <= 4


def test_tasks_see_the_context_of_the_caller() -> None:
    context = ContextVar("context", default=0)
    context.set(7)
    assert list(in_order(lambda _: context.get(), range(9), jobs=3)) == [7] * 9


def test_there_is_one_level_of_parallelism() -> None:
    """A task that would use threads of its own runs in its own thread alone."""

    def outer(number: int) -> set[int]:
        assert jobs_or_default(4) == 1
        return set(in_order(lambda _: threading.get_ident(), range(20), jobs=4))

    assert all(len(used) == 1 for used in in_order(outer, range(8), jobs=3))
    assert jobs_or_default(4) == 4


def test_threads_are_left_out_where_they_are_of_no_use() -> None:
    with open_executor("threads", jobs=2) as executor:
        assert isinstance(executor, ThreadPoolExecutor)
        assert without_threads(executor, Square()) is None
    with open_executor("threads", jobs=1) as alone:
        assert alone is None


def test_a_number_of_threads_that_is_none_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_JOBS", "3")
    assert jobs_or_default(None) == 3
    monkeypatch.setenv("ERRATA_JOBS", "many")
    with pytest.raises(ErrataError, match="hint: it is a number of threads"):
        jobs_or_default(None)


@pytest.fixture(params=["threads", "processes"])
def executor(request: pytest.FixtureRequest) -> Iterator[Executor | None]:
    with open_executor(request.param, jobs=2) as opened:
        yield opened


def test_every_executor_gives_results_in_order_from_a_stream_it_reads_as_needed(executor: Executor) -> None:
    taken = []

    def numbers(count: int) -> Iterator[int]:
        for n in range(count):
            taken.append(n)
            yield n

    results = map_ordered(executor, Square(), numbers(200))
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    assert len(taken) < 15
    assert list(results) == [n * n for n in range(5, 200)]
    taken.clear()
    results = map_ordered(executor, Square(), numbers(200), window=3)
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    assert len(taken) == 7


def test_an_error_in_a_task_arrives_as_it_was_raised(executor: Executor) -> None:
    results = map_ordered(executor, Square(wrong=3), range(10))
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    with pytest.raises(DataError, match=r"numbers.txt:3: not a number\n  hint: count again") as raised:
        next(results)
    assert (raised.value.path, raised.value.line) == ("numbers.txt", 3)
    with pytest.raises(MissingExtraError, match=r"pip install 'errata-gec\[squares\]'"):
        list(map_ordered(executor, Square(missing=2), range(10)))


def test_an_error_that_cannot_be_sent_is_replaced_by_its_text() -> None:
    with (
        open_executor("processes", jobs=2) as executor,
        pytest.raises(RuntimeError, match="Unpicklable"),
    ):
        list(map_ordered(executor, Square(odd=2), range(10)))


def test_an_error_of_the_stream_comes_after_the_results_before_it(executor: Executor) -> None:
    def failing() -> Iterator[int]:
        yield from range(6)
        raise DataError("the file ends in the middle")

    squares = []
    with pytest.raises(DataError, match="in the middle"):
        squares.extend(map_ordered(executor, Square(), failing()))
    assert len(squares) == 6
    for number, result in enumerate(map_ordered(executor, Square(wrong=2), failing())):
        assert result == number * number
        if number == 1:
            break


@pytest.mark.crash
def test_the_task_of_a_killed_process_is_repeated(tmp_path: Path) -> None:
    work = Square(deadly=7, marker=str(tmp_path / "tried"))
    with open_executor("processes", jobs=2) as executor:
        assert list(map_ordered(executor, work, range(30))) == [n * n for n in range(30)]
    assert (tmp_path / "tried").exists()


@pytest.mark.crash
def test_a_task_that_kills_every_process_is_an_error_in_the_end() -> None:
    with (
        open_executor("processes", jobs=2) as executor,
        pytest.raises(ErrataError, match=r"3 workers died .* \(7\)"),
    ):
        list(map_ordered(executor, Square(deadly=7), range(30)))


def test_an_engine_that_is_none_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ErrataError, match="one of threads, processes, ray"), open_executor("steam"):
        pass
    with pytest.raises(ErrataError, match="hint: --engine ray"), open_executor("processes", address="auto"):
        pass
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"errata-gec\[ray\]"), open_executor("ray"):
        pass
