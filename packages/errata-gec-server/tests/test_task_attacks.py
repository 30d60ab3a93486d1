"""Attempts to reach the gold, other teams' files and scores that are not shown, and to harm the server."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import anyio
import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from errata.engine import jobs_or_default
from errata.errors import DataError
from errata.http.asgi import RateLimit
from errata_server.sandbox import LimitError, Limits, own_user, run_in_child
from errata_server.task import check_submission, task_admin, task_store, teams, worker
from errata_server.task import task_tables as schema
from errata_server.task.archives import unpacked
from errata_server.task.human_ranking import campaign_of_finals, finals
from errata_server.task.task_reports import export_task
from errata_server.task.task_settings import Track
from tasks import (
    GOOD,
    MIDDLE,
    SOURCE,
    Served,
    act,
    board,
    lines,
    make,
    output,
    scores_on,
    served,
    submit,
    texts_in,
    work_off,
)

SECRET = "THE-GOLD-IS-HERE"  # in every reference; no answer may ever contain it


class Attacked(Served):
    victim: TestClient
    attacker: TestClient
    uid: str  # of the victim's submission


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    """A task in which nothing is shown, with two teams, one of which has submitted."""
    folder = tmp_path_factory.mktemp("attacks")
    make(folder / "texts").store.close()
    (folder / "ref.txt").write_bytes(lines([f"{text} {SECRET}" for text in GOOD]))
    texts = {"source": str(folder / "texts" / "source.txt"), "references": [str(folder / "ref.txt")]}
    track = {"name": "main", "metrics": ["gleu"], "texts": {"test": texts}}
    phases = [
        {"name": "test", "shows": "nothing", "after": "nothing"},
        {"name": "later", "starts": "2999-01-01T00:00:00Z", "shows": "leaderboard"},
    ]
    made = make(folder / "task", tracks=[track], phases=phases, public=True, most_bytes=1 << 20)
    with served(made, Attacked) as found:
        found.victim = found.team("Victim", "Vera")
        found.uid = submit(found.victim, lines(MIDDLE), note="our secret note").json()["uid"]
        work_off(made)
        found.attacker = found.team("Attacker", "Eve")
        yield found


def everything(task: Attacked) -> list[str]:
    """All addresses that the application knows, with every way to fill them in."""
    found = []
    for route in task.app.routes:
        path = getattr(route, "path", "")
        filled = [path]
        for name, values in {
            "{track}": ["main", "..", "%2e%2e"], "{phase}": ["test", "later", "x"],
            "{uid}": [task.uid, "1", "2", "..", "*", "%"],
        }.items():  # fmt: skip
            filled = [one.replace(name, value) for one in filled for value in values]
        found += filled
    return sorted(set(found) - {"/leave"})  # the tests stay signed in


def test_no_address_gives_a_team_the_gold_or_what_is_not_shown(task: Attacked) -> None:
    victim_value = json.dumps(_score(task))[:8]
    paths = everything(task)
    assert len(paths) > 50
    extra = ["/texts", "/gold", "/files", "/task.db", "/static/../task.db", "/static/%2e%2e/%2e%2e/task.db",
             "/api/submissions/..%2f..%2fadmin", "/admin/export/archive", "/export", "/api/export",
             "/api/board/main/test?view=all", "/api/board/main/test?team=2&staff=true", "/backup",
             f"/team/submissions/{task.uid}?team=2", "/api/submissions?team=2", "/openapi.json"]  # fmt: skip
    for client in (task.attacker, task.client()):
        for path in [*paths, *extra]:
            for method in ("GET", "POST", "PUT", "DELETE"):
                answer = client.request(method, path)
                text = answer.text
                assert answer.status_code not in (429, 500), path
                assert SECRET not in text, path
                assert "our secret note" not in text, path
                assert victim_value not in text, path
                assert "Vera" not in text, path
                if "/board/" in path and method == "GET" and answer.status_code == 200:
                    assert "Victim" not in text, path


def _score(task: Attacked) -> float:
    with task.made.store.read() as connection:
        scores = connection.scalars(sa.select(schema.results.c.scores)).all()
    return float(json.loads(scores[-1])["metrics"][0]["value"])


def test_another_teams_submission_looks_like_none(task: Attacked) -> None:
    attacker = task.attacker
    for tail in ("", "/file", "/sentences"):
        theirs = attacker.get(f"/api/submissions/{task.uid}{tail}")
        none = attacker.get(f"/api/submissions/0123456789abcdef{tail}")
        assert (theirs.status_code, theirs.text) == (none.status_code, none.text) == (404, none.text)
    for tail in ("/choose", "/withdraw"):
        theirs = attacker.post(f"/api/submissions/{task.uid}{tail}")
        none = attacker.post(f"/api/submissions/0123456789abcdef{tail}")
        assert (theirs.status_code, theirs.text) == (none.status_code, none.text)
    act(attacker, "/team", "withdraw", uid=task.uid)
    victim = task.victim
    assert victim.get(f"/api/submissions/{task.uid}").json()["state"] == "scored"


def test_the_victims_own_scores_are_hidden_too(task: Attacked) -> None:
    victim = task.victim
    own = victim.get(f"/api/submissions/{task.uid}").json()
    assert own["scores"] is None
    assert victim.get(f"/api/submissions/{task.uid}/sentences").status_code == 403
    assert board(victim)["rows"] == []
    assert victim.get("/sources/main/later").status_code == 403  # a phase that has not begun


def test_a_team_that_nobody_approved_sees_no_more_than_the_public(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:  # a board for teams only
        submit(task.team("Alpha"), lines(GOOD))
        work_off(task.made)
        stranger = task.client()
        assert stranger.post("/sign-up", json={"team": "Stranger", "member": "Eve"}).status_code == 201
        assert board(stranger)["rows"] == []
        assert "Team " not in stranger.get("/board/main/test").text
        owner = task.owner()
        for state, count in (("active", 2), ("refused", 0), ("withdrawn", 0)):
            act(owner, "/admin", "team", team="3", state=state)
            assert len(board(stranger)["rows"]) == count, state


def test_a_file_that_equals_the_gold_or_anothers_gets_the_same_answer_as_any(task: Attacked) -> None:
    """Neither the checks nor the recognition of files tell whether somebody guessed right."""
    attacker = task.attacker
    gold = lines([f"{text} {SECRET}" for text in GOOD])
    answers = [submit(attacker, data) for data in (gold, lines(MIDDLE), output(5))]
    views = [answer.json() for answer in answers]
    assert [answer.status_code for answer in answers] == [201, 201, 201]
    for view in views:
        assert not view["known"]
        assert view["findings"] == []
        assert view["state"] == "queued"
    work_off(task.made)


def test_a_failure_tells_the_team_nothing_of_what_went_wrong(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        client = task.team("Alpha")
        uid = submit(client, lines(GOOD)).json()["uid"]
        table = schema.texts
        with task.made.store.write() as connection:  # the message about this gold has its text
            broken = (SECRET + " one line too few\n").encode()
            connection.execute(sa.update(table).where(table.c.role == "reference").values(content=broken))
        work_off(task.made)
        view = client.get(f"/api/submissions/{uid}")
        assert view.json()["state"] == "failed"
        assert view.json()["message"] == "it could not be scored; the organisers can see the reason"
        assert SECRET not in view.text + client.get("/team").text
        assert "1 line, but" in task.owner().get("/admin/submissions").text


# The end of a phase


def test_after_the_end_a_withdrawal_does_not_bring_back_an_earlier_submission(tmp_path: Path) -> None:
    """A team that knows the scores cannot withdraw later submissions until its best one counts."""
    with served(make(tmp_path)) as task:
        alpha, beta = task.team("Alpha"), task.team("Beta")
        best, last = (submit(alpha, lines(texts)).json()["uid"] for texts in (GOOD, MIDDLE))
        submit(beta, output(7))
        work_off(task.made)
        owner = task.owner()
        before = scores_on(board(owner))
        act(owner, "/admin", "phase", phase="test", state="closed")
        assert alpha.post(f"/api/submissions/{best}/choose").status_code == 403
        assert alpha.post(f"/api/submissions/{last}/withdraw").status_code == 200
        assert scores_on(board(owner)) == {team: score for team, score in before.items() if team != "Alpha"}
        work_off(task.made)
        with task.made.store.read() as connection:
            assert "Alpha" not in [
                final.team for final in finals(task.made.store, connection, "main", "test")
            ]
        assert "counts" not in alpha.get("/team").text


def test_a_withdrawal_of_another_submission_after_the_end_changes_no_score(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        alpha = task.team("Alpha")
        first, last = (submit(alpha, lines(texts)).json()["uid"] for texts in (GOOD, MIDDLE))
        work_off(task.made)
        assert alpha.post(f"/api/submissions/{last}/choose").status_code == 200
        before = scores_on(board(alpha))
        act(task.owner(), "/admin", "phase", phase="test", state="closed")
        assert alpha.post(f"/api/submissions/{first}/withdraw").status_code == 200
        assert scores_on(board(alpha)) == before
        assert len(next(row for row in board(alpha)["rows"] if row["mine"])["history"]) == 1


def test_the_ranking_of_a_phase_with_a_public_part_cannot_be_chosen_by_the_scores_shown(
    tmp_path: Path,
) -> None:
    phases = [{"name": "test", "shows": "leaderboard", "public_part": 0.3, "sentences": True}]
    with served(make(tmp_path, phases=phases)) as task:
        alpha = task.team("Alpha")
        uid = submit(alpha, output(0b101010101010)).json()["uid"]
        work_off(task.made)
        view = alpha.get(f"/api/submissions/{uid}").json()["scores"]
        assert (view["segments"], view["groups"]) == (9, {})
        assert alpha.get(f"/api/submissions/{uid}/sentences").status_code == 403
        shown = board(alpha)
        assert shown["tests"] is None
        with task.made.store.read() as connection:
            stored = json.loads(
                connection.scalars(
                    sa.select(schema.results.c.scores).order_by(schema.results.c.submission)
                ).all()[-1]
            )
        assert stored["segments"] == len(SOURCE) - 9
        public, ranking = (part["metrics"][0]["value"] for part in (stored["public"], stored))
        assert public != ranking
        assert scores_on(shown)["Alpha"][0] == view["metrics"][0]["value"] == public
        assert str(ranking) not in alpha.get("/api/board/main/test").text + alpha.get("/api/submissions").text
        owner = task.owner()
        assert scores_on(board(owner))["Alpha"][0] == ranking
        act(owner, "/admin", "phase", phase="test", state="closed")
        assert scores_on(board(alpha))["Alpha"][0] == ranking
        assert board(alpha)["tests"] is not None


# One team against the others


def test_one_team_cannot_occupy_all_uploads_or_the_queue(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Files that take long to check, and many of them: another team is served meanwhile."""
    begun, release = threading.Semaphore(0), threading.Event()

    async def slow(function: Any, data: bytes, *arguments: Any, **options: Any) -> Any:
        if data.startswith(b"slow"):
            begun.release()
            await anyio.to_thread.run_sync(release.wait, 60, limiter=options["limiter"])
        return function(data, *arguments)

    with served(make(tmp_path)) as task, ThreadPoolExecutor(16) as pool:
        attacker, victim = task.team("Attacker"), task.team("Victim")
        monkeypatch.setattr(task.server.app, "in_child", slow)
        uploads = [pool.submit(submit, attacker, b"slow%d\n" % number) for number in range(16)]
        assert begun.acquire(timeout=30)
        assert begun.acquire(timeout=30)
        assert submit(victim, lines(GOOD)).status_code == 201
        release.set()
        codes = [upload.result().status_code for upload in uploads]
        assert codes.count(429) >= 4
        assert "refused an upload of member" in capfd.readouterr().err


