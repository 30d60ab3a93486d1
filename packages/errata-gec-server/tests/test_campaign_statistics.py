"""The admin's page and `errata campaign status` compute statistics with the code of `errata rank`."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from starlette.requests import Request

from campaigns import SYSTEMS, Made, admin_page, export_text, fill, make, post_of, sign_in, signed_in
from campaigns import work as work_off
from errata.cli import cli
from errata_server.application_store import stored_time
from errata_server.campaign import campaign_admin as admin
from errata_server.campaign.annotation_tasks import CorrectionTask, RankingTask, ScalarTask, SpanTask
from errata_server.campaign.annotator_service import AnnotatorService
from errata_server.campaign.campaign_server import CampaignServer
from errata_server.campaign.campaign_settings import CampaignSettings
from errata_server.campaign.campaign_statistics import (
    Statistics,
    compute_statistics,
    pace,
    progress,
    statistics_of,
)
from errata_server.campaign.export_judgments import (
    Run,
    flags_text,
    is_fast,
    judgments_of,
    kind_of_answer,
    rows_of,
    scalars_of,
)
from errata_server.campaign.items import Card, Content


def answer(screen: dict[str, Any], task: str, random: np.random.Generator) -> dict[str, Any]:
    n = len(screen["cards"])
    if task == "correction":
        return {
            "text": screen["source"].replace("go ", "goes ") if random.random() < 0.6 else screen["source"]
        }
    if task == "spans":
        start = int(random.integers(0, 3))
        mark = {"start": start, "end": start + 2, "category": "style", "severity": "major"}
        return {"spans": [[mark] if random.random() < 0.7 else []]}
    if task == "scalars":
        return {"scores": random.integers(0, 11, n).tolist()}
    return {"ranks": random.integers(1, n + 1, n).tolist()}


def work(made: Made, screens: int, seed: int) -> None:
    """Random answers of everybody, with changes of mind and skipped screens."""
    random = np.random.default_rng(seed)
    with made.store.write() as connection:
        side = AnnotatorService(made.store, connection)
        people = [person.id for person in made.store.annotators(connection)]
        for _ in range(screens):
            _judge(made, side, connection, int(random.choice(people)), random)


def _judge(
    made: Made, side: AnnotatorService, connection: sa.Connection, who: int, random: np.random.Generator
) -> None:
    task = made.store.settings.task
    last = side.screen(connection, who).get("last", 0)
    back = random.random() < 0.3 and last > 1
    screen = side.screen(connection, who, int(random.integers(1, last)) if back else None)
    if screen["state"] != "work":
        return
    values: dict[str, Any] = {"answer": answer(screen, task, random), "seconds": random.random() * 50}
    if random.random() < 0.1:
        values |= {"answer": None, "skipped": "unclear"}
    side.judge(connection, who, post_of(screen, task, **values))


def errata(*arguments: str) -> Any:
    result = CliRunner().invoke(cli, [*arguments, "--format", "json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def statistics(made: Made) -> Statistics:
    with made.store.read() as connection:
        return compute_statistics(made.store, connection)


@pytest.mark.parametrize("task", ["ranking", "pairwise", "scalars", "spans"])
def test_the_ranking_is_that_of_errata_rank(task: str, tmp_path: Path) -> None:
    made = make(tmp_path, task=task, copies=3, redundancy=3, annotators=["a", "b", "c"], repeats=0.3)
    work(made, 90, seed=4)
    ranking = errata("rank", made.place, "--quiet")
    status = errata("campaign", "status", made.place)[1]
    assert (
        status["title"]
        == ranking["title"]
        == ("mean z-score" if task in ("scalars", "spans") else "Expected Wins")
    )
    assert status["rows"] == ranking["rows"]


@pytest.mark.parametrize("task", ["ranking", "scalars", "spans"])
def test_agreement_is_that_of_errata_agree(task: str, tmp_path: Path) -> None:
    made = make(tmp_path, task=task, copies=3, redundancy=3, annotators=["a", "b", "c"], repeats=0.3)
    work(made, 90, seed=5)
    table = statistics(made).tables[1]
    shown = {str(row[0]): row[1] for row in table.rows}
    agreed = json.dumps(errata("agree", made.place), ensure_ascii=False)
    names = {"ranking": "Krippendorff's α", "scalars": "Pearson by sentence", "spans": "F1 of marked tokens"}
    assert str(shown[names[task]])[:7] in agreed


def test_statistics_of_corrections(tmp_path: Path) -> None:
    made = make(tmp_path, task="correction", copies=2, second_pass=True, annotators=["a", "b"])
    work(made, 40, seed=3)
    (table,) = statistics(made).tables
    with made.store.read() as connection:
        rows = [row for row in rows_of(made.store, connection) if row["current"] and row["answer"]]
    first = [row for row in rows if row["pass"] == 1]
    changed = sum(row["answer"]["text"].split() != row["source"].split() for row in first)
    counts = {str(name): number for name, number in table.rows}
    assert counts["corrections"] == len(first)
    assert counts["that change the source"] == changed
    assert counts["proofread"] == len(rows) - len(first) > 0


def test_the_median_time_is_that_of_the_judgments_that_count(tmp_path: Path) -> None:
    made = make(tmp_path, copies=4, annotators=["a"])
    work(made, 41, seed=6)
    with made.store.read() as connection:
        times = judgments_of(made.store, connection).duration
    assert statistics(made).annotators[1].median_seconds == pytest.approx(np.median(times))


def test_counts_are_live_and_statistics_follow(tmp_path: Path) -> None:
    made = make(tmp_path, copies=5, annotators=["ann"])
    with signed_in(made, "admin") as client:
        assert "Statistics are being computed" in client.get("/admin").text
        sign_in(client, made.tokens["ann"])
        screen = client.get("/api/screen").json()
        for _ in range(8):
            screen = client.post("/api/judge", json=post_of(screen)).json()["next"]
        assert "<strong>8</strong> of 30" in client.get("/admin").text
        page = admin_page(client)
        assert "Expected Wins" in page
        assert "Statistics computed at" in page


def test_statistics_are_computed_only_when_answers_changed_and_one_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(tmp_path, copies=5, annotators=["ann"])
    work(made, 20, seed=1)
    server = CampaignServer(made.store)
    monkeypatch.setattr(admin, "_PAUSE_SECONDS", 0.0)
    computed = 0

    async def counted() -> Statistics:
        nonlocal computed
        computed += 1
        await asyncio.sleep(0.01)
        return statistics_of(made.place)

    monkeypatch.setattr(server.admin, "_fresh_statistics", counted)
    monkeypatch.setattr("errata_server.campaign.campaign_statistics.os.nice", lambda level: None)

    async def look() -> None:
        monkeypatch.setattr(server.app, "address", lambda request: "http://127.0.0.1")
        asked = Request({"type": "http", "headers": []})
        await asyncio.gather(*(server.admin._page(asked) for _ in range(10)))
        assert server.admin._computing is not None
        await server.admin._computing
        server.admin._not_before = 0.0
        for _ in range(3):  # nothing is new
            await server.admin._page(asked)
        assert computed == 1
        work(made, 3, seed=2)
        await server.admin._page(asked)
        await server.admin._computing

    asyncio.run(look())
    assert computed == 2
    server.app.writer.close()


def test_exports_have_a_process_of_their_own(tmp_path: Path) -> None:
    made = make(tmp_path, copies=2, annotators=["ann"])
    work(made, 10, seed=1)
    with signed_in(made, "admin") as client:
        exported = client.get("/admin/export/jsonl")
        assert exported.text.count("\n") == 10
        assert 'filename="judgments.jsonl"' in exported.headers["content-disposition"]
        made.store.close()
        Path(made.place).rename(tmp_path / "elsewhere.db")
        assert client.get("/admin/export/wmt").status_code in (409, 503)


@pytest.mark.parametrize("task", ["ranking", "scalars"])
def test_repeated_screens_count_like_any_other(task: str, tmp_path: Path) -> None:
    """The one rule: in rankings, in scores, in adaptive learning, in exports and on the admin's page."""
    made = make(
        tmp_path, task=task, copies=6, repeats=0.5, controls=0, annotators=["ann"], assignment="adaptive",
        quota=30,
    )  # fmt: skip
    random = np.random.default_rng(1)
    with made.store.write() as connection:
        side = AnnotatorService(made.store, connection)
    learnt = 0
    real = side.assigner._learn

    def counting(*values: Any) -> None:
        nonlocal learnt
        learnt += 1
        real(*values)

    side.assigner._learn = counting  # type: ignore[method-assign]
    judged = repeated = 0
    while True:
        with made.store.write() as connection:
            screen = side.screen(connection, 1)
            if screen["state"] != "work":
                break
            side.judge(connection, 1, post_of(screen, task, answer=answer(screen, task, random)))
        judged += 1
    with made.store.read() as connection:
        rows = list(rows_of(made.store, connection))
        repeated = sum(row["repeat"] for row in rows)
        again = AnnotatorService(made.store, connection).assigner
        if task == "ranking":
            assert len(judgments_of(made.store, connection)) == judged
            assert again.ranking is not None
            assert side.assigner.ranking is not None
            np.testing.assert_allclose(again.ranking.mu, side.assigner.ranking.mu)
        else:
            cards = sum(len(card["systems"]) for row in rows for card in row["cards"])
            assert len(scalars_of(made.store, connection)) == cards
            assert again.scalars is not None
            assert side.assigner.scalars is not None
            np.testing.assert_allclose(again.scalars._model.alpha, side.assigner.scalars._model.alpha)
    assert repeated >= 3
    assert learnt == judged
    with made.store.read() as connection:
        assert progress(made.store, connection).done == judged


