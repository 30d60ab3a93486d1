"""No submission is lost or scored twice when the server and its workers are killed."""

from __future__ import annotations

import multiprocessing
import signal
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from errata.corpus.model import Corpus
from errata_server.task import task_tables as schema
from errata_server.task import worker
from errata_server.task import worker as queue
from errata_server.task.worker import LostLeaseError
from postgres import need_postgres, postgres
from task_storm import check, enter_teams, storm
from tasks import GOOD, SOURCE, Made, make, output

PHASES = [{"name": "test", "shows": "leaderboard", "per_day": 100}]


def run(made: Made, kills: int) -> None:
    tokens = enter_teams(made.store, 3)
    files = {name: [output(4 * place + i) for i in range(4)] for place, name in enumerate(tokens)}
    outcome = storm(made, files, tokens, kills=kills, seconds=400)
    assert sum(outcome.kills.values()) == kills
    corpus = Corpus.from_lists(SOURCE, [[text] for text in GOOD])
    check(made, outcome, corpus, ["gleu", "bleu"])


def test_everything_is_scored_once_through_kills(tmp_path: Path) -> None:
    made = make(tmp_path, phases=PHASES)
    run(made, 3)
    made.store.close()


def test_everything_is_scored_once_through_kills_on_postgresql(tmp_path: Path) -> None:
    need_postgres()
    with postgres() as url:
        made = make(tmp_path, place=url, phases=PHASES)
        run(made, 2)
        for table in ("submissions", "results", "events", "files"):
            with pytest.raises(sa.exc.DatabaseError, match="append-only"), made.store.write() as connection:
                connection.exec_driver_sql(f"DELETE FROM {table}")
        made.store.close()


def test_a_job_whose_worker_is_gone_is_taken_once_and_the_first_worker_cannot_finish_it(
    tmp_path: Path,
) -> None:
    store = make(tmp_path).store
    first = queue.take_job(store, "first")
    assert first is not None
    assert queue.take_job(store, "second") is None  # it is leased
    with store.write() as connection:
        connection.execute(sa.update(schema.jobs).values(until=0))  # as if the lease had ended
    second = queue.take_job(store, "second")
    assert second is not None
    assert second.id == first.id
    with pytest.raises(LostLeaseError):
        queue.renew_lease(store, first)
    with pytest.raises(LostLeaseError):
        queue.finish_submission(store, first, {}, b"", 1.0)
    queue.finish_submission(store, second, {"metrics": []}, b"", 1.0)
    with pytest.raises(LostLeaseError):
        queue.finish_submission(store, second, {"metrics": []}, b"", 1.0)
    with store.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.results)) == 1
    store.close()


def test_a_board_that_changes_while_it_is_worked_out_is_worked_out_again(tmp_path: Path) -> None:
    store = make(tmp_path).store
    score = queue.take_job(store, "w")
    assert score is not None
    queue.finish_submission(store, score, {"metrics": []}, b"", 1.0)
    job = queue.take_job(store, "w")
    assert job is not None
    assert job.submission is None
    queue.finish_board(store, job, {"all": {"clusters": []}}, {"all": []})  # a result came in meanwhile
    again = queue.take_job(store, "w")
    assert again is not None
    assert again.id == job.id
    queue.finish_board(store, again, {"all": {"clusters": []}}, {"all": [1]})
    assert queue.take_job(store, "w") is None
    store.close()


def _ignore_signals() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(600)


def test_a_worker_that_does_not_stop_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "_STOP_SECONDS", 0.5)
    process = multiprocessing.get_context("fork").Process(target=_ignore_signals)
    process.start()
    workers = worker.Workers("", 1)
    monkeypatch.setattr(workers, "_new", lambda: process)
    workers.start()
    workers.stop()
    assert not process.is_alive()


def test_a_job_that_ends_many_workers_is_given_up(tmp_path: Path) -> None:
    store = make(tmp_path).store
    for number in range(queue._MOST_ATTEMPTS):
        assert queue.take_job(store, str(number)) is not None
        with store.write() as connection:
            connection.execute(sa.update(schema.jobs).values(until=0))
    assert queue.take_job(store, "last") is None
    with store.read() as connection:
        row = connection.execute(sa.select(schema.jobs)).one()
    assert row.state == "failed"
    assert "organisers" in row.message
    store.close()