def test_the_teams_take_turns_in_the_queue(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        work_off(task.made)  # the baseline
        attacker, victim = task.team("Attacker"), task.team("Victim")
        sent = [submit(attacker, output(number)).json() for number in range(3)]
        sent.append(submit(victim, lines(GOOD)).json())
        assert victim.get(f"/api/submissions/{sent[3]['uid']}").json()["ahead"] == 1
        assert attacker.get(f"/api/submissions/{sent[1]['uid']}").json()["ahead"] == 2
        work_off(task.made)
        with task.made.store.read() as connection:
            order = connection.scalars(
                sa.select(schema.results.c.submission).order_by(schema.results.c.created)
            ).all()
        assert order == [1, 2, 5, 3, 4]


def test_an_upload_that_the_server_could_not_check_is_not_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(make(tmp_path)) as task:
        client = task.team("Alpha")
        task.server.teams._rate = RateLimit(per_second=0, burst=1)

        async def killed(*arguments: Any, **options: Any) -> Any:
            raise DataError("the process ended without a result")

        with monkeypatch.context() as patch:
            patch.setattr(task.server.app, "in_child", killed)
            assert [submit(client, lines(GOOD)).status_code for _ in range(5)] == [503] * 5
        assert submit(client, lines(GOOD)).status_code == 201
        assert submit(client, lines(MIDDLE)).status_code == 429


def test_a_team_that_nobody_approved_cannot_invite_or_fill_the_log(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        stranger = task.client()
        assert stranger.post("/sign-up", json={"team": "Stranger", "member": "Eve"}).status_code == 201
        table = schema.events
        with task.made.store.read() as connection:
            before = connection.scalar(sa.select(sa.func.count()).select_from(table))
        for _ in range(10):
            assert act(stranger, "/team", "invite").status_code == 403
            act(stranger, "/team", "leave-task")
        with task.made.store.read() as connection:
            after = connection.scalar(sa.select(sa.func.count()).select_from(table))
        assert after - before <= 1


def test_a_team_cannot_write_events_without_limit(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        client = task.team("Alpha")
        uid = submit(client, lines(GOOD)).json()["uid"]
        for _ in range(20):
            assert client.post(f"/api/submissions/{uid}/choose").status_code == 200
        with task.made.store.read() as connection:
            assert connection.scalar(sa.select(sa.func.count()).select_from(schema.choices)) == 1
        invitations = [act(client, "/team", "invite").status_code for _ in range(60)]
        assert invitations[-1] == 409
        task.server.teams._rate = RateLimit(per_second=0.5, burst=20)
        codes = [client.post(f"/api/submissions/{uid}/choose").status_code for _ in range(30)]
        assert codes[0] == 200
        assert codes[-1] == 429
        refused = [submit(client, b"one line\n").status_code for _ in range(3)]
        assert 429 in refused


def test_every_event_of_the_log_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_store, "EVENTS", 5)
    monkeypatch.setattr(task_admin, "EVENTS", 5)
    with served(make(tmp_path)) as task:
        for number in range(8):
            task.team(f"Team number {number}")
        owner = task.owner()
        pages = "".join(owner.get(f"/admin/log?page={page}").text for page in range(1, 6))
        assert all(f"Team number {number}: Ann" in pages for number in range(8))


def test_a_wrong_number_of_lines_does_not_tell_the_size_of_a_hidden_test_set(tmp_path: Path) -> None:
    make(tmp_path / "texts").store.close()
    (tmp_path / "long.txt").write_bytes(lines(SOURCE * 2))
    (tmp_path / "long.ref").write_bytes(lines(GOOD * 2))
    hidden = {"source": str(tmp_path / "long.txt"), "references": [str(tmp_path / "long.ref")]}
    track = {
        "name": "main",
        "metrics": ["gleu"],
        "texts": {"test": texts_in(tmp_path / "texts"), "final": hidden},
    }
    phases = [{"name": "test"}, {"name": "final", "starts": "2999-01-01T00:00:00Z"}]
    with served(make(tmp_path / "task", tracks=[track], phases=phases)) as task:
        client = task.team("Alpha")
        guesses = [submit(client, lines(SOURCE * 2)), submit(client, lines([*SOURCE * 2, "x"]))]
        fixes = [re.sub(r"\d+", "N", str(guess.json()["findings"][0]["fix"])) for guess in guesses]
        assert fixes[0] == fixes[1]
        act(task.owner(), "/admin", "phase", phase="final", state="open")
        told = submit(client, lines(SOURCE * 2)).json()["findings"][0]["fix"]
        assert "main, final" in told


@pytest.mark.parametrize("name", ["a." + "\U00020000" * 75, "a.npz", "a.txt/../../b", "con.m2"])
def test_no_name_of_a_file_reaches_the_archive(tmp_path: Path, name: str) -> None:
    with served(make(tmp_path)) as task:
        client = task.team("\U00020000" * 60)
        is_m2 = name.endswith(".m2")
        data = "".join(f"S {text}\n\n" for text in SOURCE).encode() if is_m2 else lines(GOOD)
        assert submit(client, data, name=name).status_code == 201
        submit(task.team("Other"), lines(MIDDLE))
        work_off(task.made)
        store, ranking = task.made.store, {"task": "ranking"}
        files = export_task(store, tmp_path / "archive")
        final = [Path(file) for file in files if file.startswith("final/main/test/\U00020000")]
        assert sorted(file.suffix for file in final) == sorted([".npz", ".m2" if is_m2 else ".txt"])
        kept = next(file for file in final if file.suffix != ".npz")
        assert (tmp_path / "archive" / kept).read_bytes() == data
        created, _, _ = campaign_of_finals(store, "main", "test", tmp_path / "people.db", settings=ranking)
        created.close()


# Files


def zipped(name: str, content: bytes, mode: int = 0, compress: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", compress) as packed:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        info.compress_type = compress
        packed.writestr(info, content)
    return made.getvalue()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped("main.txt", b"/etc/passwd", stat.S_IFLNK | 0o777), "is a link"),
        (zipped("main.txt", b"", stat.S_IFCHR | 0o666), "is a link or a device"),
        (zipped("../../main.txt", b"x\n"), "would leave the folder"),
        (zipped("/etc/main.txt", b"x\n"), "would leave the folder"),
        (zipped("..\\..\\main.txt", b"x\n"), "would leave the folder"),
        (zipped("C:/main.txt", b"x\n"), "would leave the folder"),
        (zipped("main.txt", b"a" * (1 << 24)), "unpacks to more than"),
        (zipped("main.txt", b"a" * (1 << 24), compress=zipfile.ZIP_BZIP2), "neither stored nor deflated"),
        (zipped("main.txt", b"a" * (1 << 24), compress=zipfile.ZIP_LZMA), "neither stored nor deflated"),
        (zipped("", b"x\n"), "a member without a name"),
        (zipped("main.zip", zipped("main.txt", b"x\n")), "an archive in an archive"),
        (zipped("main.txt", b"x\n")[:40], "broken or encrypted"),
        (b"PK\x03\x04" + b"\0" * 100, "broken or encrypted"),
    ],
)
def test_archives_that_would_do_harm_are_refused(task: Attacked, data: bytes, message: str) -> None:
    answer = submit(task.attacker, data, name="x.zip")
    assert answer.status_code == 422
    assert message in answer.json()["findings"][0]["message"]