CONTENT = Content("a b c d e", None, (Card("a b c d e f g", ("x",)), Card("a b c d e f g h", ("y",))))


def test_a_screen_must_be_read() -> None:
    task = RankingTask(CampaignSettings(name="x", task="correction", corpus="x"))
    assert is_fast(task, CONTENT, 1.9)  # 20 words at ten per second
    assert not is_fast(task, CONTENT, 2.0)
    assert not is_fast(task, CONTENT, None)  # an import that does not know it


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


def work_with_time(made: Made, name: str, seconds: float, order: str) -> None:
    def values(screen: dict[str, Any]) -> dict[str, Any]:
        ranks = list(range(1, len(screen["cards"]) + 1))
        if order == "changing" and screen["position"] % 2:
            ranks.reverse()
        return {"answer": {"ranks": ranks}, "seconds": seconds}

    with signed_in(made, name) as client:
        work_off(client, values)
        again = client.get("/api/screen", params={"position": 1}).json()
        client.post("/api/judge", json=post_of(again, seconds=0.1))  # a change of mind may be quick


def test_flags_on_the_admin_page_and_in_exports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AnnotatorService, "_seconds", lambda self, assignment, claimed: claimed)
    made = make(tmp_path, copies=4, controls=0, repeats=0, overlap=0, redundancy=2)
    work_with_time(made, "ann", 0.5, "same")
    work_with_time(made, "bob", 30.0, "changing")
    with signed_in(made, "admin") as client:
        page = admin_page(client)
        listed = client.get("/admin/annotators").text.splitlines()
    count = 24
    said = f"{count} of {count} too fast to read; the same answer {count} times in a row"
    assert page.count("too fast to read") == 1
    assert said in page
    assert said in listed[1]
    assert listed[2].split("\t")[-4:] == ["0", "0", "", ""]
    rows = [json.loads(line) for line in export_text(made.place, "jsonl").splitlines()]
    assert len(rows) == 2 * count + 2  # nothing is dropped
    by_judge = {
        judge: [row["flags"] for row in rows if row["judge"] == judge] for judge in ("judge-1", "judge-2")
    }
    assert by_judge["judge-1"] == [["fast"]] * 9 + [["fast", "same answer"]] * (count - 9) + [[]]
    assert by_judge["judge-2"] == [[]] * (count + 1)


