"""Where the shared data is, and what every test may use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from forked import Forks

# No test depends on the clock, so hypothesis must not measure time either.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")

# What decides how modules are loaded, or starts processes: such commands run in a new interpreter.
_NEEDS_NEW = {"ERRATA_PURE", "PATH", "PYTHONHASHSEED", "PYTHONPATH", "PYTHONWARNINGS", "--engine", "--serve"}

_BALANCED = {"test_docs_snippets.py"}  # long, with cheap fixtures: better spread over the processes

SHARED = Path(os.environ.get("ERRATA_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the tests that share a fixture of their file in one process, which then makes it once.

    It counts with `--dist loadgroup`.
    """
    for item in items:
        made = getattr(item, "_fixtureinfo", None)
        scopes = {each[-1].scope for each in made.name2fixturedefs.values()} if made else set()
        grouped = item.get_closest_marker("xdist_group") or item.path.name in _BALANCED
        if "module" in scopes and not grouped:
            item.add_marker(pytest.mark.xdist_group(item.path.stem))


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


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """One process that commands are forked from, for each process of pytest."""
    made = Forks()
    yield made
    made.close()


@pytest.fixture
def run(tmp_path: Path, forks: Forks) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs `errata` as a user does, in an empty folder: in a process of its own for every command."""

    def errata(*args: object, input: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        words = [*map(str, args)]
        if not _NEEDS_NEW & {*env, *words}:
            return forks.run(words, input, tmp_path, {**os.environ, **env})
        return subprocess.run(
            [sys.executable, "-m", "errata", *words],
            input=input,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, **env},
            timeout=300,
        )

    return errata
