"""Annotators at work while the server is killed again and again: no acknowledged judgment may be lost."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from signal import SIGINT, SIGQUIT
from typing import Any

import httpx
import pytest

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