def test_the_pace_counts_first_answers_by_day_and_forecasts_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make(tmp_path)
    fill(made, 4)
    with made.store.read() as connection:
        counts = progress(made.store, connection)
        assert pace(connection, counts).end is None  # too early to say
        days = pace(connection, counts).days
        assert sum(days.values()) == counts.done
        begun = datetime.fromisoformat(f"{min(days)}T00:00:00+00:00")
        later = stored_time(begun + timedelta(days=10))
        monkeypatch.setattr("errata_server.campaign.campaign_statistics.now", lambda: later)
        result = pace(connection, counts)
    assert result.per_day == pytest.approx(counts.done / 10, rel=0.12)
    left = (counts.wanted - counts.done) / result.per_day
    assert result.end == stored_time(begun + timedelta(days=10) + timedelta(days=left))
    made.store.close()


@pytest.mark.parametrize("task", ["ranking", "scalars"])
def test_pairs_are_separated_at_any_time_and_metrics_help(task: str, tmp_path: Path) -> None:
    order = {text: rank for rank, name in enumerate(SYSTEMS) for text in SYSTEMS[name]}

    def values(screen: dict[str, Any]) -> dict[str, Any]:
        places = [order[text] for text in screen["cards"]]
        if task == "scalars":
            return {"answer": {"scores": [9 - 3 * place + screen["position"] % 2 for place in places]}}
        return {"answer": {"ranks": [1 + sorted(places).index(place) for place in places]}}

    made = make(
        tmp_path, task=task, copies=20, controls=0, metrics=["wer"], references=[str(_references(tmp_path))]
    )
    assert made.store.settings.planned == 120
    before = {table.title for table in statistics(made).tables}
    assert not {"Pairs of systems", "Win rate"} & before
    for who in made.tokens:
        with signed_in(made, who) as client:
            work_off(client, values)
    tables = {table.title: table for table in statistics(made).tables}
    pairs = {tuple(row[:2]): row[3] for row in tables["Pairs of systems"].rows}
    assert pairs["good", "none"] == "separated"
    assert f"planned for {made.store.settings.planned}" in tables["Pairs of systems"].notes[1]
    scores = tables["Win rate" if task == "ranking" else "Mean score (z)"]
    assert [row[-1] for row in scores.rows] == ["good", "middle", "none"]


def _references(folder: Path) -> Path:
    path = folder / "references.txt"
    path.write_text("".join(f"{text}\n" for text in SYSTEMS["good"] * 20), encoding="utf-8")
    return path


def test_a_plan_for_a_budget_or_from_a_pilot(tmp_path: Path) -> None:
    (plan,) = [errata("campaign", "plan", "--systems", "12", "--budget", "40h")]
    rows = {row["plan"]: row for row in plan["rows"]}
    assert rows["screens"]["one look at the end"] == 1600
    assert 0.01 < rows["half-width of the intervals of win rates"]["one look at the end"] < 0.02
    made = make(tmp_path, copies=10, controls=0)
    fill(made)
    plan, pairs = errata("campaign", "plan", "--pilot", made.place, "--budget", "600m", "--seconds", "60")
    assert plan["rows"][0]["one look at the end"] == 600
    assert len(pairs["rows"]) == 3
    for arguments in (["--systems", "3"], ["--budget", "1x", "--systems", "3"], ["--budget", "1h"]):
        assert CliRunner().invoke(cli, ["campaign", "plan", *arguments]).exit_code == 2
    assert CliRunner().invoke(cli, ["campaign", "plan", "--systems", "3", "--budget", "1m"]).exit_code == 1
