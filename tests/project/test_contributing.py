"""The exercise of CONTRIBUTING.md, followed step by step in a copy of the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_newcomer_adds_a_metric(tmp_path: Path, data: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    exercise = re.split(r"^## ", text, flags=re.MULTILINE)[1]
    [target] = re.findall(r"`(src/[\w/]+\.py)`\.", exercise)
    [[module], [commands]] = (
        re.findall(rf"```{name}\n(.*?)```", exercise, re.DOTALL) for name in ("python", "sh")
    )
    for name in ("src", "tests", "conftest.py", "pyproject.toml", "Makefile"):
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    (tmp_path / target).write_text(module, encoding="utf-8")
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("errata", "pytest"):
        (programs / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {
        **os.environ,
        "ERRATA_DATA": str(data),
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "src"), *filter(None, sys.path)]),
    }
    printed = {}
    for command in commands.splitlines():
        if command.startswith("make"):  # it installs everything first, and runs this test
            assert re.search(rf"^{command.partition(' ')[2]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        elif not command.startswith("errata data"):  # which is there already
            done = subprocess.run(
                ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout + done.stderr
            printed[command.split()[1]] = done.stdout
    assert "overlap" in printed["score"]
    assert "overlap" in printed["meta"]
    assert "1 passed" in printed["tests/metrics/test_contract.py"]
