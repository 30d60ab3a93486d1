"""Annotators at work while the server is killed again and again: no acknowledged judgment may be lost."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from signal import SIGINT, SIGQUIT
from typing import Any

import httpx
import numpy as np
import pytest

from campaigns import Made, Running, answer_to, make, post_of
from errata_server.campaign.annotator_service import AnnotatorService
from errata_server.campaign.export_judgments import rows_of
from postgres import Postgres, need_postgres, postgres, restartable_postgres


class Annotator(threading.Thread):
    """Works as the page does: sends an answer until it is acknowledged, whatever happens meanwhile."""

    def __init__(self, url: str, token: str, limit: int, end: float) -> None:
        super().__init__(daemon=True)
        self.url, self.token, self.limit, self.end = url, token, limit, end
        self.acknowledged: dict[str, list[int]] = {}
        self.problem: str | None = None

    def run(self) -> None:
        try:
            with httpx.Client(base_url=self.url, trust_env=False, timeout=10) as client:
                self.request(client, "POST", "/enter", json={"token": self.token})
                screen = self.request(client, "GET", "/api/screen")
                while screen["state"] == "work" and len(self.acknowledged) < self.limit:
                    post = post_of(screen, key=uuid.uuid4().hex)
                    answer = self.request(client, "POST", "/api/judge", json=post)
                    assert answer["saved"] == post["key"]
                    self.acknowledged[post["key"]] = post["answer"]["ranks"]
                    screen = answer["next"]
        except Exception as error:
            self.problem = repr(error)

    def request(self, client: httpx.Client, method: str, path: str, **values: Any) -> Any:
        while time.monotonic() < self.end:
            try:
                response = client.request(method, path, **values)
                if response.status_code == 200:
                    return response.json()
                assert response.status_code in (429, 503), response.text
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise TimeoutError(path)


def simulate(
    made: Made, *, limit: int, kills: int, seconds: float, seed: int = 1, kind: type[Running] = Running
) -> dict[str, list[int]]:
    """Let everyone work through `kills` deaths of the server; what was acknowledged, by key."""
    running = kind(made.place)
    running.start()
    end = time.monotonic() + seconds
    people = [Annotator(running.url, token, limit, end) for token in made.tokens.values()]
    random = np.random.default_rng(seed)
    try:
        for person in people:
            person.start()
        for kill in range(kills):
            # By what was acknowledged, not by the clock: somebody still works when the server dies.
            _wait(people, limit * len(people) * (kill + random.random()) / (kills + 1))
            assert any(person.is_alive() for person in people), "nobody works: the kill would prove nothing"
            running.kill()
            running.start()
        for person in people:
            person.join(seconds)
    finally:
        running.kill()
    assert [person.problem for person in people if person.problem] == []
    assert not any(person.is_alive() for person in people)
    return {key: ranks for person in people for key, ranks in person.acknowledged.items()}


def _wait(people: list[Annotator], judgments: float) -> None:
    """Until so many judgments were acknowledged."""
    while sum(len(person.acknowledged) for person in people) < judgments:
        if not any(person.is_alive() for person in people):
            return
        time.sleep(0.002)


def check_export(made: Made, acknowledged: dict[str, list[int]]) -> None:
    with made.store.read() as connection:
        exported = list(rows_of(made.store, connection))
    counts = Counter(row["key"] for row in exported)
    assert set(counts.values()) <= {1}
    assert set(acknowledged) <= set(counts)
    for row in exported:
        if row["key"] in acknowledged:
            shown = [row["answer"]["ranks"][i] for i in row["shown"]]
            assert shown == acknowledged[row["key"]]
    assert len(counts) == len(acknowledged)  # nothing was in flight at the end


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_every_acknowledged_judgment_is_exported_exactly_once(database: str, tmp_path: Path) -> None:
    names = [f"a{i}" for i in range(6)]
    settings: dict[str, Any] = {"annotators": names, "copies": 20, "redundancy": 2}
    if database == "sqlite":
        made = make(tmp_path, **settings)
        check_export(made, simulate(made, limit=30, kills=2, seconds=60))
        return
    need_postgres()
    with postgres() as url:
        made = make(tmp_path, place=url, **settings)
        check_export(made, simulate(made, limit=30, kills=2, seconds=60))
        made.store.close()


def restarts(made: Made, server: Postgres, *, limit: int, times: int, seconds: float) -> dict[str, list[int]]:
    """Let everyone work while PostgreSQL is sent away, or dies, again and again."""
    running = Running(made.place)
    running.start()
    end = time.monotonic() + seconds
    people = [Annotator(running.url, token, limit, end) for token in made.tokens.values()]
    random = np.random.default_rng(1)
    try:
        for person in people:
            person.start()
        for turn in range(times):
            time.sleep(0.3 + random.random())
            server.stop(SIGINT if turn % 2 else SIGQUIT)
            time.sleep(random.random() / 2)
            server.start()
        for person in people:
            person.join(seconds)
        assert running.process is not None
        assert running.process.poll() is None  # the campaign's server lived through it all
    finally:
        running.kill()
    assert [person.problem for person in people if person.problem] == []
    return {key: ranks for person in people for key, ranks in person.acknowledged.items()}


def test_nothing_is_lost_when_postgresql_restarts(tmp_path: Path) -> None:
    need_postgres()
    with restartable_postgres() as server:
        names = [f"a{i}" for i in range(4)]
        made = make(tmp_path, place=server.url, annotators=names, copies=20, redundancy=2)
        made.store.close()
        acknowledged = restarts(made, server, limit=30, times=2, seconds=60)
        check_export(made, acknowledged)
        made.store.close()


def until_full(made: Made, most_bytes: int | None) -> dict[str, list[int]]:
    """Judge until the disk is full, or files may not grow beyond a limit; what was acknowledged."""
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes or -1, -1))

    running = Running(made.place, limits=limit)
    running.start()
    acknowledged: dict[str, list[int]] = {}
    refused = 0
    try:
        with httpx.Client(base_url=running.url, trust_env=False, timeout=30) as client:
            assert client.post("/enter", json={"token": made.tokens["ann"]}).status_code == 200
            screen = client.get("/api/screen").json()
            for _ in range(3000):
                post = post_of(screen, comment="x" * 3000)
                answer = client.post("/api/judge", json=post)
                if answer.status_code == 200:
                    acknowledged[post["key"]] = post["answer"]["ranks"]
                    screen = answer.json()["next"]
                elif answer.status_code == 429:
                    time.sleep(0.5)
                else:
                    assert answer.status_code == 503, answer.text
                    refused += 1
                    if refused == 5:
                        break
            # Small requests may still fit; reading works, and the server is there.
            assert client.get("/health").text == "open"
    finally:
        running.kill()
    assert refused == 5
    return acknowledged


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
