"""Annotators at work while the server is killed again and again: no acknowledged judgment may be lost."""

from __future__ import annotations

import threading
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs errata[campaign]")
pytest.importorskip("sqlalchemy", reason="needs errata[campaign]")

import httpx
import numpy as np

from campaigns import Made, Running, make, post_of
from errata.campaign.exporting import rows_of
from postgres import binaries, postgres


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


def simulate(made: Made, *, limit: int, kills: int, seconds: float, seed: int = 1) -> dict[str, list[int]]:
    """Let everyone work through `kills` deaths of the server; what was acknowledged, by key."""
    running = Running(made.place)
    running.start()
    end = time.monotonic() + seconds
    people = [Annotator(running.url, token, limit, end) for token in made.tokens.values()]
    random = np.random.default_rng(seed)
    try:
        for person in people:
            person.start()
        for _ in range(kills):
            time.sleep(0.2 + random.random())
            running.kill()
            running.start()
        for person in people:
            person.join(seconds)
    finally:
        running.kill()
    assert [person.problem for person in people if person.problem] == []
    assert not any(person.is_alive() for person in people)
    return {key: ranks for person in people for key, ranks in person.acknowledged.items()}


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
        check_export(made, simulate(made, limit=30, kills=2, seconds=40))
        return
    pytest.importorskip("psycopg", reason="needs errata[postgres]")
    if binaries() is None:
        pytest.skip("needs PostgreSQL's binaries")
    with postgres() as url:
        made = make(tmp_path, place=url, **settings)
        check_export(made, simulate(made, limit=30, kills=2, seconds=40))
        made.store.close()
