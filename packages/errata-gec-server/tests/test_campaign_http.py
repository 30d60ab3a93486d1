"""The campaign server over HTTP, as its pages use it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from campaigns import SYSTEMS, Made, admin_page, export_text, make, post_of, rows, sign_in, work
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.campaign_server import application
from errata_server.campaign.export_judgments import accepted_of, corrections_of, judgments_of, scalars_of
from errata_server.campaign.items import CONTROLS

Client = Callable[[Made, str], TestClient]


@pytest.fixture
def client() -> Iterator[Client]:
    first: dict[str, TestClient] = {}  # of each campaign: it runs the server's event loop

    def sign(made: Made, token: str) -> TestClient:
        if made.place not in first:
            first[made.place] = TestClient(application(made.store), follow_redirects=False)
            first[made.place].__enter__()
        client = TestClient(first[made.place].app, follow_redirects=False)
        client.portal = first[made.place].portal
        sign_in(client, token)
        return client

    yield sign
    for one in first.values():
        one.__exit__(None, None, None)


@pytest.mark.parametrize("task", ["ranking", "scalars", "pairwise", "correction", "spans", "acceptance"])
@pytest.mark.parametrize("assignment", ["fixed", "balanced", "adaptive"])
def test_annotators_work_through_a_campaign(
    task: str, assignment: str, tmp_path: Path, client: Client
) -> None:
    if task in ("correction", "spans", "acceptance") and assignment == "adaptive":
        pytest.skip("single texts are not assigned adaptively")
    made = make(tmp_path, task=task, assignment=assignment, copies=3, controls=0.2, overlap=0.5)
    seen = {}
    for name, token in made.tokens.items():
        screens = work(client(made, token))
        assert screens[-1]["state"] == "done"
        seen[name] = len(screens) - 1
    assert abs(seen["ann"] - seen["bob"]) <= 40
    assert len(rows(made)) == sum(seen.values())
    with made.store.read() as connection:
        if task == "correction":
            corpus = corrections_of(made.store, connection)
            assert all(segment.annotations for segment in corpus)
        elif task in ("scalars", "spans"):
            assert set(scalars_of(made.store, connection).systems) == set(SYSTEMS)
        elif task == "acceptance":
            assert {first for first, *_ in accepted_of(made.store, connection)} == set(SYSTEMS)
        else:
            found = judgments_of(made.store, connection)
            assert set(found.systems) == set(SYSTEMS)
            assert not set(found.systems) & set(CONTROLS)


def test_every_item_is_judged_as_often_as_wanted(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, copies=3, redundancy=2, repeats=0, annotators=["a", "b", "c"])
    clients = [client(made, token) for token in made.tokens.values()]
    for one in clients:
        work(one)
    with made.store.read() as connection:
        for row, _ in made.store.contents(connection).values():
            count = sa.select(sa.func.count()).where(schema.judgments.c.item == row.id)
            assert connection.scalar(count) == row.needed


def test_a_judgment_sent_again_is_kept_once(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path)
    ann = client(made, made.tokens["ann"])
    post = post_of(ann.get("/api/screen").json())
    first, second = (ann.post("/api/judge", json=post).json() for _ in range(2))
    assert (first["again"], second["again"]) == (False, True)
    assert first["next"]["assignment"] == second["next"]["assignment"]
    assert [row["key"] for row in rows(made)] == [post["key"]]


def test_a_change_of_mind_is_a_new_row_and_late_posts_do_not_undo_it(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path)
    ann = client(made, made.tokens["ann"])
    screen = ann.get("/api/screen").json()
    n = len(screen["cards"])
    old = post_of(screen, answer={"ranks": [1] * n})
    new = post_of(screen, answer={"ranks": list(range(n, 0, -1))}, revision=2)
    assert ann.post("/api/judge", json=new).status_code == 200
    assert ann.post("/api/judge", json=old).status_code == 200  # delayed on its way
    again = ann.get("/api/screen", params={"position": 1}).json()
    assert again["answer"]["ranks"] == list(range(n, 0, -1))
    assert [row["current"] for row in rows(made)] == [True, False]


def test_answers_are_stored_by_card_whatever_the_order_on_the_screen(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, controls=0, repeats=0)
    order = {text: i for i, text in enumerate(SYSTEMS["good"] + SYSTEMS["middle"] + SYSTEMS["none"])}
    for token in made.tokens.values():
        one = client(made, token)
        screen = one.get("/api/screen").json()
        while screen["state"] == "work":
            ranked = sorted(screen["cards"], key=lambda text: order[text])
            ranks = [ranked.index(text) + 1 for text in screen["cards"]]
            screen = one.post("/api/judge", json=post_of(screen, answer={"ranks": ranks})).json()["next"]
    for row in rows(made):
        by_system = {
            name: rank
            for card, rank in zip(row["cards"], row["answer"]["ranks"], strict=True)
            for name in card["systems"]
        }
        assert by_system["good"] <= by_system["middle"] <= by_system["none"]


def test_work_goes_on_where_it_was_left_on_another_device(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path)
    phone, desk = client(made, made.tokens["ann"]), client(made, made.tokens["ann"])
    screen = phone.post("/api/judge", json=post_of(phone.get("/api/screen").json())).json()["next"]
    ranks = [1] + [None] * (len(screen["cards"]) - 1)
    draft = {"answer": {"ranks": ranks}, "comment": "half"}
    assert (
        phone.post("/api/draft", json={"assignment": screen["assignment"], "draft": draft}).status_code == 200
    )
    resumed = desk.get("/api/screen").json()
    assert (resumed["assignment"], resumed["draft"]) == (screen["assignment"], draft)


def test_skipping_needs_a_reason_and_counts_nowhere(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path)
    ann = client(made, made.tokens["ann"])
    screen = ann.get("/api/screen").json()
    assert ann.post("/api/judge", json=post_of(screen, skipped="bored")).status_code == 400
    post = post_of(screen, skipped="unclear", answer=None, comment="what?")
    assert ann.post("/api/judge", json=post).status_code == 200
    with made.store.read() as connection:
        assert judgments_of(made.store, connection).skipped.all()


def test_some_items_come_twice_for_agreement_with_oneself(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, copies=6, repeats=0.5, annotators=["ann"])
    work(client(made, made.tokens["ann"]))
    repeated = [row for row in rows(made) if row["repeat"]]
    assert len(repeated) >= 5
    positions = {row["item"]: row["position"] for row in rows(made) if not row["repeat"]}
    assert all(row["position"] - positions[row["item"]] >= 10 for row in repeated)


def test_scalars_come_with_their_document(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, task="scalars", controls=0)
    screens = work(client(made, made.tokens["ann"]))[:-1]
    for screen in screens:
        context = screen["context"]
        assert len(context["before"]) + len(context["after"]) == 2
        assert screen["source"] not in context["before"]


def test_corrections_are_proofread_by_somebody_else(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, task="correction", second_pass=True, overlap=0, annotators=["ann", "bob"])
    ann, bob = client(made, made.tokens["ann"]), client(made, made.tokens["bob"])
    work(ann)
    screens = work(bob)[:-1]
    assert all("proposal" in screen for screen in screens)
    assert len(screens) == 6
    last = screens[0]
    fixed = post_of(last, revision=2, answer={"text": "He goes to school daily ."})
    assert bob.post("/api/judge", json=fixed).status_code == 200
    with made.store.read() as connection:
        corpus = corrections_of(made.store, connection)
    assert corpus[0].references == ("He goes to school daily .",)
    m2 = export_text(made.place, "m2")
    assert "A 1 2|||UNK|||goes|||REQUIRED|||-NONE-|||0" in m2


def test_nobody_proofreads_corrections_that_were_withdrawn(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, task="correction", second_pass=True, overlap=0, annotators=["ann", "bob"])
    work(client(made, made.tokens["ann"]))
    with made.store.write() as connection:
        made.store.set_annotator(connection, 1, withdrawn="2026-05-01", erased=True)
    screen = client(made, made.tokens["bob"]).get("/api/screen").json()
    assert screen["state"] == "done"


def test_documents_are_corrected_whole(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, task="correction", unit="document", overlap=0)
    screen = client(made, made.tokens["ann"]).get("/api/screen").json()
    assert screen["source"].count("\n") == 2


def test_qualification_comes_first_and_decides(tmp_path: Path, client: Client) -> None:
    known = {"source": "He go .", "outputs": ["He goes .", "He go .", "go go"], "ranks": [1, 2, 3]}
    file = tmp_path / "known.jsonl"
    file.write_text(f"{json.dumps(known)}\n" * 3, encoding="utf-8")
    made = make(tmp_path, qualification=str(file), annotators=["ann", "bob"], assignment="fixed")
    right = dict(zip(known["outputs"], known["ranks"], strict=True))
    ends = {}
    for name, token in made.tokens.items():
        one = client(made, token)
        screen = one.get("/api/screen").json()
        for _ in range(3):
            assert screen["phase"] == "qualification"
            ranks = [right[text] if name == "ann" else 4 - right[text] for text in screen["cards"]]
            screen = one.post("/api/judge", json=post_of(screen, answer={"ranks": ranks})).json()["next"]
        ends[name] = screen
    assert (ends["ann"]["state"], ends["ann"]["phase"]) == ("work", "work")
    assert ends["bob"]["state"] == "disqualified"


def test_controls_catch_who_does_not_look(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, copies=5, controls=0.5, annotators=["ann"])
    work = client(made, made.tokens["ann"])
    screen = work.get("/api/screen").json()
    while screen["state"] == "work":
        post = post_of(screen, answer={"ranks": [1] * len(screen["cards"])})
        screen = work.post("/api/judge", json=post).json()["next"]
    page = admin_page(client(made, made.admin))
    controls = sum(row["kind"] == "control" and not row["repeat"] for row in rows(made))
    assert controls >= 8
    assert f"{controls} of {controls}" in page


def test_the_admin_sees_and_steers(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, copies=3)
    ann, boss = client(made, made.tokens["ann"]), client(made, made.admin)
    work(ann, limit=8)
    page = admin_page(boss)
    assert "Expected Wins" in page

    def act(**values: Any) -> Any:
        return boss.post("/admin/act", data=values)

    assert act(action="paused").status_code == 303
    assert ann.get("/api/screen").json()["state"] == "paused"
    act(action="open")
    act(action="pause", annotator=1)
    assert ann.get("/api/screen").json()["state"] == "paused"
    act(action="active", annotator=1)
    assert ann.get("/api/screen").json()["state"] == "work"
    assert act(action="reassign", annotator=1, heir=0).status_code == 303
    act(action="extend", more=2)
    link = act(action="link", annotator=1).text
    assert ann.get("/api/screen").status_code == 401  # the old link is void
    token = link.split("/enter#")[1].split('"')[0]
    sign_in(ann, token)
    assert ann.get("/api/screen").status_code == 200
    assert "/enter#" in act(action="add", name="Zoë <b>").text
    assert "Zoë &lt;b&gt;" in boss.get("/admin").text
    assert boss.get("/admin/items").status_code == 200
    assert boss.get("/admin/items?page=0").text == boss.get("/admin/items").text
    assert act(action="extend", more="9" * 5000).status_code == 400
    assert boss.get("/admin/items/1").status_code == 200
    judged = rows(made)[0]
    assert (
        f">{' '.join(map(str, judged['answer']['ranks']))}<"
        in boss.get(f"/admin/items/{judged['item']}").text
    )
    assert boss.get("/admin/items/9999").status_code == 404
    for format in ("jsonl", "appraise", "pairwise", "wmt", "mturk"):
        response = boss.get(f"/admin/export/{format}")
        assert response.status_code == 200
        assert "attachment" in response.headers["content-disposition"]
    act(action="closed")
    assert ann.get("/api/screen").json()["state"] == "closed"


def test_a_fixed_plan_moves_to_the_heir(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path, copies=3, assignment="fixed", repeats=0, overlap=0)
    boss, bob = client(made, made.admin), client(made, made.tokens["bob"])
    before = bob.get("/api/screen").json()["total"]
    boss.post("/admin/act", data={"action": "reassign", "annotator": 1, "heir": 2})
    after = bob.get("/api/screen").json()["total"]
    assert before < after == 18


def test_answers_must_fit_the_item(tmp_path: Path, client: Client) -> None:
    made = make(tmp_path)
    ann = client(made, made.tokens["ann"])
    screen = ann.get("/api/screen").json()
    n = len(screen["cards"])
    for bad in ({"ranks": [1] * (n + 1)}, {"ranks": [0] * n}, {"ranks": [n + 1] * n}, {"ranks": ["1"] * n},
                {"ranks": [True] * n}, {"scores": [1] * n}, None, [], 7, {"ranks": [None]}):  # fmt: skip
        assert ann.post("/api/judge", json=post_of(screen, answer=bad)).status_code == 400
    for name, bad in (("seconds", -1), ("seconds", "x"), ("comment", 7), ("comment", "x" * 5000),
                      ("revision", 0), ("key", "short"), ("key", None), ("assignment", "1")):  # fmt: skip
        assert ann.post("/api/judge", json=post_of(screen, **{name: bad})).status_code == 400
    assert ann.post("/api/judge", json=post_of(screen, version="old")).status_code == 409
    assert rows(made) == []
