"""How work is spread over threads."""

from __future__ import annotations

import threading

import pytest

from errata.engine import in_order, jobs_or_default, spread
from errata.errors import ErrataError


def test_results_come_in_order_for_any_number_of_threads() -> None:
    for jobs in (1, 2, 7):
        assert list(in_order(lambda i: i * i, range(50), jobs)) == [i * i for i in range(50)]


def test_work_within_work_runs_in_its_own_thread() -> None:
    def outer(_: int) -> bool:
        inner: list[int] = []
        spread(lambda start, stop: inner.append(threading.get_ident()), 500, jobs=4)
        return set(inner) == {threading.get_ident()}

    assert all(in_order(outer, range(8), jobs=3))


def test_a_number_of_threads_that_is_none_is_an_error_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_JOBS", "3")
    assert jobs_or_default(None) == 3
    monkeypatch.setenv("ERRATA_JOBS", "many")
    with pytest.raises(ErrataError, match="hint: it is a number of threads"):
        jobs_or_default(None)
