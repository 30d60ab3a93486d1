"""The fixtures, markers and skips of all tests, and the order of the test files."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import lzma
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import settings

# No test depends on the clock, so hypothesis must not measure time either.
settings.register_profile("errata", deadline=None)
settings.load_profile("errata")

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# Files that take a minute of processor time and more: all their tests are `slow`. They begin first, so that
# none is left at the end.
_LONG = (
    "test_replicate.py", "test_release.py", "test_installation.py", "test_campaign_browser.py",
    "test_campaign_kills.py", "test_task_browser.py", "test_task_kills.py", "test_report_page.py",
    "test_product_pages.py", "test_docs_site.py", "test_docs_snippets.py", "test_ray.py",
    "test_cs_transformer.py", "test_transformer.py", "test_quality_training.py", "test_error_sampling.py",
    "test_neural_metrics.py", "test_tracking.py", "test_setup.py",
)  # fmt: skip
_SPREAD = ("test_docs_snippets.py", "test_product_pages.py")  # whose tests share nothing that is expensive

SHARED = Path(os.environ.get("ERRATA_SHARED", Path(__file__).parents[1] / "shared"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Add the markers that follow from names, and begin with the files that take longest."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        for marker, applies in (
            ("slow", item.path.name in _LONG or "data" in fixtures),
            ("golden", "golden" in fixtures),
            ("browser", "browser" in fixtures or item.path.stem.endswith("_browser")),
            ("crash", item.path.stem.endswith("_kills")),
        ):
            if applies:
                item.add_marker(marker)
    items.sort(key=lambda item: _LONG.index(item.path.name) if item.path.name in _LONG else len(_LONG))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test if a package is missing that `@pytest.mark.needs` names."""
    for mark in item.iter_markers("needs"):
        for name in mark.args:
            if not installed(name):
                pytest.skip(f"{name} is not installed")


def installed(module: str) -> bool:
    """Whether a module can be imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With several processes, give the tests of a file to one of them, which makes their fixtures once."""
    if "FUZZ_COUNT" in os.environ:
        return None  # the scheduler of pytest-xdist goes on after a crash

    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            return nodeid if file.endswith(_SPREAD) else file

    config.option.loadscopereorder = False  # the order of the tests is that from above
    return ByFile(config, log)


@pytest.fixture(scope="module", autouse=True)
def _signal_handlers() -> Iterator[None]:
    """Restore the handlers after each module: with that of Ray, forked processes would ignore SIGTERM."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it skip where it is absent."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the shared corpora are not here (set ERRATA_SHARED)")
    return SHARED / "data"


@pytest.fixture(scope="session")
def cherrant_resources(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ChERRANT's thesaurus and confusion sets, for tests that need its official edits."""
    pytest.importorskip("pypinyin", reason="the extra chinese is not installed")
    pytest.importorskip("opencc", reason="the extra chinese is not installed")
    folder = tmp_path_factory.mktemp("cherrant")
    for name in ("cilin.txt", "confusion_dict.txt"):
        packed = data / "cherrant" / f"{name}.xz"
        if not packed.is_file():
            pytest.skip("ChERRANT's resources are not here")
        (folder / name).write_bytes(lzma.decompress(packed.read_bytes()))
    return folder


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder of the official programs' output; tests that need it skip where it is absent."""
    if not (SHARED / "golden").is_dir():
        pytest.skip("the golden outputs are not here (set ERRATA_SHARED)")
    return SHARED / "golden"


class _Program:
    """The entry point in the shape that `CliRunner` calls."""

    name = "errata"

    @staticmethod
    def main(args: list[str], prog_name: str) -> None:
        from errata.__main__ import main

        sys.argv = [prog_name, *args]
        try:
            main()
        except SystemExit as end:
            if isinstance(end.code, str):  # as the interpreter does
                print(end.code, file=sys.stderr)
                raise SystemExit(1) from None
            raise


@contextlib.contextmanager
def _as_in_a_new_process(folder: Path) -> Iterator[None]:
    """Restore afterwards what a command changes in its process, and print warnings as Python does."""
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    formatter, arguments = warnings.formatwarning, sys.argv
    working_folder, environment = Path.cwd(), dict(os.environ)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for category in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", category)
        warnings.showwarning = lambda message, category, filename, line, file=None, text=None: print(
            warnings.formatwarning(message, category, filename, line, text), end="", file=sys.stderr
        )
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(working_folder)
            if os.environ != environment:
                os.environ.clear()
                os.environ.update(environment)
            warnings.formatwarning, sys.argv = formatter, arguments
            for number, handler in handlers.items():
                signal.signal(number, handler)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs `errata` in an empty folder, in this process. Keywords are environment variables."""

    def errata(*args: object, input: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        words = [*map(str, args)]
        stdin = io.BufferedReader(io.BytesIO((input or "").encode()))
        with _as_in_a_new_process(tmp_path):
            result = CliRunner().invoke(_Program, words, stdin, env, catch_exceptions=False)  # type: ignore[arg-type]
        out, err = result.stdout_bytes.decode(), result.stderr_bytes.decode()
        return subprocess.CompletedProcess(words, result.exit_code, out, err)

    return errata


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """Like `run`, in a new process: for plug-ins and variables that are read when modules are loaded."""

    def errata(*args: object, input: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "errata", *map(str, args)]
        environment = {**os.environ, **env}
        return subprocess.run(
            command, input=input, capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300
        )

    return errata
