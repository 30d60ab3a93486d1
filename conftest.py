"""Where the shared data is, and what every test may use."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from forked import Forks

# No test depends on the clock, so hypothesis must not measure time either.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")

# What decides how modules are loaded, or starts processes: such commands run in a new interpreter.
_BEGUN_WITH = dict(os.environ)
_NEEDS_NEW = {"ERRATA_PURE", "LC_ALL", "PATH", "--engine", "--serve"}

# Files that take a minute of processor time and more; they begin first, so that none is left at the end.
_LONG = (
    "test_replicate.py", "test_release.py", "test_installation.py", "test_campaign_browser.py",
    "test_campaign_kills.py", "test_task_browser.py", "test_task_kills.py", "test_fuzzing.py",
    "test_fuzzed_input.py", "test_report_page.py", "test_docs_site.py", "test_ray.py",
    "test_cs_transformer.py", "test_transformer.py", "test_quality_training.py", "test_neural_metrics.py",
    "test_setup.py",
)  # fmt: skip
_SPREAD = ("test_docs_snippets.py",)  # whose tests share nothing that is expensive

SHARED = Path(os.environ.get("ERRATA_SHARED", Path(__file__).parents[1] / "shared"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the files that take longest."""
    items.sort(key=lambda item: _LONG.index(item.path.name) if item.path.name in _LONG else len(_LONG))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With several processes, give the tests of a file to one of them, which makes their fixtures once."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return nodeid if file.endswith(_SPREAD) else file

    config.option.loadscopereorder = False  # the order of the tests is that from above
    return ByFile(config, log)


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
        words, environment = [*map(str, args)], {**os.environ, **env}
        changed = {name for name, value in environment.items() if _BEGUN_WITH.get(name) != value}
        new = _NEEDS_NEW & {*changed, *words} or any(name.startswith("PYTHON") for name in changed)
        if sys.platform == "linux" and not new:
            return forks.run(words, input, tmp_path, environment)
        return subprocess.run(
            [sys.executable, "-m", "errata", *words],
            input=input,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
            timeout=300,
        )

    return errata


@pytest.fixture
def uncompiled_channel(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A function that makes the noisy channel use its native modules uncompiled."""
    from errata_correct import candidates, channel_search, language_model, native, noisy_channel

    def use() -> None:
        channel = native.load_pure("channel")
        for module in (channel_search, language_model, noisy_channel):
            monkeypatch.setattr(module, "channel", channel)
        monkeypatch.setattr(candidates, "lexicon", native.load_pure("lexicon"))

    return use
