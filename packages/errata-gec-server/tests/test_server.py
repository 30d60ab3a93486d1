"""What web applications share: the database, its writer, sessions, protection and serving."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from starlette.datastructures import Headers
from starlette.testclient import TestClient

from campaigns import Running, make
from errata.cli import cli
from errata.errors import DataError, ErrataError
from errata.http.asgi import Guard, known_host, same_site
from errata_server.campaign.campaign_server import application
from errata_server.campaign.campaign_settings import settings_from
from errata_server.campaign.campaign_store import CampaignStore
from errata_server.campaign.create_campaign import make_campaign
from errata_server.campaign.export_judgments import read_campaign
from errata_server.database import Database, Writer, after_commit, part, public_address, shown
from errata_server.sessions import Session, Signer, Subject, session_key

notes = sa.Table(
    "notes", sa.MetaData(), sa.Column("id", sa.Integer, primary_key=True), sa.Column("text", sa.Text)
)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    """An empty database of either kind with a table of notes."""
    if request.param == "sqlite":
        opened = Database(tmp_path / "notes.db", create=True)
    else:
        opened = Database(request.getfixturevalue("postgres_url"))
    with opened.write() as connection:
        notes.metadata.drop_all(connection)
        notes.metadata.create_all(connection)
    yield opened
    opened.close()


def add(connection: sa.Connection, text: str) -> None:
    connection.execute(sa.insert(notes).values(text=text))


def texts(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.scalars(sa.select(notes.c.text).order_by(notes.c.id)))


def test_effects_follow_the_commit_and_only_the_commit(database: Database) -> None:
    seen: list[str] = []

    def note(connection: sa.Connection, text: str) -> None:
        add(connection, text)
        after_commit(connection, lambda: seen.append(text))

    def fail(connection: sa.Connection, text: str) -> None:
        note(connection, text)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), database.write() as connection:
        fail(connection, "lost")
    with database.write() as connection:
        note(connection, "kept")
        assert seen == []
        assert isinstance(part(connection, lambda c: fail(c, "taken back"))[1], ZeroDivisionError)
        note(connection, "kept, too")
    assert seen == texts(database) == ["kept", "kept, too"]


def test_a_job_that_fails_takes_no_other_with_it(database: Database) -> None:
    writer = Writer(database)
    started = threading.Event()

    def wait(connection: sa.Connection) -> None:  # the jobs that follow are one batch
        started.wait(10)

    def fail(connection: sa.Connection) -> None:
        add(connection, "half")
        connection.exec_driver_sql("SELECT no_such_column FROM notes")

    futures = [writer.submit(wait)]
    futures += [
        writer.submit(lambda c, n=n: add(c, str(n))) if n % 3 else writer.submit(fail) for n in range(9)
    ]
    started.set()
    failed = [n for n, future in enumerate(futures[1:]) if future.exception(20) is not None]
    writer.close()
    assert failed == [0, 3, 6]
    assert texts(database) == ["1", "2", "4", "5", "7", "8"]


@pytest.mark.parametrize("fails", [True, False])
def test_a_transaction_that_the_database_gave_up_is_nobodys_success(database: Database, fails: bool) -> None:
    """On a full disk SQLite may take back all of a transaction, and go on as if there had been none."""
    writer = Writer(database)
    started = threading.Event()
    seen: list[str] = []

    def wait(connection: sa.Connection) -> None:
        started.wait(10)

    def note(connection: sa.Connection) -> None:
        add(connection, "before or after")
        after_commit(connection, lambda: seen.append("effect"))

    def lose(connection: sa.Connection) -> None:
        connection.exec_driver_sql("ROLLBACK")
        if fails:
            raise OSError("database or disk is full")

    futures = [writer.submit(job) for job in (wait, note, lose, note)]
    started.set()
    problems = [future.exception(20) for future in futures[1:]]
    writer.close()
    acknowledged = sum(problem is None for problem in problems)
    assert len(texts(database)) == len(seen) == acknowledged
    assert acknowledged < 3


def test_readers_leave_the_writer_and_other_readers_alone(database: Database) -> None:
    release = threading.Event()

    def read() -> None:
        with database.read() as connection:
            connection.execute(sa.select(notes)).all()
            release.wait(20)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    try:
        with database.write() as connection:
            add(connection, "written")
        assert texts(database) == ["written"]
    finally:
        release.set()
        for thread in threads:
            thread.join()


def test_a_reader_sees_one_state(database: Database) -> None:
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(notes)) == 0
        with database.write() as other:
            add(other, "new")
        assert connection.scalar(sa.select(sa.func.count()).select_from(notes)) == 0


CLAIM = """
import sys
from errata_server.database import Database, after_commit, part, public_address, shown
database = Database(sys.argv[1])
database.claim()
print("claimed", flush=True)
sys.stdin.read()
"""


def test_one_database_has_one_server(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata_server.database._CLAIM_SECONDS", 0.2)
    other = subprocess.Popen([sys.executable, "-c", CLAIM, database.place], stdin=-1, stdout=-1)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == b"claimed\n"
        with pytest.raises(DataError, match="another server"):
            database.claim()
    finally:
        other.kill()
        other.wait()
    monkeypatch.setattr("errata_server.database._CLAIM_SECONDS", 5.0)
    mine = Database(database.place)
    mine.claim()  # the lock went with the process
    mine.close()


def test_numbers_of_rows_follow_the_order_of_commits(database: Database) -> None:
    """Otherwise a reader that remembers the last number it saw would miss rows of a slower writer."""
    began, other = threading.Event(), Database(database.place)

    def slow() -> None:
        with database.write() as connection:
            add(connection, "slow")
            began.set()
            time.sleep(0.3)

    thread = threading.Thread(target=slow)
    thread.start()
    began.wait(10)
    with other.write() as connection:
        assert list(connection.scalars(sa.select(notes.c.text))) == ["slow"]
        add(connection, "fast")
    thread.join()
    other.close()
    assert texts(database) == ["slow", "fast"]


@pytest.mark.parametrize("content", [b"", b"\n"])
def test_a_file_that_is_no_database_does_not_become_one(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes").write_bytes(content)
    with pytest.raises(DataError, match="not a database"):
        CampaignStore.open(tmp_path / "notes")
    assert (tmp_path / "notes").read_bytes() == content


def test_databases_and_copies_are_their_owners(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        made = make(tmp_path)
        with made.store.write() as connection:
            made.store.set_state(connection, "paused")
        made.store.backup(tmp_path / "copy.db")
        found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("*.db*")}
    finally:
        os.umask(before)
    assert {"campaign.db", "campaign.db-wal", "campaign.db-shm", "copy.db"} <= set(found)
    assert set(found.values()) == {0o600}


SETTINGS = settings_from({"name": "x", "task": "correction", "corpus": __file__, "format": "text"})


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:hush@localhost:1/x",
        "postgresql://u:hush@localhost:notaport/x",
        "postgresql://u:hu/sh@localhost/x",
        "postgresql://u:p@hush@localhost:1/x",
        "postgresql://u:hush:hush@local:host:1/x",
        "postgresql://localhost:1/x?user=u&password=hush",
        "postgresql://u:hush@[::1/x",
        "mysql://u:hush@localhost/x",
    ],
)
def test_passwords_stay_out_of_messages(url: str) -> None:
    pytest.importorskip("psycopg", reason="needs errata-gec-server[postgres]")
    for open_it in (CampaignStore.open, read_campaign, lambda place: make_campaign(SETTINGS, place)):
        with pytest.raises(ErrataError) as caught:
            open_it(url)
        assert "hush" not in "".join(traceback.format_exception_only(caught.value))
        assert "sh@" not in str(caught.value)
    assert "hush" not in shown(url)
    result = CliRunner().invoke(cli, ["campaign", "serve", url, "--port", "1"])
    assert isinstance(result.exception, ErrataError)
    assert "hush" not in result.output + str(result.exception)


def test_a_path_is_shown_as_it_is() -> None:
    for place in ("campaign.db", "/a/b:c@d.db", "postgresql:///name", "postgresql://u@host/x"):
        assert shown(place) == place


def test_cookies_are_signed_and_valid_for_one_role_application_and_time(monkeypatch: Any) -> None:
    signer, session = Signer(b"key", "one"), Session(Subject("annotator", 12), 3)
    cookie = signer.sign(session)
    assert signer.read("annotator", cookie) == session
    assert signer.read("admin", cookie) is None
    assert Signer(b"key", "other").read("annotator", cookie) is None
    assert Signer(b"yek", "one").read("annotator", cookie) is None
    number, epoch, expires, signature = cookie.split(".")
    for forged in (
        f"13.{epoch}.{expires}.{signature}", f"{number}.4.{expires}.{signature}",
        f"{number}.{epoch}.{int(expires) + 1}.{signature}", f"{number}.{epoch}.{expires}.",
        f"{number}.{epoch}.{expires}", f"{number}.{epoch}.{signature}", f".{cookie}", "",
        "...", "\xe9.1.1.1", cookie[:-1], cookie + "=",
    ):  # fmt: skip
        assert signer.read("annotator", forged) is None, forged
    monkeypatch.setattr("errata_server.sessions.DAYS", -1)
    assert signer.read("annotator", signer.sign(session)) is None


def test_the_key_of_sessions_is_beside_the_database_and_not_in_it(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("ERRATA_SESSION_KEY", raising=False)
    made = make(tmp_path)
    key = session_key(made.store.database, made.store.uid)
    assert len(key) == 64
    assert session_key(made.store.database, made.store.uid) == key
    made.store.backup(tmp_path / "copy.db")
    for path in tmp_path.glob("*.db*"):
        assert (key in path.read_bytes()) is (path.name == "campaign.db.key")
    assert stat.S_IMODE((tmp_path / "campaign.db.key").stat().st_mode) == 0o600
    monkeypatch.setenv("ERRATA_DATA", str(tmp_path / "data"))
    elsewhere: Any = SimpleNamespace(place="postgresql://host/name", is_file=False)
    assert session_key(elsewhere, "uid") == (tmp_path / "data/session-keys/uid.key").read_bytes() != key
    monkeypatch.setenv("ERRATA_SESSION_KEY", "short")
    with pytest.raises(DataError, match="ERRATA_SESSION_KEY is too short"):
        session_key(made.store.database, made.store.uid)
    monkeypatch.setenv("ERRATA_SESSION_KEY", "k" * 32)
    assert session_key(made.store.database, made.store.uid) == b"k" * 32


def test_a_session_key_that_others_know_or_can_guess_is_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("ERRATA_SESSION_KEY", raising=False)
    made = make(tmp_path)
    path = tmp_path / "campaign.db.key"
    for content in (b"", b"0" * 31):  # a full disk or a power cut: anyone could sign with an empty key
        path.write_bytes(content)
        path.chmod(0o600)
        with pytest.raises(DataError, match="the session key is damaged"):
            application(made.store)
    path.unlink()
    key = session_key(made.store.database, made.store.uid)
    path.chmod(0o640)
    with pytest.raises(DataError, match="other users of this machine can read"):
        application(made.store)
    path.chmod(0o600)
    assert session_key(made.store.database, made.store.uid) == key


def test_nobody_can_choose_the_session_key(tmp_path: Path, monkeypatch: Any) -> None:
    """Another user of a shared folder puts a file or a link where the key is about to be written."""
    monkeypatch.delenv("ERRATA_SESSION_KEY", raising=False)
    made = make(tmp_path)
    prepared = tmp_path / f"campaign.db.key.{os.getpid()}.part"
    prepared.touch(0o666)
    key = session_key(made.store.database, made.store.uid)
    assert prepared.read_bytes() == b""
    path = tmp_path / "campaign.db.key"
    path.unlink()
    path.symlink_to(tmp_path / "chosen")
    with pytest.raises(DataError, match="cannot keep the session key"):
        session_key(made.store.database, made.store.uid)
    assert not (tmp_path / "chosen").exists()
    path.unlink()
    assert session_key(made.store.database, made.store.uid) != key
    assert {file.name for file in tmp_path.glob("*.part")} == {prepared.name}


def test_servers_that_start_at_once_have_one_session_key(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.delenv("ERRATA_SESSION_KEY", raising=False)
    made = make(tmp_path)
    together = threading.Barrier(8)

    def start(_: int) -> bytes:
        together.wait()
        return session_key(made.store.database, made.store.uid)

    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(start, range(8)))) == 1


def test_a_cancelled_job_leaves_the_writer_at_work(database: Database) -> None:
    writer, begun, go_on = Writer(database), threading.Event(), threading.Event()

    def wait(connection: sa.Connection) -> bool:
        begun.set()
        return go_on.wait(10)

    running = writer.submit(wait)
    assert begun.wait(10)
    waiting = writer.submit(lambda connection: 1)
    assert not running.cancel()  # it has begun, so it will be stored
    assert waiting.cancel()
    go_on.set()
    assert running.result(10)
    assert writer.submit(lambda connection: 2).result(10) == 2
    writer.close()


PUBLIC = "https://judge.example.org"


def test_only_known_hosts_are_served() -> None:
    upstream = "campaign"  # its name
    for host in (
        "judge.example.org",
        "JUDGE.example.org:443",
        "127.0.0.1:8765",
        "[::1]:8765",
        "localhost",
        upstream,
    ):
        assert known_host(host, PUBLIC), host
    for host in ("evil.example", "judge.example.org.evil.example", "", "[bad"):
        assert not known_host(host, PUBLIC), host
        assert known_host(host, None)


@pytest.mark.parametrize(
    ("headers", "public", "same"),
    [
        ({}, None, True),  # a program
        ({"sec-fetch-site": "same-origin", "origin": PUBLIC, "host": "127.0.0.1:8765"}, None, True),
        ({"sec-fetch-site": "cross-site", "origin": PUBLIC, "host": "judge.example.org"}, PUBLIC, False),
        ({"sec-fetch-site": "same-site", "origin": "https://evil.example.org", "host": "x"}, PUBLIC, False),
        ({"origin": PUBLIC, "host": "127.0.0.1:8765"}, PUBLIC, True),  # nginx without proxy_set_header Host
        ({"origin": PUBLIC, "host": "judge.example.org"}, None, True),  # Caddy; nginx with $host
        ({"origin": f"{PUBLIC}:8443", "host": "judge.example.org"}, None, True),  # $host drops the port
        ({"origin": PUBLIC, "host": "campaign", "x-forwarded-host": "judge.example.org"}, None, True),
        ({"origin": "https://evil.example", "host": "judge.example.org"}, PUBLIC, False),
        ({"origin": "null", "host": "judge.example.org"}, PUBLIC, False),
        ({"origin": "https://evil.example", "host": ""}, None, False),
        ({"origin": "http://judge.example.org", "host": "127.0.0.1:8765"}, PUBLIC, False),  # another scheme
    ],
)
def test_posts_come_from_our_own_pages(headers: dict[str, str], public: str | None, same: bool) -> None:
    assert same_site(Headers(headers), public) is same


def test_an_application_may_ask_late_for_a_body_that_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long request must not be taken for a slow client."""
    monkeypatch.setattr("errata.http.asgi.BODY_SECONDS", 0.05)

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(0.2)
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    assert TestClient(Guard(application)).post("/", content=b"here").text == "here"


