"""Damaged databases give an error that names the file: no traceback, nothing half-written."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import campaigns
import tasks

CASES = 40


def damaged(data: bytes, draw: random.Random) -> bytes:
    """Data with a part cut off, overwritten, inserted or flipped."""
    content, place = bytearray(data), draw.randrange(len(data))
    kind = draw.choice(["cut", "zeros", "noise", "insert", "flip"])
    if kind == "cut":
        del content[place:]
    elif kind == "flip":
        for _ in range(9):
            content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    else:
        length = draw.randrange(1, 2000)
        end = place if kind == "insert" else place + length
        content[place:end] = bytes(length) if kind == "zeros" else draw.randbytes(length)
    return bytes(content)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign and a task with contents."""
    folder = tmp_path_factory.mktemp("whole")
    campaign = campaigns.make(folder)
    campaigns.fill(campaign)
    campaign.store.close()
    task = tasks.make(folder)
    tasks.work_off(task)
    task.store.close()
    return folder


@pytest.mark.parametrize(
    "command",
    [
        "campaign status x.db", "campaign export x.db", "campaign annotators x.db", "rank x.db",
        "campaign backup x.db y.db", "campaign close x.db", "task status x.db", "task export x.db out",
        "task backup x.db y.db", "task close x.db",
    ],
)  # fmt: skip
def test_a_damaged_file_gives_an_error_that_names_it(
    run: Callable[..., object], folder: Path, tmp_path: Path, command: str
) -> None:
    draw = random.Random(command)
    whole = (folder / ("task.db" if command.startswith("task") else "campaign.db")).read_bytes()
    codes = set()
    for _ in range(CASES):
        shutil.rmtree(tmp_path)
        tmp_path.mkdir()
        os.chdir(tmp_path)
        (tmp_path / "x.db").write_bytes(damaged(whole, draw))
        done = run(*command.split())  # a traceback would be an error of this test
        codes.add(done.returncode)
        assert done.returncode in (0, 1)
        if done.returncode:
            assert "error: x." in done.stderr, done.stderr
            assert not (tmp_path / "out").exists()
            assert not (tmp_path / "y.db").exists()
    assert 1 in codes
