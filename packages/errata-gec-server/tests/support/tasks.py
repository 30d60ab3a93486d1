"""What the tests of shared tasks share: a small task, clients that are signed in, workers, a real server."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
from starlette.testclient import TestClient

from campaigns import SOURCES, SYSTEMS, Running
from errata.http.asgi import RateLimit
from errata_server.task.create_task import make_task
from errata_server.task.task_server import TaskServer
from errata_server.task.task_settings import settings_from
from errata_server.task.task_store import TaskStore
from errata_server.task.teams import invite

REFERENCES = SYSTEMS["good"]
COPIES = 5
NOON = "2026-05-15T12:00:00.000Z"


@dataclass
class Made:
    """A task that was just made."""

    store: TaskStore
    place: str
    owner: str


def lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


SOURCE, GOOD, MIDDLE = SOURCES * COPIES, REFERENCES * COPIES, SYSTEMS["middle"] * COPIES


def output(number: int) -> bytes:
    """Outputs that are all different: the bits of the number say which sentences are corrected."""
    return lines([GOOD[i] if (number >> (i % 12)) & 1 else SOURCE[i] for i in range(len(SOURCE))])


def make(
    folder: Path, *, place: str | None = None, tracks: Any = None, phases: Any = None, **settings: Any
) -> Made:
    """A task over thirty sentences with two domains; in SQLite in the folder unless a place is given."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "source.txt").write_bytes(lines(SOURCE))
    (folder / "ref.txt").write_bytes(lines(GOOD))
    domains = "".join(f"{'letters' if i % 2 else 'essays'}\n" for i in range(len(SOURCE)))
    (folder / "meta.tsv").write_text("domain\n" + domains)
    texts = {
        "source": str(folder / "source.txt"), "references": [str(folder / "ref.txt")],
        "meta": str(folder / "meta.tsv"),
    }  # fmt: skip
    values: dict[str, Any] = {
        "name": "Test task",
        "tracks": tracks
        or [{"name": "main", "metrics": ["gleu", "bleu"], "by": ["domain"], "texts": {"test": texts}}],
        "phases": phases or [{"name": "test", "shows": "leaderboard"}],
        "samples": 50,
        **settings,
    }
    place = place or str(folder / "task.db")
    store, owner = make_task(settings_from(values), place)
    return Made(store, place, owner)


def texts_in(folder: Path) -> dict[str, Any]:
    """The texts that `make` has written."""
    return {"source": str(folder / "source.txt"), "references": [str(folder / "ref.txt")]}


def work_off(made: Made) -> None:
    """Do all jobs, in a process of its own as workers do."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["errata_server.task.worker"])
    process = context.Process(target=_work_off, args=(made.place,))
    process.start()
    process.join()
    assert process.exitcode == 0


def _work_off(place: str) -> None:
    from errata_server.task.worker import Worker

    store = TaskStore.open(place)
    worker = Worker(store)
    while worker.step():
        pass
    store.close()


class Served:
    """A task that is served within the test, with a client for everybody."""

    def __init__(self, made: Made) -> None:
        self.made = made
        self.server = TaskServer(made.store, workers=0)
        for part in (self.server.app, self.server.teams):  # tests ask faster than people
            for name in ("_requests", "_rate", "_sign_ups"):
                if hasattr(part, name):
                    setattr(part, name, RateLimit(per_second=1e6, burst=10**6))
        self.app = self.server.application()
        self.first = TestClient(self.app, follow_redirects=False)
        self.first.__enter__()

    def client(self) -> TestClient:
        client = TestClient(self.app, follow_redirects=False)
        client.portal = self.first.portal
        return client

    def enter(self, token: str) -> TestClient:
        client = self.client()
        answer = client.post("/enter", json={"token": token})
        assert answer.status_code == 200, answer.text
        return client

    def owner(self) -> TestClient:
        return self.enter(self.made.owner)

    def team(self, name: str, member: str = "Ann") -> TestClient:
        """A team that was invited."""
        with self.made.store.write() as connection:
            token = invite(self.made.store, connection, "test")
        client = self.enter(token)
        answer = client.post("/sign-up", json={"team": name, "member": member})
        assert answer.status_code == 201, answer.text
        client.headers["x-token"] = answer.json()["token"]
        return client

    def close(self) -> None:
        self.first.__exit__(None, None, None)
        self.made.store.close()


Kind = TypeVar("Kind", bound=Served)


@contextmanager
def served(made: Made, kind: type[Kind] = Served) -> Iterator[Kind]:  # type: ignore[assignment]
    found = kind(made)
    try:
        yield found
    finally:
        found.close()


def submit(client: Any, data: bytes, **asked: str) -> httpx.Response:
    """Send a file as the page does."""
    params = {"track": "main", "phase": "test", "name": "out.txt", **asked}
    return client.post(
        "/api/submissions", params=params, content=data, headers={"Content-Type": "application/octet-stream"}
    )


def act(client: Any, page: str, action: str, **values: str) -> httpx.Response:
    """Press one of the buttons of a page."""
    return client.post(f"{page}/act", data={"action": action, **values})


def board(client: Any, track: str = "main", phase: str = "test") -> dict[str, Any]:
    answer = client.get(f"/api/board/{track}/{phase}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def scores_on(board: Mapping[str, Any]) -> dict[str, list[float]]:
    return {row["team"]: [score["value"] for score in row["scores"]] for row in board["rows"]}


class RunningTask(Running):
    """`errata task serve` in a process that can be killed and started again."""

    verb = "task"


def until(condition: Any, seconds: float = 120, what: str = "it") -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what} did not happen")
        time.sleep(0.1)
