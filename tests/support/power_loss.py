"""Processes that lose their power: a library in C, compiled here, drops what they have not synced."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LOST = 9  # exit status after SIGUSR1


def environment(folder: Path, watched: Path) -> dict[str, str]:
    """The environment of a process whose files in `watched` can be lost; the library goes to `folder`."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if sys.platform != "linux" or compiler is None:
        pytest.skip("needs Linux and a C compiler")
    library = folder / "power_loss.so"
    source = Path(__file__).with_suffix(".c")
    command = [compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return {"LD_PRELOAD": str(library), "POWER_LOSS": str(watched)}
