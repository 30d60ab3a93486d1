"""`errata task` on the command line, against a real server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest

import errata
from errata.cli import main
from tasks import GOOD, MIDDLE, SOURCE, RunningTask, lines

CONFIG = """
name = "A task"
sign_up = "approval"
[[tracks]]
name = "main"
metrics = ["gleu"]
baselines = ["source", "en"]
[tracks.texts.test]
source = "source.txt"
references = ["ref.txt"]
[[phases]]
name = "test"
shows = "own"
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[str, str]:
    """What a command prints; raises SystemExit where it fails."""
    with pytest.raises(SystemExit) as ended:
        main(["task", *arguments])
    if ended.value.code:
        raise ended.value
    return capsys.readouterr()


@pytest.mark.slow
def test_a_task_from_new_to_close(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("task.toml").write_text(CONFIG)
    Path("source.txt").write_bytes(lines(SOURCE))
    Path("ref.txt").write_bytes(lines(GOOD))
    Path("out.txt").write_bytes(lines(MIDDLE))
    Path("broken.txt").write_bytes(lines(MIDDLE[:-2]))
    link, note = run(capsys, "new", "task.toml", "task.db", "--url", "http://127.0.0.1:1")
    assert link.startswith("http://127.0.0.1:1/enter#")
    assert "errata task serve task.db" in note
    assert Path("task.db").stat().st_mode & 0o077 == 0
    running = RunningTask("task.db", "--workers", "1")
    running.options = (*running.options, "--url", running.url)
    running.start()
    try:
        answer = httpx.post(
            f"{running.url}/sign-up", json={"team": "Alpha", "member": "Ann"}, trust_env=False
        )
        token = answer.json()["link"]
        send = ("--task", running.url, "--token", token)
        with pytest.raises(SystemExit, match="1"):
            run(capsys, "submit", "out.txt", *send)
        assert "your team is waiting" in capsys.readouterr().err
        assert "active" in run(capsys, "approve", "task.db", "alpha")[1]
        with pytest.raises(SystemExit, match="1"):
            run(capsys, "submit", "broken.txt", *send)
        printed = capsys.readouterr()
        assert "broken.txt:29  E301" in printed.err
        assert "refused" in printed.out
        out = run(capsys, "submit", "out.txt", *send)[0]
        value = errata.score(SOURCE, MIDDLE, [[text] for text in GOOD], metric="gleu").value
        assert f"GLEU {value:.4f} [" in out
        assert "same file before" in run(capsys, "submit", "out.txt", *send)[1]
        invitation = run(capsys, "invite", "task.db", "--count", "2")[0].split()
        assert len(invitation) == 2
        assert invitation[0].startswith(f"{running.url}/enter#")
        observer = run(capsys, "invite", "task.db", "--staff", "observer", "--name", "Olga")[0].strip()
        client = httpx.Client(base_url=running.url, trust_env=False)
        assert client.post("/enter", json={"token": observer.partition("#")[2]}).json() == {"to": "/admin"}
        status = run(capsys, "status", "task.db", "--format", "json")[0]
        for what in ("Alpha", "Corrector en", "Unchanged source", f"{value}"):
            assert what in status
        run(capsys, "backup", "task.db", "copy.db")
        run(capsys, "close", "task.db", "--phase", "test")
        with pytest.raises(SystemExit, match="1"):
            run(capsys, "submit", "ref.txt", *send)
        assert "no phase is open" in capsys.readouterr().err
        run(capsys, "close", "task.db", "--phase", "test", "--reopen")
        assert "scored" in run(capsys, "submit", "ref.txt", *send)[0]
        run(capsys, "close", "task.db")
        assert httpx.get(f"{running.url}/health", trust_env=False).text == "closed"
    finally:
        running.stop()
    assert "Alpha" in run(capsys, "status", "copy.db")[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('name = "main"', 'name = "Main Track"'),
        ('metrics = ["gleu"]', 'metrics = ["glue"]'),
        ('"ref.txt"', '"none.txt"'),
    ],
)
def test_wrong_settings_are_errors_that_name_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, message: str
) -> None:
    (tmp_path / "source.txt").write_bytes(lines(SOURCE))
    (tmp_path / "ref.txt").write_bytes(lines(GOOD))
    (tmp_path / "task.toml").write_text(CONFIG.replace(change, message))
    with pytest.raises(SystemExit, match="1"):
        run(capsys, "new", str(tmp_path / "task.toml"), str(tmp_path / "task.db"))
    assert ("task.toml" if "none" not in message else "none.txt") in capsys.readouterr().err
    assert not (tmp_path / "task.db").exists()
