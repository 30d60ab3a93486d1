"""Annotators who work while the server is killed, PostgreSQL dies below it, or the disk is full."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import numpy as np

from campaigns import Made, Running, post_of
from errata_server.campaign.export_judgments import rows_of
from postgres import Postgres


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
    made: Made,
    faults: Sequence[Callable[[Running], None]],
    *,
    limit: int = 30,
    seconds: float = 300,
) -> dict[str, list[int]]:
    """Let everyone work through faults; what was acknowledged, by key."""
    running = Running(made.place)
    running.start()
    end = time.monotonic() + seconds
    people = [Annotator(running.url, token, limit, end) for token in made.tokens.values()]
    random = np.random.default_rng(1)
    try:
        for person in people:
            person.start()
        for number, fault in enumerate(faults):
            # By what was acknowledged, not by the clock: somebody still works when the fault happens.
            _wait(people, limit * len(people) * (number + random.random()) / (len(faults) + 1))
            assert any(person.is_alive() for person in people), "nobody works: the fault would prove nothing"
            fault(running)
        for person in people:
            person.join(seconds)
    finally:
        running.kill()
    assert [person.problem for person in people if person.problem] == []
    assert not any(person.is_alive() for person in people)
    return {key: ranks for person in people for key, ranks in person.acknowledged.items()}


def kill(running: Running) -> None:
    running.kill()
    running.start()


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


def restart(running: Running, *, server: Postgres, signal: int) -> None:
    """Stop PostgreSQL below the campaign's server, which must live through it."""
    assert running.process is not None
    server.stop(signal)
    time.sleep(0.3)
    server.start()
    assert running.process.poll() is None


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
