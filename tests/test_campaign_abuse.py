"""What a stranger, a curious annotator or a hostile page may try; each is refused or shown harmless."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="needs errata[campaign]")
pytest.importorskip("sqlalchemy", reason="needs errata[campaign]")

import sqlalchemy as sa
from starlette.testclient import TestClient

from campaigns import Made, make, post_of, sign_in
from errata.campaign import schema
from errata.campaign.exporting import export_text, rows_of
from errata.campaign.instructions import to_html
from errata.campaign.security import RateLimit
from errata.campaign.server import application


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
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
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


def test_admin_forms_carry_a_secret(app: TestClient, made: Made) -> None:
    boss = other(app, made.admin)
    assert boss.post("/admin/act", data={"action": "closed"}).status_code == 403
    assert boss.post("/admin/act", data={"action": "closed", "form": "0" * 64}).status_code == 403
    page = boss.get("/admin").text
    form = page.split('name="form" value="')[1].split('"')[0]
    for values in ({"action": "drop"}, {"action": "extend", "more": "x"}, {"action": "extend", "more": "-5"},
                   {"action": "link", "annotator": "99"}, {"action": "add", "name": " "},
                   {"action": "reassign", "annotator": "1", "heir": "1"}):  # fmt: skip
        assert boss.post("/admin/act", data={"form": form, **values}).status_code == 400


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
    with TestClient(application(made.store)) as client:
        sign_in(client, made.tokens["ann"])
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
    with TestClient(application(made.store, secure=True), base_url="https://testserver") as safe:
        assert (
            "secure" in safe.post("/enter", json={"token": made.tokens["ann"]}).headers["set-cookie"].lower()
        )


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
        text = export_text(made.store, format)
        assert "judge-1" in text
        assert '"ann"' not in text
