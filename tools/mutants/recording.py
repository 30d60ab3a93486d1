"""A plugin of pytest: records which tests run which lines, and the processor time of each."""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest
from hypothesis import Phase, settings

# A mutant need not be shrunk to be noticed.
settings.register_profile("mutants", deadline=None, phases=(Phase.explicit, Phase.generate), database=None)
CONTEXT = "ERRATA_MUTANTS_TEST"  # tells the commands that a test starts which test it is


class Recorder:
    """Measures the lines of each test, those of its processes included."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()
        os.environ[CONTEXT] = ""
        os.environ["COVERAGE_PROCESS_START"] = str(folder / "coveragerc")
        self.coverage = coverage.Coverage(config_file=str(folder / "coveragerc"))
        self.coverage.start()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        os.environ[CONTEXT] = item.nodeid
        self.coverage.switch_context(item.nodeid)
        start = _processor_time()
        yield
        self.seconds[item.nodeid] = _processor_time() - start
        self.coverage.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self.failed.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        self.coverage.stop()
        self.coverage.save()
        passed = {name: spent for name, spent in self.seconds.items() if name not in self.failed}
        (self.folder / "seconds.json").write_text(json.dumps(passed))


def pytest_configure(config: pytest.Config) -> None:
    """Record if a folder for the measurements is named; without, only the profile of hypothesis is of use."""
    if "ERRATA_MUTANTS_RECORD" in os.environ:
        config.pluginmanager.register(Recorder(Path(os.environ.pop("ERRATA_MUTANTS_RECORD"))))


def _processor_time() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
