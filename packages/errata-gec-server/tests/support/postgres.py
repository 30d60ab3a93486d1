"""A PostgreSQL server of the tests' own, in a temporary folder, on a loopback port."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from signal import SIGINT, SIGTERM
from typing import Any

import pytest

from campaigns import free_port


def binaries() -> Path | None:
    """Where PostgreSQL's programs are, if they are installed."""
    places = sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True)
    found = shutil.which("initdb")
    candidates = [Path(place) for place in places] + ([Path(found).parent] if found else [])
    return next((place for place in candidates if (place / "initdb").exists()), None)


def need_postgres() -> None:
    """Skip a test where PostgreSQL is missing."""
    pytest.importorskip("psycopg", reason="needs errata-gec-server[postgres]")
    if binaries() is None:
        pytest.skip("needs PostgreSQL's binaries")


def unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root: as whom it runs then."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        try:
            person = pwd.getpwnam(name)
            return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}
        except KeyError:
            continue
    raise RuntimeError("no user to run PostgreSQL as")


class Postgres:
    """A server that can be stopped and started again."""

    def __init__(self, command: list[Any], url: str, **options: Any) -> None:
        self.command, self.url, self.options = command, url, options
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, **self.options)
        wait(self.url)

    def stop(self, signal: int = SIGTERM) -> None:
        """SIGTERM waits for clients to leave, SIGINT sends them away, SIGQUIT ends without a checkpoint."""
        self.process.send_signal(signal)
        self.process.wait(30)


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of a running server with an empty database."""
    with restartable_postgres() as server:
        yield server.url


@contextmanager
def restartable_postgres() -> Iterator[Postgres]:
    """A running server with an empty database."""
    place = binaries()
    assert place is not None
    folder = Path(tempfile.mkdtemp(prefix="errata-pg-"))
    who = unprivileged()
    if who:
        os.chown(folder, who["user"], who["group"])
    environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "HOME": str(folder)}
    port = free_port()
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    data = folder / "data"
    try:
        initialise = [place / "initdb", "-D", data, "-U", "errata", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(initialise, check=True, env=environment, timeout=60, **quiet, **who)
        options = ["-h", "127.0.0.1", "-p", str(port), "-k", str(folder)]
        url = f"postgresql://errata@127.0.0.1:{port}/postgres"
        command = [place / "postgres", "-D", data, *options]
        server = Postgres(command, url, env=environment, **quiet, **who)
        os.environ["ERRATA_SESSION_KEY"] = "of the tests: " + 32 * "x"  # no file in the user's data folder
        try:
            yield server
        finally:
            del os.environ["ERRATA_SESSION_KEY"]
            server.stop(SIGINT)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def wait(url: str, seconds: float = 30) -> None:
    import psycopg

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            psycopg.connect(url, connect_timeout=2).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise TimeoutError("PostgreSQL did not start")
