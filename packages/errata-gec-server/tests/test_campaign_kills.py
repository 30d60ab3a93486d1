"""Annotators at work while the server is killed again and again: no acknowledged judgment may be lost."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from signal import SIGINT, SIGQUIT, SIGUSR1
from typing import Any

import httpx
import pytest

import power_loss
from campaign_faults import check_export, kill, restart, simulate, until_full
from campaigns import Running, answer_to, make, post_of
from errata_server.campaign.annotator_service import AnnotatorService
from postgres import need_postgres, restartable_postgres

NAMES = [f"a{i}" for i in range(6)]


def test_every_acknowledged_judgment_is_exported_exactly_once(tmp_path: Path) -> None:
    made = make(tmp_path, annotators=NAMES, copies=20, redundancy=2)
    check_export(made, simulate(made, [kill, kill]))


def test_every_acknowledged_judgment_is_exported_exactly_once_from_postgresql(tmp_path: Path) -> None:
    """The server is killed, and PostgreSQL is stopped and dies below it."""
    need_postgres()
    with restartable_postgres() as server:
        made = make(tmp_path, place=server.url, annotators=NAMES, copies=20, redundancy=2)
        made.store.close()

        restarts = [partial(restart, server=server, signal=signal) for signal in (SIGQUIT, SIGINT)]
        check_export(made, simulate(made, [kill, *restarts, kill]))
        made.store.close()


def lose_power(running: Running) -> None:
    assert running.process is not None
    running.process.send_signal(SIGUSR1)
    assert running.process.wait(60) == power_loss.LOST
    running.start()


@pytest.mark.crash
def test_every_acknowledged_judgment_survives_losses_of_power(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(tmp_path / "campaign", annotators=NAMES, copies=20, redundancy=2)
    for name, value in power_loss.environment(tmp_path, tmp_path / "campaign").items():
        monkeypatch.setenv(name, value)
    acknowledged = simulate(made, [lose_power] * 3)
    assert len(acknowledged) > 100
    check_export(made, acknowledged)


INSERT = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode=WAL")
connection.execute(f"PRAGMA synchronous={sys.argv[2]}")
connection.execute("CREATE TABLE IF NOT EXISTS numbers (number)")
for number in range(50):
    connection.execute("INSERT INTO numbers VALUES (?)", (number,))
os.kill(os.getpid(), signal.SIGUSR1)
signal.pause()
"""


@pytest.mark.parametrize(("synchronous", "kept"), [("FULL", 50), ("NORMAL", 0), ("OFF", 0)])
def test_a_loss_of_power_drops_what_was_not_synced(tmp_path: Path, synchronous: str, kept: int) -> None:
    """The simulated loss of power does find a database that does not sync."""
    (tmp_path / "disk").mkdir()
    place = str(tmp_path / "disk" / "numbers.db")
    lossy = {**os.environ, **power_loss.environment(tmp_path, tmp_path / "disk")}
    done = subprocess.run([sys.executable, "-c", INSERT, place, synchronous], env=lossy)
    assert done.returncode == power_loss.LOST
    with closing(sqlite3.connect(place)) as connection:
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        count = connection.execute("SELECT count(*) FROM numbers").fetchone()[0] if tables else 0
    assert count == kept


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    made = make(tmp_path, annotators=["ann"], copies=200, repeats=0)
    made.store.close()
    # The log of SQLite is the file that grows; at the limit the system answers "file too large".
    acknowledged = until_full(made, 2_000_000)
    assert len(acknowledged) > 20
    check_export(made, acknowledged)
    running = Running(made.place)
    running.start()  # there is space again
    try:
        with httpx.Client(base_url=running.url, trust_env=False, timeout=30) as client:
            assert client.post("/enter", json={"token": made.tokens["ann"]}).status_code == 200
            post = post_of(client.get("/api/screen").json())
            assert client.post("/api/judge", json=post).status_code == 200
            acknowledged[post["key"]] = post["answer"]["ranks"]
    finally:
        running.kill()
    check_export(made, acknowledged)


@pytest.mark.parametrize("task", ["ranking", "scalars"])
def test_what_is_not_stored_is_not_learnt(task: str, tmp_path: Path) -> None:
    """A transaction that fails at its end leaves the adaptive models and the drafts as they were."""
    made = make(tmp_path, task=task, assignment="adaptive", copies=3, annotators=["ann"])
    with made.store.write() as connection:
        screens = AnnotatorService(made.store, connection)
        screen = screens.screen(connection, 1)
        draft = {"answer": answer_to(screen, task), "comment": ""}
        screens.draft(connection, 1, {"assignment": screen["assignment"], "draft": draft})

    def state() -> Any:
        assigner = screens.assigner
        if assigner.ranking is not None:
            learnt = [assigner.ranking.mu.tolist(), assigner.ranking.variance.tolist()]
            learnt += [dict(assigner.used), {who: set(seen) for who, seen in assigner.seen.items()}]
        else:
            assert assigner.scalars is not None
            learnt = [assigner.scalars._model.alpha.tolist(), assigner.scalars._model.beta.tolist()]
        return learnt

    def judge_and_fail() -> None:
        with made.store.write() as connection:
            screens.judge(connection, 1, post_of(screen, task))
            raise OSError("disk full")

    before = state()
    with pytest.raises(OSError, match="disk full"):
        judge_and_fail()
    assert state() == before
    with made.store.write() as connection:
        screens.judge(connection, 1, post_of(screen, task))
    assert state() != before
    learnt = state()
    with made.store.write() as connection:
        screens = AnnotatorService(made.store, connection)  # what is stored is what a new server learns
    assert state() == learnt
