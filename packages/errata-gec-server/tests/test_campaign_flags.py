"""Answers that came impossibly fast and runs of the same answer are flagged, and nothing is dropped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from campaigns import Made, admin_page, export_text, make, post_of, sign_in
from errata_server.campaign.annotation_tasks import CorrectionTask, RankingTask, ScalarTask, SpanTask
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.items import Card, Content
from errata_server.campaign.quality_flags import Run, flags_text, is_fast, kind_of_answer

CONTENT = Content("a b c d e", None, (Card("a b c d e f g", ("x",)), Card("a b c d e f g h", ("y",))))


def test_a_screen_must_be_read() -> None:
    assert is_fast(CONTENT, 1.9)  # 20 words at ten per second
    assert not is_fast(CONTENT, 2.0)
    assert not is_fast(CONTENT, None)  # an import that does not know it


def test_answers_are_compared_as_they_were_on_the_screen() -> None:
    fields = {"ranks": RankingTask, "scores": ScalarTask, "text": CorrectionTask, "spans": SpanTask}
    settings = CampaignSettings(name="x", task="correction", corpus="x")

    def kind(answer: dict[str, Any] | None, shown: str = "[0, 1]", skipped: str | None = None) -> str:
        task = fields[next(iter(answer or {"ranks": []}))](settings)
        return kind_of_answer(task, answer, skipped, shown, CONTENT)[0]

    assert kind({"ranks": [1, 2]}) == kind({"ranks": [2, 1]}, "[1, 0]") == "in the order of the screen"
    assert kind({"ranks": [1, 2]}, "[1, 0]") == "[2, 1]"
    assert kind({"ranks": [1, 1]}) == "all equal"
    assert kind({"scores": [5, 5]}) == "all 5"
    assert kind({"scores": [3, 5]}) == "[3, 5]"
    assert kind(None, skipped="unclear") == "skipped: unclear"
    assert kind({"text": "a b c  d e"}) == "untouched"
    assert kind({"text": "a b"}) == ""  # texts are never the same answer
    assert kind({"spans": [[], []]}) == "nothing marked"


def test_runs() -> None:
    run = Run()
    assert [run.add("x", 3) for _ in range(4)] == [False, False, True, True]
    assert not run.add("y", 3)
    assert (run.length, run.longest) == (1, 4)
    assert not any(run.add("", 1) for _ in range(5))
    assert flags_text(50, 4, 0) == ""  # less than a tenth
    assert flags_text(4, 2, 0) == ""  # too few to say anything
    assert flags_text(40, 4, 12) == "4 of 40 too fast to read; the same answer 12 times in a row"


def work(made: Made, name: str, seconds: float, order: str) -> None:
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens[name])
        screen, n = client.get("/api/screen").json(), 0
        while screen["state"] == "work":
            cards = len(screen["cards"])
            ranks = list(range(1, cards + 1))
            if order == "changing" and n % 2:
                ranks.reverse()
            post = post_of(screen, answer={"ranks": ranks}, seconds=seconds)
            n, screen = n + 1, client.post("/api/judge", json=post).json()["next"]
        again = client.get("/api/screen", params={"position": 1}).json()
        client.post("/api/judge", json=post_of(again, seconds=0.1))  # a change of mind may be quick


def test_flags_on_the_admin_page_and_in_exports(tmp_path: Path) -> None:
    made = make(tmp_path, copies=4, controls=0, repeats=0, overlap=0, redundancy=2)
    work(made, "ann", 0.5, "same")
    work(made, "bob", 30.0, "changing")
    with TestClient(application(made.store)) as client:
        sign_in(client, made.admin)
        page = admin_page(client)
        listed = client.get("/admin/annotators").text.splitlines()
    count = 24
    said = f"{count} of {count} too fast to read; the same answer {count} times in a row"
    assert page.count("too fast to read") == 1
    assert said in page
    assert said in listed[1]
    assert listed[2].split("\t")[-3:] == ["0", "0", "–"]
    rows = [json.loads(line) for line in export_text(made.place, "jsonl").splitlines()]
    assert len(rows) == 2 * count + 2  # nothing is dropped
    by_judge = {
        judge: [row["flags"] for row in rows if row["judge"] == judge] for judge in ("judge-1", "judge-2")
    }
    assert by_judge["judge-1"] == [["fast"]] * 9 + [["fast", "same answer"]] * (count - 9) + [[]]
    assert by_judge["judge-2"] == [[]] * (count + 1)
