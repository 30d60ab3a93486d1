"""Where the shared data is, and what every test may use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

# No test depends on the clock, so hypothesis must not measure time either.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")

SHARED = Path(os.environ.get("ERRATA_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it skip where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the shared corpora are not here (set ERRATA_SHARED)")
    return SHARED / "data"


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder of the official programs' output; tests that need it skip where it is absent."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("the golden outputs are not here (set ERRATA_SHARED)")
    return SHARED / "golden"


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `errata` as a user does, in an empty folder."""

    def errata(*args: object, input: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "errata", *map(str, args)],
            input=input,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **env},
            timeout=300,
        )

    return errata