def test_the_address_of_a_server_has_no_path() -> None:
    assert public_address("https://Judge.example.org/") == PUBLIC
    for bad in ("judge.example.org", "ftp://x", "https://", "https://x/y", "javascript:alert(1)"):
        with pytest.raises(DataError, match="is not the address"):
            public_address(bad)


SERVE = """
import sys
import errata.http.asgi as serving, errata.http.asgi as security
serving.HEAD_SECONDS = security.BODY_SECONDS = {seconds}
serving.CLIENT_CONNECTIONS = 5
from errata.cli import main
sys.argv[0] = "errata"
main()
"""


@pytest.fixture
def impatient(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Running]:
    """A server that waits for a second, or as long as a test says."""
    serve = SERVE.format(seconds=getattr(request, "param", 1.0))
    made = make(tmp_path)
    running = Running(made.place)
    arguments = ["campaign", "serve", made.place, "--port", str(running.port)]
    with (tmp_path / "stderr").open("wb") as log:
        running.process = subprocess.Popen([sys.executable, "-c", serve, *arguments], stderr=log)
    running.wait()
    yield running
    running.kill()
    assert "Traceback" not in (tmp_path / "stderr").read_text()


HEAD = b"POST /enter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "sent",
    [
        [b""],  # connects and says nothing
        [b"GET /enter HTT"],
        [b"GET /enter HTTP/1.1\r\nHost: x\r\n"],
        [b"GET /enter HTTP/1.1\r\nHost: x\r\n", *[b"X-A: b\r\n"] * 100],  # a header every now and then
        [b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /hea"],  # half of a second request
        [HEAD, b"{"],  # a body that does not come
    ],
)  # fmt: skip
def test_half_open_connections_end(sent: list[bytes], impatient: Running) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=30) as client:
        try:
            for part in sent:
                client.sendall(part)
                time.sleep(0.1)
            while client.recv(65536):  # the server closes; a timeout would raise
                pass
        except ConnectionError:
            pass
    impatient.wait()


