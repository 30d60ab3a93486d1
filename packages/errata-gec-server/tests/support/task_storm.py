"""Teams that submit all at once while the server and its workers are killed again and again."""

from __future__ import annotations

import hashlib
import os
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import sqlalchemy as sa

import errata
from errata.corpus.model import Corpus
from errata_server.task import task_tables as schema
from errata_server.task.leaderboards import Boards, Viewer
from errata_server.task.task_store import TaskStore
from errata_server.task.teams import invite, sign_up
from tasks import Made, RunningTask, until


def enter_teams(store: TaskStore, count: int) -> dict[str, str]:
    """The tokens of new teams, by name."""
    tokens = {}
    with store.write() as connection:
        for number in range(count):
            invite(store, connection, "storm")
            invited = connection.scalar(sa.select(sa.func.max(schema.invitations.c.id)))
            name = f"Team number {number}"
            _, tokens[name] = sign_up(store, connection, {"team": name, "member": "Ann"}, invited)
    return tokens


class TeamAtWork(threading.Thread):
    """Sends files one after the other, each until it is acknowledged."""

    def __init__(self, url: str, token: str, files: Sequence[bytes], end: float) -> None:
        super().__init__(daemon=True)
        self.url, self.token, self.files, self.end = url, token, files, end
        self.acknowledged: list[str] = []  # digests, in the order of the team
        self.problem = ""

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/octet-stream"}
        with httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=60) as client:
            for data in self.files:
                if not self._send(client, data):
                    return

    def _send(self, client: httpx.Client, data: bytes) -> bool:
        params = {"track": "main", "phase": "test", "name": "out.txt", "anyway": "yes"}
        while time.monotonic() < self.end:
            try:
                answer = client.post("/api/submissions", params=params, content=data)
            except httpx.TransportError:
                time.sleep(0.1)
                continue
            if answer.status_code in (200, 201):
                self.acknowledged.append(hashlib.sha256(data).hexdigest())
                return True
            if answer.status_code not in (429, 503):
                self.problem = answer.text
                return False
            time.sleep(0.3)
        self.problem = "out of time"
        return False


class Reader(threading.Thread):
    """Looks at pages all the time."""

    def __init__(self, url: str, token: str, paths: Sequence[str]) -> None:
        super().__init__(daemon=True)
        self.url, self.token, self.paths = url, token, paths
        self.stopped = threading.Event()

    def run(self) -> None:
        headers = {"Authorization": f"Bearer {self.token}"}
        with httpx.Client(base_url=self.url, headers=headers, trust_env=False, timeout=30) as client:
            while not self.stopped.wait(0.05):
                for path in self.paths:
                    try:
                        answer = client.get(path)
                    except httpx.TransportError:
                        time.sleep(0.2)  # it was killed
                        continue
                    assert answer.status_code in (200, 429), answer.text


@dataclass
class Outcome:
    """What came out of a storm."""

    sent: dict[str, list[str]]  # digests, by team
    files: dict[str, bytes]
    kills: dict[str, int]
    problems: list[str] = field(default_factory=list)


def busy_workers(store: TaskStore) -> list[int]:
    """The processes of the workers that are at a job."""
    table = schema.jobs
    with store.read() as connection:
        names = connection.scalars(sa.select(table.c.worker).where(table.c.state == "running")).all()
    pids = [int(name.partition("-")[0]) for name in names]
    return [pid for pid in pids if Path(f"/proc/{pid}").exists()]


def storm(
    made: Made, files: dict[str, list[bytes]], tokens: dict[str, str], *, kills: int, seconds: float
) -> Outcome:
    """Let all teams submit while the server and its two workers are killed in turn."""
    running = RunningTask(made.place, "--workers", "2")
    running.start(300)
    begin = time.monotonic()
    teams = {
        name: TeamAtWork(running.url, tokens[name], each, begin + seconds) for name, each in files.items()
    }
    reader = Reader(running.url, next(iter(tokens.values())), ["/board/main/test", "/team", "/"])
    random = np.random.default_rng(1)
    done = {"server": 0, "worker": 0}
    total = sum(map(len, files.values()))
    store = made.store

    def finished() -> int:
        with store.read() as connection:
            return int(connection.scalar(sa.select(sa.func.count()).select_from(schema.results)) or 0)

    try:
        for each in (*teams.values(), reader):
            each.start()
        for kill in range(kills):
            wanted = total * (kill + random.random()) / (kills + 1)  # while there is work, not by the clock
            until(lambda wanted=wanted: finished() >= wanted, seconds, f"kill {kill}")
            assert running.process is not None
            workers = busy_workers(store)
            if kill % 3 == 0 or not workers:
                running.kill()
                running.start(300)
                done["server"] += 1
            else:
                os.kill(int(random.choice(workers)), signal.SIGKILL)
                done["worker"] += 1
        for team in teams.values():
            team.join(seconds)
        until(lambda: finished() >= total, seconds, "the last score")
        until(lambda: not _open_jobs(store), seconds, "the last board")
    finally:
        reader.stopped.set()
        reader.join(30)
        running.stop()
    problems = [team.problem for team in teams.values() if team.problem]
    known = {hashlib.sha256(data).hexdigest(): data for each in files.values() for data in each}
    sent = {name: team.acknowledged for name, team in teams.items()}
    return Outcome(sent, known, done, problems)


def _open_jobs(store: TaskStore) -> int:
    table = schema.jobs
    with store.read() as connection:
        query = sa.select(sa.func.count()).where(table.c.state.in_(("queued", "running")))
        return int(connection.scalar(query) or 0)


def check(made: Made, outcome: Outcome, corpus: Corpus, metrics: Sequence[str]) -> dict[str, Any]:
    """All that was acknowledged is scored, once, and the board has the numbers of `errata score`."""
    assert outcome.problems == []
    table, results = schema.submissions, schema.results
    with made.store.read() as connection:
        names = {row.id: row.name for row in connection.execute(sa.select(schema.teams))}
        query = sa.select(table, results.c.scores).outerjoin(results, results.c.submission == table.c.id)
        rows = connection.execute(query.order_by(table.c.id)).all()
        board = Boards(made.store).board(connection, "main", "test", Viewer(staff=True))
        states = connection.scalars(sa.select(schema.jobs.c.state)).all()
    assert set(states) == {"done"}
    stored: dict[str, list[str]] = {}
    for row in rows:
        assert row.scores is not None
        stored.setdefault(names[row.team], []).append(row.digest)
    for name, digests in outcome.sent.items():
        assert stored[name] == digests  # each once, in the order in which they were sent
    last = {name: digests[-1] for name, digests in outcome.sent.items()}
    texts = {name: outcome.files[digest].decode().split("\n")[:-1] for name, digest in last.items()}
    texts["Unchanged source"] = corpus.sources
    wanted = errata.score(corpus, texts, metric=list(metrics))
    found = {row["team"]: [score["value"] for score in row["scores"]] for row in board["rows"]}
    assert found == {name: [wanted[name, i].value for i in range(len(metrics))] for name in texts}
    assert all(score["cluster"] is not None for row in board["rows"] for score in row["scores"])
    return board
