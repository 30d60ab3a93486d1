"""The figures of the admin's page are sums; they equal what all judgments give when they are read anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="needs errata-gec-server")
pytest.importorskip("sqlalchemy", reason="needs errata-gec-server")

import numpy as np
import sqlalchemy as sa
from starlette.testclient import TestClient

from campaigns import Made, make, post_of, sign_in
from errata.human.agreement import agreement, scalar_agreement
from errata.human.pairs import pairs_of
from errata.human.rankings import rank
from errata.human.scalars import rank_scalars
from errata.human.spans import MarkedScores, span_agreement_of_sums
from errata.human.sums import (
    agreement_of_sums,
    rank_scalar_sums,
    rank_sums,
    scalar_agreement_of_sums,
)
from errata_server.campaign import overview
from errata_server.campaign.exporting import judgments_of, scalars_of
from errata_server.campaign.figures import Figures
from errata_server.campaign.screens import Screens
from errata_server.campaign.server import CampaignServer, application


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


def work(made: Made, screens: int, seed: int, figures: Figures | None = None) -> None:
    """Random answers of everybody, with changes of mind and skipped screens; figures taken in on the way."""
    random = np.random.default_rng(seed)
    done = 0
    while done < screens:
        with made.store.write() as connection:
            side = Screens(made.store, connection)
            people = [person.id for person in made.store.annotators(connection)]
            for _ in range(screens if figures is None else int(random.integers(1, 6))):
                _judge(made, side, connection, int(random.choice(people)), random)
                done += 1
        if figures is not None:
            with made.store.read() as connection:
                figures.take_in(connection, most=int(random.integers(1, 6)))


def _judge(
    made: Made, side: Screens, connection: sa.Connection, who: int, random: np.random.Generator
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


def fresh(made: Made) -> Figures:
    """The figures counted from the first judgment on."""
    with made.store.read() as connection:
        figures = Figures(made.store, connection)
        figures.sums.clear()
        figures.upto = 0
        figures.take_in_all(connection)
    return figures


@pytest.mark.parametrize("task", ["ranking", "pairwise", "scalars", "correction", "spans"])
def test_figures_taken_in_bit_by_bit_equal_those_of_all(task: str, tmp_path: Path) -> None:
    others = {"second_pass": True} if task == "correction" else {"controls": 0.3, "repeats": 0.3}
    made = make(tmp_path, task=task, copies=2, redundancy=2, annotators=["a", "b", "c"], **others)
    with made.store.read() as connection:
        figures = Figures(made.store, connection)
    work(made, 60, seed=3, figures=figures)
    with made.store.read() as connection:
        figures.take_in_all(connection)
    whole = fresh(made).sums
    assert figures.sums.keys() >= whole.keys()
    for key, number in figures.sums.items():
        assert number == pytest.approx(whole.get(key, 0.0), abs=1e-9), key


@pytest.mark.parametrize("task", ["ranking", "pairwise"])
def test_rankings_and_agreement_of_sums_are_the_exact_ones(task: str, tmp_path: Path) -> None:
    made = make(
        tmp_path, task=task, copies=3, redundancy=3, annotators=["a", "b", "c"], controls=0.2, repeats=0.4
    )
    work(made, 90, seed=4)
    sums = fresh(made).sums
    with made.store.read() as connection:
        judged = judgments_of(made.store, connection).filtered()
    ours, exact = rank_sums(sums, runs=200), rank(pairs_of(judged, "expanded"), "ew", runs=200, jobs=1)
    assert ours is not None
    assert ours.systems == exact.systems
    for name in ("scores", "best", "worst", "clusters", "low", "high"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(exact, name))
    found, right = agreement_of_sums(sums, minimum=1), agreement(judged, minimum=1)
    assert found.alpha == pytest.approx(right.alpha, abs=1e-12)
    for kappas, others in ((found.inter, right.inter), (found.intra, right.intra)):
        assert found.overall(kappas) == pytest.approx(right.overall(others), abs=1e-12, nan_ok=True)
        assert sum(k.comparisons for k in kappas) == sum(k.comparisons for k in others) > 0


def test_agreement_on_spans_of_sums_is_the_exact_one(tmp_path: Path) -> None:
    made = make(tmp_path, task="spans", redundancy=3, annotators=["a", "b", "c"], repeats=0.3)
    work(made, 60, seed=6)
    with made.store.read() as connection:
        exact = scalars_of(made.store, connection)
    assert isinstance(exact, MarkedScores)
    found = dict(span_agreement_of_sums(fresh(made).sums))
    assert found["texts that two annotators marked"] > 10
    assert found == pytest.approx(dict(exact.agreement()), nan_ok=True)


def test_scores_of_sums_are_the_exact_ones(tmp_path: Path) -> None:
    made = make(tmp_path, task="scalars", copies=4, redundancy=3, annotators=["a", "b", "c"], repeats=0.3)
    work(made, 90, seed=5)
    sums = fresh(made).sums
    with made.store.read() as connection:
        scalars = scalars_of(made.store, connection)
    ours, exact = rank_scalar_sums(sums, runs=4000), rank_scalars(scalars, "mean", runs=4000)
    assert ours is not None
    assert ours.systems == exact.systems
    np.testing.assert_allclose(ours.scores, exact.scores, atol=1e-12)
    np.testing.assert_allclose(ours.low, exact.low, atol=0.15)  # normal samples against resampling
    np.testing.assert_allclose(ours.high, exact.high, atol=0.15)
    right = scalar_agreement(scalars)
    expected = (right.alpha, right.sentence_pearson, right.sentence_spearman)
    assert scalar_agreement_of_sums(sums) == pytest.approx(expected, abs=1e-9)


def test_the_median_time_is_that_of_the_judgments_that_count(tmp_path: Path) -> None:
    made = make(tmp_path, copies=4, annotators=["a"])
    work(made, 41, seed=6)
    with made.store.read() as connection:
        times = judgments_of(made.store, connection).duration
        table = overview.annotator_table(made.store, connection, fresh(made))
    assert table.rows[0][4] == pytest.approx(np.median(times), abs=0.06)


def test_a_page_reads_what_is_new_and_not_what_there_is(tmp_path: Path) -> None:
    """The rows that a look at the admin's page costs depend on the new judgments, not on all of them."""
    made = make(tmp_path, copies=40, redundancy=2, annotators=["a", "b"], repeats=0)
    costs = []
    with made.store.read() as connection:
        figures = Figures(made.store, connection)
    for seed in range(4):
        work(made, 60, seed)
        with made.store.read() as connection:
            figures.take_in_all(connection)
        work(made, 5, seed + 100)
        figures.read = 0
        with made.store.read() as connection:
            assert figures.take_in(connection) <= 5
        costs.append(figures.read)
    assert max(costs) <= 5 * 2 * 3  # judgments × redundancy × changes of mind; 60 to 240 are stored