@pytest.mark.parametrize(
    ("begin", "endless"),
    [
        (b"GET / HTTP/1.1\r\nHost: x\r\nX-A: ", b"a" * 65536),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"X-A: b\r\n" * 8192),
        (b"GET /", b"a" * 65536),
    ],
)
@pytest.mark.parametrize("impatient", [120.0], indirect=True)
def test_headers_without_end_are_cut_off(begin: bytes, endless: bytes, impatient: Running) -> None:
    sent = 0
    with socket.create_connection(("127.0.0.1", impatient.port), timeout=30) as client:
        try:
            client.sendall(begin)
            while sent < 1 << 28:
                client.sendall(endless)
                sent += len(endless)
        except ConnectionError:
            pass
    assert sent < 1 << 25  # what the buffers of the system hold
    impatient.wait()


def test_too_many_headers_are_refused(impatient: Running) -> None:
    many = {f"X-{number}": "a" for number in range(200)}
    assert httpx.get(f"{impatient.url}/health", headers=many, trust_env=False).status_code == 431


def test_bodies_that_end_early_leave_no_traceback(impatient: Running) -> None:
    for sent in (HEAD + b"{", HEAD.replace(b"/enter", b"/api/judge")):
        with socket.create_connection(("127.0.0.1", impatient.port)) as client:
            client.sendall(sent)
            time.sleep(0.2)
    impatient.wait()  # the fixture reads what the server has written


@pytest.mark.skipif(sys.platform != "linux", reason="needs other addresses of this machine")
def test_one_address_cannot_take_all_connections(impatient: Running) -> None:
    clients = [
        socket.create_connection(("127.0.0.1", impatient.port), timeout=30, source_address=("127.0.0.2", 0))
        for _ in range(20)
    ]
    answered = 0
    for client in clients:
        try:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            answered += client.recv(100).startswith(b"HTTP/1.1 200")
        except ConnectionError:
            pass
    assert answered == 5
    impatient.wait()
    for client in clients:
        client.close()
