"""Which tests run which lines, measured once with coverage.py, and the processor time each test takes."""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_CONTEXT = "ERRATA_MUTANTS_TEST"  # tells a command that a test starts which test it is


@dataclass
class Covered:
    """The processor seconds of every test that passes, and per module and line the tests that run it."""

    seconds: dict[str, float] = field(default_factory=dict)
    tests: dict[str, dict[int, list[str]]] = field(default_factory=dict)
    moved: dict[str, set[str]] = field(default_factory=dict)  # tests of modules whose lines have changed

    def add(self, path: Path, sources: Path) -> None:
        """Add the measurements of one test file; of a module that changed since, only that they run it."""
        found = json.loads(path.read_text())
        self.seconds.update(found["seconds"])
        for module, lines in found["tests"].items():
            if not (sources / module).exists():
                continue
            if found["sources"][module] != digest(sources / module):
                self.moved.setdefault(module, set()).update(*lines.values())
                continue
            mine = self.tests.setdefault(module, {})
            for line, names in lines.items():
                mine.setdefault(int(line), []).extend(names)

    def of(self, module: str, lines: range) -> list[str]:
        """The tests that run one of these lines, the quickest first; all of the module for its top level."""
        known = self.tests.get(module, {})
        names = {name for line in lines for name in known.get(line, ())} | self.moved.get(module, set())
        if "" in names:
            names = {name for some in known.values() for name in some}
        return sorted(names & self.seconds.keys(), key=lambda name: (self.seconds[name], name))


class _Recorder:
    """A plugin of pytest that tells coverage.py which test runs."""

    def __init__(self, coverage: Any) -> None:
        self.coverage = coverage
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.coverage.switch_context(item.nodeid)
        os.environ[_CONTEXT] = item.nodeid
        start = _processor_time()
        yield
        self.seconds[item.nodeid] = _processor_time() - start
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.failed.add(report.nodeid)


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def measure(tree: Path, test_file: str, packages: list[str], output: Path) -> None:
    """Run one test file of a copied tree under coverage.py, and write what it covers.

    Commands that the tests start are measured as well: they find a `sitecustomize` on their path.
    """
    import coverage

    work = output.parent / output.stem
    shutil.rmtree(work, ignore_errors=True)  # what an interrupted measurement left
    work.mkdir(parents=True)
    include = ",".join(f"{tree}/src/errata/{package}/*" for package in packages)
    settings = work / "coveragerc"
    settings.write_text(
        f"[run]\nparallel = true\ndata_file = {work / 'data'}\ninclude = {include}\n"
        f"context = ${{{_CONTEXT}-}}\nconcurrency = thread\n"
    )
    (work / "sitecustomize.py").write_text("import coverage\n\ncoverage.process_startup()\n")
    os.environ[_CONTEXT] = ""
    measured = coverage.Coverage(config_file=str(settings))
    os.environ["COVERAGE_PROCESS_START"] = str(settings)
    os.environ["PYTHONPATH"] = f"{work}{os.pathsep}{os.environ['PYTHONPATH']}"
    recorder = _Recorder(measured)
    measured.start()
    pytest.main(["-q", "--no-header", "-rN", test_file], plugins=[recorder])
    measured.stop()
    measured.save()
    together = coverage.Coverage(config_file=str(settings))
    together.combine([str(work)], keep=True)
    data = together.get_data()
    tests = {
        str(Path(file).relative_to(tree / "src" / "errata")): {
            line: sorted({name for name in names if name not in recorder.failed})
            for line, names in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    passed = {name: spent for name, spent in recorder.seconds.items() if name not in recorder.failed}
    sources = {module: digest(tree / "src" / "errata" / module) for module in tests}
    found = {"seconds": passed, "tests": tests, "digest": digest(tree / test_file), "sources": sources}
    partial = output.with_suffix(".partial")
    partial.write_text(json.dumps(found))
    partial.replace(output)


def is_current(output: Path, test_file: Path) -> bool:
    """Whether this test file was measured as it is now."""
    if not output.exists():
        return False
    found = json.loads(output.read_text())
    return "sources" in found and found["digest"] == digest(test_file)


def digest(path: Path) -> str:
    """A checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