def test_figures_survive_the_server(tmp_path: Path) -> None:
    made = make(tmp_path, copies=5, annotators=["ann"])
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
        screen = client.get("/api/screen").json()
        for _ in range(8):
            screen = client.post("/api/judge", json=post_of(screen)).json()["next"]
        sign_in(client, made.admin)
        assert "<strong>8</strong> of 30" in client.get("/admin").text
    again = CampaignServer(made.store)
    assert again.figures.upto == 8
    assert again.figures.sums == fresh(made).sums
    again.site.writer.close()


def test_one_computation_at_a_time_however_many_admins_look(tmp_path: Path) -> None:
    import asyncio

    made = make(tmp_path, copies=5, annotators=["ann"])
    work(made, 20, seed=1)
    server = CampaignServer(made.store)
    running, most = 0, 0
    real = server.figures.take_in

    def counted(connection: Any, most_rows: int = 500) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        found = real(connection, most_rows)
        running -= 1
        return found

    server.figures.take_in = counted  # type: ignore[method-assign]

    async def look() -> None:
        await asyncio.gather(*(server.admin._overview() for _ in range(20)))

    asyncio.run(look())
    assert most == 1
    assert server.admin._values["progress"].done > 0
    server.site.writer.close()


def test_large_exports_have_a_process_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = make(tmp_path, copies=2, annotators=["ann"])
    work(made, 10, seed=1)
    with TestClient(application(made.store)) as client:
        sign_in(client, made.admin)
        small = client.get("/admin/export/jsonl").text
        monkeypatch.setattr("errata_server.campaign.admin._LARGE", 0)
        large = client.get("/admin/export/jsonl")
        assert large.text == small
        assert small.count("\n") == 10
        assert 'filename="judgments.jsonl"' in large.headers["content-disposition"]
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
        side = Screens(made.store, connection)
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
        from errata_server.campaign.exporting import rows_of

        rows = list(rows_of(made.store, connection))
        repeated = sum(row["repeat"] for row in rows)
        again = Screens(made.store, connection).assigner
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
    sums = fresh(made).sums
    assert sums["work",] == judged
