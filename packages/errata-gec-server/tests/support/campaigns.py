"""What the tests of campaigns share: small campaigns, a client that is signed in, a server of its own."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from starlette.testclient import TestClient

from errata_server.campaign.annotator_service import AnnotatorService
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import settings_from
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.create_campaign import make_campaign
from errata_server.campaign.export_judgments import export, rows_of

Screen = dict[str, Any]
SOURCES = [
    "He go to school every day with his friend .",
    "She have two cat and one dog at home .",
    "I am agree with this idea very much .",
    "We was walking in park when it rained .",
    "They likes to play football on sunday .",
    "The informations is not correct at all .",
]
SYSTEMS = {
    "good": [
        "He goes to school every day with his friend .",
        "She has two cats and one dog at home .",
        "I agree with this idea very much .",
        "We were walking in the park when it rained .",
        "They like to play football on Sunday .",
        "The information is not correct at all .",
    ],
    "middle": [
        "He goes to school every day with his friend .",
        "She has two cat and one dog at home .",
        "I agree with this idea very much .",
        "We were walking in park when it rained .",
        "They like to play football on sunday .",
        "The informations are not correct at all .",
    ],
    "none": SOURCES,
}


@dataclass
class Made:
    """A campaign that was just made."""

    store: CampaignStore
    place: str
    tokens: dict[str, str]
    admin: str


def make(
    folder: Path,
    *,
    place: str | None = None,
    sources: list[str] | None = None,
    copies: int = 1,
    **settings: Any,
) -> Made:
    """A campaign over the six sentences, `copies` times; in SQLite in the folder unless a place is given."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = (sources or SOURCES) * copies
    (folder / "source.txt").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    paragraphs = settings.pop("paragraphs", ["0"] * len(texts))
    labels = "".join(f"doc-{i // 3}\t{paragraph}\n" for i, paragraph in enumerate(paragraphs))
    (folder / "meta.tsv").write_text("document\tparagraph\n" + labels, encoding="utf-8")
    task = settings.setdefault("task", "ranking")
    values: dict[str, Any] = {
        "name": "Test",
        "corpus": str(folder / "source.txt"),
        "meta": [str(folder / "meta.tsv")],
        "annotators": ["ann", "bob"],
        "seed": 1,
        **settings,
    }
    systems = values.pop("outputs", SYSTEMS)
    if task != "correction":
        for name, lines in systems.items():
            (folder / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines * copies), encoding="utf-8")
        values["systems"] = {name: str(folder / f"{name}.txt") for name in systems}
    place = place or str(folder / "campaign.db")
    store, tokens, admin = make_campaign(settings_from(values), place)
    return Made(store, place, tokens, admin)


def sign_in(client: Any, token: str) -> None:
    assert client.post("/enter", json={"token": token}).status_code == 200


@contextmanager
def signed_in(made: Made, who: str = "ann") -> Iterator[TestClient]:
    """A client of an annotator or of the admin, with a server within the test."""
    with TestClient(application(made.store), follow_redirects=False) as client:
        sign_in(client, made.admin if who == "admin" else made.tokens[who])
        yield client


def work(
    client: Any, values: Callable[[Screen], Screen] = lambda screen: {}, limit: int = 200
) -> list[Screen]:
    """Answer all screens, with the given values of posts; the screens, the final state at the end."""
    screens = [client.get("/api/screen").json()]
    while screens[-1]["state"] == "work" and len(screens) <= limit:
        response = client.post("/api/judge", json=post_of(screens[-1], **values(screens[-1])))
        assert response.status_code == 200, response.text
        screens.append(response.json()["next"])
    return screens


def fill(made: Made, limit: int = 100) -> int:
    """Everyone answers everything, without a server; the number of answers."""
    done = 0
    with made.store.write() as connection:
        service = AnnotatorService(made.store, connection)
        for person in made.store.annotators(connection):
            screen = service.screen(connection, person.id)
            while screen["state"] == "work" and done < limit:
                screen = service.judge(connection, person.id, post_of(screen))["next"]
                done += 1
    return done


def rows(made: Made) -> list[dict[str, Any]]:
    """All judgments, as they are exported."""
    with made.store.read() as connection:
        return list(rows_of(made.store, connection))


def answer_to(screen: Screen, task: str | None = None) -> Screen:
    """An answer that fits the screen; screens of rankings and scores look the same."""
    if task == "correction" or not screen["cards"]:
        return {"text": screen["source"].replace("go ", "goes ")}
    if task == "acceptance" or not screen["source"]:
        return {"accepted": [screen["position"] % 3 > 0]}
    if task == "spans" or "tokens" in screen:
        mark = {"start": 0, "end": 1 + screen["position"] % 2, "category": "style", "severity": "minor"}
        return {"spans": [[mark] if screen["position"] % 3 else []]}
    if task == "scalars" or "context" in screen:
        return {"scores": [i % 11 for i, _ in enumerate(screen["cards"])]}
    return {"ranks": list(range(1, len(screen["cards"]) + 1))}


def post_of(screen: Screen, task: str | None = None, **values: Any) -> Screen:
    """What the page would send for a screen."""
    return {
        "key": uuid.uuid4().hex, "assignment": screen["assignment"], "version": screen["version"],
        "revision": screen["revision"] + 1, "answer": answer_to(screen, task), "skipped": None,
        "comment": "", "seconds": 1.5, **values,
    }  # fmt: skip


def export_text(place: str, format: str) -> str:
    """The judgments of a campaign in one of its formats."""
    file = io.StringIO()
    with CampaignStore.open(place) as store:
        export(store, file, format)
    return file.getvalue()


def admin_page(client: Any, seconds: float = 60) -> str:
    """The admin's page once its statistics contain all judgments."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        page: str = client.get("/admin").text
        if 'data-current="yes"' in page:
            return page
        time.sleep(0.1)
    raise TimeoutError("no statistics")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Running:
    """`errata campaign serve` in a process that can be killed and started again."""

    verb = "campaign"

    def __init__(self, place: str, *options: str, limits: Callable[[], None] | None = None) -> None:
        self.place, self.options, self.limits = place, options, limits
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, seconds: float = 120) -> None:
        command = [sys.executable, "-m", "errata", self.verb, "serve", self.place, "--port", str(self.port)]
        self.process = subprocess.Popen(
            [*command, *self.options],
            env=dict(os.environ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=self.limits,
        )
        self.wait(seconds)

    def wait(self, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                answer = httpx.get(f"{self.url}/health", timeout=2, trust_env=False)
                if answer.status_code == 200:
                    return
            except httpx.HTTPError:
                time.sleep(0.05)
        raise TimeoutError("the server did not start")

    def stop(self) -> None:
        """As an admin would: it may finish what it is at."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)
            self.process = None

    def kill(self) -> None:
        """As the machine would: no time to finish anything."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
