"""A newcomer's first twelve commands succeed, without a warning."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from glob import glob
from pathlib import Path

COMMANDS = """
errata demo
errata demo --copy sample
errata score sample/gold.m2 sample/systems/rules.txt
errata score sample/gold.m2 sample/systems/*.txt --metric m2,gleu,imeasure --ci
errata compare sample/gold.m2 sample/systems/rules.txt sample/systems/neural.txt
errata explain m2 sample/gold.m2 sample/systems/rules.txt --line 12
errata report sample/gold.m2 sample/systems/*.txt -o report.html
errata corpus check sample/gold.m2 --hyp sample/systems/rules.txt
errata rank sample/rankings.xml --method ew,trueskill
errata correct --model en sample/source.txt -o mine.txt
errata run --m2 sample/gold.m2 -o runs/en -- errata correct --model en -
errata compat m2scorer mine.txt sample/gold.m2
"""


def test_twelve_commands(run: Callable, tmp_path: Path) -> None:
    commands = COMMANDS.strip().splitlines()
    assert len(commands) == 12
    for command in commands:
        words = [
            name
            for word in command.split()[1:]
            for name in (sorted(glob(word, root_dir=tmp_path)) if "*" in word else [word])
        ]
        done = run(*words, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr
        assert "warning" not in done.stderr.lower(), command
    assert "Precision" in done.stdout