def test_a_file_that_makes_the_checks_fail_is_refused_and_charged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would fail each time, so that an answer of 503 would have the client send it without end."""

    def fail(*arguments: object) -> None:
        raise IndexError("string index out of range")

    monkeypatch.setattr(check_submission, "_findings", fail)
    monkeypatch.chdir("/")  # restored afterwards: checks run in a process of their own, and change it
    source = check_submission.Source("main", "lines", lines(SOURCE), {})
    checked = check_submission.check_submission(lines(GOOD), "x.txt", source, 1 << 20)
    assert checked.is_unusable
    assert checked.findings[0]["message"] == "it could not be checked: IndexError"


def test_an_archive_that_lies_about_its_size_is_refused() -> None:
    data = bytearray(zipped("main.txt", b"a" * 100_000))
    for place in [found.start() for found in re.finditer(re.escape(struct.pack("<I", 100_000)), bytes(data))]:
        data[place : place + 4] = struct.pack("<I", 10)
    with pytest.raises(DataError):
        unpacked(bytes(data), "x.zip", "main", 1000)
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as packed:
        for i in range(200):
            packed.writestr(f"{i}.txt", "x")
    with pytest.raises(DataError, match="200 files"):
        unpacked(many.getvalue(), "x.zip", "main", 1000)


def test_bodies_are_limited_whatever_they_say_about_themselves(task: Attacked) -> None:
    attacker = task.attacker
    assert submit(attacker, b"a" * ((1 << 20) + 1)).status_code == 413

    def pieces() -> Iterator[bytes]:
        for _ in range(100):  # 100 MB in one line, without a length
            yield b"a" * (1 << 20)

    assert submit(attacker, pieces()).status_code == 413  # type: ignore[arg-type]
    assert attacker.post("/sign-up", content=b"{" + b"a" * (2 << 20)).status_code == 413
    line = submit(attacker, b"a" * (1 << 20))
    assert line.status_code == 422
    assert "a line of 1,048,576 bytes" in line.json()["findings"][0]["message"]


def test_files_that_are_no_text_are_refused(task: Attacked) -> None:
    attacker = task.attacker
    for data in (
        b"\0" * 100,
        b"\xff\xfe" + "x\n".encode("utf-16-le") * 30,
        b"\x1f\x8b" + b"x" * 50,
        b"\x80\n" * 30,
    ):
        answer = submit(attacker, data)
        assert answer.status_code == 422, data
    assert submit(attacker, b"").status_code == 400


def test_signs_in_names_are_only_text(task: Attacked) -> None:
    name = "<script>alert(1)</script>"
    client = task.team(f"{name} & co", "<img src=x onerror=alert(2)>")
    answer = submit(client, output(77), name='"><svg onload=alert(3)>.txt', note="<b>note</b>")
    assert answer.status_code == 201
    assert "/" not in answer.json()["name"]
    owner = task.owner()
    pages = [client.get("/team").text, client.get(f"/team/submissions/{answer.json()['uid']}").text]
    pages += [
        owner.get(page).text for page in ("/admin", "/admin/submissions", "/admin/log", "/board/main/test")
    ]
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "<svg onload" not in page
        assert "<b>note" not in page
    header = client.get(f"/api/submissions/{answer.json()['uid']}/file").headers["content-disposition"]
    assert '"' not in header.removeprefix('attachment; filename="').removesuffix('"')


def test_posts_from_other_sites_are_refused(task: Attacked) -> None:
    attacker, owner = task.attacker, task.owner()
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}):
        assert attacker.post(f"/api/submissions/{task.uid}/choose", headers=headers).status_code == 403
        assert owner.post("/admin/act", data={"action": "closed"}, headers=headers).status_code == 403
        leave = {"action": "leave-task"}
        assert attacker.post("/team/act", data=leave, headers=headers).status_code == 403
    plain = {"Content-Type": "text/plain"}  # what a form of another site could send
    answer = attacker.post(
        "/api/submissions", params={"track": "main", "phase": "test"}, content=b"x", headers=plain
    )
    assert answer.status_code == 415
    with task.made.store.read() as connection:
        assert task.made.store.state(connection) == "open"


def test_roles_do_not_mix(task: Attacked) -> None:
    attacker = task.attacker
    for page in ("/admin", "/admin/submissions", "/admin/log"):
        assert attacker.get(page).status_code == 401
        assert task.client().get(page).status_code == 401
    cookies = {name.replace("-member", "-staff"): value for name, value in attacker.cookies.items()}
    assert task.client().get("/admin", headers=_cookie(cookies)).status_code == 401
    token = attacker.headers["x-token"]
    assert task.client().get("/admin", headers={"Authorization": f"Bearer {token}"}).status_code == 403
    assert (
        task.client().get("/team", headers={"Authorization": f"Bearer {task.made.owner}"}).status_code == 403
    )


def _cookie(cookies: dict[str, str]) -> dict[str, str]:
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())}


def test_tokens_cannot_be_guessed_for_long(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        client = task.client()
        codes = [
            client.get("/api/submissions", headers={"Authorization": f"Bearer {i}"}).status_code
            for i in range(15)
        ]
        assert codes[0] == 403
        assert codes[-1] == 429


# Names and floods


def test_teams_names_cannot_look_alike(tmp_path: Path) -> None:
    with served(make(tmp_path)) as task:
        task.team("Alpha")
        for name in ("ALPHA", "Ａlpha", "Аlphа", "A1pha", "Alpha\u3164", "Ál-pha", "\u3164", "\u200b"):
            answer = task.client().post("/sign-up", json={"team": name, "member": "Eve"})
            assert answer.status_code in (400, 409), name
        owner = task.owner()
        stranger = task.client()
        assert stranger.post("/sign-up", json={"team": "Beta", "member": "Eve"}).status_code == 201
        act(owner, "/admin", "team", team="3", state="refused")
        task.team("Beta")  # a stranger does not keep the name that an invited team has
        assert act(owner, "/admin", "team", team="3", state="active").status_code == 400


def test_strangers_cannot_keep_out_teams_that_are_invited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teams, "_MOST_WAITING", 5)
    with served(make(tmp_path)) as task:
        codes = [
            task.client()
            .post("/sign-up", json={"team": f"Stranger {chr(65 + n)}", "member": "Eve"})
            .status_code
            for n in range(8)
        ]
        assert codes == [201] * 5 + [409] * 3
        task.team("Invited")


def test_nul_characters_in_addresses_are_refused(task: Attacked) -> None:
    for path in ("/api/submissions/%00", "/board/main/%00", "/sources/%00/test", "/admin/log?page=%00"):
        assert task.attacker.get(path).status_code == 400, path
    assert submit(task.attacker, output(3), note="a\0b").status_code == 400


# Limits of the processes


def _needs_memory() -> int:
    return len(bytearray(8 << 30))


def _needs_time() -> None:
    while True:
        pass


def _reaches(database: str, address: tuple[bytes, int]) -> dict[str, bool]:
    """What a child can reach: the database, a server on this machine, and the rights of root."""
    reached = {}
    for name, attempt in {
        "database": lambda: open(database, "rb").close(),
        "network": lambda: socket.socket().connect(address),
        "root": lambda: os.setuid(0),
    }.items():
        try:
            attempt()
            reached[name] = True
        except OSError:
            reached[name] = False
    return reached


def _in_memory(pattern: str, *arguments: object) -> bool:
    """Whether a pattern, which does not match itself, is found in the memory of this process."""
    wanted = re.compile(pattern.encode())
    with open("/proc/self/mem", "rb") as memory:
        for line in Path("/proc/self/maps").read_text().splitlines():
            low, high = (int(end, 16) for end in line.split()[0].split("-"))
            if " rw" in line and "[v" not in line:
                memory.seek(low)
                if wanted.search(memory.read(high - low)):
                    return True
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory of a process")
def test_a_scoring_process_does_not_have_the_gold_of_other_tracks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(tmp_path / "texts").store.close()
    tracks = []
    for name in ("one", "two"):
        (tmp_path / f"{name}.txt").write_bytes(lines([f"{text} GOLD-OF-{name}" for text in GOOD]))
        source = str(tmp_path / "texts" / "source.txt")
        texts = {"source": source, "references": [str(tmp_path / f"{name}.txt")]}
        tracks.append({"name": name, "metrics": ["gleu"], "texts": {"test": texts}})
    made = make(tmp_path / "task", tracks=tracks)
    seen: dict[str, list[bool]] = {}

    def spied(function: Any, *arguments: Any, **options: Any) -> Any:
        track = next((each.name for each in arguments if isinstance(each, Track)), None)
        if track is not None:
            options |= {"limits": Limits(60, 4 << 30)}
            run = partial(run_in_child, _in_memory, limits=options["limits"])
            seen[track] = [run(f"GOLD-OF[-]{name}", *arguments) for name in ("one", "two")]
        return run_in_child(function, *arguments, **options)

    monkeypatch.setattr(worker, "run_in_child", spied)
    with made.store as store:
        does_jobs = worker.Worker(store)
        while does_jobs.step():
            pass
    assert seen == {"one": [True, False], "two": [False, True]}


@pytest.mark.skipif(sys.platform != "linux", reason="needs namespaces of Linux")
def test_an_isolated_child_has_no_network_and_cannot_read_the_database(tmp_path: Path) -> None:
    made = make(tmp_path)
    made.store.close()
    with socket.create_server(("127.0.0.1", 0)) as server:
        address, user = (b"127.0.0.1", server.getsockname()[1]), "nobody" if os.geteuid() == 0 else None
        plain, isolated = (
            run_in_child(
                _reaches, made.place, address,
                limits=Limits(20, 4 << 30, network=not each, user=user if each else None),
            )
            for each in (False, True)
        )  # fmt: skip
    assert plain["network"]
    assert not isolated["network"]
    if os.geteuid() == 0:
        assert plain["database"]
        assert not isolated["database"]
        assert not isolated["root"]


class _Hostile:
    """Runs a command when a process unpickles it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.path,)


