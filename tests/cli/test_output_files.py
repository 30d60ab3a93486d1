"""Outputs appear whole or not at all, and what has their name already comes to no harm."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import power_loss
from errata.corpus.files import open_binary_output, open_output
from errata.errors import DataError

RUN = [sys.executable, "-m", "errata"]
SOURCE = Path(__file__).parents[2] / "src" / "errata" / "sample" / "en" / "source.txt"


def test_a_new_file_has_the_usual_permissions_and_a_replaced_one_keeps_its_own(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    before = os.umask(0o027)
    try:
        with open_output(target) as file:
            file.write("one")
    finally:
        os.umask(before)
    assert target.stat().st_mode & 0o777 == 0o640
    target.chmod(0o604)
    with open_output(target) as file:
        file.write("two")
    assert target.stat().st_mode & 0o777 == 0o604
    assert target.read_text() == "two"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_symbolic_link_stays_and_its_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "link.txt"
    for there in (False, True):
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / "real" / "file.txt")
        with open_output(link) as file:
            file.write(f"{there}")
        assert link.is_symlink()
        assert (tmp_path / "real" / "file.txt").read_text() == f"{there}"
    assert os.listdir(tmp_path / "real") == ["file.txt"]


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    with open_output(pipe) as file:
        file.write("through")
    reader.join()
    assert read == [b"through"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "-"])
def test_the_output_may_be_a_descriptor(name: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    with open(log, "ab") as appended:  # what stands there already stays
        command = [*RUN, "corpus", "tokenize", str(SOURCE), "-o", name]
        subprocess.run(command, stdout=appended, check=True)
    lines = log.read_text().splitlines()
    assert lines[0] == "before"
    assert len(lines) == 1 + len(SOURCE.read_text().splitlines())


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt), open_output(target) as file:  # noqa: PT012
        file.write("new")
        raise KeyboardInterrupt
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_a_terminated_run_leaves_nothing(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    command = [*RUN, "corpus", "tokenize", "-", "-o", str(target)]
    run = subprocess.Popen(command, stdin=subprocess.PIPE)
    while not os.listdir(tmp_path):
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGTERM)
    assert run.wait() == 143
    assert os.listdir(tmp_path) == []


def test_the_name_of_an_unfinished_file_cannot_be_taken_beforehand(tmp_path: Path) -> None:
    names = set()
    for _ in range(2):
        with open_output(tmp_path / "out.txt"):
            [name] = [name for name in os.listdir(tmp_path) if name != "out.txt"]
        names.add(name)
    assert len(names) == 2


def test_two_runs_with_one_target_do_not_mix(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    with open_output(target) as first, open_output(target) as second:
        for _ in range(1000):
            first.write("first\n")
            second.write("second\n")
    assert set(target.read_text().splitlines()) == {"first"}  # the one that finished last
    assert os.listdir(tmp_path) == ["out.txt"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write to every file")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    target.write_text("mine")
    target.chmod(0o444)
    with pytest.raises(DataError, match="may not write"), open_output(target):
        pass
    assert target.read_text() == "mine"


def test_a_folder_and_a_missing_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it is a folder"), open_binary_output(tmp_path):
        pass
    with pytest.raises(DataError, match="check the folder"), open_binary_output(tmp_path / "no" / "x"):
        pass


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
@pytest.mark.parametrize("output", [None, "/dev/full"])
def test_a_full_disk_is_an_error_without_a_traceback(output: str | None) -> None:
    command = [*RUN, "corpus", "tokenize", str(SOURCE), *(["-o", output] if output else [])]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("error: ")
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("arguments", [["setup", "info"], ["corpus", "tokenize", str(SOURCE)]])
def test_a_reader_that_goes_away_ends_the_run_quietly(arguments: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as broken:
        done = subprocess.run([*RUN, *arguments], stdout=broken, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("whole", [False, True])
def test_text_for_stdout_is_written_once_in_a_notebook(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever captures the output of a command may put a `StringIO` into the place of stdout."""
    import io

    captured = io.StringIO()
    monkeypatch.setattr(sys, "stdout", captured)
    with open_output("-", whole=whole) as file:
        file.write("once\n")
    assert captured.getvalue() == "once\n"


