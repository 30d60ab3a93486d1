"""What a stranger, a curious annotator or a hostile page may try; each is refused or shown harmless."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import threading
import time
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from campaigns import SOURCES, SYSTEMS, Made, export_text, make, post_of, rows, sign_in, signed_in, work
from errata.errors import DataError
from errata.http.asgi import RateLimit, client_network
from errata_server.app import App
from errata_server.campaign import campaign_tables as schema
from errata_server.campaign.assignment import screen_at
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import consent_version, read_settings, settings_from
from errata_server.campaign.campaign_statistics import compute_statistics, people_table
from errata_server.campaign.export_judgments import rows_of
from errata_server.campaign.items import CONTROLS, Card, Content, content_of
from errata_server.page_templates import to_html
from errata_server.sessions import Session, Subject


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return make(tmp_path)


@pytest.fixture
def app(made: Made) -> Iterator[TestClient]:
    with TestClient(application(made.store), follow_redirects=False) as client:
        yield client


def other(app: TestClient, token: str) -> TestClient:
    client = TestClient(app.app, follow_redirects=False)
    client.portal = app.portal
    sign_in(client, token)
    return client


def test_strangers_see_nothing(app: TestClient) -> None:
    assert app.get("/api/screen").status_code == 401
    assert app.post("/api/judge", json={}).status_code == 401
    assert app.post("/api/draft", json={}).status_code == 401
    assert app.get("/work").headers["location"] == "/enter"
    for path in ("/admin", "/admin/items", "/admin/items/1", "/admin/export/jsonl"):
        assert app.get(path).status_code == 401
    assert app.post("/admin/act", data={"action": "closed"}).status_code == 401


def test_annotators_are_no_admins_and_the_admin_no_annotator(app: TestClient, made: Made) -> None:
    ann, boss = other(app, made.tokens["ann"]), other(app, made.admin)
    assert ann.get("/admin").status_code == 401
    assert ann.get("/admin/export/jsonl").status_code == 401
    assert boss.get("/api/screen").status_code == 401


def test_guessing_tokens_is_slow(app: TestClient, made: Made) -> None:
    codes = [app.post("/enter", json={"token": f"guess-{i}"}).status_code for i in range(15)]
    assert codes[:10] == [403] * 10
    assert codes[-1] == 429
    right = app.post("/enter", json={"token": made.tokens["ann"]})
    assert right.status_code == 429, "a further guess is not even looked up"
    for bad in ("", None, 7, ["x"], "x" * 5000):
        assert app.post("/enter", json={"token": bad}).status_code == 400


def test_tokens_are_hashed_at_rest(made: Made) -> None:
    made.store.close()
    stored = b"".join(path.read_bytes() for path in Path(made.place).parent.glob("campaign.db*"))
    for token in (*made.tokens.values(), made.admin):
        assert token.encode() not in stored


def test_no_token_reaches_a_log(app: TestClient, made: Made, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        ann = other(app, made.tokens["ann"])
        ann.get("/api/screen")
    assert made.tokens["ann"] not in caplog.text


def test_sessions_are_not_links_and_can_be_ended(app: TestClient, made: Made) -> None:
    phone, desk = other(app, made.tokens["ann"]), other(app, made.tokens["ann"])
    cookies = {value for client in (phone, desk) for value in client.cookies.values()}
    assert made.tokens["ann"] not in cookies
    thief = TestClient(app.app, follow_redirects=False)
    thief.portal = app.portal
    thief.cookies.update(dict.fromkeys(phone.cookies, made.tokens["ann"]))
    assert thief.get("/api/screen").status_code == 401  # the secret of a link is no session …
    for name, cookie in phone.cookies.items():
        thief.cookies.clear()
        thief.cookies.set(name.replace("annotator", "admin"), cookie)
        assert thief.get("/admin").status_code == 401  # a session is valid for its role only
        thief.cookies.set(name, cookie.replace("1.", "2.", 1))
        assert thief.get("/api/screen").status_code == 401  # nobody can sign for somebody else
    session = next(iter(phone.cookies.values()))
    assert app.post("/enter", json={"token": session}).status_code == 403  # … and a session no link
    kept = dict(phone.cookies)
    assert phone.post("/leave").status_code == 200
    phone.cookies.update(kept)
    assert phone.get("/api/screen").status_code == 401  # it ended on the server, not only in the browser …
    assert desk.get("/api/screen").status_code == 401  # … and everywhere
    sign_in(desk, made.tokens["ann"])
    phone.post("/leave")  # a cookie that has ended ends nothing
    assert desk.get("/api/screen").status_code == 200
    boss = other(app, made.admin)
    assert boss.post("/admin/act", data={"action": "sign-out", "annotator": 1}).status_code == 303
    assert desk.get("/api/screen").status_code == 401
    sign_in(desk, made.tokens["ann"])  # the link is still valid …
    boss.post("/admin/act", data={"action": "link", "annotator": 1})
    assert desk.get("/api/screen").status_code == 401
    assert (
        app.post("/enter", json={"token": made.tokens["ann"]}).status_code == 403
    )  # … until there is a new one


def test_a_new_admin_link_ends_the_old_admins_sessions(app: TestClient, made: Made) -> None:
    boss = other(app, made.admin)
    with made.store.write() as connection:
        token = made.store.new_link(connection, Subject("admin"))
    fresh = TestClient(application(made.store), cookies=boss.cookies)
    assert fresh.get("/admin").status_code == 401
    sign_in(fresh, token)
    assert fresh.get("/admin").status_code == 200


def test_a_cancelled_request_still_ends_sessions(made: Made) -> None:
    """A thief asks again and again while the sign-out is stored; its request is cancelled meanwhile."""
    app = App(made.store, "errata_server.campaign")
    session = Session(Subject("annotator", 1))
    stored, go_on = threading.Event(), threading.Event()

    def sign_out(connection: sa.Connection, fields: object) -> None:
        made.store.end_sessions(connection, session.subject)
        stored.set()
        go_on.wait(10)

    def request(**headers: str) -> Request:
        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": b"", "more_body": False}

        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        return Request({"type": "http", "method": "POST", "path": "/", "headers": raw}, receive)

    async def attack() -> None:
        acting = asyncio.ensure_future(app.act(request(), sign_out))
        await asyncio.to_thread(stored.wait, 10)
        acting.cancel()
        response = Response()
        app.set_session(Request({"type": "http", "headers": [], "scheme": "http", "server": ("x", 80),
                                 "path": "/", "query_string": b""}), response, session)  # fmt: skip
        stolen = request(cookie=response.headers["set-cookie"].partition(";")[0])
        assert await app.subject(stolen, "annotator") == session.subject  # not stored yet
        go_on.set()
        await app.write(lambda connection: None)
        assert await app.subject_if_any(stolen, "annotator") is None

    asyncio.run(attack())
    app.writer.close()


def test_a_lost_session_key_ends_sessions_and_keeps_links(
    app: TestClient, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann = other(app, made.tokens["ann"])
    monkeypatch.setenv("ERRATA_SESSION_KEY", "another key of at least 32 characters")
    fresh = TestClient(application(made.store), cookies=ann.cookies)
    assert fresh.get("/api/screen").status_code == 401
    sign_in(fresh, made.tokens["ann"])
    assert fresh.get("/api/screen").status_code == 200


def test_a_session_is_not_taken_over_at_sign_in(app: TestClient, made: Made) -> None:
    """Session fixation: a victim signs in on a browser that holds a cookie of the attacker."""
    attacker = other(app, made.tokens["bob"])
    victim = TestClient(app.app, cookies=attacker.cookies, follow_redirects=False)
    victim.portal = app.portal
    sign_in(victim, made.tokens["ann"])
    assert set(victim.cookies.values()).isdisjoint(attacker.cookies.values())
    assert attacker.get("/api/screen").json()["assignment"] != victim.get("/api/screen").json()["assignment"]


def test_other_annotators_screens_do_not_exist(app: TestClient, made: Made) -> None:
    ann, bob = other(app, made.tokens["ann"]), other(app, made.tokens["bob"])
    theirs = bob.get("/api/screen").json()
    assert ann.post("/api/judge", json=post_of(theirs)).status_code == 404
    draft = {"assignment": theirs["assignment"], "draft": {"answer": {}}}
    assert ann.post("/api/draft", json=draft).status_code == 404
    post = post_of(theirs)
    assert bob.post("/api/judge", json=post).status_code == 200
    mine = ann.get("/api/screen").json()
    assert ann.post("/api/judge", json=post_of(mine, key=post["key"])).status_code == 409
    for number in (-1, 0, 10**9, 2**63, 2**200):
        assert ann.post("/api/judge", json=post_of(mine, assignment=number)).status_code in (400, 404)


def test_nobody_looks_ahead(tmp_path: Path) -> None:
    made = make(tmp_path / "fixed", assignment="fixed")
    with signed_in(made) as client:
        assert client.get("/api/screen?position=1").status_code == 200
        assert client.get("/api/screen?position=2").status_code == 404
        for bad in ("0", "-1", "x", "1e9", "٣", "9" * 30):
            assert client.get("/api/screen", params={"position": bad}).status_code in (400, 404)


def test_other_sites_cannot_post(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    post = post_of(ann.get("/api/screen").json())
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}):
        assert ann.post("/api/judge", json=post, headers=headers).status_code == 403
    plain = {"Content-Type": "text/plain"}  # what a form of another site could send
    assert ann.post("/api/judge", content=json.dumps(post), headers=plain).status_code == 415
    assert ann.post("/api/judge", json=post, headers={"Origin": "http://testserver"}).status_code == 200


def test_forms_of_other_sites_and_wrong_values_are_refused(app: TestClient, made: Made) -> None:
    boss = other(app, made.admin)
    evil: list[dict[str, str]] = [
        {"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"},
    ]  # fmt: skip
    for headers in evil:
        assert boss.post("/admin/act", data={"action": "closed"}, headers=headers).status_code == 403
    assert boss.get("/health").text == "open"
    for values in ({"action": "drop"}, {"action": "extend", "more": "x"}, {"action": "extend", "more": "-5"},
                   {"action": "link", "annotator": "99"}, {"action": "add", "name": " "},
                   {"action": "reassign", "annotator": "1", "heir": "1"}):  # fmt: skip
        assert boss.post("/admin/act", data=values).status_code == 400


def test_large_bodies_are_refused(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    large = b'{"key": "' + b"x" * 10_000_000 + b'"}'
    headers = {"Content-Type": "application/json"}
    assert ann.post("/api/judge", content=large, headers=headers).status_code == 413
    pieces = (b"x" * 100_000 for _ in range(100))  # no length given beforehand
    assert ann.post("/api/judge", content=pieces, headers=headers).status_code == 413


def test_malformed_bodies_are_refused(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    headers = {"Content-Type": "application/json"}
    screen = ann.get("/api/screen").json()
    bodies = [b"", b"[]", b"null", b"\xff\xfe", b'{"key": ', b"[" * 100_000]
    bodies.append(json.dumps(post_of(screen, comment="\ud800")).encode())
    bodies.append(json.dumps(post_of(screen, comment="a\0b")).encode())
    bodies.append(json.dumps(post_of(screen, seconds=float("nan"))).encode())
    for body in bodies:
        assert ann.post("/api/judge", content=body, headers=headers).status_code == 400


def test_sql_in_a_comment_is_a_comment(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    text = "'); DROP TABLE judgments; -- \" \\ %s :x {}"
    assert (
        ann.post("/api/judge", json=post_of(ann.get("/api/screen").json(), comment=text)).status_code == 200
    )
    with made.store.read() as connection:
        assert [row["comment"] for row in rows_of(made.store, connection)] == [text]


def test_markup_in_texts_is_text(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script> & \"x\" 'y' {{ 12345 * 67890 }}"
    outputs = {"a": [evil], "b": [evil + " <b>"]}
    instructions = "<script>alert(2)</script> [x](javascript:alert(3)) ![y](http://evil/z.png)"
    settings = {"name": "<i>", "controls": 0, "instructions": instructions}
    made = make(tmp_path / "evil", sources=[evil], outputs=outputs, **settings)
    with signed_in(made) as client:
        sign_in(client, made.admin)
        client.post("/api/judge", json=post_of(client.get("/api/screen").json(), comment=evil))
        for path in ("/work", "/admin", "/admin/items", "/admin/items/1"):
            page = client.get(path).text
            assert "<script>alert" not in page
            assert 'href="javascript' not in page
            assert "<img" not in page
            assert "838102050" not in page
        assert client.get("/api/screen").headers["content-type"] == "application/json"
    assert "&lt;script&gt;" in to_html("<script>")


def test_paths_lead_nowhere(app: TestClient) -> None:
    for path in ("/static/../server.py", "/static/%2e%2e/server.py", "/static/..%2f..%2fsettings.py",
                 "/static/....//server.py", "/static//etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/static/",
                 "/admin/export/..%2f..%2fetc%2fpasswd", "/templates/work.html", "/nowhere"):  # fmt: skip
        assert app.get(path).status_code in (401, 404), path


def test_headers_protect_every_answer(app: TestClient) -> None:
    answers = [app.get(path) for path in ("/enter", "/api/screen", "/static/work.js", "/no")]
    answers += [app.post("/enter", json={"token": "x"}), app.post("/enter", content=b"x" * 2_000_000)]
    for response in answers:
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe-inline" not in policy
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["x-frame-options"] == "DENY"
        assert response.headers["referrer-policy"] == "no-referrer"


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(app: TestClient, made: Made) -> None:
    cookie = app.post("/enter", json={"token": made.tokens["ann"]}).headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "secure" not in cookie
    for secure, scheme in ((True, "http"), (False, "https")):
        with TestClient(application(made.store, secure=secure), base_url=f"{scheme}://testserver") as safe:
            entered = safe.post("/enter", json={"token": made.tokens["ann"]})
            assert "secure" in entered.headers["set-cookie"].lower()
    made.store.url = "https://judge.example.org"  # a proxy speaks TLS, and may not say so
    with TestClient(application(made.store), base_url="http://judge.example.org") as proxied:
        entered = proxied.post("/enter", json={"token": made.tokens["ann"]})
        assert "secure" in entered.headers["set-cookie"].lower()


def test_an_annotator_cannot_flood_the_server() -> None:
    limit = RateLimit(per_second=0.001, burst=3, names=2)
    assert [limit.allows("ann") for _ in range(5)] == [True] * 3 + [False] * 2
    assert limit.allows("bob")  # everyone has a bucket of their own …
    assert limit.allows("eve")
    assert len(limit._buckets) == 2  # … but not without end


def test_a_closed_campaign_takes_nothing(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    screen = ann.get("/api/screen").json()
    with made.store.write() as connection:
        made.store.set_state(connection, "closed")
    assert ann.post("/api/judge", json=post_of(screen)).status_code == 409


@pytest.mark.parametrize("who", ["campaign", "annotator"])
def test_a_pause_stops_writing_and_loses_nothing(app: TestClient, made: Made, who: str) -> None:
    ann = other(app, made.tokens["ann"])
    sent = post_of(ann.get("/api/screen").json())
    screen = ann.post("/api/judge", json=sent).json()["next"]
    draft = {"assignment": screen["assignment"], "draft": {"answer": {"ranks": None}, "comment": "x"}}
    with made.store.write() as connection:
        if who == "campaign":
            made.store.set_state(connection, "paused")
        else:
            made.store.set_annotator(connection, 1, state="paused")
    assert ann.post("/api/judge", json=post_of(screen)).status_code == 423
    assert ann.post("/api/draft", json=draft).status_code == 423
    assert ann.get("/api/screen").json()["state"] == "paused"
    assert ann.post("/api/judge", json=sent).json()["again"]  # it is stored: that can be said again
    with made.store.write() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.judgments)) == 1
        assert connection.scalar(sa.select(sa.func.count()).select_from(schema.drafts)) == 0
        made.store.set_state(connection, "open")
        made.store.set_annotator(connection, 1, state="active")
    assert ann.post("/api/judge", json=post_of(screen)).status_code == 200


@pytest.mark.parametrize("task", ["ranking", "scalars", "correction"])
def test_drafts_are_what_the_page_can_go_on_with(task: str, tmp_path: Path) -> None:
    made = make(tmp_path, task=task)
    name = {"ranking": "ranks", "scalars": "scores", "correction": "text"}[task]
    with signed_in(made) as client:
        screen = client.get("/api/screen").json()
        n = len(screen["cards"])

        def keep(draft: str) -> int:
            body = f'{{"assignment": {screen["assignment"]}, "draft": {draft}}}'
            headers = {"Content-Type": "application/json"}
            return client.post("/api/draft", content=body, headers=headers).status_code

        bad = ["null", "[]", "7", '"x"', "{}", '{"answer": 5}', '{"answer": [1]}', "NaN", '{"answer": NaN}',
               '{"answer": {}, "comment": 5}', '{"answer": {}, "comment": "a\\u0000b"}',
               f'{{"answer": {{"{name}": {{}}}}}}', f'{{"answer": {{"{name}": [1]}}}}',
               f'{{"answer": {{}}, "comment": "{"x" * 4001}"}}']  # fmt: skip
        values = ["NaN", "Infinity", "1e999", "1" + "0" * 400, "-1", '"1"', "true", "[]", "99999"]
        if task == "ranking":
            values += ["1.5", "0", "1.0"]
        if n:
            bad += [f'{{"answer": {{"{name}": [{", ".join([value] * n)}]}}}}' for value in values]
        for draft in bad:
            assert keep(draft) == 400, draft[:80]
        assert client.get("/api/screen").json()["draft"] is None
        half = json.dumps("half") if task == "correction" else json.dumps([1] + [None] * (n - 1))
        assert keep(f'{{"answer": {{"{name}": {half}}}, "comment": "c", "more": 1}}') == 200
        kept = client.get("/api/screen").json()["draft"]
        assert kept == {"answer": {name: json.loads(half)}, "comment": "c"}


def test_ranks_are_whole_numbers_of_a_reasonable_size(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    screen = ann.get("/api/screen").json()
    headers = {"Content-Type": "application/json"}
    for value in ("1.5", "1" + "0" * 400, "NaN", "-Infinity", "1e999", "1.0", "true", "null"):
        post = json.dumps(post_of(screen, answer={"ranks": ["?"] * len(screen["cards"])}))
        body = post.replace('"?"', value)
        assert ann.post("/api/judge", content=body, headers=headers).status_code == 400, value


def test_rows_cannot_be_changed_even_in_the_database(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    ann.post("/api/judge", json=post_of(ann.get("/api/screen").json()))
    for statement in (sa.update(schema.judgments).values(comment="x"), sa.delete(schema.judgments)):
        with pytest.raises(sa.exc.DatabaseError, match="append-only"), made.store.write() as connection:
            connection.execute(statement)


def test_judges_are_pseudonymous_unless_asked_for(app: TestClient, made: Made) -> None:
    ann = other(app, made.tokens["ann"])
    ann.post("/api/judge", json=post_of(ann.get("/api/screen").json()))
    for format in ("jsonl", "appraise", "wmt", "mturk", "pairwise"):
        text = export_text(made.place, format)
        assert "judge-1" in text
        assert '"ann"' not in text


def screens_of(made: Made) -> list[dict[str, Any]]:
    """All screens that an annotator gets."""
    with signed_in(made) as client:
        return work(client)[:-1]


def words(value: Any) -> Iterator[str]:
    """Everything on a screen that could be a hash."""
    if isinstance(value, dict):
        for part in value.values():
            yield from words(part)
    elif isinstance(value, list):
        for part in value:
            yield from words(part)
    else:
        yield str(value)


def hashes(content: Content) -> set[str]:
    """Beginnings of the hashes of an item, in the forms in which it could be hashed."""
    found = set()
    for text in (content.to_json(), json.dumps(json.loads(content.to_json()))):
        for name in ("sha256", "sha1", "md5", "sha512", "blake2b"):
            found.add(hashlib.new(name, text.encode()).hexdigest())
    return {digest[:length] for digest in found for length in (8, 12, 16, 20, 32, len(digest))}


def guesses(screen: dict[str, Any]) -> Iterator[Content]:
    """Every way in which known names can be behind the texts of a screen, with and without a control."""
    names = [*SYSTEMS, *CONTROLS]
    texts = screen["cards"]
    for order in permutations(range(len(texts))):
        groups = [group for n in (1, 2) for group in permutations(names, n)]
        for chosen in product(groups, repeat=len(texts)):
            flat = [name for group in chosen for name in group]
            if len(set(flat)) < len(flat):
                continue
            cards = tuple(Card(texts[i], group) for i, group in zip(order, chosen, strict=True))
            pairs = [(), *(((a, b),) for a, b in permutations(range(len(texts)), 2))]
            for expect in pairs:
                yield Content(screen["source"], None, cards, expect, None, screen.get("document", "doc-0"))


def attack(screen: dict[str, Any]) -> Content | None:
    """The attack: hash what could be behind the screen, and look for the hash in what the page gets."""
    visible = set(words(screen))
    return next((guess for guess in guesses(screen) if hashes(guess) & visible), None)


def test_who_knows_the_names_cannot_check_a_guess(tmp_path: Path) -> None:
    outputs = {name: lines[:3] for name, lines in SYSTEMS.items()}
    settings = {"task": "pairwise", "controls": 0.5, "annotators": ["ann"]}
    made = make(tmp_path, outputs=outputs, sources=SOURCES[:3], **settings)
    screens = screens_of(made)
    assert len(screens) == 3
    with made.store.read() as connection:
        contents = [content for _, content in made.store.contents(connection).values()]
    assert any(content.expect for content in contents)
    for screen in screens:
        assert attack(screen) is None
        # The attack itself works: with the hash of the right item on the screen it names the systems.
        right = next(c for c in contents if sorted(card.text for card in c.cards) == sorted(screen["cards"]))
        leaked = {**screen, "version": hashlib.sha256(right.to_json().encode()).hexdigest()[:16]}
        assert attack(leaked) == right


def test_right_answers_of_the_qualification_do_not_show(tmp_path: Path) -> None:
    known = {"source": "He go .", "outputs": ["He goes .", "He go ."], "ranks": [1, 2]}
    (tmp_path / "known.jsonl").write_text(json.dumps(known) + "\n", encoding="utf-8")
    made = make(tmp_path, qualification=str(tmp_path / "known.jsonl"))
    with signed_in(made) as client:
        screen = client.get("/api/screen").json()
    assert screen["phase"] == "qualification"
    cards = tuple(Card(text, ()) for text in known["outputs"])
    for ranks in ([1, 2], [2, 1], [1, 1]):
        guess = Content("He go .", None, cards, answer={"ranks": ranks})
        assert not hashes(guess) & set(words(screen))


def test_the_order_of_cards_does_not_follow_from_what_everybody_knows(tmp_path: Path) -> None:
    made = make(tmp_path, copies=10, controls=0, repeats=0, annotators=["ann"])
    screens = screens_of(made)
    public = [
        np.random.default_rng([1, 4, 1, screen["position"]]).permutation(len(screen["cards"])).tolist()
        for screen in screens
    ]
    with made.store.read() as connection:
        shown = [json.loads(text) for text in connection.scalars(sa.select(schema.assignments.c.shown))]
    assert len(shown) == len(public) > 50
    assert shown != public
    assert 0.1 < np.mean([one == other for one, other in zip(shown, public, strict=True)]) < 0.9
    again = make(tmp_path / "again", copies=10, controls=0, repeats=0, annotators=["ann"])
    screens_of(again)
    with again.store.read() as connection:
        others = [json.loads(text) for text in connection.scalars(sa.select(schema.assignments.c.shown))]
    assert shown != others  # the same seed, another secret


def test_items_that_show_the_same_have_versions_of_their_own(tmp_path: Path) -> None:
    made = make(tmp_path, copies=3, controls=0, repeats=0)
    with made.store.read() as connection:
        versions = connection.scalars(sa.select(schema.items.c.version)).all()
    assert len(set(versions)) == len(versions)


def test_the_seed_is_secret_unless_it_is_given(tmp_path: Path) -> None:
    values = {"name": "x", "task": "ranking", "corpus": "c", "systems": {"a": "a.txt", "b": "b.txt"}}
    assert len({settings_from(values).seed for _ in range(5)}) == 5
    assert settings_from({**values, "seed": 7}).seed == 7


def test_screens_carry_nothing_but_what_the_page_shows(tmp_path: Path) -> None:
    made = make(tmp_path, copies=4, controls=0.5, repeats=0.3, annotators=["ann"])
    allowed = {
        "state", "phase", "assignment", "position", "version", "revision", "source", "reference", "cards",
        "answer", "draft", "comment", "skipped", "done", "total", "exact", "last",
    }  # fmt: skip
    for screen in screens_of(made):
        assert set(screen) == allowed
        assert not set(words(screen)) & {*SYSTEMS, *CONTROLS, "control", "main"}
        assert len(set(screen["cards"])) == len(screen["cards"])  # equal outputs are one card


# Work that was not done


def participant(made: Made, app: Any) -> TestClient:
    client = TestClient(app, follow_redirects=False)
    with made.store.read() as connection:
        key = connection.scalar(sa.select(schema.campaign.c.sign_up_key))
    assert client.post("/join", json={"key": key, "PROLIFIC_PID": "p1"}).status_code == 200
    return client


@pytest.fixture
def crowd(tmp_path: Path) -> Iterator[tuple[Made, TestClient]]:
    """A campaign for the crowd in which two items of ten are controls, with one participant."""
    made = make(tmp_path, copies=3, annotators=[], places=3, quota=10, controls=0.2, overlap=0, repeats=0)
    with made.store.write() as connection:
        made.store.set_sign_up(connection, "open")
    app = application(made.store)
    with TestClient(app):
        yield made, participant(made, app)


def test_skipping_everything_earns_no_code(crowd: tuple[Made, TestClient]) -> None:
    made, client = crowd
    last = work(client, lambda screen: {"skipped": "unclear", "answer": None, "seconds": 60.0})[-1]
    assert last["state"] == "done"
    assert last["code"] == ""
    for position in range(1, 9):  # an item that was skipped can be answered after all
        screen = client.get("/api/screen", params={"position": position}).json()
        assert client.post("/api/judge", json=post_of(screen, **right(made, screen))).status_code == 200
    assert len(client.get("/api/screen").json()["code"]) == 16


def right(made: Made, screen: dict[str, Any]) -> dict[str, Any]:
    """The ranks by which a control is passed: outputs as they differ from the reference."""
    with made.store.read() as connection:
        row = screen_at(connection, 1, screen["position"])
        assert row is not None
        content = content_of(row.content)
    ranks = [1] * len(content.cards)
    for better, worse in content.expect:
        ranks[worse] = max(ranks[worse], ranks[better] + 1)
    shown = json.loads(row.shown)
    return {"answer": {"ranks": [ranks[card] for card in shown]}}


def test_failed_controls_earn_no_code(crowd: tuple[Made, TestClient]) -> None:
    made, client = crowd
    last = work(client, lambda screen: {"answer": {"ranks": [1] * len(screen["cards"])}})[-1]
    assert last["code"] == ""
    with made.store.read() as connection:
        table = people_table(made.store, connection, compute_statistics(made.store, connection))
    assert any("controls failed" in str(cell) for cell in table.rows[0])


def test_the_time_of_an_answer_is_at_most_that_since_the_screen_was_sent(app: TestClient, made: Made) -> None:
    sign_in(app, made.tokens["ann"])
    began = time.monotonic()
    screen = app.get("/api/screen").json()
    app.post("/api/judge", json=post_of(screen, seconds=3600.0))
    assert rows(made)[0]["seconds"] <= time.monotonic() - began


# Several windows


def test_of_many_windows_with_one_screen_one_answer_is_kept_and_the_others_are_told(
    app: TestClient, made: Made
) -> None:
    sign_in(app, made.tokens["ann"])
    screen = app.get("/api/screen").json()
    codes = [app.post("/api/judge", json=post_of(screen, comment=str(n))).status_code for n in range(12)]
    assert codes == [200] + [409] * 11
    assert [row["comment"] for row in rows(made)] == ["0"]
    again = app.get("/api/screen", params={"position": 1}).json()
    assert app.post("/api/judge", json=post_of(again, comment="changed")).status_code == 200


def test_a_key_with_another_answer_is_a_conflict_and_with_the_same_one_is_not(
    app: TestClient, made: Made
) -> None:
    sign_in(app, made.tokens["ann"])
    screen = app.get("/api/screen").json()
    post = post_of(screen)
    assert not app.post("/api/judge", json=post).json()["again"]
    assert app.post("/api/judge", json=post).json()["again"]
    for change in (
        {"answer": {"ranks": [1] * len(screen["cards"])}},
        {"answer": None, "skipped": "unclear"},
        {"comment": "other"},
        {"revision": 2},
    ):
        assert app.post("/api/judge", json=post | change).status_code == 409, change
    assert len(rows(made)) == 1


# Consent that is withdrawn


@pytest.mark.parametrize("delete", [False, True])
def test_a_withdrawn_consent_stops_the_screens_and_may_delete_the_answers(
    tmp_path: Path, delete: bool
) -> None:
    made = make(tmp_path, consent="# What we store", copies=2)
    version = consent_version(made.store.settings)
    with TestClient(application(made.store), follow_redirects=False) as client:
        for who in ("bob", "ann"):
            sign_in(client, made.tokens[who])
            agreed = client.post("/consent", json={"version": version, "agree": True})
            assert agreed.status_code == 200
            screen = client.get("/api/screen").json()
            following = client.post("/api/judge", json=post_of(screen)).json()["next"]
        post = {"version": version, "agree": False, "delete": delete}
        assert client.post("/consent", json=post).status_code == 200
        assert client.get("/api/screen").status_code == 403
        assert client.post("/api/judge", json=post_of(following)).status_code == 403
        assert client.get("/work").headers["location"] == "/consent"
        assert "You have withdrawn" in client.get("/consent").text
        assert client.post("/consent", json={"version": version, "agree": True}).status_code == 409
    judges = {row["judge"] for row in rows(made)}
    assert judges == ({"judge-2"} if delete else {"judge-1", "judge-2"})
    with made.store.read() as connection:
        person = made.store.annotators(connection)[0]
        assert person.withdrawn[:2] == "20"
        assert (person.consent, person.erased) == (version, delete)
        statistics = compute_statistics(made.store, connection)
        assert set(statistics.annotators) == ({2} if delete else {1, 2})
    for format in ("jsonl", "pairwise", "appraise", "wmt"):
        assert ("judge-1" in export_text(made.place, format)) is not delete, format


# Names, numbers, NUL characters, floods


LOOKALIKES = ("ANN", "ａｎｎ", "аnn", "an\u200bn", "ann\u3164", "Ánn", " a n n ")


def test_annotators_names_cannot_look_alike(app: TestClient, made: Made, tmp_path: Path) -> None:
    boss = other(app, made.admin)
    for name in (*LOOKALIKES, "\u3164", "a\u202ebc", "!"):
        answer = boss.post("/admin/act", data={"action": "add", "name": name})
        assert answer.status_code == 400, name
    assert boss.post("/admin/act", data={"action": "add", "name": "Anna"}).status_code == 200
    for name in LOOKALIKES:
        with pytest.raises(DataError, match="look, the same"):
            make(tmp_path / "two", annotators=["ann", name])


def test_a_formula_in_a_name_is_text_in_the_list_of_annotators(app: TestClient, made: Made) -> None:
    boss = other(app, made.admin)
    for sign in "=+-@":
        boss.post("/admin/act", data={"action": "add", "name": f"{sign}cmd|calc {ord(sign)}"})
    cells = [line.split("\t")[0] for line in boss.get("/admin/annotators").text.splitlines()]
    assert sum("cmd|calc" in cell for cell in cells) == 4
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


def test_an_answer_cannot_be_changed_without_end(app: TestClient, made: Made) -> None:
    sign_in(app, made.tokens["ann"])
    post = post_of(app.get("/api/screen").json())
    codes = {}
    for revision in (1, 2, 100, 101, 5000, 100_000):
        one = post | {"revision": revision, "key": f"revision-{revision}"}
        codes[revision] = app.post("/api/judge", json=one).status_code
    assert codes == {1: 200, 2: 200, 100: 200, 101: 400, 5000: 400, 100_000: 400}


def test_addresses_of_one_network_are_one_client(made: Made) -> None:
    codes, app = [], application(made.store)
    for number in range(15):
        client = TestClient(app, client=(f"2001:db8:0:1::{number:x}", 1))
        codes.append(client.post("/enter", json={"token": f"guess-{number}"}).status_code)
    assert codes[-1] == 429
    other_network = TestClient(app, client=("2001:db8:0:2::1", 1))
    assert other_network.post("/enter", json={"token": "guess"}).status_code == 403
    assert client_network("::ffff:192.0.2.1") == client_network("192.0.2.1") == "192.0.2.1"


DIGITS = "9" * 5000


def test_numbers_of_many_digits_are_refused(app: TestClient, made: Made, tmp_path: Path) -> None:
    boss = other(app, made.admin)
    for path in ("/admin/items/", "/admin/qualification/", "/admin/items?page=", "/api/screen?position="):
        assert boss.get(path + DIGITS).status_code in (200, 400, 401, 404), path
        assert app.get(path + DIGITS).status_code in (400, 401, 404), path
    values = {"action": "reassign", "annotator": "1", "heir": DIGITS}
    assert boss.post("/admin/act", data=values).status_code == 400
    sign_in(app, made.tokens["ann"])
    post = json.dumps(post_of(app.get("/api/screen").json(), seconds="?"))
    headers = {"Content-Type": "application/json"}
    for number in (DIGITS, DIGITS[:4000], f"1e{DIGITS}", f"0.{DIGITS}"):
        body = post.replace('"?"', number)
        assert app.post("/api/judge", content=body, headers=headers).status_code in (200, 400), number[:20]
    for number in (DIGITS, "0x" + "f" * 5000):
        (tmp_path / "x.toml").write_text(f'name = "x"\ntask = "ranking"\ncorpus = "c"\nquota = {number}\n')
        with pytest.raises(DataError):
            read_settings(tmp_path / "x.toml")


def test_nul_characters_are_refused_everywhere(app: TestClient, made: Made) -> None:
    boss = other(app, made.admin)
    for path in (
        "/admin/items?kind=%00",
        "/admin/%00",
        "/join?key=%00&PROLIFIC_PID=x",
        "/api/screen?position=%00",
    ):
        assert boss.get(path).status_code == 400, path
    assert boss.post("/admin/act", data={"action": "add", "name": "a\0b"}).status_code == 400
    assert boss.post("/admin/act", data={"action": "\0"}).status_code == 400
    with pytest.raises(DataError, match="NUL"):
        settings_from({"name": "x\0", "task": "ranking", "corpus": "c", "systems": {"a": "a", "b": "b"}})


def test_an_escape_sequence_in_a_text_is_not_a_nul_character() -> None:
    with pytest.raises(DataError) as caught:
        settings_from({"name": r"\u0000", "task": 1})
    assert "NUL" not in str(caught.value)
