"""Runs `errata` in forks of one process that has loaded its modules, so that they are loaded once."""

from __future__ import annotations

import atexit
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

# What commands load besides errata itself; those that are not installed are left out.
LOADED = (
    "numpy", "scipy.sparse.csgraph", "scipy.special", "scipy.stats", "rapidfuzz.distance", "rich.console",
    "rich.table", "rich.progress", "jinja2", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "matplotlib.figure",
    "sqlalchemy.dialects.sqlite", "starlette.applications", "spacy", "uvicorn",
)  # fmt: skip


_HEAVY = ("errata_correct.transformer", "errata.integrations", "errata.models")


class Forks:
    """A process that forks itself for every command. The commands see nothing of each other."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def _started(self) -> subprocess.Popen[str]:
        if self._process is None:
            environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
            self._process = subprocess.Popen([sys.executable, __file__], **pipes, text=True, env=environment)
        return self._process

    def run(
        self, args: Sequence[str], input: str | None, folder: Path, environment: Mapping[str, str]
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in a folder, and return what it wrote and its exit code."""
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        with tempfile.TemporaryDirectory() as files:
            paths = [Path(files, name) for name in ("in", "out", "err")]
            paths[0].write_text(input or "", encoding="utf-8")
            request = {
                "args": list(args), "folder": str(folder), "paths": [*map(str, paths)],
                "environment": dict(environment),
            }  # fmt: skip
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            code = int(process.stdout.readline())
            out, err = (path.read_text(encoding="utf-8") for path in paths[1:])
        return subprocess.CompletedProcess(["errata", *args], code, out, err)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()


def serve() -> None:
    """Fork for every request that comes in as a line of JSON, and answer with the exit code."""
    answers = os.fdopen(os.dup(1), "w")
    requests = os.fdopen(os.dup(0))
    for line in requests:
        request = json.loads(line)
        child = os.fork()
        if not child:
            requests.close()
            answers.close()
            execute(request)
        _, status = os.waitpid(child, 0)
        answers.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answers.flush()


def execute(request: dict[str, object]) -> NoReturn:
    """The command of a request, as a new process would run it."""
    signal.alarm(300)  # ends a command that hangs
    paths, environment = request["paths"], request["environment"]
    assert isinstance(paths, list)
    assert isinstance(environment, dict)
    for number, path in enumerate(paths):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
    os.chdir(str(request["folder"]))
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["errata", *map(str, request["args"])]  # type: ignore[call-overload]
    code: object = 1
    try:
        from errata.__main__ import main

        main()
        code = 0
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
    threading._shutdown()
    atexit._run_exitfuncs()
    with suppress(Exception):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def load() -> None:
    """Load all that commands may need."""
    for name in LOADED:
        with suppress(ImportError):
            importlib.import_module(name)
    for name in ("errata", "errata_correct", "errata_server", "errata_studies"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.startswith(_HEAVY):
                with suppress(ImportError):
                    importlib.import_module(module.name)


if __name__ == "__main__":
    load()
    serve()