@pytest.mark.parametrize(
    "args",
    [
        ["score", "gold.m2", "A.txt", "-o", "./gold.m2"],
        ["score", "gold.m2", "A.txt", "--junit", "link.txt"],
        ["corpus", "agreement", "one=A.txt", "B.txt", "-o", "A.txt"],
        ["corpus", "agreement", "both=A.txt,B.txt", "-o", "A.txt"],
        ["judge", "--source", "B.txt", "--hyp", "A.txt", "B.txt", "--model", "http://x", "-o", "A.txt"],
        ["campaign", "new", "c.db", "--corpus", "B.txt", "--system", "a=A.txt", "-o", "A.txt"],
    ],
)
def test_a_result_never_replaces_a_file_that_the_command_reads(run, tmp_path: Path, args: list[str]) -> None:
    given = {
        "gold.m2": "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n",
        "A.txt": "x b\n",
        "B.txt": "a b\n",
    }
    for name, text in given.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.txt").symlink_to("A.txt")
    done = run(*args)
    assert done.returncode == 2, done.stderr
    assert "is a file that this command reads" in done.stderr
    assert {name: (tmp_path / name).read_text() for name in given} == given
    assert not (tmp_path / "c.db").exists()


def test_an_export_never_replaces_its_campaign(run, tmp_path: Path) -> None:
    systems = [f"--system={name}={SOURCE.parent / name}.txt" for name in ("minimal", "fluency")]
    done = run("campaign", "new", "c.db", "--task", "ranking", "--corpus", SOURCE, *systems)
    assert done.returncode == 0, done.stderr
    done = run("campaign", "export", "c.db", "-o", "c.db")
    assert done.returncode == 2
    assert "is a file that this command reads" in done.stderr
    assert run("campaign", "status", "c.db").returncode == 0


WRITE = """
import os, signal, sys
from errata.corpus.files import open_output
for text in ("old", "new"):
    with open_output(sys.argv[1]) as file:
        file.write(text)
os.kill(os.getpid(), signal.SIGUSR1)
signal.pause()
"""


def test_a_written_file_survives_a_loss_of_power(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    lossy = {**os.environ, **power_loss.environment(tmp_path, tmp_path / "disk")}
    place = tmp_path / "disk" / "out.txt"
    done = subprocess.run([sys.executable, "-c", WRITE, place], env=lossy)
    assert done.returncode == power_loss.LOST
    assert place.read_text() == "new"
    assert os.listdir(tmp_path / "disk") == ["out.txt"]


@pytest.mark.skipif(os.name == "nt", reason="needs named pipes")
@pytest.mark.parametrize("more", [(), ("--stream", "-m", "gleu")])
def test_a_pipe_is_read_like_a_file(run, tmp_path: Path, more: tuple[str, ...]) -> None:
    """As in `errata score <(zcat gold.m2.gz) A.txt`."""
    gold = "S a b\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "gold.m2").write_text(gold)
    (tmp_path / "A.txt").write_text("x b\n")
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text(gold), daemon=True)
    writer.start()
    done = run("score", "--m2", "pipe", "--hyp", "A.txt", "--format", "tsv", *more)
    assert done.returncode == 0, done.stderr
    assert done.stdout == run("score", "--m2", "gold.m2", "--hyp", "A.txt", "--format", "tsv", *more).stdout
    done = run("rank", "pipe")
    assert done.returncode == 2
    assert "not from stdin or a pipe" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1250"])
def test_a_pipe_gets_utf_8_whatever_the_locale(run, encoding: str) -> None:
    gold, output = SOURCE.parent / "gold.m2", SOURCE.parent / "systems" / "rules.txt"
    command = [*RUN, "score", str(gold), str(output)]
    done = subprocess.run(command, env={**os.environ, "PYTHONIOENCODING": encoding}, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.decode("utf-8") == run("score", gold, output).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="needs names of files that are no text")
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_name_that_is_no_text_is_shown_all_the_same(tmp_path: Path, encoding: str) -> None:
    command = [*map(os.fsencode, RUN), b"corpus", b"stats", b"n\xff.txt"]
    env = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True)
    assert done.returncode == 1
    assert done.stderr.startswith(b"error: n")
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="needs a shell")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_do_no_harm(tmp_path: Path, closed: str) -> None:
    command = f"{' '.join(RUN)} corpus stats {SOURCE} --output {tmp_path / 'out'} {closed}"
    assert subprocess.run(["sh", "-c", command], capture_output=True).returncode == 0
    assert "source" in (tmp_path / "out").read_text(encoding="utf-8")
    assert subprocess.run(["sh", "-c", f"{' '.join(RUN)} corpus stats {SOURCE} {closed}"]).returncode == 0