def test_a_child_that_was_taken_over_cannot_run_code_in_the_worker(tmp_path: Path) -> None:
    made = tmp_path / "made"
    with pytest.raises(DataError, match="which is not data"):
        run_in_child(_Hostile, str(made), limits=Limits(20, 4 << 30))
    assert not made.exists()


def _gold_in_a_file(folder: str) -> None:
    Path(tempfile.mkdtemp(dir=tempfile.gettempdir()), "gold").write_text(folder)
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.parametrize("user", [None, "nobody"])
def test_a_killed_child_leaves_no_files(
    user: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if user is not None and os.geteuid() != 0:
        pytest.skip("only root can become another user")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path) if user is None else "/tmp")
    before = set(Path("/tmp").glob("errata-child-*"))
    with pytest.raises(DataError, match="without a result"):
        run_in_child(_gold_in_a_file, str(tmp_path), limits=Limits(20, 4 << 30, user=user))
    assert not list(tmp_path.iterdir())
    left = set(Path("/tmp").glob("errata-child-*")) - before
    assert not [each for each in left if next(each.rglob("gold"), None)]


_LIMITED_ROOT = """
from errata_server import sandbox
import os
sandbox._open_to_all = lambda place: True
if __name__ == "__main__":
    user = sandbox.own_user()
    limits = sandbox.Limits(20, 4 << 30, network=False, user=user)
    print(user, sandbox.run_in_child(os.getuid, limits=limits))
"""


@pytest.mark.parametrize(
    ("rights", "user"), [("-sys_admin", "nobody"), ("-setuid", "None"), ("-all", "None")]
)
def test_children_of_root_with_few_rights_start(rights: str, user: str, tmp_path: Path) -> None:
    setpriv = shutil.which("setpriv")
    if setpriv is None or os.geteuid() != 0:
        pytest.skip("needs root and setpriv")
    program = tmp_path / "limited.py"
    program.write_text(_LIMITED_ROOT, encoding="utf-8")
    command = [setpriv, f"--bounding-set={rights}", f"--inh-caps={rights}", sys.executable, str(program)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split()[:1] == [user], done.stderr
    assert done.stdout.split()[1].isdigit(), done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="needs namespaces of Linux")
def test_workers_warn_if_scoring_has_a_network(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    worker.warn_of_network()
    assert not capfd.readouterr().err
    monkeypatch.setattr(worker, "run_in_child", lambda function, limits: function())  # as without namespaces
    worker.warn_of_network()
    assert "can use the network: run workers in containers" in capfd.readouterr().err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_user_who_does_not_exist_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata_server.sandbox._open_to_all", lambda place: True)
    monkeypatch.setenv("ERRATA_TASK_USER", "no-such-user")
    with pytest.raises(DataError, match="there is no user 'no-such-user'"):
        own_user()


def test_children_obey_their_limits() -> None:
    with pytest.raises(LimitError, match="1024 MB of memory"):
        run_in_child(_needs_memory, limits=Limits(20, 1 << 30))
    with pytest.raises(LimitError, match="more than 1 seconds"):
        run_in_child(_needs_time, limits=Limits(1, 4 << 30))
    assert run_in_child(len, [1, 2], limits=Limits(20, 4 << 30)) == 2
    assert run_in_child(jobs_or_default, None, limits=Limits(20, 4 << 30)) == 1


def test_a_submission_beyond_the_limits_fails_and_can_be_scored_again(tmp_path: Path) -> None:
    with served(make(tmp_path, memory=64)) as task:  # less than a worker needs for itself
        client = task.team("Alpha")
        uid = submit(client, lines(GOOD)).json()["uid"]
        work_off(task.made)
        view = client.get(f"/api/submissions/{uid}").json()
        assert view["state"] == "failed"
        assert view["message"] == "it could not be scored: it needed more than 64 MB of memory"
        assert act(client, "/team", "choose", uid=uid).status_code == 409
        enough = task.made.store.settings.to_json().replace('"memory": 64', '"memory": 4096')
        with task.made.store.write() as connection:
            connection.execute(sa.update(schema.task).values(settings=enough))
        assert act(task.owner(), "/admin", "again", submission="2").status_code == 303
        work_off(task.made)
        assert client.get(f"/api/submissions/{uid}").json()["state"] == "scored"
